/** The policy of the README: used by the demo, and by a dry run that names no policy. */
export const DEFAULT_POLICY = `apiVersion: descheduler/v1alpha2
kind: DeschedulerPolicy
maxNoOfPodsToEvictPerNode: 5
profiles:
  - name: default
    pluginConfig:
      - name: DefaultEvictor
        args:
          nodeFit: true
      - name: RemovePodsViolatingNodeAffinity
        args:
          nodeAffinityType: [requiredDuringSchedulingIgnoredDuringExecution]
      - name: LowNodeUtilization
        args:
          thresholds: { cpu: 20, memory: 20, pods: 20 }
          targetThresholds: { cpu: 60, memory: 60, pods: 60 }
    plugins:
      deschedule:
        enabled: [RemovePodsViolatingInterPodAntiAffinity, RemovePodsViolatingNodeAffinity]
      balance:
        enabled: [RemoveDuplicates, LowNodeUtilization]
`;
