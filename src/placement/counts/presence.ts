import { isTerminating, type Pod } from '../../cluster/objects/pod.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';

/** What is assumed about the pod itself while its replacement is placed (rule S29). */
export type Presence = 'gone' | 'terminating';

/**
 * Controllers that replace a pod as soon as it terminates place the new one beside it, and wait for it to be gone only
 * if that leaves no node. A StatefulSet always waits, and so does a Job that replaces failed pods only (rule S28).
 */
export function presences(pod: Pod, snapshot: Snapshot): readonly Presence[] {
  return isTerminating(pod) || isReplacedLate(pod, snapshot) ? ['gone'] : ['terminating', 'gone'];
}

function isReplacedLate({ namespace, owners }: Pod, snapshot: Snapshot): boolean {
  const owner = owners.find(({ controller }) => controller);
  if (owner?.kind !== 'Job') return owner?.kind === 'StatefulSet';
  return snapshot.find('Job', namespace, owner.name)?.podReplacementPolicy === 'Failed';
}
