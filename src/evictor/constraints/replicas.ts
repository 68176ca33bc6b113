import { controllerOf, isFinished, isTerminating, type Owner, type Pod } from '../../cluster/objects/pod.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';

/** Identity of a pod's only owner; undefined for pods with none or several, which minReplicas leaves alone. */
export function soleOwnerKey(pod: Pod): string | undefined {
  const [owner, ...more] = pod.owners;
  return owner && more.length === 0 ? ownerKey(owner, pod.namespace) : undefined;
}

/** Identity of the workload that would replace the pod, for taking its replicas out one at a time. */
export function workloadKey(pod: Pod): string | undefined {
  const owner = controllerOf(pod);
  return owner && ownerKey(owner, pod.namespace);
}

/**
 * How many pods each sole owner has that are neither finished nor terminating. Differs from the Go descheduler, which counts
 * pods in any state and therefore may take the last one that works (rule E7).
 */
export function countReplicas(snapshot: Snapshot): ReadonlyMap<string, number> {
  const counts = new Map<string, number>();
  for (const pod of snapshot.pods) {
    if (!isReplica(pod)) continue;
    for (const key of new Set(pod.owners.map((owner) => ownerKey(owner, pod.namespace)))) {
      counts.set(key, (counts.get(key) ?? 0) + 1);
    }
  }
  return counts;
}

/** Whether the pod counts as a replica at work. */
export function isReplica(pod: Pod): boolean {
  return !isFinished(pod) && !isTerminating(pod);
}

/** Whether a controller makes a new pod when this one goes. One that has ended was replaced when it did. */
export function isReplaced(pod: Pod): boolean {
  return controllerOf(pod) !== undefined && !isFinished(pod);
}

/** Recorded owners may lack a UID; their name in the pod's namespace then has to do. */
function ownerKey(owner: Owner, namespace: string): string {
  return owner.uid || `${namespace}/${owner.kind}/${owner.name}`;
}
