import type { Labels, Taint } from '../cluster/objects/terms.ts';
import type { Lease } from '../cluster/objects/kinds.ts';
import type { Node } from '../cluster/objects/node.ts';
import type { Pod } from '../cluster/objects/pod.ts';
import type { ObjectEvent, ConditionUpdate } from '../cluster/updates.ts';
import type { Versioned } from '../cluster/store.ts';
import { replied, type Reply } from '../lib/answer.ts';

/** What is to be written to a node's metadata and spec. */
export interface NodeChange {
  /** The whole list, foreign taints as they were. */
  readonly taints?: readonly Taint[];
  /** Only those to set. */
  readonly labels?: Labels;
}

/**
 * Changes a node by one patch that carries the resourceVersion it was computed from: a node that has changed since answers
 * `conflict`. Answers with the node as it is afterwards.
 */
export type PatchNode = (request: {
  readonly node: Node;
  readonly resourceVersion: string;
  readonly change: NodeChange;
}) => Reply<Versioned<Node>>;

/** Sets conditions of a node's status, the others stay; guarded by the resourceVersion in the same way. */
export type PatchNodeStatus = (request: {
  readonly node: Node;
  readonly resourceVersion: string;
  readonly conditions: readonly ConditionUpdate[];
}) => Reply<Versioned<Node>>;

/** Sets one condition of a pod's status, with the pod's UID as a precondition; what is left out of it stays. */
export type PatchPodStatus = (request: { readonly pod: Pod; readonly condition: ConditionUpdate }) => Reply<Pod>;

/** Reads one node from the API server itself, not from a cache. */
export type GetNode = (name: string) => Reply<Versioned<Node>>;

/** Reads the Lease of a node from the API server itself. */
export type GetLease = (nodeName: string) => Reply<Lease>;

/** Everything that the controller does to the world. Ports never throw: failures are answers. */
export interface NodeLifecyclePorts {
  readonly patchNode: PatchNode;
  readonly patchNodeStatus: PatchNodeStatus;
  readonly patchPodStatus: PatchPodStatus;
  readonly getNode: GetNode;
  readonly getLease: GetLease;
  /** Takes an event to write. Neither waits nor fails. */
  readonly recordEvent: (event: ObjectEvent) => void;
}

/**
 * Ports for the mode `observe`: they read like the given ones and change nothing. A patch answers with the node as it would
 * be, so that the controller goes on as if it had been written and says each thing once.
 */
export function observingLifecyclePorts(reads: Pick<NodeLifecyclePorts, 'getNode' | 'getLease'>): NodeLifecyclePorts {
  return {
    ...reads,
    patchNode: ({ node, resourceVersion, change }) => {
      const { taints = node.taints, labels = {} } = change;
      return replied({ object: { ...node, taints, labels: { ...node.labels, ...labels } }, resourceVersion });
    },
    patchNodeStatus: ({ node, resourceVersion }) => replied({ object: node, resourceVersion }),
    patchPodStatus: ({ pod }) => replied(pod),
    recordEvent: () => undefined,
  };
}
