/** Which setting of the policy changes a refusal, by the name of the constraint or limit that refused. */
const HINTS: Readonly<Record<string, string>> = {
  PodsWithLocalStorage:
    'podProtections.defaultDisabled: [PodsWithLocalStorage] in the args of DefaultEvictor (older: evictLocalStoragePods: true)',
  SystemCriticalPods:
    'podProtections.defaultDisabled: [SystemCriticalPods] in the args of DefaultEvictor (older: evictSystemCriticalPods: true)',
  FailedBarePods:
    'give the pod an owner; podProtections.defaultDisabled: [FailedBarePods] lets bare pods go once they have failed (older: evictFailedBarePods: true)',
  DaemonSetPods:
    'podProtections.defaultDisabled: [DaemonSetPods] in the args of DefaultEvictor (older: evictDaemonSetPods: true)',
  PodsWithPVC: 'take PodsWithPVC out of podProtections.extraEnabled, or name the storage classes to protect',
  PodsWithoutPDB: 'give the workload a PodDisruptionBudget, or take PodsWithoutPDB out of podProtections.extraEnabled',
  PodsWithResourceClaims: 'take PodsWithResourceClaims out of podProtections.extraEnabled',
  priorityThreshold: 'a higher priorityThreshold in the args of DefaultEvictor',
  labelSelector: 'a wider labelSelector in the args of DefaultEvictor',
  namespaceLabelSelector: 'a wider namespaceLabelSelector in the args of DefaultEvictor',
  minReplicas: 'a lower minReplicas in the args of DefaultEvictor, or more replicas',
  minPodAge: 'a shorter minPodAge in the args of DefaultEvictor',
  noEvictionPolicy: 'noEvictionPolicy: Preferred, or no prefer-no-eviction annotation on the pod',
  MirrorPod: 'none: a static pod is changed by its manifest on the node',
  StaticPod: 'none: a static pod is changed by its manifest on the node',
  NamespaceTerminating: 'none: the pods of the namespace are deleted with it',
  nodeFit: 'more room on the other nodes; nodeFit: false evicts without looking for a place',
  nodeSelector: 'a wider nodeSelector in the args of DefaultEvictor',
  maxNoOfPodsToEvictPerNode: 'a higher maxNoOfPodsToEvictPerNode, or wait for the next cycle',
  maxNoOfPodsToEvictPerNamespace: 'a higher maxNoOfPodsToEvictPerNamespace, or wait for the next cycle',
  maxNoOfPodsToEvictTotal: 'a higher maxNoOfPodsToEvictTotal, or wait for the next cycle',
  maxNoOfPodsToEvictPerOwner: 'a higher maxNoOfPodsToEvictPerOwner, or wait for the next cycle',
  evictionWindows: 'a higher max or a shorter window in evictionWindows, or wait for the time it names',
  evictionCooldown: 'a shorter base or max in evictionCooldown, or wait for the time it names',
  blockedPodBackoff: 'a shorter base or max in blockedPodBackoff, or wait for the time it names',
  LowNodeUtilization:
    'a higher value in targetThresholds of LowNodeUtilization, or a low node that tolerates the pod and has room',
  HighNodeUtilization: 'lower thresholds of HighNodeUtilization, or more room on the nodes that are kept',
  RemoveDuplicates: 'room on more nodes, or fewer replicas',
  RemovePodsViolatingNodeAffinity: 'the labels on another node that has room',
  RemovePodsViolatingTopologySpreadConstraint: 'room in the emptier domains, or a larger maxSkew in the constraint',
  PodDisruptionBudget: 'more healthy replicas, or a PodDisruptionBudget that allows more disruptions',
};

/** The setting that would change refusals by this constraint or limit; undefined where no setting does. */
export function hintFor(refusedBy: string): string | undefined {
  return HINTS[refusedBy];
}
