import { isAssumed, isTerminating, podName, type AssumedPod, type Pod } from '../../cluster/objects/pod.ts';
import { requestsOf, assignedRequests } from '../../cluster/amounts/requests.ts';
import type { Resources } from '../../cluster/amounts/resources.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { NodeIndexes } from './node-indexes.ts';

/** A pod that takes room on a node (rule S1): one of the snapshot, or one that is expected there. */
export interface AssignedPod {
  readonly pod: Pod;
  readonly nodeIndex: number;
  readonly requests: Resources;
  /** Terminating, in the snapshot or since its eviction was booked: topology spread leaves it out. */
  readonly leaving: boolean;
}

/** A assigned pod comes (1) or goes (-1). */
export interface Change {
  readonly assignedPod: AssignedPod;
  readonly sign: 1 | -1;
}

/** Something that counts assigned pods. */
export interface AssignedPodIndex {
  change(assignedPod: AssignedPod, sign: 1 | -1): void;
}

/** Whether the assigned pod only holds its room: a pending pod, or the replacement of an evicted one. */
export function isExpected({ pod }: AssignedPod): boolean {
  return pod.nodeName === '' || isAssumed(pod);
}

/** A assigned pod's name, for people. */
export function nameOf({ pod }: AssignedPod): string {
  return pod.nodeName === '' ? `${podName(pod)} (pending)` : podName(pod);
}

/** All assigned pods of one cycle, and whoever counts them. Pods on nodes that do not exist are nowhere. */
export class AssignedPods {
  /** Rises with every booking, so that answers can be dropped. */
  version = 0;
  /** Places that have got or lost a pod, in order: a replacement was assumed or forgotten, a victim removed. */
  readonly touched: number[] = [];
  readonly #nodeIndexes: NodeIndexes;
  readonly #current = new Map<string, AssignedPod>();
  /** Replacements by the UID of their victims, and pending pods by their own, in the order in which they came. */
  readonly #assumed = new Map<string, AssignedPod>();
  readonly #removed = new Map<string, AssignedPod>();
  readonly #indexes: AssignedPodIndex[] = [];

  constructor(snapshot: Snapshot, nodeIndexes: NodeIndexes) {
    this.#nodeIndexes = nodeIndexes;
    for (const node of snapshot.nodes) {
      for (const pod of snapshot.assignedPodsOf(node.name)) {
        const assignedPod = this.#assignedPodOf(pod);
        if (assignedPod) this.#current.set(pod.uid, assignedPod);
      }
    }
  }

  /** Everybody, the snapshot's by node and name, then the assumed ones in the order of their booking. */
  *all(): Generator<AssignedPod> {
    yield* this.#current.values();
    yield* this.#assumed.values();
  }

  /** The pod where it is now; undefined if it is nowhere. */
  of(pod: Pod): AssignedPod | undefined {
    return this.#current.get(pod.uid);
  }

  /** Tells an index about everybody, and from now on about every change. */
  follow<T extends AssignedPodIndex>(index: T): T {
    // Not by way of a generator: every index of a cycle is told about every pod.
    this.#current.forEach((assignedPod) => {
      index.change(assignedPod, 1);
    });
    this.#assumed.forEach((assignedPod) => {
      index.change(assignedPod, 1);
    });
    this.#indexes.push(index);
    return index;
  }

  /** A pending pod is where it is likely to come. */
  admit(pod: Pod, nodeIndex: number): void {
    const assignedPod = { pod, nodeIndex, requests: requestsOf(pod.spec), leaving: false };
    this.#assumed.set(pod.uid, assignedPod);
    this.touched.push(nodeIndex);
    this.#announce(assignedPod, 1);
  }

  /** The victim is leaving, and its replacement, if there is one, is there. */
  assume(victim: Pod, replacement: AssumedPod | undefined): void {
    this.#dropAssumed(victim);
    this.#replaceCurrent(victim, true);
    const assumed = replacement && this.#assignedPodOf(replacement);
    if (!assumed) return;
    this.#assumed.set(victim.uid, assumed);
    this.touched.push(assumed.nodeIndex);
    this.#announce(assumed, 1);
  }

  /** The victim is gone, and no replacement is assumed. */
  remove(victim: Pod): void {
    this.forget(victim);
    const assignedPod = this.#current.get(victim.uid);
    if (!assignedPod) return;
    this.#current.delete(victim.uid);
    this.#removed.set(victim.uid, assignedPod);
    this.touched.push(assignedPod.nodeIndex);
    this.#announce(assignedPod, -1);
  }

  /** Takes back what was assumed, and that the victim was removed; nothing happens if nothing was. */
  forget(victim: Pod): void {
    this.#dropAssumed(victim);
    const removed = this.#removed.get(victim.uid);
    if (removed) {
      this.#removed.delete(victim.uid);
      this.#current.set(victim.uid, removed);
      this.touched.push(removed.nodeIndex);
      this.#announce(removed, 1);
    }
    this.#replaceCurrent(victim, false);
  }

  #dropAssumed(victim: Pod): void {
    const assumed = this.#assumed.get(victim.uid);
    if (!assumed) return;
    this.#assumed.delete(victim.uid);
    this.touched.push(assumed.nodeIndex);
    this.#announce(assumed, -1);
  }

  #assignedPodOf(pod: Pod): AssignedPod | undefined {
    const nodeIndex = this.#nodeIndexes.of(pod.nodeName);
    if (nodeIndex === undefined) return undefined;
    return { pod, nodeIndex, requests: assignedRequests(pod), leaving: isTerminating(pod) };
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

  #announce(assignedPod: AssignedPod, sign: 1 | -1): void {
    this.version += 1;
    for (const index of this.#indexes) index.change(assignedPod, sign);
  }
}
