import { isPending, type Pod } from '../cluster/objects/pod.ts';
import { compareByAge } from '../cluster/rules/sorting.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { priorityOf } from './candidate.ts';
import type { NodeIndexes } from './counts/node-indexes.ts';
import { isForeseeable } from './prediction.ts';

/** A pod of the queue and the place that it gets. */
export interface Queued {
  readonly pod: Pod;
  readonly nodeIndex: number;
}

/**
 * Pods that wait in the scheduler's queue and get their place before the replacements of evicted pods do: a replacement
 * stands behind all pods of equal or higher priority that are there already. What fits nowhere holds no room, since room
 * by preemption is not counted on.
 */
export class Queue {
  /** In the order in which they get their places. */
  readonly placed: readonly Queued[];
  readonly #turns = new Map<string, number>();

  /** `nodeIndex` puts one pod after the other where the scheduler would; undefined where it fits nowhere. */
  constructor(waiting: readonly Pod[], nodeIndex: (pod: Pod) => number | undefined) {
    const placed: Queued[] = [];
    for (const pod of waiting) {
      this.#turns.set(pod.uid, placed.length);
      const at = nodeIndex(pod);
      if (at !== undefined) placed.push({ pod, nodeIndex: at });
    }
    this.placed = placed;
  }

  /** How many of `placed` get their places before this pod, which may be one of the queue. */
  before(pod: Pod): number {
    const turn = this.#turns.get(pod.uid);
    if (turn !== undefined) return turn;
    const first = this.placed.findIndex((one) => priorityOf(one.pod) < priorityOf(pod));
    return first < 0 ? this.placed.length : first;
  }
}

/**
 * Who waits in the scheduler's queue, in its order: higher priority first, then the older one. Pods behind scheduling
 * gates, pods of other schedulers, and pods that are nominated to a node stand elsewhere.
 */
export function waitingPods(snapshot: Snapshot, nodeIndexes: NodeIndexes): readonly Pod[] {
  return snapshot.pods
    .filter(
      (pod) =>
        isPending(pod) &&
        pod.spec.schedulingGates.length === 0 &&
        isForeseeable(pod) &&
        nodeIndexes.of(pod.status.nominatedNode) === undefined,
    )
    .toSorted((a, b) => priorityOf(b) - priorityOf(a) || compareByAge(a, b));
}
