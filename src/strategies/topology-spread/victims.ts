import type { Pod, PodSpec } from '../../cluster/objects/pod.ts';
import { comparePods, comparePriority } from '../../cluster/rules/sorting.ts';

/**
 * Who goes first within a domain: pods that may run anywhere, then lower priority, unset lowest; then those whose leaving
 * eases more of the other constraints that are broken; then namespace, name and UID.
 *
 * Differs from the reference: it takes the highest priority first (rule T28).
 */
export function inOrderOfVictims(pods: readonly Pod[], eases: (pod: Pod) => number): readonly Pod[] {
  const relief = new Map(pods.map((pod) => [pod, eases(pod)]));
  return pods.toSorted(
    (a, b) =>
      Number(choosesNodes(a.spec)) - Number(choosesNodes(b.spec)) ||
      comparePriority(a.spec.priority, b.spec.priority) ||
      (relief.get(b) ?? 0) - (relief.get(a) ?? 0) ||
      comparePods(a, b),
  );
}

/** Has a node selector or node affinity of any kind, so that it has fewer places to go to. */
function choosesNodes({ nodeSelector, requiredNodeAffinity, preferredNodeAffinity }: PodSpec): boolean {
  return Object.keys(nodeSelector).length > 0 || requiredNodeAffinity !== undefined || preferredNodeAffinity.length > 0;
}
