import type { Node } from '../cluster/node.ts';
import type { Pod } from '../cluster/pod.ts';
import type { Snapshot } from '../cluster/snapshot.ts';

/** Why a pod does not fit a node: the code of scheduler.md 1.3 and words with concrete values. */
export interface Misfit {
  readonly code: string;
  readonly text: string;
}

/** What fit must know besides the cluster: the scheduler's own configuration, where the policy gives it. */
export interface FitOptions {
  readonly ignoredResources?: readonly string[];
}

/** The room of one cycle: the snapshot's residents, plus victims that still terminate, plus promised replacements. */
export interface Placement {
  /** All reasons of the first failing rule, in the scheduler's order; empty if the pod fits. The pod counts as gone. */
  misfits(pod: Pod, node: Node): readonly Misfit[];
  /** Those of `nodes` that fit, in their order. */
  fitting(pod: Pod, nodes: readonly Node[]): readonly Node[];
  /** Those of `nodes` with the highest total score, by name (scheduler.md 4.4). */
  likely(pod: Pod, nodes: readonly Node[]): readonly Node[];
  /** Books an eviction: the victim terminates where it is, its replacement is resident on `destination`, if any. */
  promise(victim: Pod, destination: Node | undefined): void;
  /** Takes a booked eviction back. */
  withdraw(victim: Pod): void;
}

export type CreatePlacement = (snapshot: Snapshot, options?: FitOptions) => Placement;
