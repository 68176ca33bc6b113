import { z } from 'zod';
import * as fragment from './arg-fragments.ts';
import { metricsUtilization, thresholdProblems } from './node-utilization/args.ts';

const podFilter = {
  namespaces: fragment.namespaces.optional(),
  labelSelector: fragment.labelSelector.optional(),
};

/** Arguments of RemoveDuplicates (rule T11). */
export const removeDuplicatesArgs = z.strictObject({
  namespaces: fragment.namespaces.optional(),
  excludeOwnerKinds: fragment.names.optional().describe('pods with an owner of one of these kinds are left alone'),
});

/** Checked arguments of RemoveDuplicates. */
export type RemoveDuplicatesArgs = z.infer<typeof removeDuplicatesArgs>;

/** Arguments of LowNodeUtilization (rule T17); percentages from 0 to 100. */
export const lowNodeUtilizationArgs = z
  .strictObject({
    useDeviationThresholds: z
      .boolean()
      .default(false)
      .describe('thresholds are distances from the average usage, in percent'),
    thresholds: fragment.thresholds.describe('a node below all of these percentages is a destination'),
    targetThresholds: fragment.thresholds.describe('a node above any of these percentages gives pods away'),
    numberOfNodes: fragment.count.default(0).describe('does nothing unless more nodes than this are underutilized'),
    metricsUtilization: metricsUtilization.optional(),
    evictableNamespaces: fragment.evictableNamespaces.optional(),
    evictionLimits: z
      .strictObject({ node: fragment.count.optional().describe('evictions from one node by this strategy in a cycle') })
      .optional(),
  })
  .superRefine((args, context) => {
    for (const issue of thresholdProblems(args)) context.addIssue({ code: 'custom', ...issue });
  });

/** Checked arguments of LowNodeUtilization. */
export type LowNodeUtilizationArgs = z.infer<typeof lowNodeUtilizationArgs>;

/** Arguments of HighNodeUtilization (rule T20). */
export const highNodeUtilizationArgs = z.strictObject({
  thresholds: fragment.thresholds.describe('a node below all of these percentages is to be emptied'),
  numberOfNodes: fragment.count.default(0).describe('does nothing unless more nodes than this are underutilized'),
  evictionModes: z
    .array(z.enum(['OnlyThresholdingResources']))
    .readonly()
    .optional()
    .describe('OnlyThresholdingResources: only pods that request a resource of the thresholds'),
  evictableNamespaces: fragment.evictableNamespaces.optional(),
});

/** Checked arguments of HighNodeUtilization. */
export type HighNodeUtilizationArgs = z.infer<typeof highNodeUtilizationArgs>;

/** Arguments of RemovePodsViolatingInterPodAntiAffinity (rule T21). */
export const removePodsViolatingInterPodAntiAffinityArgs = z.strictObject({ ...podFilter });

/** Checked arguments of RemovePodsViolatingInterPodAntiAffinity. */
export type RemovePodsViolatingInterPodAntiAffinityArgs = z.infer<typeof removePodsViolatingInterPodAntiAffinityArgs>;

/** Arguments of RemovePodsViolatingNodeAffinity (rule T23); unknown types do nothing, as in the reference. */
export const removePodsViolatingNodeAffinityArgs = z.strictObject({
  nodeAffinityType: z
    .array(z.string())
    .nonempty('at least one type is needed: requiredDuringSchedulingIgnoredDuringExecution or preferred…')
    .readonly()
    .describe('requiredDuringSchedulingIgnoredDuringExecution, preferredDuringSchedulingIgnoredDuringExecution'),
  ...podFilter,
});

/** Checked arguments of RemovePodsViolatingNodeAffinity. */
export type RemovePodsViolatingNodeAffinityArgs = z.infer<typeof removePodsViolatingNodeAffinityArgs>;

/** Arguments of RemovePodsViolatingNodeTaints (rule T25); taints are written `key` or `key=value`. */
export const removePodsViolatingNodeTaintsArgs = z
  .strictObject({
    ...podFilter,
    includePreferNoSchedule: z.boolean().default(false).describe('PreferNoSchedule taints count, too'),
    excludedTaints: fragment.names.optional().describe('these taints are not looked at: key or key=value'),
    includedTaints: fragment.names.optional().describe('only these taints are looked at: key or key=value'),
  })
  .refine(
    ({ excludedTaints = [], includedTaints = [] }) => excludedTaints.length === 0 || includedTaints.length === 0,
    {
      path: ['includedTaints'],
      error: 'includedTaints and excludedTaints cannot both have entries',
    },
  );

/** Checked arguments of RemovePodsViolatingNodeTaints. */
export type RemovePodsViolatingNodeTaintsArgs = z.infer<typeof removePodsViolatingNodeTaintsArgs>;

const whenUnsatisfiable = z.enum(['DoNotSchedule', 'ScheduleAnyway']);

/** Arguments of RemovePodsViolatingTopologySpreadConstraint (rule T26); an empty list counts as none. */
export const removePodsViolatingTopologySpreadConstraintArgs = z.strictObject({
  ...podFilter,
  constraints: z
    .array(whenUnsatisfiable)
    .default(['DoNotSchedule'])
    .transform((list): readonly z.infer<typeof whenUnsatisfiable>[] => (list.length > 0 ? list : ['DoNotSchedule']))
    .describe('which constraints are enforced, by their whenUnsatisfiable'),
  topologyBalanceNodeFit: z.boolean().default(true).describe('a pod goes only if it fits in a smaller domain'),
});

/** Checked arguments of RemovePodsViolatingTopologySpreadConstraint. */
export type RemovePodsViolatingTopologySpreadConstraintArgs = z.infer<
  typeof removePodsViolatingTopologySpreadConstraintArgs
>;

/** Arguments of RemovePodsHavingTooManyRestarts (rule T29). */
export const removePodsHavingTooManyRestartsArgs = z.strictObject({
  ...podFilter,
  podRestartThreshold: z.int32().min(1).describe('restarts of all containers from which on a pod goes'),
  includingInitContainers: z.boolean().default(false).describe('restarts of init containers count, too'),
  states: z
    .array(z.enum(['Running', 'CrashLoopBackOff']))
    .readonly()
    .optional()
    .describe('only pods in one of these states'),
});

/** Checked arguments of RemovePodsHavingTooManyRestarts. */
export type RemovePodsHavingTooManyRestartsArgs = z.infer<typeof removePodsHavingTooManyRestartsArgs>;

const phases = ['Running', 'Pending', 'Succeeded', 'Failed', 'Unknown'] as const;
const podReasons = ['NodeAffinity', 'NodeLost', 'Shutdown', 'UnexpectedAdmissionError'] as const;
const waitingReasons = [
  'PodInitializing',
  'ContainerCreating',
  'ImagePullBackOff',
  'CrashLoopBackOff',
  'CreateContainerConfigError',
  'ErrImagePull',
  'CreateContainerError',
  'InvalidImageName',
] as const;
const terminatedReasons = [
  'OOMKilled',
  'Error',
  'Completed',
  'DeadlineExceeded',
  'Evicted',
  'ContainerCannotRun',
  'StartError',
] as const;
const lifeTimeStates = z.enum([...phases, ...podReasons, ...waitingReasons, ...terminatedReasons]);

const conditionFilter = z
  .strictObject({
    type: z.string().optional().describe('type of the condition'),
    status: z.string().optional().describe('"True", "False" or "Unknown"'),
    reason: z.string().optional().describe('reason of the condition'),
    minTimeSinceLastTransitionSeconds: fragment.count.optional().describe('seconds since the last transition'),
  })
  .refine(({ type, status, reason, minTimeSinceLastTransitionSeconds: seconds }) => {
    return [type, status, reason].some((text) => text !== undefined && text !== '') || seconds !== undefined;
  }, 'a condition needs one of type, status, reason, minTimeSinceLastTransitionSeconds');

/** Arguments of PodLifeTime (rule T30). */
export const podLifeTimeArgs = z
  .strictObject({
    ...podFilter,
    ownerKinds: fragment.ownerKinds.optional(),
    maxPodLifeTimeSeconds: fragment.count.optional().describe('age in seconds beyond which a pod goes'),
    states: z.array(lifeTimeStates).readonly().optional().describe('phases and reasons, one of which a pod must show'),
    conditions: z.array(conditionFilter).readonly().optional().describe('pod conditions, one of which must match'),
    exitCodes: fragment.exitCodes.optional().describe('exit codes, one of which a terminated container must have'),
    includingInitContainers: z.boolean().default(false).describe('states and exit codes of init containers count'),
    includingEphemeralContainers: z.boolean().default(false).describe('states of ephemeral containers count'),
  })
  .refine(({ maxPodLifeTimeSeconds, states = [], conditions = [], exitCodes = [] }) => {
    return maxPodLifeTimeSeconds !== undefined || states.length + conditions.length + exitCodes.length > 0;
  }, 'at least one of maxPodLifeTimeSeconds, states, conditions, exitCodes is needed');

/** Checked arguments of PodLifeTime. */
export type PodLifeTimeArgs = z.infer<typeof podLifeTimeArgs>;

/** Arguments of RemoveFailedPods (rule T32). */
export const removeFailedPodsArgs = z.strictObject({
  ...podFilter,
  excludeOwnerKinds: fragment.names.optional().describe('pods with an owner of one of these kinds are left alone'),
  minPodLifetimeSeconds: fragment.count.default(3600).describe('age in seconds from which on a failed pod goes'),
  reasons: fragment.names.optional().describe('reasons, one of which the pod or a container must show'),
  exitCodes: fragment.exitCodes.optional().describe('exit codes, one of which a terminated container must have'),
  includingInitContainers: z.boolean().default(false).describe('reasons and exit codes of init containers count'),
});

/** Checked arguments of RemoveFailedPods. */
export type RemoveFailedPodsArgs = z.infer<typeof removeFailedPodsArgs>;
