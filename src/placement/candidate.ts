import type { Pod, PodSpec } from '../cluster/objects/pod.ts';
import type { Resources } from '../cluster/amounts/resources.ts';
import type { Change } from './counts/assigned-pods.ts';

/** A pod to place: the pod that would replace `pod`, as far as that can be known (rule S28). */
export interface Candidate {
  readonly pod: Pod;
  /** The replacement's spec; one object for equal ones, so that answers can be kept by it. */
  readonly spec: PodSpec;
  /** What it asks for (rule S10). */
  readonly needs: Resources;
  /** How the assigned pods of this question differ from those that are there: the pod itself gone, nominated pods come. */
  readonly changes: readonly Change[];
}

/** Priority as the scheduler reads it: unset is 0 (rule S1). */
export function priorityOf(pod: Pod): number {
  return pod.spec.priority ?? 0;
}
