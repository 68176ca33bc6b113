import type { Candidate } from '../candidate.ts';

/** How NodeResourcesFit ranks nodes: `scoringStrategy` of the scheduler's NodeResourcesFitArgs. */
export interface Scoring {
  /** By what is left, by what is taken, or by a function of the part that is taken. */
  readonly type: 'LeastAllocated' | 'MostAllocated' | 'RequestedToCapacityRatio';
  readonly resources: readonly { readonly name: string; readonly weight: number }[];
  /** The function's corners, by rising utilization: percent, and a score of 0 to 10. Other types have none. */
  readonly shape?: readonly { readonly utilization: number; readonly score: number }[];
}

/** What the scheduler's default profile does. */
export const DEFAULT_SCORING: Scoring = {
  type: 'LeastAllocated',
  resources: [
    { name: 'cpu', weight: 1 },
    { name: 'memory', weight: 1 },
  ],
};

/** One scoring plugin of the scheduler (rule S20). */
export interface Scorer {
  readonly name: string;
  readonly weight: number;
  /**
   * Writes the normalised scores, 0 to 100, of these places into `scores`, in their order, and tells whether the plugin
   * has a say about the pod; if not, nothing it has written counts. The places are all that take part, since most plugins
   * compare them with one another. The array is lent, so that a prediction makes no garbage: it is asked for every pod
   * and over all nodes.
   */
  readonly score: (candidate: Candidate, nodeIndexes: Int32Array, scores: Float64Array) => boolean;
}

/** The values of a column at these places, in their order. */
export function pick(scores: Float64Array, nodeIndexes: Int32Array, column: Float64Array | Uint8Array): void {
  for (let index = 0; index < nodeIndexes.length; index += 1) scores[index] = column[nodeIndexes[index] ?? 0] ?? 0;
}

/** Turns raw scores into percent of the largest, whole numbers; all 0 if the largest is 0 (rule S20). */
export function toPercentOfMax(scores: Float64Array, count: number): void {
  const max = maxOf(scores, count);
  for (let index = 0; index < count; index += 1) {
    scores[index] = max > 0 ? Math.trunc((100 * (scores[index] ?? 0)) / max) : 0;
  }
}

/** The same taken from 100, so that the smallest is best; all 100 if the largest is 0. */
export function toReversedPercentOfMax(scores: Float64Array, count: number): void {
  toPercentOfMax(scores, count);
  for (let index = 0; index < count; index += 1) scores[index] = 100 - (scores[index] ?? 0);
}

/** The largest of the first `count` values, 0 at least. */
export function maxOf(scores: Float64Array, count: number): number {
  let max = 0;
  for (let index = 0; index < count; index += 1) max = Math.max(max, scores[index] ?? 0);
  return max;
}
