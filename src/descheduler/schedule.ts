import cron from 'node-cron';
import { sleep, type Clock } from '../lib/clock.ts';

/** Times of cycles in node-cron syntax; the zone is an IANA name, the machine's by default. */
export interface Schedule {
  readonly kind: 'schedule';
  readonly expressions: readonly string[];
  readonly timeZone: string | undefined;
}

/** Whether an expression is one that node-cron understands. */
export function isCronExpression(expression: string): boolean {
  return cron.validate(expression);
}

/** How far back times are looked for that came while the process had no turn, in seconds. */
const CATCH_UP_SECONDS = 60;

/**
 * Runs cycles at the times of a schedule until the signal comes, never two at once: a time that comes during a cycle is
 * passed over. Every second is considered, so that a clock that is set holds up no time. Answers with the exit code of the last one.
 */
export async function onSchedule(
  cycle: () => Promise<number>,
  schedule: Schedule,
  { clock, signal }: { readonly clock: Clock; readonly signal: AbortSignal },
): Promise<number> {
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
  const times = timesOf(schedule);
  for (let seen = secondOf(clock); ;) {
    await sleep(clock, 1_000 - (clock.wall() % 1_000), signal);
    if (signal.aborted) break;
    const now = secondOf(clock);
    if (secondsAfter(seen, now).some(times.include)) start();
    seen = now;
  }
  await times.destroy();
  await running;
  return exitCode;
}

/** When cycles are due, in seconds since the epoch. */
function timesOf({ expressions, timeZone }: Schedule) {
  const zone = timeZone === undefined ? {} : { timezone: timeZone };
  const tasks = expressions.map((expression) => cron.createTask(expression, () => undefined, zone));
  return {
    include: (second: number) => tasks.some((task) => task.match(new Date(second * 1_000))),
    destroy: async () => {
      for (const task of tasks) await task.destroy();
    },
  };
}

function secondOf(clock: Clock): number {
  return Math.floor(clock.wall() / 1_000);
}

/** After a clock was set only the second that it shows. */
function secondsAfter(seen: number, now: number): readonly number[] {
  const passed = now - seen;
  if (passed < 0 || passed > CATCH_UP_SECONDS) return [now];
  return Array.from({ length: passed }, (_, i) => seen + 1 + i);
}
