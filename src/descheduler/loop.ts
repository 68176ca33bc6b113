import { sleep, type Clock } from '../lib/clock.ts';
import type { Schedule } from './schedule.ts';

/** When cycles run: once, every so often, or at the times of cron expressions. */
export type Timing = { readonly kind: 'once' } | { readonly kind: 'interval'; readonly intervalMs: number } | Schedule;

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
 * a cycle that took longer (rule C8). With a schedule cycles start at its times only, since these are the times
 * at which the operator allows evictions; a time that comes during a cycle is passed over.
 */
export async function runLoop(cycle: () => Promise<number>, options: LoopOptions): Promise<number> {
  switch (options.timing.kind) {
    case 'once':
      return cycle();
    case 'interval':
      return everyInterval(cycle, options.timing.intervalMs, options);
    case 'schedule':
      // Most runs have no schedule and need none of its code.
      return (await import('./schedule.ts')).onSchedule(cycle, options.timing, options);
  }
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
