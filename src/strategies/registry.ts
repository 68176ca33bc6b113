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

/** A strategy of the reference that is not built yet: a policy that enables it is refused, its arguments are checked. */
export type PlannedStrategy = Pick<Strategy<unknown>, 'name' | 'extensionPoint' | 'args'>;

/** The strategies a policy can enable, and those it will be able to. */
export interface Registry {
  readonly strategies: readonly Strategy<unknown>[];
  readonly planned: readonly PlannedStrategy[];
}

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

/** Every strategy that is still to come, in the order of the docs. */
export const planned: readonly PlannedStrategy[] = [];
