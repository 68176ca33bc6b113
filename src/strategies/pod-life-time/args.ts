import { z } from 'zod';
import * as fragment from '../arg-fragments.ts';

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
    ...fragment.podFilter,
    ownerKinds: fragment.ownerKinds.optional(),
    maxPodLifeTimeSeconds: fragment.count.optional().describe('age in seconds beyond which a pod is evicted'),
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
