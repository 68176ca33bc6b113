import type { Node } from '../cluster/objects/node.ts';
import { createCarryOut, type EvictPod } from '../evictor/carry-out.ts';
import { createPipeline, type Pipeline, type ProfilePipeline } from '../evictor/check.ts';
import { CycleState, type EndingObserver } from '../evictor/cycle-state.ts';
import { pruned, type History } from '../evictor/limits/history.ts';
import { memoryKeys, retentionOf } from '../evictor/limits/limits.ts';
import type { Clock } from '../lib/clock.ts';
import { cycleReport, isLive } from '../outcomes/cycle-report.ts';
import { isFailure } from '../outcomes/eviction-result.ts';
import { OutcomeRecorder } from '../outcomes/outcome-recorder.ts';
import type { CycleReport, Observe } from '../outcomes/outcome.ts';
import type { Policy, Profile } from '../policy/policy.ts';
import { absentNamespaces } from './absent-namespaces.ts';
import { createHistoryRecorder, NO_RECORDER, recall, type HistoryRecorder } from './history-recorder.ts';
import { HistoryWriter } from './history-writer.ts';
import type { ClusterSource, ClusterView, UsageSource } from './ports.ts';
import { strategiesInOrder, usableNodes, type PlannedStrategy } from './profile.ts';
import { runStrategy, skipStrategy, type Cycle } from './strategy-run.ts';

/** All that one cycle needs from outside. */
export interface CyclePorts {
  readonly cluster: ClusterSource;
  readonly usage: UsageSource;
  readonly evict: EvictPod;
  /** For limits that look back beyond the cycle; read by dry runs, too, and written by others alone. */
  readonly history?: History;
  readonly observe: Observe;
  readonly clock: Clock;
}

/** How one cycle is run. */
export interface CycleOptions {
  /** For the report; whether anything is evicted is up to the port. */
  readonly dryRun: boolean;
  /** Ends the cycle between two candidates; the report tells what was done until then. */
  readonly signal: AbortSignal;
}

/**
 * One descheduling cycle, top to bottom: look at the cluster, let every strategy propose, decide on each proposal, carry
 * out what is granted, report. Rejects if the cluster can't be had, with PriorityThresholdError, or with HistoryError.
 */
export async function runCycle(policy: Policy, ports: CyclePorts, options: CycleOptions): Promise<CycleReport> {
  const [startedAt, began] = [ports.clock.wall(), ports.clock.now()];
  const view = await ports.cluster(options.signal);
  const recorder = new OutcomeRecorder(ports.observe);
  for (const text of view.warnings) recorder.add({ kind: 'warning', text });
  const nodes = usableNodes(policy, view.snapshot);
  if (nodes.length < 2) recorder.add({ kind: 'warning', text: skippedBecause(nodes, policy, view) });
  else await runStrategies(policy, await openCycle({ policy, ports, options, view, began, recorder, nodes }));
  const finishedAt = startedAt + ports.clock.now() - began;
  const { snapshot, source } = view;
  return cycleReport({ dryRun: options.dryRun, source, snapshot, startedAt, finishedAt }, recorder.entries());
}

/** With one node there is nowhere to go. */
function skippedBecause(nodes: readonly Node[], policy: Policy, { snapshot }: ClusterView): string {
  const ready = `${snapshot.readyNodes.length} of ${snapshot.nodes.length} nodes ready`;
  const chosen = policy.nodeSelector ? `, ${nodes.length} of these chosen by the policy's nodeSelector` : '';
  const usable = nodes.length === 0 ? 'are none' : 'is one';
  return `cycle skipped: it takes two usable nodes to move a pod, and there ${usable} (${ready}${chosen})`;
}

interface Opening {
  readonly policy: Policy;
  readonly ports: CyclePorts;
  readonly options: CycleOptions;
  readonly view: ClusterView;
  /** When the cycle did, as `clock.now()` has it. */
  readonly began: number;
  readonly recorder: OutcomeRecorder;
  readonly nodes: readonly Node[];
}

/** Everything that the strategies of this cycle share: one state, one pool, one report. */
async function openCycle(opening: Opening): Promise<Cycle> {
  const { policy, ports, options, view, recorder, nodes } = opening;
  if (!view.snapshot.knows('PodDisruptionBudget')) {
    const text = 'no PodDisruptionBudget objects were read: evictions that a budget would refuse are not foreseen';
    recorder.add({ kind: 'warning', text });
  }
  for (const text of absentNamespaces(policy, view.snapshot)) recorder.add({ kind: 'warning', text });
  const history = historyRecorderOf(opening);
  const state = await openState(opening, history);
  return {
    state,
    history,
    recorder,
    nodes,
    carryOut: createCarryOut({
      evict: ports.evict,
      announce: (reservation) => history.announce(reservation),
      finish: (reservation, ending) => state.finish(reservation, ending),
      signal: options.signal,
    }),
    usage: ports.usage,
    clock: ports.clock,
    timed: isLive(view.source),
    gracePeriodSeconds: policy.gracePeriodSeconds,
    defaultConstraints: policy.scheduler?.defaultConstraints,
    signal: options.signal,
    noticed: new Set(),
  };
}

/** What earlier cycles have spent is read after the cluster, so that it is no older than what it is held against. */
async function openState(opening: Opening, recorder: HistoryRecorder): Promise<CycleState> {
  const { policy, ports, options, view } = opening;
  const { limits, scheduler } = policy;
  const now = new Date(view.source.now);
  const { state, warnings } = await recall(limits, ports.history, options.signal);
  for (const text of warnings) opening.recorder.add({ kind: 'warning', text });
  const history = pruned(state, retentionOf(limits), now.getTime());
  const observer = observerOf(opening.recorder, recorder);
  return new CycleState({ snapshot: view.snapshot, now, limits, history, observer, ...(scheduler && { scheduler }) });
}

function observerOf(recorder: OutcomeRecorder, history: HistoryRecorder): EndingObserver {
  return {
    remember: (reservation, what) => history.remember(reservation, what),
    record({ position, request, destinations, likelyNodes }, ending) {
      const { pod, profile, strategy, reason } = request;
      const error = isFailure(ending) ? { error: ending.error } : {};
      const { result } = ending;
      recorder.addEviction(position, {
        ...{ kind: 'eviction', profile, strategy, pod, reason, destinations, likelyNodes, result },
        ...error,
      });
    },
  };
}

function historyRecorderOf({ policy: { limits }, ports, options, view, began, recorder }: Opening): HistoryRecorder {
  const { history, clock } = ports;
  if (!history || options.dryRun || memoryKeys(limits).length === 0) return NO_RECORDER;
  // What was read first is as old as the cycle.
  const startedAt = Date.parse(view.source.now);
  const now = () => startedAt + clock.now() - began;
  const warn = (text: string) => recorder.add({ kind: 'warning', text });
  const writer = new HistoryWriter({ history, retention: retentionOf(limits), now, warn });
  return createHistoryRecorder({ writer, startedAt, now, countsBlocks: limits.blockedPods !== undefined, warn });
}

/** Pipelines come first: a priority threshold that cannot be resolved fails the cycle before anything is evicted. */
async function runStrategies(policy: Policy, cycle: Cycle): Promise<void> {
  const pipelines = new Map(policy.profiles.map((profile) => [profile, createPipeline(profile.evictor, cycle.state)]));
  let end: string | undefined;
  for (const planned of strategiesInOrder(policy)) {
    end ??= cycle.signal.aborted ? 'the run was ended' : undefined;
    if (end === undefined) end = await runStrategy(planned, pipelineOf(planned, pipelines), cycle);
    else skipStrategy(planned, end, cycle);
  }
  await cycle.history.flush();
  for (const text of cycle.state.placement.warnings()) cycle.recorder.add({ kind: 'warning', text });
  for (const [{ position }, nodes] of cycle.state.likelyNodes()) cycle.recorder.nameLikelyNodes(position, nodes);
}

function pipelineOf(
  { profile, enabled: { strategy, args } }: PlannedStrategy,
  pipelines: ReadonlyMap<Profile, ProfilePipeline>,
): Pipeline {
  const pipeline = pipelines.get(profile);
  if (!pipeline) throw new Error(`no pipeline for profile ${profile.name}`);
  return strategy.extensionPoint === 'balance' ? pipeline.balancing(strategy.scoring?.(args)) : pipeline;
}
