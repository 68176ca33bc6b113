import type { Backoff } from '../lib/retry.ts';

/** How pods are removed. */
export interface TaintEvictionOptions {
  /** `observe`: the ports change nothing (`observingPorts`), and outcomes say what would happen. */
  readonly mode: 'observe' | 'act';
  /** `evict-then-delete` asks the Eviction API first, until the deadline, then deletes. */
  readonly eviction: 'delete' | 'evict-then-delete';
  /** How long budgets may hold a pod, from the first question to the Eviction API, in ms. */
  readonly evictionDeadlineMs: number;
  /** Pods that are being removed at the same time. */
  readonly concurrency: number;
  /** Waits between two tries for one pod; there is no last try. */
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
