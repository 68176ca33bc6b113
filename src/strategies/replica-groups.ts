import { controllerOf, isTerminating, type Owner, type Pod } from '../cluster/pod.ts';
import { comparePods } from '../cluster/sorting.ts';
import { compareText } from '../cluster/snapshot.ts';
import type { RemoveDuplicatesArgs } from './args.ts';
import type { Context } from './strategy.ts';

/** Pods of the same owners with the same images, on the nodes looked at. */
export interface ReplicaGroup {
  /** For people: `ReplicaSet shop/web`. */
  readonly owner: string;
  readonly pods: readonly Pod[];
  readonly byNode: ReadonlyMap<string, readonly Pod[]>;
}

/**
 * All groups, by owner and images. A pod belongs to one group, however many owners it has; the order of its owners and
 * containers does not matter. What the evictor protects counts, too: it takes up a place like any other pod.
 * Terminating pods do not count, since they are about to leave theirs.
 *
 * Differs from the reference: there, a pod counts once per owner, and a pod that may not be evicted or fits nowhere
 * does not count (strategies.md 18.2, numbers 1 and 11).
 */
export function replicaGroups(context: Context<RemoveDuplicatesArgs>): readonly ReplicaGroup[] {
  const groups = new Map<string, Pod[]>();
  for (const pod of context.nodes.flatMap((node) => context.snapshot.residentsOf(node.name))) {
    if (!isReplica(pod, context)) continue;
    const key = signatureOf(pod);
    const group = groups.get(key);
    if (group) group.push(pod);
    else groups.set(key, [pod]);
  }
  return [...groups].sort(([a], [b]) => compareText(a, b)).map(([, pods]) => groupOf(pods));
}

/** Whether any node holds more than one pod of the group. */
export function isCrowded(group: ReplicaGroup): boolean {
  return group.byNode.size < group.pods.length;
}

function isReplica(pod: Pod, { args, inScope }: Context<RemoveDuplicatesArgs>): boolean {
  const excluded = args.excludeOwnerKinds ?? [];
  if (pod.owners.length === 0 || isTerminating(pod) || !inScope(pod)) return false;
  return !pod.owners.some((owner) => excluded.includes(owner.kind));
}

function signatureOf(pod: Pod): string {
  const owners = pod.owners.map(({ kind, name }) => JSON.stringify([kind, name])).sort(compareText);
  const images = pod.spec.containers.map((container) => container.image).sort(compareText);
  return JSON.stringify([pod.namespace, [...new Set(owners)], images]);
}

function groupOf(unsorted: Pod[]): ReplicaGroup {
  const pods = unsorted.sort(comparePods);
  const byNode = new Map<string, Pod[]>();
  for (const pod of pods) {
    const onNode = byNode.get(pod.nodeName);
    if (onNode) onNode.push(pod);
    else byNode.set(pod.nodeName, [pod]);
  }
  return { owner: nameOf(pods[0]), pods, byNode };
}

function nameOf(pod: Pod | undefined): string {
  const owner: Owner | undefined = pod && controllerOf(pod);
  return pod && owner ? `${owner.kind} ${pod.namespace}/${owner.name}` : '';
}
