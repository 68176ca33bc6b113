import { sleep, type Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { retryDelay } from '../../lib/retry.ts';
import { NOT_SENT, type ApiAnswer, type ApiFailure } from './failure.ts';

/** How calls are repeated. */
export interface Retrying {
  readonly clock: Clock;
  /** Spreads the tries of those who met each other. */
  readonly random: Random;
  /** From the first try to giving up. */
  readonly deadlineMs: number;
  /** Shared by all that ask the same server for the same. */
  readonly row: FailureRow;
  readonly signal?: AbortSignal | undefined;
}

const BACKOFF = { baseMs: 250, capMs: 15_000 };
const PASSING: ReadonlySet<ApiFailure['kind']> = new Set([
  'conflict',
  'transient',
  'no-credentials',
  'timeout',
  'too-many-requests',
]);

/** Failures in a row, and when the next try may be, as `clock.now()` has it: a call begins where the one before has ended. */
export class FailureRow {
  count = 0;
  notBefore = -Infinity;
}

/** Tries again as long as a failure may pass: conflicts, too, so an attempt has to look afresh at what it builds on. */
export async function retried<T>(retrying: Retrying, attempt: () => Promise<ApiAnswer<T>>): Promise<ApiAnswer<T>> {
  const { clock, random, deadlineMs, row, signal } = retrying;
  const deadline = clock.now() + deadlineMs;
  for (;;) {
    if (clock.now() < row.notBefore) await sleep(clock, row.notBefore - clock.now(), signal);
    if (signal?.aborted) return { ok: false, failure: NOT_SENT };
    const answer = await attempt();
    if (answer.ok) row.count = 0;
    else {
      const { retryAfterMs } = answer.failure;
      row.notBefore = clock.now() + retryDelay(BACKOFF, row.count++, { random, retryAfterMs });
    }
    if (answer.ok || !PASSING.has(answer.failure.kind) || row.notBefore > deadline) return answer;
  }
}
