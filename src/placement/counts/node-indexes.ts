import type { Node } from '../../cluster/objects/node.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';

/** The nodes of a snapshot by number, so that what is known about them can be kept in arrays. By name. */
export class NodeIndexes {
  readonly nodes: readonly Node[];
  /** All places, ascending. */
  readonly all: Int32Array;
  readonly #byName: ReadonlyMap<string, number>;
  readonly #ofList = new WeakMap<readonly Node[], Int32Array>();

  constructor(snapshot: Snapshot) {
    this.nodes = snapshot.nodes;
    this.all = Int32Array.from(snapshot.nodes, (_, nodeIndex) => nodeIndex);
    this.#byName = new Map(snapshot.nodes.map((node, nodeIndex) => [node.name, nodeIndex]));
  }

  get count(): number {
    return this.nodes.length;
  }

  /** The place of the node of that name; undefined if there is no such node. */
  of(nodeName: string): number | undefined {
    return this.#byName.get(nodeName);
  }

  /** The places of these nodes in their order, -1 for unknown ones; remembered for the list, which must not change. */
  ofAll(nodes: readonly Node[]): Int32Array {
    let nodeIndexes = this.#ofList.get(nodes);
    if (!nodeIndexes) {
      nodeIndexes = this.#find(nodes);
      this.#ofList.set(nodes, nodeIndexes);
    }
    return nodeIndexes;
  }

  /** Most lists are the snapshot's own with some nodes left out, so the next one often stands right behind the last. */
  #find(nodes: readonly Node[]): Int32Array {
    const nodeIndexes = new Int32Array(nodes.length);
    let last = -1;
    nodes.forEach((node, index) => {
      last = this.nodes[last + 1] === node ? last + 1 : (this.of(node.name) ?? -1);
      nodeIndexes[index] = last;
    });
    return nodeIndexes;
  }

  /** The node at a place. */
  at(nodeIndex: number): Node {
    const node = this.nodes[nodeIndex];
    if (!node) throw new RangeError(`no node at place ${nodeIndex}`);
    return node;
  }
}
