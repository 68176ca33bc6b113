import type { Resources } from '../../cluster/amounts/resources.ts';

/** The past counts nine tenths after this time, and half after some 33 s: as the Go descheduler has it, which samples every 5 s. */
const STEP_MS = 5_000;
const WEIGHT_OF_THE_PAST = 0.9;

/**
 * The value to keep for a node after one more sample: the first counts as it is; later ones the more, the longer the last one is
 * ago, rounded, in millicores and bytes, so that a short peak moves no pod (rule T13).
 */
export function smoothed(previous: Resources | undefined, sample: Resources, elapsedMs = STEP_MS): Resources {
  if (!previous) return sample;
  const weight = WEIGHT_OF_THE_PAST ** (Math.max(0, elapsedMs) / STEP_MS);
  return Object.fromEntries(
    Object.entries(sample).map(([name, value]) => [name, blend(previous[name] ?? value, value, weight)]),
  );
}

function blend(past: number, present: number, weight: number): number {
  return Math.round(weight * past + (1 - weight) * present);
}
