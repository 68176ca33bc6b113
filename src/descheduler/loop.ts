import cron from 'node-cron';
import { sleep, type Clock } from '../lib/clock.ts';

/** When cycles run: once, every so often, or at the times of cron expressions. */
export type Timing =
  | { readonly kind: 'once' }
  | { readonly kind: 'interval'; readonly intervalMs: number }
  /** node-cron syntax; the zone is an IANA name, the machine's by default. */
  | { readonly kind: 'schedule'; readonly expressions: readonly string[]; readonly timeZone: string | undefined };

/** What drives the loop. */
export interface LoopOptions {
  readonly timing: Timing;
  readonly clock: Clock;
  /** Ends the loop: no cycle starts afterwards. */
  readonly signal: AbortSignal;
}

/**
 * Runs cycles one after another, never two at once, until the signal comes. `cycle` deals with its own failures and
 * answers with an exit code; the loop's is that of the last one.
 *
 * With an interval the first cycle starts at once and the next start is the last one plus the interval, or at once after
 * a cycle that took longer (framework.md 4.2). With a schedule cycles start at its times only, since these are the times
 * at which the operator allows evictions; a time that comes during a cycle is passed over.
 */
export async function runLoop(cycle: () => Promise<number>, options: LoopOptions): Promise<number> {
  switch (options.timing.kind) {
    case 'once':
      return cycle();
    case 'interval':
      return everyInterval(cycle, options.timing.intervalMs, options);
    case 'schedule':
      return onSchedule(cycle, options.timing, options);
  }
}

/** Whether an expression is one that node-cron understands. */
export function isCronExpression(expression: string): boolean {
  return cron.validate(expression);
}

async function everyInterval(cycle: () => Promise<number>, intervalMs: number, options: LoopOptions): Promise<number> {
  const { clock, signal } = options;
  let exitCode = 0;
  for (let start = clock.now(); !signal.aborted;) {
    exitCode = await cycle();
    start += intervalMs;
    await sleep(clock, start - clock.now(), signal);
    start = Math.max(start, clock.now());
  }
  return exitCode;
}

type Schedule = Extract<Timing, { kind: 'schedule' }>;

async function onSchedule(cycle: () => Promise<number>, schedule: Schedule, { signal }: LoopOptions): Promise<number> {
  let exitCode = 0;
  let running: Promise<void> | undefined;
  const start = (): void => {
    running ??= cycle()
      .then((code) => {
        exitCode = code;
      })
      .finally(() => {
        running = undefined;
      });
  };
  const zone = schedule.timeZone === undefined ? {} : { timezone: schedule.timeZone };
  const tasks = schedule.expressions.map((expression) => cron.schedule(expression, start, zone));
  await aborted(signal);
  for (const task of tasks) await task.destroy();
  await running;
  return exitCode;
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
