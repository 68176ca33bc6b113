import type { Snapshot } from '../cluster/snapshot.ts';
import type { Source } from '../outcomes/outcome.ts';
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
