import type { ContainerStatus } from '../../src/cluster/objects/pod.ts';

/** Status of container `main`, which runs and has never restarted; `over` sets further fields. */
export function containerStatus(over: Partial<ContainerStatus> = {}): ContainerStatus {
  return {
    name: 'main',
    ready: true,
    restartCount: 0,
    waitingReason: undefined,
    terminatedReason: undefined,
    exitCode: undefined,
    requests: undefined,
    allocated: undefined,
    ...over,
  };
}
