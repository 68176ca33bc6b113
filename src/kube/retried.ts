import { sleep, type Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { retryDelay } from '../lib/retry.ts';
import type { Answer, ApiFailure } from './failure.ts';

/** How calls are repeated. */
export interface Retrying {
  readonly clock: Clock;
  /** Spreads the tries of those who met each other. */
  readonly random: Random;
  /** From the first try to giving up. */
  readonly deadlineMs: number;
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

/** Tries again as long as a failure may pass: conflicts, too, so an attempt has to look afresh at what it builds on. */
export async function retried<T>(retrying: Retrying, attempt: () => Promise<Answer<T>>): Promise<Answer<T>> {
  const { clock, random, deadlineMs, signal } = retrying;
  const deadline = clock.now() + deadlineMs;
  for (let tries = 0; ; tries++) {
    const answer = await attempt();
    if (answer.ok || !PASSING.has(answer.failure.kind)) return answer;
    const wait = retryDelay(BACKOFF, tries, { random, retryAfterMs: answer.failure.retryAfterMs });
    if (clock.now() + wait > deadline) return answer;
    await sleep(clock, wait, signal);
    if (signal?.aborted) return answer;
  }
}
