import type { HostPort, PodSpec } from '../../cluster/objects/pod.ts';
import { keyedBy } from '../counts/memo.ts';
import { singleCheck, type Rule } from './misfit.ts';
import { nameOf, type Resident, type ResidentIndex } from '../counts/residents.ts';
import { seenAt } from '../counts/residents-seen.ts';

/** NodePorts: no two pods of a node on one host port (rule S9). */
export function hostPortsRule(ports: PortHolders): Rule {
  return {
    scope: 'node',
    check: (candidate) => {
      const wanted = hostPortsOf(candidate.spec);
      if (wanted.length === 0) return undefined;
      const conflict = (place: number) => findConflict(wanted, seenAt(place, ports.on(place), candidate));
      return singleCheck(
        'ports',
        (place) => conflict(place) === undefined,
        (place) => conflict(place) ?? '',
      );
    },
  };
}

/** The residents that hold host ports, by node. */
export class PortHolders implements ResidentIndex {
  readonly #byPlace = new Map<number, Set<Resident>>();

  change(resident: Resident, sign: 1 | -1): void {
    if (hostPortsOf(resident.pod.spec).length === 0) return;
    const holders = this.#byPlace.get(resident.place) ?? new Set();
    this.#byPlace.set(resident.place, holders);
    if (sign > 0) holders.add(resident);
    else holders.delete(resident);
  }

  /** Holders on the place. */
  on(place: number): ReadonlySet<Resident> {
    return this.#byPlace.get(place) ?? NOBODY;
  }
}

const NOBODY: ReadonlySet<Resident> = new Set();

/**
 * Host ports that a pod takes: those of containers and sidecars, not of plain init containers; `hostPort` 0 is none.
 * On the host's network every container port is one, which templates leave to the API server (decode fills it in).
 */
const hostPortsOf = keyedBy((spec: PodSpec): readonly HostPort[] =>
  [...spec.containers, ...spec.initContainers.filter(({ sidecar }) => sidecar)]
    .flatMap(({ hostPorts }) => hostPorts)
    .filter(({ port }) => port > 0),
);

function findConflict(wanted: readonly HostPort[], holders: Iterable<Resident>): string | undefined {
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
