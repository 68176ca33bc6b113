import type { Pod } from '../cluster/objects/pod.ts';
import type { EvictionResult } from './eviction-result.ts';

/** Who asked for what happened: the profile and strategy of the policy. */
export interface Requester {
  readonly profile: string;
  readonly strategy: string;
}

/** A pod that the plan lets go, and how that ended. */
export interface Eviction extends Requester {
  readonly kind: 'eviction';
  readonly pod: Pod;
  /** Completes the sentence "pod X …". */
  readonly reason: string;
  /** On how many nodes the pod fitted when it was granted, and the likely ones (at most 10). */
  readonly destinations: number;
  readonly likelyNodes: readonly string[];
  readonly result: EvictionResult;
  /** Set where the pod was not evicted, or may not have been. */
  readonly error?: string;
}

/** A pod that a strategy wanted to evict and that stays, by whom, and why. */
export interface Refusal extends Requester {
  readonly kind: 'refusal';
  readonly pod: Pod;
  /** Constraint or limit by its policy name. */
  readonly refusedBy: string;
  readonly reason: string;
}

/** A strategy that did not come to its end: a limit held pods back, the run was ended, or it had no turn at all. */
export interface StrategyCut {
  readonly state: 'limit' | 'interrupted' | 'not-run';
  /** Completes "it … because …". */
  readonly why: string;
  /** The limits that held pods back, by their policy names. */
  readonly limits: readonly string[];
}

/** One strategy has run, or has thrown (`error`); notes say why there was nothing to do. */
export interface StrategyRun {
  readonly kind: 'strategy';
  readonly profile: string;
  readonly name: string;
  readonly extensionPoint: 'deschedule' | 'balance';
  readonly proposed: number;
  readonly evicted: number;
  readonly refused: number;
  readonly durationMs: number;
  readonly error?: string;
  /** Why it is not known what else it would have evicted; absent where it has come to its end. */
  readonly cut?: StrategyCut;
  /** Where it has thrown, for the log alone: reports of other builds would differ. */
  readonly stack?: string;
  readonly notes: readonly string[];
}

/** Something the operator must know that concerns no single pod. */
export interface Warning {
  readonly kind: 'warning';
  readonly text: string;
}

/** The closed union of what can happen in a cycle. */
export type Outcome = Eviction | Refusal | StrategyRun | Warning;

/** Receives outcomes: log, metrics, events and the report all live from these values. */
export type Observe = (outcome: Outcome) => void;

/** Where a cluster came from and what time it is there. */
export interface Source {
  readonly kind: 'dump' | 'cluster' | 'demo';
  readonly name: string;
  /** RFC 3339. */
  readonly now: string;
  readonly nowFrom: 'flag' | 'dump' | 'latest-timestamp' | 'clock';
}

/** All that one cycle did, in a stable order; `report/` renders it. Times in ms since the epoch. */
export interface CycleReport {
  readonly dryRun: boolean;
  readonly startedAt: number | undefined;
  readonly finishedAt: number | undefined;
  readonly source: Source;
  readonly cluster: { readonly nodes: number; readonly readyNodes: number; readonly pods: number };
  readonly evictions: readonly Eviction[];
  readonly refusals: readonly Refusal[];
  readonly strategies: readonly StrategyRun[];
  readonly warnings: readonly string[];
  /** Why no strategy had a turn. */
  readonly skipped?: string;
}
