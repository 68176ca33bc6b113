import type { Candidate } from '../candidate.ts';
import type { AssignedPod } from './assigned-pods.ts';

/** These assigned pods, and whom the candidate's question adds or takes away; callers filter who was added. */
export function seenBy(assignedPods: ReadonlySet<AssignedPod>, { changes }: Candidate): ReadonlySet<AssignedPod> {
  if (changes.length === 0) return assignedPods;
  const seen = new Set(assignedPods);
  for (const { assignedPod, sign } of changes) {
    if (sign > 0) seen.add(assignedPod);
    else seen.delete(assignedPod);
  }
  return seen;
}

/** The same for the assigned pods of one place. */
export function seenAt(
  nodeIndex: number,
  assignedPods: ReadonlySet<AssignedPod>,
  candidate: Candidate,
): ReadonlySet<AssignedPod> {
  const changes = candidate.changes.filter(({ assignedPod }) => assignedPod.nodeIndex === nodeIndex);
  return changes.length === 0 ? assignedPods : seenBy(assignedPods, { ...candidate, changes });
}
