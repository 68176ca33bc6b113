import type { Random } from './random.ts';

/** How waits grow: the first is `baseMs`, each next twice that, never above `capMs`. */
export interface Backoff {
  readonly baseMs: number;
  readonly capMs: number;
}

/** The wait before retry number `attempt` (from 0); with `random`, between half of it and all of it. */
export function backoffDelay(backoff: Backoff, attempt: number, random?: Random): number {
  const full = Math.min(backoff.capMs, backoff.baseMs * 2 ** Math.min(attempt, 40));
  return random ? full / 2 + (full / 2) * random() : full;
}
