/** Labels or annotations. */
export type Labels = Readonly<Record<string, string>>;

/** One requirement on a label. `operator` is kept as written; an unknown one matches nothing. */
export interface Requirement {
  readonly key: string;
  readonly operator: string;
  readonly values: readonly string[];
}

/** A label selector; `{}` selects everything. A nil selector is `undefined` where one is optional and selects nothing. */
export interface LabelSelector {
  readonly matchLabels: Labels;
  readonly matchExpressions: readonly Requirement[];
}

/** A node selector term: all expressions (labels) and all fields must hold; a term with neither matches nothing. */
export interface NodeSelectorTerm {
  readonly matchExpressions: readonly Requirement[];
  readonly matchFields: readonly Requirement[];
}

/** A required or preferred pod (anti-)affinity term (rule S16). Nil selectors are undefined. */
export interface PodAffinityTerm {
  readonly labelSelector: LabelSelector | undefined;
  readonly namespaces: readonly string[];
  readonly namespaceSelector: LabelSelector | undefined;
  readonly topologyKey: string;
  readonly matchLabelKeys: readonly string[];
  readonly mismatchLabelKeys: readonly string[];
}

/** A taint. `timeAdded` is kept as written, byte for byte; undefined where absent or null. */
export interface Taint {
  readonly key: string;
  readonly value: string;
  readonly effect: string;
  readonly timeAdded: string | undefined;
}

/** A toleration; empty operator means Equal, empty effect and key match all. */
export interface Toleration {
  readonly key: string;
  readonly operator: string;
  readonly value: string;
  readonly effect: string;
  readonly tolerationSeconds: number | undefined;
}
