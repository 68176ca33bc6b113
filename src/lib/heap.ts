/** What a heap holds: `heapIndex` belongs to the heap and is -1 outside of it. */
export interface HeapItem {
  heapIndex: number;
}

/** A binary min-heap whose items know their place, so that any of them can leave in O(log n). */
export class Heap<T extends HeapItem> {
  readonly #items: T[] = [];
  readonly #before: (a: T, b: T) => boolean;

  /** `before` must be a strict total order if the order of equals matters. */
  constructor(before: (a: T, b: T) => boolean) {
    this.#before = before;
  }

  get size(): number {
    return this.#items.length;
  }

  /** The first item, left in place. */
  peek(): T | undefined {
    return this.#items[0];
  }

  push(item: T): void {
    item.heapIndex = this.#items.length;
    this.#items.push(item);
    this.#rise(item);
  }

  /** Takes the first item out. */
  pop(): T | undefined {
    const first = this.#items[0];
    if (first) this.remove(first);
    return first;
  }

  /** Takes an item out, wherever it stands; one that is not in the heap is ignored. */
  remove(item: T): void {
    const index = item.heapIndex;
    const last = this.#items.at(-1);
    if (index < 0 || !last || this.#items[index] !== item) return;
    this.#items.pop();
    item.heapIndex = -1;
    if (last === item) return;
    this.#put(last, index);
    this.#rise(last);
    this.#sink(last);
  }

  #rise(item: T): void {
    while (item.heapIndex > 0) {
      const above = this.#items[(item.heapIndex - 1) >> 1];
      if (!above || !this.#before(item, above)) return;
      const index = above.heapIndex;
      this.#put(above, item.heapIndex);
      this.#put(item, index);
    }
  }

  #sink(item: T): void {
    for (;;) {
      const below = this.#smallerChild(item.heapIndex);
      if (!below || !this.#before(below, item)) return;
      const index = below.heapIndex;
      this.#put(below, item.heapIndex);
      this.#put(item, index);
    }
  }

  #smallerChild(index: number): T | undefined {
    const left = this.#items[2 * index + 1];
    const right = this.#items[2 * index + 2];
    return left && right && this.#before(right, left) ? right : left;
  }

  #put(item: T, index: number): void {
    item.heapIndex = index;
    this.#items[index] = item;
  }
}
