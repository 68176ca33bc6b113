import type { NodeSelectorTerm } from '../cluster/objects/terms.ts';
import type { SpreadConstraint, Weighted } from '../cluster/objects/pod.ts';
import type { Scoring } from './scores/scorer.ts';

/** `addedAffinity` of NodeAffinityArgs: what the scheduler's profile asks of a node for every pod (rule S8). */
export interface AddedAffinity {
  /** Undefined: nothing required. An empty list matches nothing. */
  readonly required: readonly NodeSelectorTerm[] | undefined;
  readonly preferred: readonly Weighted<NodeSelectorTerm>[];
}

/** What fit must know besides the cluster: the scheduler's own configuration, where the policy gives it. */
export interface FitOptions {
  /** How the profile scores resources; absent: as the strategy that asks needs it, else `DEFAULT_SCORING`. */
  readonly scoringStrategy?: Scoring;
  /** Extended resources that NodeResourcesFit does not compare, by full name. */
  readonly ignoredResources?: readonly string[];
  /** The same by prefix: `lab.example` stands for every `lab.example/…`. */
  readonly ignoredResourceGroups?: readonly string[];
  readonly addedAffinity?: AddedAffinity;
  /**
   * `defaultConstraints` of PodTopologySpreadArgs with defaultingType List, for pods without constraints of their own;
   * absent: the system defaults, none of which forbids a node (rule S15).
   */
  readonly defaultConstraints?: readonly SpreadConstraint[];
}
