import type { Snapshot } from '../cluster/snapshot.ts';
import { HIGHEST_THRESHOLD, type DefaultEvictorArgs } from './args.ts';

/** From this priority on a pod is critical to the system; also the largest threshold allowed (framework.md 1.5). */
export const SYSTEM_CRITICAL_PRIORITY = HIGHEST_THRESHOLD;

/** These exist in every cluster: the API server makes them again when they are deleted. */
const BUILT_IN: Readonly<Record<string, number>> = {
  'system-cluster-critical': 2_000_000_000,
  'system-node-critical': 2_000_001_000,
};

/** The policy names a PriorityClass that does not exist or is too high: the cycle cannot run (cli.md, exit code 1). */
export class PriorityThresholdError extends Error {
  override readonly name = 'PriorityThresholdError';
}

/**
 * The priority from which pods are spared, looked up anew in each cycle (framework.md 7.2, number 11); undefined where
 * the policy sets none. Throws PriorityThresholdError.
 */
export function resolveThreshold(args: DefaultEvictorArgs, snapshot: Snapshot): number | undefined {
  const threshold = args.priorityThreshold;
  if (!threshold) return undefined;
  if ('value' in threshold) return threshold.value;
  const value = classValue(threshold.name, snapshot);
  if (value === undefined) {
    throw new PriorityThresholdError(
      `priorityThreshold names the PriorityClass ${threshold.name}, which does not exist in the cluster; create it or set priorityThreshold.value`,
    );
  }
  if (value > SYSTEM_CRITICAL_PRIORITY) {
    throw new PriorityThresholdError(
      `priorityThreshold names the PriorityClass ${threshold.name} with value ${value}, above the largest threshold allowed, ${SYSTEM_CRITICAL_PRIORITY}`,
    );
  }
  return value;
}

function classValue(name: string, snapshot: Snapshot): number | undefined {
  const known = snapshot.find('PriorityClass', '', name)?.value;
  return known ?? (snapshot.knows('PriorityClass') ? undefined : BUILT_IN[name]);
}
