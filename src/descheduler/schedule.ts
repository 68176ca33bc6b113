import cron from 'node-cron';

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

/**
 * Runs cycles at the times of a schedule until the signal comes, never two at once: a time that comes during a cycle is
 * passed over. Answers with the exit code of the last one.
 */
export async function onSchedule(
  cycle: () => Promise<number>,
  schedule: Schedule,
  { signal }: { readonly signal: AbortSignal },
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
