import type { Pod } from '../cluster/objects/pod.ts';
import { monotonicTime, type Moment } from '../lib/clock.ts';
import { TOLD_WITHIN_MS } from './observed-taints.ts';

/** How a pod came to its node. Times in ms of the monotonic clock. */
export interface Arrival {
  /** When we first saw the pod there. */
  readonly seenAt: number;
  /** Whether it came while we watched; else it may have been there long before. */
  readonly isWitnessed: boolean;
  /** When it was bound; our first sight of it where the API does not say so, or says what cannot be right. */
  readonly boundAt: number;
  /** What the API says of that, in ms since the epoch. */
  readonly written: number | undefined;
}

/** The arrival of a pod that we see on its node for the first time. */
export function arrivalOf(pod: Pod, isWitnessed: boolean, moment: Moment): Arrival {
  return withBinding({ seenAt: moment.now, isWitnessed }, pod, moment);
}

/** The same arrival after another look at the pod: a time that the API still has is not counted again. */
export function arrivalAfter(before: Arrival, pod: Pod, moment: Moment): Arrival {
  return before.written === writtenBinding(pod) ? before : withBinding(before, pod, moment);
}

function withBinding(sight: Pick<Arrival, 'seenAt' | 'isWitnessed'>, pod: Pod, moment: Moment): Arrival {
  const { seenAt, isWitnessed } = sight;
  const written = writtenBinding(pod);
  const saidAt = written === undefined ? seenAt : monotonicTime(written, moment);
  const boundAt = isWitnessed && saidAt < seenAt - TOLD_WITHIN_MS ? seenAt : saidAt;
  return { seenAt, isWitnessed, boundAt, written };
}

/** The transition of its PodScheduled condition, else the start that the kubelet gave, else its creation. */
function writtenBinding(pod: Pod): number | undefined {
  const scheduled = pod.status.conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'True');
  return scheduled?.transitionAt ?? pod.status.startedAt ?? pod.createdAt;
}
