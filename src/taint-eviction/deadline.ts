import type { Taint } from '../cluster/objects/terms.ts';
import type { Node } from '../cluster/objects/node.ts';
import type { Pod } from '../cluster/objects/pod.ts';
import { arrivalOf, type Arrival } from './arrival.ts';
import { observeNode, type ObservedTaint } from './observed-taints.ts';
import { matchToleration, type MatchingToleration } from './toleration.ts';

/** What one taint means for one pod. Times in ms of the monotonic clock. */
export interface TaintDeadline {
  readonly taint: Taint;
  readonly toleration: MatchingToleration;
  /** When the tolerated time began. */
  readonly startedAt: number;
  /** False if `timeAdded` is missing, cannot be read, or cannot be right: then the time counts from our first sight. */
  readonly isStartKnown: boolean;
  /** When the pod must be gone because of this taint; `Infinity` if never. */
  readonly at: number;
}

/** When a pod must be gone, and which of its node's taints says so; `Infinity` and none if it may stay. */
export interface Deadline {
  readonly at: number;
  readonly by: TaintDeadline | undefined;
}

/**
 * The moment at which a pod must be gone: the minimum over its node's NoExecute taints of start + tolerated time, which is
 * Infinity without taints, as the minimum of nothing. A taint that is not tolerated is tolerated for 0 seconds, so its moment
 * has always come. The start is when the taint was added or the pod was bound, whichever is later, and no later than when we
 * had seen both.
 *
 * Differs from the reference: there the time begins when the controller learns of the taint, and begins again with each restart.
 */
export function deadlineOf(pod: Pod, taints: readonly ObservedTaint[], arrival: Arrival): Deadline {
  let by: TaintDeadline | undefined;
  for (const taint of taints) {
    const each = taintDeadline(pod, taint, arrival);
    if (each.at < (by?.at ?? Infinity)) by = each;
  }
  return { at: by?.at ?? Infinity, by };
}

/** The same for every taint by itself, in the order of the node, for those who ask why. */
export function taintDeadlines(pod: Pod, taints: readonly ObservedTaint[], arrival: Arrival): readonly TaintDeadline[] {
  return taints.map((taint) => taintDeadline(pod, taint, arrival));
}

/** What the taints of a node mean for a pod on it, judged by what the API has at `now`. All times in ms since the epoch. */
export function deadlinesOn(node: Node, pod: Pod, now: number): readonly TaintDeadline[] {
  const moment = { wall: now, now };
  return taintDeadlines(pod, observeNode(undefined, node, moment).taints, arrivalOf(pod, false, moment));
}

function taintDeadline(pod: Pod, { taint, addedAt, isDated, seenAt }: ObservedTaint, arrival: Arrival): TaintDeadline {
  const toleration = matchToleration(pod.spec.tolerations, taint);
  const startedAt = Math.min(Math.max(addedAt, arrival.boundAt), Math.max(seenAt, arrival.seenAt));
  return { taint, toleration, startedAt, isStartKnown: isDated, at: startedAt + toleratedMs(toleration) };
}

function toleratedMs(toleration: MatchingToleration): number {
  if (toleration.kind === 'match') return toleration.ms;
  return toleration.kind === 'unknown-operator' ? Infinity : 0;
}
