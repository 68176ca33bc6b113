import type { ContainerStatus, Pod } from '../cluster/objects/pod.ts';

/** Which statuses besides those of the app containers count. */
export interface WhichContainers {
  readonly init?: boolean;
  readonly ephemeral?: boolean;
}

/** The statuses of the pod's app containers, and of its init (sidecars too) and ephemeral ones where wanted. */
export function containerStatuses(pod: Pod, which: WhichContainers): readonly ContainerStatus[] {
  const { containers, initContainers, ephemeralContainers } = pod.status;
  return [...containers, ...(which.init ? initContainers : []), ...(which.ephemeral ? ephemeralContainers : [])];
}

/** The first container that waits or has terminated with one of the reasons, in words: `container main is Error`. */
export function containerWithReason(
  statuses: readonly ContainerStatus[],
  reasons: readonly string[],
): string | undefined {
  for (const { name, waitingReason, terminatedReason } of statuses) {
    const found = [waitingReason, terminatedReason].find((reason) => reason !== undefined && reasons.includes(reason));
    if (found !== undefined) return `container ${name} is ${found}`;
  }
  return undefined;
}

/** The first container that terminated with one of the exit codes, in words: `container main exited with 137`. */
export function containerWithExitCode(
  statuses: readonly ContainerStatus[],
  exitCodes: readonly number[],
): string | undefined {
  const found = statuses.find(({ exitCode }) => exitCode !== undefined && exitCodes.includes(exitCode));
  return found && `container ${found.name} exited with ${String(found.exitCode)}`;
}
