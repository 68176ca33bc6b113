import type { Random } from './random.ts';

/** How waits grow: the first is `baseMs`, each next twice that, never above `capMs`. */
export interface Backoff {
  readonly baseMs: number;
  readonly capMs: number;
}

/** The wait before retry number `attempt` (from 0). */
export function backoffDelay(backoff: Backoff, attempt: number): number {
  return Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(attempt, 40));
}

/** So much longer a wait gets at most, so that those who failed together do not come back together. */
const MOST_JITTER = 0.25;

/** Nobody is waited for longer than that on his own word: he may have recovered long before, or mean us ill. */
const MOST_RETRY_AFTER_MS = 60_000;

/** What a wait depends on besides the back-off. */
export interface Waiting {
  readonly random: Random;
  /** What the other side has asked for: up to a minute it makes the wait longer, never shorter. */
  readonly retryAfterMs?: number | undefined;
}

/** The same with jitter, and no shorter than the other side asks for. */
export function retryDelay(backoff: Backoff, attempt: number, { random, retryAfterMs = 0 }: Waiting): number {
  const least = Math.max(backoffDelay(backoff, attempt), Math.min(retryAfterMs, MOST_RETRY_AFTER_MS));
  return least * (1 + MOST_JITTER * random());
}
