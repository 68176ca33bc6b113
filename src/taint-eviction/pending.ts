import type { Pod } from '../cluster/objects/pod.ts';
import { wallTime, type Moment } from '../lib/clock.ts';
import type { EvictionTimers } from './eviction-timers.ts';
import { goingReason } from './reasons.ts';

/** A pod with a date, for reports. Times in ms since the epoch. */
export interface Pending {
  readonly pod: Pod;
  readonly at: number;
  readonly reason: string;
  readonly isStartKnown: boolean;
}

/** Every pod with a date, soonest first. */
export function pendingOf(timers: EvictionTimers, moment: Moment): readonly Pending[] {
  return [...timers.all()]
    .filter(({ state }) => state === 'armed' || state === 'due')
    .map((timer) => {
      const deadline = timers.deadline(timer);
      const isStartKnown = deadline.by?.isStartKnown ?? false;
      return { pod: timer.pod, at: wallTime(deadline.at, moment), reason: goingReason(deadline), isStartKnown };
    })
    .sort((a, b) => a.at - b.at);
}
