import type { Node } from '../cluster/objects/node.ts';
import type { Pod } from '../cluster/objects/pod.ts';
import type { NodeIndexes } from './counts/node-indexes.ts';

/**
 * Where the scheduler would put the pod that replaces another (rule S31).
 *
 * It is a likelihood. Where more than 100 nodes fit, the scheduler ranks a window of them that nobody outside can know
 * (rule S4); `likely` still has the highest total of all. Equal totals are common, and nothing outside tells
 * which of them wins (1.5).
 */
export class Prediction {
  readonly #nodeIndexes: NodeIndexes;
  /** By place; -1 where the pod does not fit. */
  readonly #totals: Int32Array;
  #likely: readonly Node[] | undefined;

  /** `totals` by place, -1 where the pod does not fit. */
  constructor(nodeIndexes: NodeIndexes, totals: Int32Array) {
    this.#nodeIndexes = nodeIndexes;
    this.#totals = totals;
  }

  /** The nodes with the highest total, by name; none if no node fits. */
  get likely(): readonly Node[] {
    this.#likely ??= this.#findLikely();
    return this.#likely;
  }

  /** The node's total; undefined if the pod does not fit there. */
  total({ name }: Pick<Node, 'name'>): number | undefined {
    const total = this.#totals[this.#nodeIndexes.of(name) ?? -1] ?? -1;
    return total < 0 ? undefined : total;
  }

  /** Of these nodes the one with the highest total, the first by name among equals; undefined if none fits. */
  best(nodes: readonly Node[]): Node | undefined {
    const at = this.#nodeIndexes.ofAll(nodes);
    let best = -1;
    let highest = -1;
    for (let index = 0; index < at.length; index += 1) {
      const nodeIndex = at[index] ?? -1;
      const total = this.#totals[nodeIndex] ?? -1;
      // Places are in the order of names, lists need not be.
      if (total > highest || (total >= 0 && total === highest && nodeIndex < best))
        [best, highest] = [nodeIndex, total];
    }
    return best < 0 ? undefined : this.#nodeIndexes.at(best);
  }

  /** The best of all nodes but this one. */
  bestBut({ name }: Pick<Node, 'name'>): Node | undefined {
    const own = this.#nodeIndexes.of(name);
    let best = -1;
    let highest = -1;
    for (let nodeIndex = 0; nodeIndex < this.#totals.length; nodeIndex += 1) {
      const total = this.#totals[nodeIndex] ?? -1;
      if (nodeIndex !== own && total > highest) [best, highest] = [nodeIndex, total];
    }
    return best < 0 ? undefined : this.#nodeIndexes.at(best);
  }

  #findLikely(): readonly Node[] {
    let highest = 0;
    let likely: number[] = [];
    for (let nodeIndex = 0; nodeIndex < this.#totals.length; nodeIndex += 1) {
      const total = this.#totals[nodeIndex] ?? -1;
      if (total > highest) [highest, likely] = [total, []];
      if (total === highest) likely.push(nodeIndex);
    }
    return likely.map((nodeIndex) => this.#nodeIndexes.at(nodeIndex));
  }
}

/** Whether anything is known about the scheduler that places such pods; of others only the hard rules are (4.4). */
export function isForeseeable({ spec: { schedulerName } }: Pick<Pod, 'spec'>): boolean {
  return schedulerName === '' || schedulerName === 'default-scheduler';
}
