import type { Cancel, Clock } from './clock.ts';
import { Heap, type HeapItem } from './heap.ts';

interface Entry<V> extends HeapItem {
  readonly key: string;
  readonly at: number;
  readonly order: number;
  readonly value: V;
}

/** Any number of deadlines by key with one heap and one timer of the clock. Equal deadlines fire in order of arming. */
export class TimerQueue<V> {
  readonly #clock: Clock;
  readonly #fire: (key: string, value: V, at: number) => void;
  readonly #entries = new Map<string, Entry<V>>();
  readonly #heap = new Heap<Entry<V>>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  #armedFor = Infinity;
  #cancel: Cancel | undefined;
  #order = 0;

  /** `fire` is called once for each key whose deadline has come, after the key has left the queue. */
  constructor(clock: Clock, fire: (key: string, value: V, at: number) => void) {
    this.#clock = clock;
    this.#fire = fire;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** The deadline of a key (ms since the epoch), if it has one. */
  deadline(key: string): number | undefined {
    return this.#entries.get(key)?.at;
  }

  /** What was given with the key. */
  value(key: string): V | undefined {
    return this.#entries.get(key)?.value;
  }

  /** Keys with a deadline, in order of arming. */
  keys(): IterableIterator<string> {
    return this.#entries.keys();
  }

  /** Sets or moves the deadline of a key. `Infinity` is no deadline. */
  set(key: string, at: number, value: V): void {
    this.#take(key);
    if (at === Infinity) return;
    const entry: Entry<V> = { key, at, order: this.#order++, value, heapIndex: -1 };
    this.#entries.set(key, entry);
    this.#heap.push(entry);
    this.#arm();
  }

  /** Forgets a key; says whether it had a deadline. */
  delete(key: string): boolean {
    const had = this.#take(key);
    this.#arm();
    return had;
  }

  /** Forgets every key and stops the timer. */
  clear(): void {
    for (const key of [...this.#entries.keys()]) this.#take(key);
    this.#arm();
  }

  #take(key: string): boolean {
    const entry = this.#entries.get(key);
    if (!entry) return false;
    this.#entries.delete(key);
    this.#heap.remove(entry);
    return true;
  }

  #arm(): void {
    const next = this.#heap.peek()?.at ?? Infinity;
    if (next === this.#armedFor) return;
    this.#cancel?.();
    this.#cancel = undefined;
    this.#armedFor = next;
    if (next !== Infinity) this.#cancel = this.#clock.schedule(next, () => this.#run());
  }

  #run(): void {
    this.#armedFor = Infinity;
    this.#cancel = undefined;
    const now = this.#clock.now();
    for (let entry = this.#heap.peek(); entry && entry.at <= now; entry = this.#heap.peek()) {
      this.#take(entry.key);
      this.#fire(entry.key, entry.value, entry.at);
    }
    this.#arm();
  }
}
