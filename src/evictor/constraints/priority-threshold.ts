import type { Snapshot } from '../../cluster/snapshot.ts';
import { HIGHEST_THRESHOLD, type DefaultEvictorArgs } from './args.ts';

/** From this priority on a pod is critical to the system; also the largest threshold allowed (rule C4). */
export const SYSTEM_CRITICAL_PRIORITY = HIGHEST_THRESHOLD;

/** These exist in every cluster, with these values: the API server makes them again when they are deleted. */
export const SYSTEM_CLASSES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

/** The policy names a PriorityClass that does not exist or is too high: the cycle cannot run (rule C17, exit code 1). */
export class PriorityThresholdError extends Error {
  override readonly name = 'PriorityThresholdError';
}

/**
 * The priority from which pods are spared, looked up anew in each cycle (rule C9); undefined where
 * the policy sets none. Throws PriorityThresholdError.
 */
export function resolveThreshold(args: DefaultEvictorArgs, snapshot: Snapshot): number | undefined {
  const threshold = args.priorityThreshold;
  if (!threshold) return undefined;
  if ('value' in threshold) return threshold.value;
  const value = snapshot.find('PriorityClass', '', threshold.name)?.value ?? SYSTEM_CLASSES.get(threshold.name);
  if (value === undefined) {
    const problem = knowsClasses(snapshot)
      ? 'which does not exist in the cluster; create it'
      : 'but no PriorityClass could be read, so its value is not known; grant the right to list them';
    throw new PriorityThresholdError(
      `priorityThreshold names the PriorityClass ${threshold.name}, ${problem} or set priorityThreshold.value`,
    );
  }
  if (value > SYSTEM_CRITICAL_PRIORITY) {
    throw new PriorityThresholdError(
      `priorityThreshold names the PriorityClass ${threshold.name} with value ${value}, above the largest threshold allowed, ${SYSTEM_CRITICAL_PRIORITY}`,
    );
  }
  return value;
}

/** Whether PriorityClass objects were read: a cluster has two of its own at least, so that none means that they are missing. */
export function knowsClasses(snapshot: Snapshot): boolean {
  return snapshot.list('PriorityClass').length > 0;
}
