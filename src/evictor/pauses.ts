/** Pauses that grow: the first is `baseMs`, each next twice the last, never above `maxMs`. */
export interface Pausing {
  readonly baseMs: number;
  readonly maxMs: number;
}

/** More doublings than any pause in milliseconds survives; keeps the power finite. */
const MOST_DOUBLINGS = 60;

/** The pause after the `count`-th time in a row. Base 10m, max 1h: 10m, 20m, 40m, 1h, 1h… */
export function pauseMs({ baseMs, maxMs }: Pausing, count: number): number {
  return Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(0, count - 1), MOST_DOUBLINGS));
}

/** After so long without another time a row is over, and pauses begin at the base again: twice the longest pause. */
export function quietMs({ maxMs }: Pausing): number {
  return 2 * maxMs;
}

/** After so many times in a row the pause has stopped growing: base 10m, max 1h: 4. */
export function growthSteps({ baseMs, maxMs }: Pausing): number {
  return 1 + Math.max(0, Math.ceil(Math.log2(maxMs / baseMs)));
}

/** Of these moments, in ascending order, the last ones that follow each other without a quiet time in between. */
export function lastRow(moments: readonly number[], pausing: Pausing): readonly number[] {
  const quiet = quietMs(pausing);
  const start = moments.findLastIndex((at, i) => at - (moments[i - 1] ?? -Infinity) > quiet);
  return start <= 0 ? moments : moments.slice(start);
}
