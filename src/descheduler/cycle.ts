import { setImmediate as nextTurn } from 'node:timers/promises';
import { cycleReport } from '../outcomes/cycle-report.ts';
import { OutcomeRecorder } from '../outcomes/outcome-recorder.ts';
import type { CycleReport, StrategyCut } from '../outcomes/outcome.ts';
import type { Policy } from '../policy/policy.ts';
import { EvictionCoordinator } from './eviction-coordinator.ts';
import { openCycle, type Cycle } from './open-cycle.ts';
import type { CycleOptions, CyclePorts } from './ports.ts';
import { skippedBecause, strategiesInOrder, usableNodes, type PlannedStrategy } from './profile.ts';
import { contextOf } from './strategy-context.ts';

/** The event loop gets a turn after so many candidates or ms, whichever comes first: for signals, probes and evictions in flight. */
const CANDIDATES_A_TURN = 64;
const MS_A_TURN = 10;

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
  const skipped = skippedBecause(nodes, policy, view.snapshot);
  if (skipped !== undefined) recorder.add({ kind: 'warning', text: skipped });
  else await runStrategies(policy, await openCycle({ policy, ports, options, view, began, recorder, nodes }));
  const finishedAt = startedAt + ports.clock.now() - began;
  const { snapshot, source } = view;
  return cycleReport({ dryRun: options.dryRun, source, snapshot, startedAt, finishedAt, skipped }, recorder.entries());
}

async function runStrategies(policy: Policy, cycle: Cycle): Promise<void> {
  let end: string | undefined;
  for (const planned of strategiesInOrder(policy)) {
    end ??= cycle.signal.aborted ? 'the run was ended' : undefined;
    if (end === undefined) end = await runStrategy(planned, cycle);
    else skipStrategy(planned, end, cycle);
  }
  await cycle.close();
}

/**
 * Runs one strategy to its end and reports it. One that throws ends only itself; what it was granted before stands. The
 * answer is why the cycle must end here, if it must.
 */
async function runStrategy(planned: PlannedStrategy, cycle: Cycle): Promise<string | undefined> {
  const startedAt = cycle.clock.now();
  const coordinator = new EvictionCoordinator(planned, cycle);
  const ending = await propose(planned, coordinator, cycle);
  await cycle.carryOut.idle();
  coordinator.reportOpenLimits();
  const durationMs = cycle.timed ? cycle.clock.now() - startedAt : 0;
  const cut = ending.cut ?? coordinator.cutByLimits();
  const came = { ...ending, ...(cut && { cut }) };
  cycle.recorder.add({ kind: 'strategy', ...namesOf(planned), ...coordinator.tally(), durationMs, ...came });
  return coordinator.cycleEnd;
}

/** Reports a strategy that had no turn, because the cycle ended before. */
function skipStrategy(planned: PlannedStrategy, because: string, { recorder }: Cycle): void {
  const tally = { proposed: 0, evicted: 0, refused: 0, durationMs: 0 };
  const cut = { state: 'not-run', why: because, limits: [] } as const;
  recorder.add({ kind: 'strategy', ...namesOf(planned), ...tally, cut, notes: [`not run: ${because}`] });
}

function namesOf({ profile, enabled: { strategy } }: PlannedStrategy) {
  return { profile: profile.name, name: strategy.name, extensionPoint: strategy.extensionPoint };
}

/** How a strategy ended: what it tells the operator, and what went wrong. */
interface Ending {
  readonly notes: readonly string[];
  readonly error?: string;
  readonly stack?: string;
  readonly cut?: StrategyCut;
}

async function propose(planned: PlannedStrategy, coordinator: EvictionCoordinator, cycle: Cycle): Promise<Ending> {
  try {
    const prepared = await contextOf(planned, coordinator, cycle);
    if ('problem' in prepared) return { notes: [], error: `usage ${prepared.problem}` };
    const ending = await answerEach(planned.enabled.strategy.propose(prepared.context), coordinator, cycle);
    return { ...ending, notes: [...ending.notes, ...prepared.notes] };
  } catch (error) {
    if (!(error instanceof Error)) return { notes: [], error: String(error) };
    return { notes: [], error: error.message, ...(error.stack !== undefined && { stack: error.stack }) };
  }
}

/** Draws proposal after proposal, each answered at once; an abort is honoured between two of them. */
async function answerEach(
  proposals: ReturnType<PlannedStrategy['enabled']['strategy']['propose']>,
  coordinator: EvictionCoordinator,
  { clock, signal }: Cycle,
): Promise<Ending> {
  let turnAt = clock.now();
  let step = proposals.next();
  for (let candidates = 1; ; candidates += 1) {
    if (candidates % CANDIDATES_A_TURN === 0 || clock.now() - turnAt >= MS_A_TURN) {
      await nextTurn();
      turnAt = clock.now();
    }
    if (step.done) return { notes: step.value };
    if (signal.aborted) {
      proposals.return([]);
      const cut = { state: 'interrupted', why: 'the run was ended', limits: [] } as const;
      return { notes: ['ended early: the run was ended'], cut };
    }
    step = proposals.next(coordinator.answer(step.value));
  }
}
