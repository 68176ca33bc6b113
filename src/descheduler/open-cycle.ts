import type { Node } from '../cluster/objects/node.ts';
import type { SpreadConstraint } from '../cluster/objects/pod.ts';
import { createCarryOut } from '../evictor/carry-out.ts';
import { createPipeline } from '../evictor/check.ts';
import { CycleState, type EndingObserver } from '../evictor/cycle-state.ts';
import { pruned } from '../evictor/limits/history.ts';
import { memoryKeys, retentionOf } from '../evictor/limits/limits.ts';
import type { Clock } from '../lib/clock.ts';
import { isLive } from '../outcomes/cycle-report.ts';
import { isFailure } from '../outcomes/eviction-result.ts';
import type { OutcomeRecorder } from '../outcomes/outcome-recorder.ts';
import type { Policy } from '../policy/policy.ts';
import { absentNamespaces } from './absent-namespaces.ts';
import type { CoordinatorView } from './eviction-coordinator.ts';
import { createHistoryRecorder, NO_RECORDER, recall, type HistoryRecorder } from './history-recorder.ts';
import { HistoryWriter } from './history-writer.ts';
import type { ClusterView, CycleOptions, CyclePorts, UsageSource } from './ports.ts';

/** What the strategies of one cycle share. */
export interface Cycle extends CoordinatorView {
  /** Usable nodes. */
  readonly nodes: readonly Node[];
  readonly usage: UsageSource;
  readonly clock: Clock;
  /** Whether durations are reported. */
  readonly timed: boolean;
  /** Spread constraints of the scheduler's profile, where the policy names them. */
  readonly defaultConstraints: readonly SpreadConstraint[] | undefined;
  readonly signal: AbortSignal;
  /** Writes down what is only known when all strategies have ended. */
  readonly close: () => Promise<void>;
}

/** What a cycle is opened with. */
interface CycleInput {
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
export async function openCycle(input: CycleInput): Promise<Cycle> {
  const { policy, ports, options, view, recorder, nodes } = input;
  if (!view.snapshot.knows('PodDisruptionBudget')) {
    const text = 'no PodDisruptionBudget objects were read: evictions that one would refuse are not predicted';
    recorder.add({ kind: 'warning', text });
  }
  for (const text of absentNamespaces(policy, view.snapshot)) recorder.add({ kind: 'warning', text });
  const history = historyRecorderOf(input);
  const state = await openState(input, history);
  const shared: CoordinatorView = {
    ...{ state, history, recorder, noticed: new Set(), gracePeriodSeconds: policy.gracePeriodSeconds },
    pipelineOf: pipelinesOf(policy, state),
    carryOut: createCarryOut({
      evict: ports.evict,
      announce: (reservation) => history.announce(reservation),
      finish: (reservation, ending) => state.finish(reservation, ending),
      signal: options.signal,
    }),
  };
  return {
    ...shared,
    ...{ nodes, usage: ports.usage, clock: ports.clock, signal: options.signal },
    timed: isLive(view.source),
    defaultConstraints: policy.scheduler?.defaultConstraints,
    close: () => closeCycle(shared),
  };
}

/** What earlier cycles have spent is read after the cluster, so that it is no older than what it is held against. */
async function openState(input: CycleInput, recorder: HistoryRecorder): Promise<CycleState> {
  const { policy, ports, options, view } = input;
  const { limits, scheduler } = policy;
  const now = new Date(view.source.now);
  const { state, warnings } = await recall(limits, ports.history, options.signal);
  for (const text of warnings) input.recorder.add({ kind: 'warning', text });
  const history = pruned(state, retentionOf(limits), now.getTime());
  const observer = observerOf(input.recorder, recorder);
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

function historyRecorderOf({ policy: { limits }, ports, options, view, began, recorder }: CycleInput): HistoryRecorder {
  const { history, clock } = ports;
  if (!history || options.dryRun || memoryKeys(limits).length === 0) return NO_RECORDER;
  // What was read first is as old as the cycle.
  const startedAt = Date.parse(view.source.now);
  const now = () => startedAt + clock.now() - began;
  const warn = (text: string) => recorder.add({ kind: 'warning', text });
  const writer = new HistoryWriter({ history, retention: retentionOf(limits), now, warn });
  return createHistoryRecorder({ writer, startedAt, now, countsBlocks: limits.blockedPods !== undefined, warn });
}

/** One pipeline a profile; all are made at once, since a priority threshold that cannot be resolved fails the whole cycle. */
function pipelinesOf({ profiles }: Policy, state: CycleState): Cycle['pipelineOf'] {
  const pipelines = new Map(profiles.map((profile) => [profile, createPipeline(profile.evictor, state)]));
  return ({ profile, enabled: { strategy, args } }) => {
    const pipeline = pipelines.get(profile);
    if (!pipeline) throw new Error(`no pipeline for profile ${profile.name}`);
    return strategy.extensionPoint === 'balance' ? pipeline.balancing(strategy.scoring?.(args)) : pipeline;
  };
}

async function closeCycle({ state, history, recorder }: CoordinatorView): Promise<void> {
  await history.flush();
  for (const text of state.placement.warnings()) recorder.add({ kind: 'warning', text });
  for (const [{ position }, nodes] of state.likelyNodes()) recorder.nameLikelyNodes(position, nodes);
}
