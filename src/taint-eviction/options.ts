import type { Backoff } from '../lib/retry.ts';

/** How pods are removed. */
export interface TaintEvictionOptions {
  /** `observe`: the ports change nothing (`observing.ts`), and outcomes say what would happen. */
  readonly mode: 'observe' | 'act';
  /** `evict-then-delete` asks the Eviction API first, until the deadline, then deletes (deviation 14). */
  readonly eviction: 'delete' | 'evict-then-delete';
  /** How long after a pod's time is over its budgets may still hold it, in ms. */
  readonly evictionDeadlineMs: number;
  /** Pods that are being removed at the same time (deviation 19). */
  readonly concurrency: number;
  /** Waits between two tries for one pod; there is no last try (deviation 4). */
  readonly backoff: Backoff;
}

/** As the reference behaves, but bounded. */
export const TAINT_EVICTION_DEFAULTS: TaintEvictionOptions = {
  mode: 'act',
  eviction: 'delete',
  evictionDeadlineMs: 300_000,
  concurrency: 50,
  backoff: { baseMs: 250, capMs: 60_000 },
};
