import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Node } from '../cluster/node.ts';
import type { SpreadConstraint } from '../cluster/pod.ts';
import { bookFailure, type CycleAccount } from '../evictor/account.ts';
import type { Pipeline } from '../evictor/check.ts';
import type { CarryOut } from '../evictor/carry-out.ts';
import type { Clock } from '../lib/clock.ts';
import type { Journal } from '../outcomes/journal.ts';
import type { Requester } from '../outcomes/outcome.ts';
import type { Context, Usage } from '../strategies/strategy.ts';
import { Answers } from './answers.ts';
import type { Memory } from './memory.ts';
import type { UsageSource } from './ports.ts';
import { scopeOf, type PlannedStrategy } from './profile.ts';

/** What the strategies of one cycle share. */
export interface Cycle {
  readonly account: CycleAccount;
  /** Usable nodes. */
  readonly nodes: readonly Node[];
  readonly carryOut: CarryOut;
  readonly memory: Memory;
  readonly journal: Journal;
  readonly usage: UsageSource;
  readonly clock: Clock;
  /** Whether durations are reported. */
  readonly timed: boolean;
  readonly gracePeriodSeconds: number | undefined;
  /** Spread constraints of the scheduler's profile, where the policy names them. */
  readonly defaultConstraints: readonly SpreadConstraint[] | undefined;
  readonly signal: AbortSignal;
  /** Limits that have been reported, so that each is reported once (framework.md 7.2, number 9). */
  readonly noticed: Set<string>;
}

/** The event loop gets a turn after so many candidates: for signals, and for evictions in flight. */
const CANDIDATES_A_TURN = 64;

/**
 * Runs one strategy to its end and reports it. One that throws ends only itself (architecture.md 5); what it was granted
 * before stands. The answer is why the cycle must end here, if it must.
 */
export async function runStrategy(
  planned: PlannedStrategy,
  pipeline: Pipeline,
  cycle: Cycle,
): Promise<string | undefined> {
  const startedAt = cycle.clock.now();
  const answers = new Answers(requesterOf(planned), pipeline, cycle);
  const ending = await drive(planned, answers, cycle);
  await cycle.carryOut.idle();
  settleFailures(answers, cycle);
  await cycle.memory.settle();
  answers.reportOpenLimits();
  cycle.journal.add({
    kind: 'strategy',
    ...namesOf(planned),
    ...answers.tally(),
    durationMs: cycle.timed ? cycle.clock.now() - startedAt : 0,
    ...ending,
  });
  return answers.cycleEnd;
}

/** Reports a strategy that had no turn, because the cycle ended before. */
export function skipStrategy(planned: PlannedStrategy, because: string, { journal }: Cycle): void {
  const tally = { proposed: 0, evicted: 0, refused: 0, durationMs: 0 };
  journal.add({ kind: 'strategy', ...namesOf(planned), ...tally, notes: [`not run: ${because}`] });
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
}

async function drive(planned: PlannedStrategy, answers: Answers, cycle: Cycle): Promise<Ending> {
  try {
    const measured = await measure(planned, cycle);
    if ('problem' in measured) return { notes: [], error: `usage ${measured.problem}` };
    return { notes: await converse(planned, contextOf(planned, { answers, cycle, measured }), { answers, cycle }) };
  } catch (error) {
    return { notes: [], error: error instanceof Error ? error.message : String(error) };
  }
}

/** The nodes a strategy may look at, and their usage if it wants it measured. */
interface Measured {
  readonly nodes: readonly Node[];
  readonly usage?: Usage;
}

/** A node without a sample is left out instead of failing the strategy (framework.md 7.2, number 17). */
async function measure(planned: PlannedStrategy, cycle: Cycle): Promise<Measured | { readonly problem: string }> {
  const { strategy, args } = planned.enabled;
  const need = strategy.needs?.(args);
  if (!need) return { nodes: cycle.nodes };
  const answer = await cycle.usage(need, cycle.account.snapshot, cycle.signal);
  if ('problem' in answer) return answer;
  const { usage } = answer;
  const [nodes, missing] = partition(cycle.nodes, (node) => usage.node(node.name) !== undefined);
  for (const { name } of missing) {
    const text = `no measured usage of node ${name}: it is left out of ${strategy.name} in profile ${planned.profile.name}`;
    cycle.journal.add({ kind: 'warning', text });
  }
  return { nodes, usage };
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): readonly [readonly T[], readonly T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}

interface ContextParts {
  readonly answers: Answers;
  readonly cycle: Cycle;
  readonly measured: Measured;
}

/** Pods that are on their way out are gone from what a strategy sees; the room they still hold is fit's business. */
function contextOf(planned: PlannedStrategy, { answers, cycle, measured }: ContextParts): Context<unknown> {
  const { args, strategy } = planned.enabled;
  const { scoring } = strategy;
  const { snapshot, now, ledger, placement } = cycle.account;
  const gone = ledger.evicted;
  return {
    snapshot: gone.size === 0 ? snapshot : snapshot.without(gone),
    ...measured,
    args,
    now,
    inScope: scopeOf(args),
    check: (pod, destinations) => answers.check(pod, destinations),
    fits: (pod, nodes) => placement.fitting(pod, nodes),
    arrivals: placement.arrivals(),
    ...(cycle.defaultConstraints && { defaultConstraints: cycle.defaultConstraints }),
    ...(planned.profile.evictor.nodeFit ? { likely: (pod) => placement.predict(pod, scoring).likely } : {}),
  };
}

interface Conversation {
  readonly answers: Answers;
  readonly cycle: Cycle;
}

/** Draws proposal after proposal, each answered at once; an abort is honoured between two of them. */
async function converse(
  { enabled }: PlannedStrategy,
  context: Context<unknown>,
  { answers, cycle }: Conversation,
): Promise<readonly string[]> {
  const proposals = enabled.strategy.propose(context);
  let step = proposals.next();
  for (let candidates = 1; !step.done; candidates += 1) {
    if (candidates % CANDIDATES_A_TURN === 0) await nextTurn();
    if (cycle.signal.aborted) {
      proposals.return([]);
      return ['ended early: the run was ended'];
    }
    step = proposals.next(answers.answer(step.value));
  }
  return step.value;
}

/** In the order of the plan, so that what is free afterwards does not depend on which answer came first. */
function settleFailures(answers: Answers, { account }: Cycle): void {
  for (const { pod, failure, error } of answers.failures()) {
    bookFailure(account, pod, error ?? 'for an unknown reason');
    if (failure === 'unknown') account.ledger.countUncertain(pod);
    if (failure === 'too-many-requests') account.ledger.noteBlocked(pod);
  }
}
