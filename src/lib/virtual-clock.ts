import type { Cancel, Clock } from './clock.ts';
import { Heap, type HeapItem } from './heap.ts';

interface Scheduled extends HeapItem {
  readonly at: number;
  readonly order: number;
  readonly run: () => void;
}

/** A clock that stands still until it is moved; used by `outage` and by tests. */
export class VirtualClock implements Clock {
  readonly #heap = new Heap<Scheduled>((a, b) => a.at < b.at || (a.at === b.at && a.order < b.order));
  #now: number;
  #order = 0;
  #stepMs = 0;

  /** Both faces start there; ms since the epoch. */
  constructor(start: number) {
    this.#now = start;
  }

  wall(): number {
    return this.#now + this.#stepMs;
  }

  now(): number {
    return this.#now;
  }

  schedule(at: number, run: () => void): Cancel {
    const entry: Scheduled = { at, order: this.#order++, run, heapIndex: -1 };
    this.#heap.push(entry);
    return () => {
      this.#heap.remove(entry);
    };
  }

  /** Sets the wall clock forwards or backwards by that many ms, as an operator or NTP does: no time passes. */
  step(ms: number): void {
    this.#stepMs += ms;
  }

  /** Moves on to `until`, running what falls due in order, and letting promises settle after each moment. */
  async advanceTo(until: number): Promise<void> {
    await settle();
    for (let next = this.#heap.peek(); next && next.at <= until; next = this.#heap.peek()) {
      this.#now = Math.max(this.#now, next.at);
      while (next && next.at <= this.#now) {
        this.#heap.remove(next);
        next.run();
        next = this.#heap.peek();
      }
      await settle();
    }
    this.#now = Math.max(this.#now, until);
  }
}

/** Lets every promise that can go on without time do so. */
function settle(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
