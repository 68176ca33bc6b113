/** Values made once per key. */
export class Memo<V> {
  readonly #values = new Map<string, V>();

  get(key: string, make: () => V): V {
    let value = this.#values.get(key);
    if (value === undefined) {
      value = make();
      this.#values.set(key, value);
    }
    return value;
  }

  /** Whether nothing has been made yet. */
  get isEmpty(): boolean {
    return this.#values.size === 0;
  }

  /** The value if it has been made. */
  peek(key: string): V | undefined {
    return this.#values.get(key);
  }

  /** All values, in the order in which they were first asked for. */
  values(): IterableIterator<V> {
    return this.#values.values();
  }
}

/** Values made once per object and key. */
export class PairMemo<K extends object, V> {
  readonly #byObject = new WeakMap<K, Memo<V>>();

  get(object: K, key: string, make: () => V): V {
    let byKey = this.#byObject.get(object);
    if (!byKey) {
      byKey = new Memo();
      this.#byObject.set(object, byKey);
    }
    return byKey.get(key, make);
  }
}

/** The same function, answering from memory for an object that it has seen. */
export function keyedBy<K extends object, V>(make: (object: K) => V): (object: K) => V {
  const known = new WeakMap<K, V>();
  return (object) => {
    const value = known.get(object);
    if (value !== undefined) return value;
    const made = make(object);
    known.set(object, made);
    return made;
  };
}
