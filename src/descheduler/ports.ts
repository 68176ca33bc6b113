import type { Snapshot } from '../cluster/snapshot.ts';
import type { EvictPod } from '../evictor/carry-out.ts';
import type { History } from '../evictor/limits/history.ts';
import type { Clock } from '../lib/clock.ts';
import type { Observe, Source } from '../outcomes/outcome.ts';
import type { Usage, UsageNeed } from '../strategies/strategy.ts';

/** The cluster as one cycle finds it. */
export interface ClusterView {
  readonly snapshot: Snapshot;
  /** Its `now` is the time that ages are measured against. */
  readonly source: Source;
  /** What the reader of the cluster wants the operator to know: unknown kinds, pods without their node… */
  readonly warnings: readonly string[];
}

/** Where a cycle's cluster comes from: a dump, a fresh list, the watched store, the demo. Rejects if it can't be had. */
export type ClusterSource = (signal: AbortSignal) => Promise<ClusterView>;

/** Measured usage, or why there is none, completing the sentence "usage …". */
export type UsageAnswer = { readonly usage: Usage } | { readonly problem: string };

/** Measures what a strategy asks for. */
export type UsageSource = (need: UsageNeed, snapshot: Snapshot, signal: AbortSignal) => Promise<UsageAnswer>;

/** All that one cycle needs from outside. */
export interface CyclePorts {
  readonly cluster: ClusterSource;
  readonly usage: UsageSource;
  readonly evict: EvictPod;
  /** For limits that look back beyond the cycle; read by dry runs, too, and written by others alone. */
  readonly history?: History;
  readonly observe: Observe;
  readonly clock: Clock;
}

/** How one cycle is run. */
export interface CycleOptions {
  /** For the report; whether anything is evicted is up to the port. */
  readonly dryRun: boolean;
  /** Ends the cycle between two candidates; the report tells what was done until then. */
  readonly signal: AbortSignal;
}
