import { constants, PerformanceObserver, type PerformanceEntry } from 'node:perf_hooks';
import { getHeapStatistics } from 'node:v8';

/** What is left beyond is needed to plan with what was read. */
const MOST_OF_HEAP = 0.6;

/** Looks after each full garbage collection whether the heap comes near its limit: V8 ends the process there without a word of ours. */
export class MemoryWatch {
  readonly #observer: PerformanceObserver;
  #isShort = false;

  constructor() {
    this.#observer = new PerformanceObserver((list) => {
      if (list.getEntries().some(isFullCollection)) this.#look();
    });
    this.#observer.observe({ entryTypes: ['gc'] });
  }

  /** Whether more than this part of the heap is in use for good. */
  get isShort(): boolean {
    return this.#isShort;
  }

  close(): void {
    this.#observer.disconnect();
  }

  #look(): void {
    const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics();
    this.#isShort = used > limit * MOST_OF_HEAP;
  }
}

function isFullCollection(entry: PerformanceEntry): boolean {
  const detail: unknown = Reflect.get(entry, 'detail');
  const kind = typeof detail === 'object' && detail !== null && 'kind' in detail ? detail.kind : undefined;
  return kind === constants.NODE_PERFORMANCE_GC_MAJOR;
}
