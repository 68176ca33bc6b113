import type { Node } from '../cluster/node.ts';
import type { Pod } from '../cluster/pod.ts';
import type { Taint } from '../cluster/taints.ts';
import { sightTaints, type SightedTaint } from './sightings.ts';
import { standOf, type Stand } from './toleration.ts';

/** What one taint means for one pod. Times in ms since the epoch. */
export interface TaintDeadline {
  readonly taint: Taint;
  readonly stand: Stand;
  /** When the tolerated time began. */
  readonly startedAt: number;
  /** Whether the taint says when it was added; if not, it counts from our first sight of it. */
  readonly isStartKnown: boolean;
  /** When the pod must be gone because of this taint; `Infinity` if never. */
  readonly at: number;
}

/** When a pod must be gone, and which of its node's taints says so; `Infinity` and none if it may stay. */
export interface Deadline {
  readonly at: number;
  readonly by: TaintDeadline | undefined;
}

/** The latest moment that a calendar has (https://tc39.es/ecma262/#sec-time-values-and-time-range); beyond is never. */
const END_OF_TIME = 8.64e15;

/**
 * The moment at which a pod must be gone: the minimum over its node's NoExecute taints of start + tolerated time, which is
 * Infinity without taints, as the minimum of nothing (node-lifecycle.md 4.5.2). A taint that is not tolerated is tolerated
 * for 0 seconds, so its moment has always come. `seenAt`: when we first saw the pod on this node, in ms.
 */
export function deadlineOf(pod: Pod, taints: readonly SightedTaint[], seenAt: number): Deadline {
  let by: TaintDeadline | undefined;
  for (const taint of taints) {
    const each = taintDeadline(pod, taint, seenAt);
    if (each.at < (by?.at ?? Infinity)) by = each;
  }
  return { at: by?.at ?? Infinity, by };
}

/** The same for every taint by itself, in the order of the node, for those who ask why. */
export function taintDeadlines(pod: Pod, taints: readonly SightedTaint[], seenAt: number): readonly TaintDeadline[] {
  return taints.map((taint) => taintDeadline(pod, taint, seenAt));
}

/** What the NoExecute taints of a node mean for a pod on it, of whose past nothing is known but what the API has. */
export function deadlinesOn(node: Node, pod: Pod, now: number): readonly TaintDeadline[] {
  return taintDeadlines(pod, sightTaints([], node, now), now);
}

/**
 * When the pod was bound to its node: the transition of its PodScheduled condition, else the start the kubelet gave, else
 * its creation; undefined where it has none of these.
 */
export function boundAt(pod: Pod): number | undefined {
  const scheduled = pod.status.conditions.find(({ type, status }) => type === 'PodScheduled' && status === 'True');
  return scheduled?.transitionAt ?? pod.status.startedAt ?? pod.createdAt;
}

function taintDeadline(pod: Pod, sighted: SightedTaint, podSeenAt: number): TaintDeadline {
  const { taint, addedAt, seenAt } = sighted;
  const stand = standOf(pod.spec.tolerations, taint);
  const bothSeenAt = Math.max(seenAt, podSeenAt);
  // What is not known counts as late as it can, and no time that somebody else wrote can lie after our own first sight.
  const startedAt = Math.min(Math.max(addedAt ?? Infinity, boundAt(pod) ?? Infinity), bothSeenAt);
  const end = startedAt + toleratedMs(stand);
  return { taint, stand, startedAt, isStartKnown: addedAt !== undefined, at: end > END_OF_TIME ? Infinity : end };
}

function toleratedMs(stand: Stand): number {
  if (stand.kind === 'tolerated') return stand.ms;
  return stand.kind === 'undecidable' ? Infinity : 0;
}
