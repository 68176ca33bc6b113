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
