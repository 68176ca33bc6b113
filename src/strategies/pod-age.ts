import type { Pod } from '../cluster/objects/pod.ts';

/**
 * Whole seconds since a moment in ms since the epoch, cut off (rule T30). Undefined where the moment is
 * unknown or lies in the future: such an age is never old enough.
 *
 * Differs from the reference: there, RemoveFailedPods takes a creation time in the future for a very old one, because
 * the negative age wraps around; a clock that is off by a second would cost a pod its minimum age.
 */
export function secondsSince(moment: number | undefined, now: Date): number | undefined {
  if (moment === undefined) return undefined;
  const elapsedMs = now.getTime() - moment;
  return elapsedMs < 0 ? undefined : Math.floor(elapsedMs / 1000);
}

/** The pod's age in whole seconds; undefined where it is unknown. */
export function ageSeconds(pod: Pod, now: Date): number | undefined {
  return secondsSince(pod.createdAt, now);
}
