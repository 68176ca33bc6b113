import { highNodeUtilization } from './node-utilization/high.ts';
import { lowNodeUtilization } from './node-utilization/low.ts';
import { podLifeTime } from './pod-life-time/pod-life-time.ts';
import { removeDuplicates } from './remove-duplicates/remove-duplicates.ts';
import { removeFailedPods } from './remove-failed-pods.ts';
import { removePodsHavingTooManyRestarts } from './remove-pods-having-too-many-restarts.ts';
import { removePodsViolatingInterPodAntiAffinity } from './anti-affinity/remove-pods-violating-inter-pod-anti-affinity.ts';
import { removePodsViolatingNodeAffinity } from './remove-pods-violating-node-affinity.ts';
import { removePodsViolatingNodeTaints } from './remove-pods-violating-node-taints.ts';
import { removePodsViolatingTopologySpreadConstraint } from './topology-spread/remove-pods-violating-topology-spread-constraint.ts';
import type { Strategy } from './strategy.ts';

/** Every strategy that exists, in the order of the docs. */
export const strategies: readonly Strategy<unknown>[] = [
  removeDuplicates,
  lowNodeUtilization,
  highNodeUtilization,
  removePodsViolatingInterPodAntiAffinity,
  removePodsViolatingNodeAffinity,
  removePodsViolatingNodeTaints,
  removePodsViolatingTopologySpreadConstraint,
  removePodsHavingTooManyRestarts,
  podLifeTime,
  removeFailedPods,
];
