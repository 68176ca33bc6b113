import type { Clock } from './clock.ts';
import type { Random } from './random.ts';
import { retryDelay, type Backoff } from './retry.ts';
import { TimerQueue } from './timer-queue.ts';

/**
 * What became of a key: done; failed, so that it is tried again after its back-off, and not before `retryAfterMs`; or to be
 * worked on again after `afterMs`, which is no failure.
 */
export type WorkResult = 'done' | 'retry' | { readonly retryAfterMs: number } | { readonly afterMs: number };

/** How a queue works its keys off. */
export interface WorkQueueOptions {
  readonly clock: Clock;
  /** Keys worked on at the same time; one key never twice at once. */
  readonly workers: number;
  readonly backoff: Backoff;
  /** Spreads the retries of keys that failed together; without it they are exact. */
  readonly random?: Random | undefined;
  /** A rejection counts as `retry` and is given to `onError`. */
  readonly work: (key: string) => Promise<WorkResult>;
  readonly onError?: (key: string, error: unknown) => void;
}

/**
 * Keys to work on, each at most once in the queue and once at work (after client-go's workqueue). A key added while it
 * is at work runs again afterwards; a failed one comes back after a wait that doubles with each failure in a row.
 */
export class WorkQueue {
  readonly #options: WorkQueueOptions;
  readonly #waiting = new Set<string>();
  readonly #working = new Set<string>();
  readonly #again = new Set<string>();
  readonly #failures = new Map<string, number>();
  readonly #later: TimerQueue<undefined>;
  readonly #idle: (() => void)[] = [];
  #stopped = false;

  constructor(options: WorkQueueOptions) {
    this.#options = options;
    this.#later = new TimerQueue(options.clock, (key) => this.add(key));
  }

  /** Keys waiting, at work, or waiting for their next try. */
  get size(): number {
    return this.#waiting.size + this.#working.size + this.#later.size;
  }

  /** Puts a key in, to be worked on as soon as a worker is free; cuts a wait short, but for the back-off of one that failed. */
  add(key: string): void {
    if (this.#stopped || (this.#failures.has(key) && this.#later.deadline(key) !== undefined)) return;
    this.#later.delete(key);
    if (this.#working.has(key)) this.#again.add(key);
    else this.#waiting.add(key);
    this.#next();
  }

  /** Puts a key in after a wait; an earlier one stands. */
  addAfter(key: string, delayMs: number): void {
    if (this.#stopped) return;
    const at = this.#options.clock.now() + delayMs;
    if (at < (this.#later.deadline(key) ?? Infinity)) this.#later.set(key, at, undefined);
  }

  /** Drops a key that is not at work, and its count of failures. */
  forget(key: string): void {
    this.#waiting.delete(key);
    this.#again.delete(key);
    this.#later.delete(key);
    this.#failures.delete(key);
  }

  /** Takes no more keys and resolves when those at work have ended. */
  async stop(): Promise<void> {
    this.#stopped = true;
    this.#waiting.clear();
    this.#again.clear();
    this.#later.clear();
    if (this.#working.size > 0) await new Promise<void>((resolve) => this.#idle.push(resolve));
  }

  #next(): void {
    for (const key of this.#waiting) {
      if (this.#working.size >= this.#options.workers) return;
      this.#waiting.delete(key);
      this.#working.add(key);
      void this.#run(key);
    }
  }

  async #run(key: string): Promise<void> {
    let result: WorkResult = 'retry';
    try {
      result = await this.#options.work(key);
    } catch (error) {
      this.#options.onError?.(key, error);
    }
    this.#working.delete(key);
    this.#settle(key, result);
    if (this.#stopped && this.#working.size === 0) for (const resolve of this.#idle.splice(0)) resolve();
    this.#next();
  }

  #settle(key: string, result: WorkResult): void {
    if (this.#stopped) return;
    if (result === 'done') this.#failures.delete(key);
    else this.addAfter(key, this.#waitOf(key, result));
    if (this.#again.delete(key)) this.add(key);
  }

  #waitOf(key: string, result: Exclude<WorkResult, 'done'>): number {
    if (result !== 'retry' && 'afterMs' in result) return result.afterMs;
    const failures = this.#failures.get(key) ?? 0;
    this.#failures.set(key, failures + 1);
    const { backoff, random = () => 0 } = this.#options;
    return retryDelay(backoff, failures, { random, ...(result !== 'retry' && result) });
  }
}
