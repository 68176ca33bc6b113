import type { Pod } from '../objects/pod.ts';
import { qosOf, type Qos } from './qos.ts';
import { compareIdentity } from '../snapshot.ts';

/** Asks that the pod be evicted after its equals; any value counts (rule T3). */
export const PREFER_NO_EVICTION = 'descheduler.alpha.kubernetes.io/prefer-no-eviction';

const QOS_RANK: Readonly<Record<Qos, number>> = { BestEffort: 0, Burstable: 1, Guaranteed: 2 };

/**
 * Who goes first: unset priority, then lower priority, then weaker quality of service, then those that do not ask to be
 * spared (rule T3).
 *
 * Differs from the reference: full ties are decided by namespace, name and UID, so that the order is total (7.3).
 */
export function compareForEviction(a: Pod, b: Pod): number {
  return (
    comparePriority(a.spec.priority, b.spec.priority) ||
    QOS_RANK[qosOf(a)] - QOS_RANK[qosOf(b)] ||
    Number(prefersNoEviction(a)) - Number(prefersNoEviction(b)) ||
    comparePods(a, b)
  );
}

/** Oldest first by creation, where a pod without a creation time is the oldest; ties by namespace, name and UID. */
export function compareByAge(a: Pod, b: Pod): number {
  return compareUnsetFirst(a.createdAt, b.createdAt) || comparePods(a, b);
}

/** By namespace, name and UID: total, since no two objects share a UID. */
export function comparePods(a: Pod, b: Pod): number {
  return compareIdentity(a, b);
}

/** Lower first; unset is below every number, also below negative ones (rule T3). */
export function comparePriority(a: number | undefined, b: number | undefined): number {
  return compareUnsetFirst(a, b);
}

function compareUnsetFirst(a: number | undefined, b: number | undefined): number {
  if (a === undefined || b === undefined) return Number(a !== undefined) - Number(b !== undefined);
  return a - b;
}

function prefersNoEviction(pod: Pod): boolean {
  return Object.hasOwn(pod.annotations, PREFER_NO_EVICTION);
}
