import type { NodeSelectorTerm } from '../cluster/objects/terms.ts';
import { z } from 'zod';
import type { SpreadConstraint } from '../cluster/objects/pod.ts';
import type { Scoring } from '../strategies/strategy.ts';
import type { SchedulerSettings } from './policy.ts';

const requirement = z.strictObject({
  key: z.string().min(1),
  operator: z.enum(['In', 'NotIn', 'Exists', 'DoesNotExist', 'Gt', 'Lt']),
  values: z.array(z.string()).default([]),
});

const term = z
  .strictObject({
    matchExpressions: z.array(requirement).default([]).describe('requirements on labels of the node'),
    matchFields: z.array(requirement).default([]).describe('requirements on metadata.name'),
  })
  .transform((it): NodeSelectorTerm => it);

const weighted = z
  .strictObject({ weight: z.int().min(1).max(100), preference: term })
  .transform(({ weight, preference }) => ({ weight, term: preference }));

const addedAffinity = z
  .strictObject({
    requiredDuringSchedulingIgnoredDuringExecution: z
      .strictObject({ nodeSelectorTerms: z.array(term).min(1) })
      .optional(),
    preferredDuringSchedulingIgnoredDuringExecution: z.array(weighted).default([]),
  })
  .transform((it) => ({
    required: it.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms,
    preferred: it.preferredDuringSchedulingIgnoredDuringExecution,
  }));

const constraint = z
  .strictObject({
    maxSkew: z.int().min(1),
    topologyKey: z.string().min(1),
    whenUnsatisfiable: z.enum(['DoNotSchedule', 'ScheduleAnyway']),
  })
  .transform((it): SpreadConstraint => ({
    ...it,
    labelSelector: undefined,
    matchLabelKeys: [],
    minDomains: undefined,
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
  }));

const scoredResource = z.strictObject({ name: z.string().min(1), weight: z.int().min(1).max(100).default(1) });

const corner = z.strictObject({ utilization: z.int().min(0).max(100), score: z.int().min(0).max(10) });

const scoringStrategy = z
  .strictObject({
    type: z.enum(['LeastAllocated', 'MostAllocated', 'RequestedToCapacityRatio']).default('LeastAllocated'),
    resources: z
      .array(scoredResource)
      .min(1)
      .default([
        { name: 'cpu', weight: 1 },
        { name: 'memory', weight: 1 },
      ])
      .describe('what is scored, with weights of 1 to 100'),
    requestedToCapacityRatio: z
      .strictObject({ shape: z.array(corner).min(1).refine(rises, 'utilization must rise from point to point') })
      .optional()
      .describe('points of the function, utilization in percent and a score of 0 to 10'),
  })
  .refine(
    ({ type, requestedToCapacityRatio: ratio }) => (type === 'RequestedToCapacityRatio') === (ratio !== undefined),
    {
      path: ['requestedToCapacityRatio'],
      error: 'belongs to the type RequestedToCapacityRatio, which needs its shape',
    },
  )
  .transform(({ type, resources, requestedToCapacityRatio: ratio }): Scoring => ({
    ...{ type, resources },
    ...(ratio && { shape: ratio.shape }),
  }));

function rises(shape: readonly { readonly utilization: number }[]): boolean {
  return shape.every(({ utilization }, index) => index === 0 || utilization > (shape[index - 1]?.utilization ?? 0));
}

/**
 * What the scheduler's own configuration adds to its rules (rule S8, 2.6, 2.11), with the keys of
 * KubeSchedulerConfiguration: no API server tells it, so the policy must.
 */
export const schedulerSettings = z
  .strictObject({
    addedAffinity: addedAffinity
      .optional()
      .describe('addedAffinity of NodeAffinityArgs: asked of a node for every pod'),
    defaultConstraints: z
      .array(constraint)
      .optional()
      .describe('defaultConstraints of PodTopologySpreadArgs, for pods without constraints of their own'),
    ignoredResources: z.array(z.string()).optional().describe('extended resources that the scheduler does not compare'),
    ignoredResourceGroups: z.array(z.string()).optional().describe('the same by the part before the slash'),
    scoringStrategy: scoringStrategy
      .optional()
      .describe('scoringStrategy of NodeResourcesFitArgs: which nodes the scheduler prefers by their resources'),
  })
  .transform((it): SchedulerSettings => {
    const {
      addedAffinity: added,
      defaultConstraints,
      ignoredResources,
      ignoredResourceGroups,
      scoringStrategy: scoring,
    } = it;
    return {
      ...(added && { addedAffinity: added }),
      ...(defaultConstraints && { defaultConstraints }),
      ...(ignoredResources && { ignoredResources }),
      ...(ignoredResourceGroups && { ignoredResourceGroups }),
      ...(scoring && { scoringStrategy: scoring }),
    };
  });
