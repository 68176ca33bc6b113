import { isAssumed, isTerminating, podName, type AssumedPod, type Pod } from '../../cluster/objects/pod.ts';
import { requestsOf, residentRequests } from '../../cluster/amounts/requests.ts';
import type { Resources } from '../../cluster/amounts/resources.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { Places } from './places.ts';

/** A pod that takes room on a node (rule S1): one of the snapshot, or one that is expected there. */
export interface Resident {
  readonly pod: Pod;
  readonly place: number;
  readonly requests: Resources;
  /** Terminating, in the snapshot or since its eviction was booked: topology spread leaves it out. */
  readonly leaving: boolean;
}

/** A resident comes (1) or goes (-1). */
export interface Change {
  readonly resident: Resident;
  readonly sign: 1 | -1;
}

/** Something that counts residents. */
export interface ResidentIndex {
  change(resident: Resident, sign: 1 | -1): void;
}

/** Whether the resident only holds its room: a pending pod, or the replacement of an evicted one. */
export function isExpected({ pod }: Resident): boolean {
  return pod.nodeName === '' || isAssumed(pod);
}

/** A resident's name, for people. */
export function nameOf({ pod }: Resident): string {
  return pod.nodeName === '' ? `${podName(pod)} (pending)` : podName(pod);
}

/** All residents of one cycle, and whoever counts them. Pods on nodes that do not exist are nowhere. */
export class Residents {
  /** Rises with every booking, so that answers can be dropped. */
  version = 0;
  /** Places that have got or lost a pod, in order: a replacement was assumed or forgotten, a victim removed. */
  readonly touched: number[] = [];
  readonly #places: Places;
  readonly #current = new Map<string, Resident>();
  /** Replacements by the UID of their victims, and pending pods by their own, in the order in which they came. */
  readonly #assumed = new Map<string, Resident>();
  readonly #removed = new Map<string, Resident>();
  readonly #indexes: ResidentIndex[] = [];

  constructor(snapshot: Snapshot, places: Places) {
    this.#places = places;
    for (const node of snapshot.nodes) {
      for (const pod of snapshot.residentsOf(node.name)) {
        const resident = this.#residentOf(pod);
        if (resident) this.#current.set(pod.uid, resident);
      }
    }
  }

  /** Everybody, the snapshot's by node and name, then the assumed ones in the order of their booking. */
  *all(): Generator<Resident> {
    yield* this.#current.values();
    yield* this.#assumed.values();
  }

  /** The pod where it is now; undefined if it is nowhere. */
  of(pod: Pod): Resident | undefined {
    return this.#current.get(pod.uid);
  }

  /** Tells an index about everybody, and from now on about every change. */
  follow<T extends ResidentIndex>(index: T): T {
    // Not by way of a generator: every index of a cycle is told about every pod.
    this.#current.forEach((resident) => {
      index.change(resident, 1);
    });
    this.#assumed.forEach((resident) => {
      index.change(resident, 1);
    });
    this.#indexes.push(index);
    return index;
  }

  /** A pending pod is where it is likely to come. */
  admit(pod: Pod, place: number): void {
    const resident = { pod, place, requests: requestsOf(pod.spec), leaving: false };
    this.#assumed.set(pod.uid, resident);
    this.touched.push(place);
    this.#announce(resident, 1);
  }

  /** The victim is leaving, and its replacement, if there is one, is there. */
  assume(victim: Pod, replacement: AssumedPod | undefined): void {
    this.#dropAssumed(victim);
    this.#replaceCurrent(victim, true);
    const assumed = replacement && this.#residentOf(replacement);
    if (!assumed) return;
    this.#assumed.set(victim.uid, assumed);
    this.touched.push(assumed.place);
    this.#announce(assumed, 1);
  }

  /** The victim is gone, and no replacement is assumed. */
  remove(victim: Pod): void {
    this.forget(victim);
    const resident = this.#current.get(victim.uid);
    if (!resident) return;
    this.#current.delete(victim.uid);
    this.#removed.set(victim.uid, resident);
    this.touched.push(resident.place);
    this.#announce(resident, -1);
  }

  /** Takes back what was assumed, and that the victim was removed; nothing happens if nothing was. */
  forget(victim: Pod): void {
    this.#dropAssumed(victim);
    const removed = this.#removed.get(victim.uid);
    if (removed) {
      this.#removed.delete(victim.uid);
      this.#current.set(victim.uid, removed);
      this.touched.push(removed.place);
      this.#announce(removed, 1);
    }
    this.#replaceCurrent(victim, false);
  }

  #dropAssumed(victim: Pod): void {
    const assumed = this.#assumed.get(victim.uid);
    if (!assumed) return;
    this.#assumed.delete(victim.uid);
    this.touched.push(assumed.place);
    this.#announce(assumed, -1);
  }

  #residentOf(pod: Pod): Resident | undefined {
    const place = this.#places.of(pod.nodeName);
    if (place === undefined) return undefined;
    return { pod, place, requests: residentRequests(pod), leaving: isTerminating(pod) };
  }

  #replaceCurrent(victim: Pod, booked: boolean): void {
    const before = this.#current.get(victim.uid);
    const leaving = booked || isTerminating(victim);
    if (!before || before.leaving === leaving) return;
    const after = { ...before, leaving };
    this.#announce(before, -1);
    this.#current.set(victim.uid, after);
    this.#announce(after, 1);
  }

  #announce(resident: Resident, sign: 1 | -1): void {
    this.version += 1;
    for (const index of this.#indexes) index.change(resident, sign);
  }
}
