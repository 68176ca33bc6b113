import type { Taint } from '../cluster/objects/terms.ts';
import type { ObjectEvent, ConditionUpdate } from '../cluster/updates.ts';
import type { Node } from '../cluster/objects/node.ts';
import type { Pod } from '../cluster/objects/pod.ts';
import type { Versioned } from '../cluster/store.ts';
import { replied, type Reply } from '../lib/answer.ts';

/**
 * Sets one condition of the pod's status, with the pod's UID as a precondition: a namesake must answer `conflict` or
 * `not-found`. Answers with the pod as it is afterwards.
 */
export type PatchPodStatus = (request: { readonly pod: Pod; readonly condition: ConditionUpdate }) => Reply<Pod>;

/** Deletes the pod with its own grace period and with its UID as a precondition (`conflict` for a namesake). */
export type DeletePod = (pod: Pod) => Reply<undefined>;

/** Asks the Eviction API for the pod, its UID as a precondition; a budget that is spent answers `too-many-requests`. */
export type EvictByBudget = (pod: Pod) => Reply<undefined>;

/** Reads one pod from the API server itself, not from a cache. */
export type GetPod = (namespace: string, name: string) => Reply<Pod>;

/** Reads one node from the API server itself. */
export type GetNode = (name: string) => Reply<Versioned<Node>>;

/** A taint of a node that does not say when it was added, and what to write. `index`: its place in `spec.taints`. */
export interface Stamp {
  readonly index: number;
  readonly taint: Taint;
  /** RFC 3339. */
  readonly timeAdded: string;
}

/**
 * Writes `timeAdded` into taints that have none, by one JSON patch that first tests that each of them still stands at its
 * place; where one does not, nothing is written and the answer is `invalid` or `conflict`.
 */
export type StampTaints = (request: { readonly node: Node; readonly stamps: readonly Stamp[] }) => Reply<undefined>;

/** Takes an event to write. Neither waits nor fails: it is off the critical path. */
export type RecordEvent = (event: ObjectEvent) => void;

/** Everything that the controller does to the world. Ports never throw: failures are answers. */
export interface TaintEvictionPorts {
  readonly patchPodStatus: PatchPodStatus;
  readonly deletePod: DeletePod;
  /** Only asked with `eviction: 'evict-then-delete'`. */
  readonly evictPod: EvictByBudget;
  readonly getPod: GetPod;
  readonly getNode: GetNode;
  readonly stampTaints: StampTaints;
  readonly recordEvent: RecordEvent;
}

/** Ports for `observe`: they read like the given ones and change nothing. */
export function observingPorts(reads: Pick<TaintEvictionPorts, 'getPod' | 'getNode'>): TaintEvictionPorts {
  return {
    ...reads,
    patchPodStatus: ({ pod }) => replied(pod),
    deletePod: () => replied(undefined),
    evictPod: () => replied(undefined),
    stampTaints: () => replied(undefined),
    recordEvent: () => undefined,
  };
}
