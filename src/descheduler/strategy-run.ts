import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Node } from '../cluster/objects/node.ts';
import { isAssumed, type SpreadConstraint } from '../cluster/objects/pod.ts';
import { compareText, type ExpectedChanges } from '../cluster/snapshot.ts';
import type { Pipeline } from '../evictor/check.ts';
import type { Clock } from '../lib/clock.ts';
import { groupBy } from '../lib/group.ts';
import type { Requester } from '../outcomes/outcome.ts';
import { isForeseeable } from '../placement/fit.ts';
import type { Context, Usage } from '../strategies/strategy.ts';
import { firstFew } from '../strategies/words.ts';
import { EvictionCoordinator, type CoordinatorView } from './eviction-coordinator.ts';
import { expectedUsage } from './expected-usage.ts';
import type { UsageSource } from './ports.ts';
import { scopeOf, type PlannedStrategy } from './profile.ts';

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
}

/** The event loop gets a turn after so many candidates or ms, whichever comes first: for signals, probes and evictions in flight. */
const CANDIDATES_A_TURN = 64;
const MS_A_TURN = 10;

/**
 * Runs one strategy to its end and reports it. One that throws ends only itself; what it was granted
 * before stands. The answer is why the cycle must end here, if it must.
 */
export async function runStrategy(
  planned: PlannedStrategy,
  pipeline: Pipeline,
  cycle: Cycle,
): Promise<string | undefined> {
  const startedAt = cycle.clock.now();
  const coordinator = new EvictionCoordinator(requesterOf(planned), pipeline, cycle);
  const ending = await drive(planned, coordinator, cycle);
  await cycle.carryOut.idle();
  coordinator.reportOpenLimits();
  cycle.recorder.add({
    kind: 'strategy',
    ...namesOf(planned),
    ...coordinator.tally(),
    durationMs: cycle.timed ? cycle.clock.now() - startedAt : 0,
    ...ending,
  });
  return coordinator.cycleEnd;
}

/** Reports a strategy that had no turn, because the cycle ended before. */
export function skipStrategy(planned: PlannedStrategy, because: string, { recorder }: Cycle): void {
  const tally = { proposed: 0, evicted: 0, refused: 0, durationMs: 0 };
  recorder.add({ kind: 'strategy', ...namesOf(planned), ...tally, notes: [`not run: ${because}`] });
}

function requesterOf({ profile, enabled }: PlannedStrategy): Requester {
  return { profile: profile.name, strategy: enabled.strategy.name };
}

function namesOf({ profile, enabled: { strategy } }: PlannedStrategy) {
  return { profile: profile.name, name: strategy.name, extensionPoint: strategy.extensionPoint };
}

interface Ending {
  readonly notes: readonly string[];
  readonly error?: string;
  readonly stack?: string;
}

async function drive(planned: PlannedStrategy, coordinator: EvictionCoordinator, cycle: Cycle): Promise<Ending> {
  try {
    const measured = await measure(planned, cycle);
    if ('problem' in measured) return { notes: [], error: `usage ${measured.problem}` };
    const notes = assumedNotes(planned, cycle.state.changes);
    const context = contextOf(planned, { coordinator, cycle, measured });
    return { notes: [...(await converse(planned, context, { coordinator, cycle })), ...notes] };
  } catch (error) {
    if (!(error instanceof Error)) return { notes: [], error: String(error) };
    return { notes: [], error: error.message, ...(error.stack !== undefined && { stack: error.stack }) };
  }
}

/** The nodes a strategy may look at, and their usage if it wants it measured. */
interface Measured {
  readonly nodes: readonly Node[];
  readonly usage?: Usage;
}

/** A node without a sample is left out instead of failing the strategy (rule T13). */
async function measure(planned: PlannedStrategy, cycle: Cycle): Promise<Measured | { readonly problem: string }> {
  const { strategy, args } = planned.enabled;
  const need = strategy.needs?.(args);
  if (!need) return { nodes: cycle.nodes };
  const answer = await cycle.usage(need, cycle.state.snapshot, cycle.signal);
  if ('problem' in answer) return answer;
  const { usage } = answer;
  const [nodes, missing] = partition(cycle.nodes, (node) => usage.node(node.name) !== undefined);
  for (const { name } of missing) {
    const text = `no measured usage of node ${name}: it is left out of ${strategy.name} in profile ${planned.profile.name}`;
    cycle.recorder.add({ kind: 'warning', text });
  }
  return { nodes, usage };
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}

interface ContextParts {
  readonly coordinator: EvictionCoordinator;
  readonly cycle: Cycle;
  readonly measured: Measured;
}

/** Pods that are on their way out are gone from what a strategy counts; the room they still hold is fit's business. */
function contextOf(planned: PlannedStrategy, { coordinator, cycle, measured }: ContextParts): Context<unknown> {
  const { args, strategy } = planned.enabled;
  const scoring = strategy.scoring?.(args);
  const { snapshot, now, changes, placement } = cycle.state;
  const isChosen = scopeOf(args);
  return {
    snapshot: snapshot.after(changes),
    nodes: measured.nodes,
    ...(measured.usage && { usage: expectedUsage(measured.usage, changes) }),
    args,
    now,
    inScope: (pod) => !isAssumed(pod) && isChosen(pod),
    check: (pod, destinations) => coordinator.check(pod, destinations),
    fits: (pod, nodes) => placement.fitting(pod, nodes),
    replacementOf: (pod) => placement.replacementOf(pod),
    ...(cycle.defaultConstraints && { defaultConstraints: cycle.defaultConstraints }),
    ...(planned.profile.evictor.nodeFit
      ? { likely: (pod) => (isForeseeable(pod) ? placement.predict(pod, scoring).likely : []) }
      : {}),
  };
}

/** Balance strategies compare counts, which hold pods that nobody can see in the cluster yet. */
function assumedNotes({ enabled: { strategy } }: PlannedStrategy, { assumed }: ExpectedChanges): readonly string[] {
  if (strategy.extensionPoint !== 'balance' || assumed.length === 0) return [];
  const byNode = [...groupBy(assumed, ({ nodeName }) => nodeName)].sort(([a], [b]) => compareText(a, b));
  const places = byNode.map(([name, pods]) => `${pods.length} on ${name}`);
  return [`counts replacements of earlier evictions where they are expected: ${firstFew(places)}`];
}

interface Conversation {
  readonly coordinator: EvictionCoordinator;
  readonly cycle: Cycle;
}

/** Draws proposal after proposal, each answered at once; an abort is honoured between two of them. */
async function converse(
  { enabled }: PlannedStrategy,
  context: Context<unknown>,
  { coordinator, cycle }: Conversation,
): Promise<readonly string[]> {
  let turnAt = cycle.clock.now();
  const proposals = enabled.strategy.propose(context);
  let step = proposals.next();
  for (let candidates = 1; ; candidates += 1) {
    if (candidates % CANDIDATES_A_TURN === 0 || cycle.clock.now() - turnAt >= MS_A_TURN) {
      await nextTurn();
      turnAt = cycle.clock.now();
    }
    if (step.done) return step.value;
    if (cycle.signal.aborted) {
      proposals.return([]);
      return ['ended early: the run was ended'];
    }
    step = proposals.next(coordinator.answer(step.value));
  }
}
