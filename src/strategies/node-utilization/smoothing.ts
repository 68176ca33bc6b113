import type { Resources } from '../../cluster/amounts/resources.ts';

const WEIGHT_OF_THE_PAST = 0.9;

/**
 * The value to keep for a node after one more sample: the first counts as it is, later ones by a tenth, rounded, in
 * millicores and bytes, so that a short peak moves no pod (rule T13).
 */
export function smoothed(previous: Resources | undefined, sample: Resources): Resources {
  if (!previous) return sample;
  return Object.fromEntries(
    Object.entries(sample).map(([name, value]) => [name, blend(previous[name] ?? value, value)]),
  );
}

function blend(past: number, present: number): number {
  return Math.round(WEIGHT_OF_THE_PAST * past + (1 - WEIGHT_OF_THE_PAST) * present);
}
