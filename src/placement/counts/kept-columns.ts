import type { AssignedPods } from './assigned-pods.ts';

interface Column {
  readonly values: Uint8Array;
  /** How many of the touched places have been considered. */
  seen: number;
}

/**
 * Values 0 to 255 by place that depend on a node and its assigned pods alone: worked out once per key, and again for a place
 * only when somebody has come or gone there.
 */
export class KeptColumns {
  readonly #assignedPods: AssignedPods;
  readonly #nodeIndexes: number;
  readonly #byKey = new Map<string, Column>();

  constructor(assignedPods: AssignedPods, nodeIndexes: number) {
    this.#assignedPods = assignedPods;
    this.#nodeIndexes = nodeIndexes;
  }

  /** The column of a key; `value` must give the same for the same key and the same assigned pods. */
  of(key: string, value: (nodeIndex: number) => number): Uint8Array {
    const { touched } = this.#assignedPods;
    let column = this.#byKey.get(key);
    if (!column) {
      column = { values: new Uint8Array(this.#nodeIndexes), seen: touched.length };
      for (let nodeIndex = 0; nodeIndex < this.#nodeIndexes; nodeIndex += 1)
        column.values[nodeIndex] = value(nodeIndex);
      this.#byKey.set(key, column);
    }
    for (; column.seen < touched.length; column.seen += 1) {
      const nodeIndex = touched[column.seen] ?? 0;
      column.values[nodeIndex] = value(nodeIndex);
    }
    return column.values;
  }
}
