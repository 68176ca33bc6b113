import { controllerOf, isTerminating, type Owner, type Pod } from '../../cluster/objects/pod.ts';
import { comparePods } from '../../cluster/rules/sorting.ts';
import { compareText } from '../../cluster/snapshot.ts';
import { groupBy } from '../../lib/group.ts';
import type { RemoveDuplicatesArgs } from './args.ts';
import type { Context } from '../strategy.ts';

/** Pods of the same owners with the same images, on the nodes considered. */
export interface ReplicaGroup {
  /** For people: `ReplicaSet shop/web`. */
  readonly owner: string;
  readonly pods: readonly Pod[];
  readonly byNode: ReadonlyMap<string, readonly Pod[]>;
}

/**
 * All groups, by owner and images. A pod belongs to one group, however many owners it has; the order of its owners and
 * containers does not matter. What the evictor protects counts, too: it takes up a place like any other pod.
 * Terminating pods do not count, since they are about to leave theirs. A group of which none may be chosen is left out.
 *
 * Differs from the reference: there, a pod counts once per owner, and a pod that may not be evicted or fits nowhere
 * does not count (rules T11 and T7).
 */
export function replicaGroups(context: Context<RemoveDuplicatesArgs>): readonly ReplicaGroup[] {
  const pods = context.nodes.flatMap((node) => context.snapshot.assignedPodsOf(node.name));
  const replicas = pods.filter((pod) => isReplica(pod, context.args));
  return [...groupBy(replicas, signatureOf)]
    .filter(([, group]) => group.some(context.inScope))
    .sort(([a], [b]) => compareText(a, b))
    .map(([, group]) => groupOf(group));
}

/** Whether any node holds more than one pod of the group. */
export function isCrowded(group: ReplicaGroup): boolean {
  return group.byNode.size < group.pods.length;
}

function isReplica(pod: Pod, { excludeOwnerKinds: excluded = [] }: RemoveDuplicatesArgs): boolean {
  if (pod.owners.length === 0 || isTerminating(pod)) return false;
  return !pod.owners.some((owner) => excluded.includes(owner.kind));
}

function signatureOf(pod: Pod): string {
  const owners = pod.owners.map(({ kind, name }) => JSON.stringify([kind, name])).sort(compareText);
  const images = pod.spec.containers.map((container) => container.image).sort(compareText);
  return JSON.stringify([pod.namespace, [...new Set(owners)], images]);
}

function groupOf(unsorted: readonly Pod[]): ReplicaGroup {
  const pods = unsorted.toSorted(comparePods);
  return { owner: nameOf(pods[0]), pods, byNode: groupBy(pods, (pod) => pod.nodeName) };
}

function nameOf(pod: Pod | undefined): string {
  const owner: Owner | undefined = pod && controllerOf(pod);
  return pod && owner ? `${owner.kind} ${pod.namespace}/${owner.name}` : '';
}
