import type { Pod } from '../cluster/objects/pod.ts';
import type { ConditionUpdate } from '../cluster/updates.ts';

const REASON = 'DeletionByTaintManager';

/**
 * The condition that kube-controller-manager writes before it deletes, which the failure policies of Jobs match on
 * (https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions). `now` in ms since the epoch.
 */
export function disruptionTarget({ generation }: Pod, now: number): ConditionUpdate {
  return {
    type: 'DisruptionTarget',
    status: 'True',
    reason: REASON,
    message: 'Taint manager: deleting due to NoExecute taint',
    transitionAt: now,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

/** Whether the pod has that condition already. */
export function hasDisruptionTarget({ status }: Pod): boolean {
  return status.conditions.some(
    (condition) => condition.type === 'DisruptionTarget' && condition.status === 'True' && condition.reason === REASON,
  );
}
