import type { Pod } from '../../cluster/objects/pod.ts';

/** Annotation that lets a pod go whatever the overridable constraints say (rule E2). */
export const EVICT_ANNOTATION = 'descheduler.alpha.kubernetes.io/evict';

/** Annotation that asks to spare a pod; binding only under `noEvictionPolicy: Mandatory` (rule E3). */
export const PREFER_NO_EVICTION_ANNOTATION = 'descheduler.alpha.kubernetes.io/prefer-no-eviction';

/** One named rule of DefaultEvictor that is switched on. */
export interface Constraint {
  /** As the policy names it; reports show it as `refusedBy`. */
  readonly name: string;
  /** Whether the evict annotation lifts it. */
  readonly overridable: boolean;
  /** Why the pod has to stay, completing the sentence "pod X …"; undefined if this rule lets it go. */
  readonly judge: (pod: Pod) => string | undefined;
}

/** A constraint's veto. */
export interface ConstraintRefusal {
  readonly by: string;
  readonly reason: string;
}

/** What one constraint says about one pod, vetoes that the annotation lifts included; for `explain`. */
export interface ConstraintAnswer {
  readonly name: string;
  /** Undefined: no objection. */
  readonly reason: string | undefined;
  /** There is an objection, but the pod's evict annotation lifts it. */
  readonly overridden: boolean;
}

/**
 * Whether the pod's owner asks for it to be evicted. Differs from the reference: the value "false" counts as no
 * annotation, because people who write it mean just that (rule E2).
 */
function asksForEviction(pod: Pod): boolean {
  const value = pod.annotations[EVICT_ANNOTATION];
  return value !== undefined && value !== 'false';
}

/** The first veto in the order of the constraints, or undefined if the pod may go. */
export function firstRefusal(constraints: readonly Constraint[], pod: Pod): ConstraintRefusal | undefined {
  const forced = asksForEviction(pod);
  for (const { name, overridable, judge } of constraints) {
    if (forced && overridable) continue;
    const reason = judge(pod);
    if (reason !== undefined) return { by: name, reason };
  }
  return undefined;
}

/** Every constraint's answer for one pod, in their order. */
export function evaluateAll(constraints: readonly Constraint[], pod: Pod): readonly ConstraintAnswer[] {
  const forced = asksForEviction(pod);
  return constraints.map(({ name, overridable, judge }) => {
    const reason = judge(pod);
    return { name, reason, overridden: reason !== undefined && forced && overridable };
  });
}
