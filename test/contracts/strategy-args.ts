/** Arguments that make each strategy find something to do in a random cluster; a new strategy brings its own. */
export const ARGS: Readonly<Record<string, readonly object[]>> = {
  RemoveDuplicates: [{}, { namespaces: { exclude: ['shop'] } }],
  LowNodeUtilization: [
    { thresholds: { cpu: 30 }, targetThresholds: { cpu: 50 } },
    { thresholds: { cpu: 10, pods: 10 }, targetThresholds: { cpu: 10, pods: 10 }, useDeviationThresholds: true },
  ],
  HighNodeUtilization: [{ thresholds: { cpu: 40 } }, { thresholds: { cpu: 30, pods: 60 } }],
  RemovePodsViolatingInterPodAntiAffinity: [{}, { labelSelector: { matchLabels: { app: 'web' } } }],
  RemovePodsViolatingNodeAffinity: [
    { nodeAffinityType: ['requiredDuringSchedulingIgnoredDuringExecution'] },
    { nodeAffinityType: ['preferredDuringSchedulingIgnoredDuringExecution'], namespaces: { include: ['shop'] } },
  ],
  RemovePodsViolatingNodeTaints: [{}, { includePreferNoSchedule: true }],
  RemovePodsViolatingTopologySpreadConstraint: [{}, { topologyBalanceNodeFit: false }],
  RemovePodsHavingTooManyRestarts: [{ podRestartThreshold: 50 }],
  PodLifeTime: [{ maxPodLifeTimeSeconds: 3600 }],
  RemoveFailedPods: [{ minPodLifetimeSeconds: 60 }],
};
