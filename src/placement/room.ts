import { amountOf } from '../cluster/amounts/resources.ts';
import type { NodeIndexes } from './counts/node-indexes.ts';
import { isExpected, type AssignedPod, type AssignedPodIndex } from './counts/assigned-pods.ts';

/** What is free on every node: pod slots, and per resource the allocatable amount less what assigned pods request. */
export class Room implements AssignedPodIndex {
  /** Free pod slots; 0 less the assigned pods on a node that offers none. */
  readonly slots: Float64Array;
  readonly #free = new Map<string, Float64Array>();
  readonly nodeIndexes: NodeIndexes;
  readonly #expected = new Map<number, Set<AssignedPod>>();

  constructor(nodeIndexes: NodeIndexes) {
    this.nodeIndexes = nodeIndexes;
    this.slots = Float64Array.from(nodeIndexes.nodes, (node) => amountOf(node.allocatable, 'pods'));
  }

  /** Free amounts by place; negative where a node is over-committed. A resource that a node does not offer counts 0. */
  free(name: string): Float64Array {
    let column = this.#free.get(name);
    if (!column) {
      column = Float64Array.from(this.nodeIndexes.nodes, (node) => amountOf(node.allocatable, name));
      this.#free.set(name, column);
    }
    return column;
  }

  /** Those of the place for whom room is kept, since they are not there yet. */
  expectedAt(nodeIndex: number): Iterable<AssignedPod> {
    return this.#expected.get(nodeIndex) ?? [];
  }

  /** Whether there is any such pod. */
  isKeptAt(nodeIndex: number): boolean {
    return (this.#expected.get(nodeIndex)?.size ?? 0) > 0;
  }

  change(assignedPod: AssignedPod, sign: 1 | -1): void {
    if (isExpected(assignedPod)) this.#expect(assignedPod, sign);
    const { nodeIndex, requests } = assignedPod;
    this.slots[nodeIndex] = (this.slots[nodeIndex] ?? 0) - sign;
    for (const name in requests) {
      const column = this.free(name);
      column[nodeIndex] = (column[nodeIndex] ?? 0) - sign * amountOf(requests, name);
    }
  }

  #expect(assignedPod: AssignedPod, sign: 1 | -1): void {
    const here = this.#expected.get(assignedPod.nodeIndex) ?? new Set();
    this.#expected.set(assignedPod.nodeIndex, here);
    if (sign > 0) here.add(assignedPod);
    else here.delete(assignedPod);
  }
}
