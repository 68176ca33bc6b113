import type { Node } from '../cluster/objects/node.ts';
import type { ClusterStore } from '../cluster/store.ts';
import { momentOf, type Clock } from '../lib/clock.ts';
import { areSameTaints, observeNode, type ObservedNode, type ObservedTaint } from './observed-taints.ts';

const NO_TAINTS: readonly ObservedTaint[] = Object.freeze([]);

/** The NoExecute taints of nodes as they were last looked at, and when each was seen first. */
export class ObservedNodes {
  readonly #store: ClusterStore;
  readonly #clock: Clock;
  readonly #nodes = new Map<string, ObservedNode>();

  constructor(store: ClusterStore, clock: Clock) {
    this.#store = store;
    this.#clock = clock;
  }

  /** Looks at a node again; says whether it is another node, or its taints are others than before. */
  look(name: string): boolean {
    const node = this.#store.node(name)?.object;
    const before = this.#nodes.get(name);
    const after = node && observeNode(before, node, momentOf(this.#clock));
    if (after) this.#nodes.set(name, after);
    else this.#nodes.delete(name);
    return before?.uid !== after?.uid || !areSameTaints(before?.taints ?? NO_TAINTS, this.taintsOf(name));
  }

  taintsOf(name: string): readonly ObservedTaint[] {
    return this.#nodes.get(name)?.taints ?? NO_TAINTS;
  }

  /** Of a node that was read otherwise; nothing is remembered of it. */
  taintsOfCopy(node: Node): readonly ObservedTaint[] {
    return observeNode(this.#nodes.get(node.name), node, momentOf(this.#clock)).taints;
  }

  clear(): void {
    this.#nodes.clear();
  }
}
