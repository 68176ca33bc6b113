import type { NodeIndexes } from './node-indexes.ts';

/** The nodes divided by the value of one label. */
export interface Domains {
  /** The domain of every place; -1 where the node lacks the key. */
  readonly of: Int32Array;
  /** The label's values by domain. */
  readonly values: readonly string[];
}

/** Topology domains by label key, found once per key. An empty value is a value (rule S15). */
export class Topology {
  readonly #nodeIndexes: NodeIndexes;
  readonly #byKey = new Map<string, Domains>();

  constructor(nodeIndexes: NodeIndexes) {
    this.#nodeIndexes = nodeIndexes;
  }

  domains(key: string): Domains {
    let domains = this.#byKey.get(key);
    if (!domains) {
      domains = divide(this.#nodeIndexes, key);
      this.#byKey.set(key, domains);
    }
    return domains;
  }
}

function divide(nodeIndexes: NodeIndexes, key: string): Domains {
  const byValue = new Map<string, number>();
  const of = Int32Array.from(nodeIndexes.nodes, ({ labels }) => {
    const value = labels[key];
    if (value === undefined) return -1;
    const domain = byValue.get(value) ?? byValue.size;
    byValue.set(value, domain);
    return domain;
  });
  return { of, values: [...byValue.keys()] };
}
