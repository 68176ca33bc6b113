import { z } from 'zod';
import * as fragment from '../../strategies/arg-fragments.ts';

const flag = z.boolean().optional();
const limit = z.int().min(0).optional();
const texts = z.array(z.string()).optional();

const params = z
  .strictObject({
    nodeResourceUtilizationThresholds: z
      .strictObject({
        thresholds: fragment.thresholds.optional(),
        targetThresholds: fragment.thresholds.optional(),
        numberOfNodes: fragment.count.optional(),
        useDeviationThresholds: flag,
      })
      .optional(),
    nodeAffinityType: texts,
    podsHavingTooManyRestarts: z
      .strictObject({ podRestartThreshold: z.int32().optional(), includingInitContainers: flag })
      .optional(),
    maxPodLifeTimeSeconds: limit,
    podLifeTime: z.strictObject({ maxPodLifeTimeSeconds: limit, podStatusPhases: texts, states: texts }).optional(),
    removeDuplicates: z.strictObject({ excludeOwnerKinds: texts }).optional(),
    failedPods: z
      .strictObject({
        excludeOwnerKinds: texts,
        minPodLifetimeSeconds: limit,
        reasons: texts,
        includingInitContainers: flag,
      })
      .optional(),
    includeSoftConstraints: flag,
    includePreferNoSchedule: flag,
    excludedTaints: texts,
    includedTaints: texts,
    namespaces: fragment.namespaces.optional(),
    labelSelector: fragment.labelSelector.optional(),
    thresholdPriority: z.int32().optional(),
    thresholdPriorityClassName: z.string().optional(),
    nodeFit: flag,
  })
  .refine(({ thresholdPriority, thresholdPriorityClassName: name = '' }) => {
    return thresholdPriority === undefined || name === '';
  }, 'thresholdPriority and thresholdPriorityClassName cannot both be set');

const strategy = z.strictObject({
  enabled: z.boolean().optional().describe('only enabled strategies run'),
  weight: z.int().optional().describe('accepted and without effect'),
  params: params.optional().describe('arguments of the strategy'),
});

/** The evict flags of the top level, which become flags of every profile's DefaultEvictor (rule C5). */
export const EVICT_FLAGS = [
  'evictLocalStoragePods',
  'evictSystemCriticalPods',
  'ignorePvcPods',
  'evictFailedBarePods',
  'evictDaemonSetPods',
] as const;

/** The settings of the top level that both versions have under the same name. */
export const SHARED_SETTINGS = ['nodeSelector', 'maxNoOfPodsToEvictPerNode', 'maxNoOfPodsToEvictPerNamespace'] as const;

/** A policy of version `descheduler/v1alpha1` (rule C5). */
export const v1alpha1Document = z.strictObject({
  apiVersion: z.literal('descheduler/v1alpha1'),
  kind: z.literal('DeschedulerPolicy'),
  metadata: z.unknown().optional(),
  nodeSelector: z.string().optional(),
  maxNoOfPodsToEvictPerNode: limit,
  maxNoOfPodsToEvictPerNamespace: limit,
  evictLocalStoragePods: flag,
  evictSystemCriticalPods: flag,
  ignorePvcPods: flag,
  evictFailedBarePods: flag,
  evictDaemonSetPods: flag,
  strategies: z.record(z.string(), strategy).optional().describe('strategies by name'),
});

/** From where below `params` a value goes to which argument. */
export interface Move {
  readonly from: readonly string[];
  readonly to: string;
}

const namespaces: Move = { from: ['namespaces'], to: 'namespaces' };
const selected: readonly Move[] = [namespaces, { from: ['labelSelector'], to: 'labelSelector' }];
const evictable: Move = { from: ['namespaces'], to: 'evictableNamespaces' };

function section(name: string, keys: readonly string[]): readonly Move[] {
  return keys.map((key) => ({ from: [name, key], to: key }));
}

function plain(keys: readonly string[]): readonly Move[] {
  return keys.map((key) => ({ from: [key], to: key }));
}

/** The parameters that each strategy reads. Differs from the reference: includedTaints is not lost. */
export const MOVES: Readonly<Record<string, readonly Move[]>> = {
  RemoveDuplicates: [...section('removeDuplicates', ['excludeOwnerKinds']), namespaces],
  LowNodeUtilization: [
    ...section('nodeResourceUtilizationThresholds', [
      'thresholds',
      'targetThresholds',
      'numberOfNodes',
      'useDeviationThresholds',
    ]),
    evictable,
  ],
  HighNodeUtilization: [...section('nodeResourceUtilizationThresholds', ['thresholds', 'numberOfNodes']), evictable],
  RemovePodsViolatingInterPodAntiAffinity: selected,
  RemovePodsViolatingNodeAffinity: [...plain(['nodeAffinityType']), ...selected],
  RemovePodsViolatingNodeTaints: [
    ...plain(['includePreferNoSchedule', 'excludedTaints', 'includedTaints']),
    ...selected,
  ],
  RemovePodsViolatingTopologySpreadConstraint: selected,
  RemovePodsHavingTooManyRestarts: [
    ...section('podsHavingTooManyRestarts', ['podRestartThreshold', 'includingInitContainers']),
    ...selected,
  ],
  PodLifeTime: [...plain(['maxPodLifeTimeSeconds']), ...section('podLifeTime', ['maxPodLifeTimeSeconds']), ...selected],
  RemoveFailedPods: [
    ...section('failedPods', ['excludeOwnerKinds', 'minPodLifetimeSeconds', 'reasons', 'includingInitContainers']),
    ...selected,
  ],
};
