import { apiTime } from '../cluster/updates.ts';
import type { Taint } from '../cluster/objects/terms.ts';
import { wallTime, type Moment } from '../lib/clock.ts';
import type { ObservedTaint } from './observed-taints.ts';
import type { Stamp } from './ports.ts';

/** The taints of a node that do not say when they were added, and when each was first seen. */
export function stampsOf(
  taints: readonly Taint[],
  observed: readonly ObservedTaint[],
  moment: Moment,
): readonly Stamp[] {
  return taints.flatMap((taint, index): Stamp[] => {
    const known = observed.find((it) => it.taint === taint);
    return known && taint.timeAdded === undefined
      ? [{ index, taint, timeAdded: apiTime(wallTime(known.addedAt, moment)) }]
      : [];
  });
}
