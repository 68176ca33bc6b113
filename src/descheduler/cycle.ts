import type { Node } from '../cluster/node.ts';
import { openAccount, type CycleAccount } from '../evictor/account.ts';
import { createCarryOut, type EvictPod } from '../evictor/carry-out.ts';
import { createPipeline, type Pipeline, type ProfilePipeline } from '../evictor/check.ts';
import { pruned, type History } from '../evictor/history.ts';
import { memoryKeys, retentionOf } from '../evictor/limits.ts';
import type { Clock } from '../lib/clock.ts';
import { cycleReport, isLive } from '../outcomes/cycle-report.ts';
import { Journal } from '../outcomes/journal.ts';
import type { CycleReport, Observe } from '../outcomes/outcome.ts';
import type { Policy, Profile } from '../policy/policy.ts';
import { NO_MEMORY, openMemory, recall, type Memory } from './memory.ts';
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
 * One descheduling cycle, top to bottom (architecture.md 5): look at the cluster, let every strategy propose, decide on
 * each proposal, carry out what is granted, report. Rejects if the cluster can't be had, with PriorityThresholdError, or
 * with HistoryError.
 */
export async function runCycle(policy: Policy, ports: CyclePorts, options: CycleOptions): Promise<CycleReport> {
  const startedAt = ports.clock.now();
  const view = await ports.cluster(options.signal);
  const journal = new Journal(ports.observe);
  for (const text of view.warnings) journal.add({ kind: 'warning', text });
  const nodes = usableNodes(policy, view.snapshot);
  if (nodes.length < 2) journal.add({ kind: 'warning', text: skippedBecause(nodes, policy, view) });
  else await runStrategies(policy, await openCycle({ policy, ports, options, view, journal, nodes }));
  const finishedAt = ports.clock.now();
  const { snapshot, source } = view;
  return cycleReport({ dryRun: options.dryRun, source, snapshot, startedAt, finishedAt }, journal.entries());
}

/** With one node there is nowhere to go (framework.md 4.3, step 4; 7.2, number 12). */
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
  readonly journal: Journal;
  readonly nodes: readonly Node[];
}

/** Everything that the strategies of this cycle share: one account, one view of the room, one pool. */
async function openCycle(opening: Opening): Promise<Cycle> {
  const { policy, ports, options, view, journal, nodes } = opening;
  if (!view.snapshot.knows('PodDisruptionBudget')) {
    const text = 'no PodDisruptionBudget objects were read: evictions that a budget would refuse are not foreseen';
    journal.add({ kind: 'warning', text });
  }
  const account = await accountOf(opening);
  const memory = memoryOf(opening, account);
  return {
    account,
    nodes,
    carryOut: createCarryOut(memory.remembering(ports.evict), options.signal),
    memory,
    journal,
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
async function accountOf({
  policy: { limits, scheduler },
  ports,
  options,
  view,
  journal,
}: Opening): Promise<CycleAccount> {
  const now = new Date(view.source.now);
  const { state, warnings } = await recall(limits, ports.history, options.signal);
  for (const text of warnings) journal.add({ kind: 'warning', text });
  const history = pruned(state, retentionOf(limits), now.getTime());
  return openAccount(view.snapshot, now, { ...limits, history, ...(scheduler && { scheduler }) });
}

function memoryOf({ policy: { limits }, ports, options, journal }: Opening, account: CycleAccount): Memory {
  const { history, clock } = ports;
  if (!history || options.dryRun || memoryKeys(limits).length === 0) return NO_MEMORY;
  const warn = (text: string) => {
    journal.add({ kind: 'warning', text });
  };
  return openMemory({ history, limits, account, clock, warn });
}

/** Pipelines come first: a priority threshold that cannot be resolved fails the cycle before anything is evicted. */
async function runStrategies(policy: Policy, cycle: Cycle): Promise<void> {
  const pipelines = new Map(
    policy.profiles.map((profile) => [profile, createPipeline(profile.evictor, cycle.account)]),
  );
  let end: string | undefined;
  for (const planned of strategiesInOrder(policy)) {
    end ??= cycle.signal.aborted ? 'the run was ended' : undefined;
    if (end === undefined) end = await runStrategy(planned, pipelineOf(planned, pipelines), cycle);
    else skipStrategy(planned, end, cycle);
  }
  for (const text of cycle.account.placement.warnings()) cycle.journal.add({ kind: 'warning', text });
}

function pipelineOf(
  { profile, enabled: { strategy } }: PlannedStrategy,
  pipelines: ReadonlyMap<Profile, ProfilePipeline>,
): Pipeline {
  const pipeline = pipelines.get(profile);
  if (!pipeline) throw new Error(`no pipeline for profile ${profile.name}`);
  return strategy.extensionPoint === 'balance' ? pipeline.balancing(strategy.scoring ?? 'LeastAllocated') : pipeline;
}
