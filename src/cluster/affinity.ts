import type { LabelSelector, Requirement } from './selectors.ts';

/** A node selector term: all expressions (labels) and all fields must hold; a term with neither matches nothing. */
export interface NodeSelectorTerm {
  readonly matchExpressions: readonly Requirement[];
  readonly matchFields: readonly Requirement[];
}

/** A required or preferred pod (anti-)affinity term (scheduler.md 2.12). Nil selectors are undefined. */
export interface PodAffinityTerm {
  readonly labelSelector: LabelSelector | undefined;
  readonly namespaces: readonly string[];
  readonly namespaceSelector: LabelSelector | undefined;
  readonly topologyKey: string;
  readonly matchLabelKeys: readonly string[];
  readonly mismatchLabelKeys: readonly string[];
}
