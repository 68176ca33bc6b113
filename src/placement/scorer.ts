import type { Candidate } from './candidate.ts';

/**
 * How NodeResourcesFit ranks nodes: the scheduler's default prefers those with most room left, a profile made for packing
 * those with least.
 */
export type Scoring = 'LeastAllocated' | 'MostAllocated';

/** One scoring plugin of the scheduler (scheduler.md 3). */
export interface Scorer {
  readonly name: string;
  readonly weight: number;
  /**
   * Normalised scores 0 to 100 of these places, in their order; undefined if the plugin is left out for the pod. The
   * places are all that take part, since most plugins compare them with one another.
   */
  readonly scores: (candidate: Candidate, places: Int32Array) => Float64Array | undefined;
}

/** One value per place, in their order. */
export function perPlace(places: Int32Array, value: (place: number) => number): Float64Array {
  const values = new Float64Array(places.length);
  // Called for every node that fits, for every pod: the arrays' own `from` and `map` take several times as long.
  for (let index = 0; index < places.length; index += 1) values[index] = value(places[index] ?? 0);
  return values;
}

/** The values of a column at these places, in their order. */
export function pick(places: Int32Array, column: Float64Array): Float64Array {
  const values = new Float64Array(places.length);
  for (let index = 0; index < places.length; index += 1) values[index] = column[places[index] ?? 0] ?? 0;
  return values;
}

/**
 * Raw scores in percent of the largest, cut to whole numbers; all 0 if the largest is 0 (scheduler.md 3, "linear").
 * Changes the array it is given.
 */
export function inPercentOfMax(raw: Float64Array): Float64Array {
  const max = maxOf(raw);
  for (let index = 0; index < raw.length; index += 1) {
    raw[index] = max > 0 ? Math.trunc((100 * (raw[index] ?? 0)) / max) : 0;
  }
  return raw;
}

/** 100 less the percentage of the largest, so that the smallest is best; all 100 if the largest is 0. */
export function reversedPercentOfMax(raw: Float64Array): Float64Array {
  const percent = inPercentOfMax(raw);
  for (let index = 0; index < percent.length; index += 1) percent[index] = 100 - (percent[index] ?? 0);
  return percent;
}

/** The largest value, 0 at least. */
export function maxOf(values: Float64Array): number {
  let max = 0;
  for (let index = 0; index < values.length; index += 1) max = Math.max(max, values[index] ?? 0);
  return max;
}
