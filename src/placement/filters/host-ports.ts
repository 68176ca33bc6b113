import type { HostPort, PodSpec } from '../../cluster/objects/pod.ts';
import { keyedBy } from '../counts/memo.ts';
import { singleCheck, type Rule } from './filter-failure.ts';
import { nameOf, type AssignedPod, type AssignedPodIndex } from '../counts/assigned-pods.ts';
import { seenAt } from '../counts/assigned-pods-seen.ts';

/** NodePorts: no two pods of a node on one host port (rule S9). */
export function hostPortsRule(ports: PortHolders): Rule {
  return {
    scope: 'node',
    check: (candidate) => {
      const wanted = hostPortsOf(candidate.spec);
      if (wanted.length === 0) return undefined;
      const conflict = (nodeIndex: number) => findConflict(wanted, seenAt(nodeIndex, ports.on(nodeIndex), candidate));
      return singleCheck(
        'ports',
        (nodeIndex) => conflict(nodeIndex) === undefined,
        (nodeIndex) => conflict(nodeIndex) ?? '',
      );
    },
  };
}

/** The assigned pods that hold host ports, by node. */
export class PortHolders implements AssignedPodIndex {
  readonly #byNodeIndex = new Map<number, Set<AssignedPod>>();

  change(assignedPod: AssignedPod, sign: 1 | -1): void {
    if (hostPortsOf(assignedPod.pod.spec).length === 0) return;
    const holders = this.#byNodeIndex.get(assignedPod.nodeIndex) ?? new Set();
    this.#byNodeIndex.set(assignedPod.nodeIndex, holders);
    if (sign > 0) holders.add(assignedPod);
    else holders.delete(assignedPod);
  }

  /** Holders on the place. */
  on(nodeIndex: number): ReadonlySet<AssignedPod> {
    return this.#byNodeIndex.get(nodeIndex) ?? NOBODY;
  }
}

const NOBODY: ReadonlySet<AssignedPod> = new Set();

/**
 * Host ports that a pod takes: those of containers and sidecars, not of plain init containers; `hostPort` 0 is none.
 * On the host's network every container port is one, which templates leave to the API server (decode fills it in).
 */
const hostPortsOf = keyedBy((spec: PodSpec): readonly HostPort[] =>
  [...spec.containers, ...spec.initContainers.filter(({ sidecar }) => sidecar)]
    .flatMap(({ hostPorts }) => hostPorts)
    .filter(({ port }) => port > 0),
);

function findConflict(wanted: readonly HostPort[], holders: Iterable<AssignedPod>): string | undefined {
  for (const holder of holders) {
    const taken = hostPortsOf(holder.pod.spec);
    const port = wanted.find((one) => taken.some((other) => conflicts(one, other)));
    if (port) return `host port ${port.port}/${port.protocol} is held by ${nameOf(holder)}`;
  }
  return undefined;
}

/** `::` is an address like any other here (rule S9). */
function conflicts(a: HostPort, b: HostPort): boolean {
  return a.port === b.port && a.protocol === b.protocol && (a.ip === b.ip || a.ip === '0.0.0.0' || b.ip === '0.0.0.0');
}
