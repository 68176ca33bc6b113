/** Pauses that grow: the first is `baseMs`, each next twice the last, never above `maxMs`. */
export interface Backoff {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** More doublings than any pause in milliseconds survives; keeps the power finite. */
const MOST_DOUBLINGS = 60;

/** The pause after the `count`-th time in a row. Base 10m, max 1h: 10m, 20m, 40m, 1h, 1h… */
export function pauseMs({ baseMs, maxMs }: Backoff, count: number): number {
  return Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(0, count - 1), MOST_DOUBLINGS));
}

/** After so long without another time a row is over, and pauses begin at the base again: twice the longest pause. */
export function quietMs({ maxMs }: Backoff): number {
  return 2 * maxMs;
}

/** After so many times in a row the pause has stopped growing: base 10m, max 1h: 4. */
export function growthSteps({ baseMs, maxMs }: Backoff): number {
  return 1 + Math.max(0, Math.ceil(Math.log2(maxMs / baseMs)));
}

/** Something that a pause follows. It happened at an unknown moment between two, in ms since the epoch. */
export interface Disturbance {
  /** When the cycle began that did it. */
  readonly since: number;
  /** By then it was over; the pause begins here. */
  readonly at: number;
}

/**
 * Of these, in ascending order, the last ones that follow each other without a quiet time in between. A cycle counts from
 * its start, as it does for its own decisions, so that a slow eviction does not end a row.
 */
export function lastStreak<T extends Disturbance>(all: readonly T[], backoff: Backoff): readonly T[] {
  const quiet = quietMs(backoff);
  const start = all.findLastIndex(({ since }, i) => since - (all[i - 1]?.at ?? -Infinity) > quiet);
  return start <= 0 ? all : all.slice(start);
}
