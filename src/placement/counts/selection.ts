import type { LabelSelector, Labels, PodAffinityTerm, Requirement } from '../../cluster/objects/terms.ts';
import type { Pod } from '../../cluster/objects/pod.ts';
import { labelOf, matchesSelector, selectorProblems } from '../../cluster/rules/selectors.ts';
import { compareText, type Snapshot } from '../../cluster/snapshot.ts';
import { keyedBy, Memo } from './memo.ts';
import type { Warnings } from '../warnings.ts';

/** Pods of certain namespaces with certain labels. */
export interface Selection {
  /** Undefined: every namespace. */
  readonly namespaces: ReadonlySet<string> | undefined;
  /** Undefined: nobody. */
  readonly selector: LabelSelector | undefined;
  /** Equal for selections that select alike. */
  readonly key: string;
}

/** Whether the pod is selected, by its namespace and labels alone. */
export function selects({ namespaces, selector }: Selection, pod: Pick<Pod, 'namespace' | 'labels'>): boolean {
  if (!selector || (namespaces && !namespaces.has(pod.namespace))) return false;
  return matchesSelector(selector, pod.labels);
}

/** A selection by namespaces and selector. */
export function selection(namespaces: readonly string[] | undefined, selector: LabelSelector | undefined): Selection {
  const key = `${namespaces ? JSON.stringify(namespaces) : '*'} ${selector ? keyOfSelector(selector) : '-'}`;
  return { namespaces: namespaces && new Set(namespaces), selector, key };
}

const keyOfSelector = keyedBy(({ matchLabels, matchExpressions }: LabelSelector) => {
  const pairs = Object.entries(matchLabels).sort(([a], [b]) => compareText(a, b));
  return JSON.stringify([pairs, matchExpressions.map(({ key, operator, values }) => [key, operator, values])]);
});

/**
 * The selector with `key In [value]` for every key of `matchLabelKeys` that the labels carry, and `NotIn` for
 * `mismatchLabelKeys`. API servers do the same when a pod is created (rules S15 and S16); twice changes nothing.
 */
export function mergeLabelKeys(
  selector: LabelSelector | undefined,
  keys: { readonly match: readonly string[]; readonly mismatch?: readonly string[] },
  labels: Labels,
): LabelSelector | undefined {
  if (!selector) return undefined;
  const requirements = (names: readonly string[], operator: string): readonly Requirement[] =>
    names.flatMap((key) => {
      const value = labelOf(labels, key);
      return value === undefined ? [] : [{ key, operator, values: [value] }];
    });
  const merged = [...requirements(keys.match, 'In'), ...requirements(keys.mismatch ?? [], 'NotIn')];
  if (merged.length === 0) return selector;
  return { matchLabels: selector.matchLabels, matchExpressions: [...selector.matchExpressions, ...merged] };
}

/** Label keys that rules of a pod read off the pod itself. */
export interface LabelKeyReader {
  readonly matchLabelKeys: readonly string[];
  readonly mismatchLabelKeys?: readonly string[];
}

/** Equal for two pods of one spec whose rules mean the same: what is read off their labels and namespaces is equal. */
export function meaningKey({ namespace, labels }: Pick<Pod, 'namespace' | 'labels'>, rules: readonly LabelKeyReader[]) {
  let key = namespace;
  for (const { matchLabelKeys, mismatchLabelKeys } of rules) {
    for (const name of matchLabelKeys) key += `\n${labelOf(labels, name) ?? '-'}`;
    for (const name of mismatchLabelKeys ?? []) key += `\n${labelOf(labels, name) ?? '-'}`;
  }
  return key;
}

/** Reads pod (anti-)affinity terms: which namespaces they mean, in this cluster (rule S16). */
export class TermReader {
  readonly #snapshot: Snapshot;
  readonly #warnings: Warnings;
  readonly #all: readonly string[];
  readonly #byNamespaceSelector = new Memo<readonly string[]>();

  constructor(snapshot: Snapshot, warnings: Warnings) {
    this.#snapshot = snapshot;
    this.#warnings = warnings;
    const names = [...snapshot.list('Namespace').map(({ name }) => name), ...snapshot.pods.map((pod) => pod.namespace)];
    this.#all = [...new Set(names)].sort(compareText);
  }

  /** Whom the term of this pod selects; undefined if the term cannot be parsed, or not be judged without Namespaces. */
  read(term: PodAffinityTerm, owner: Pod): Selection | undefined {
    if (termProblem(term) !== undefined) return undefined;
    const namespaces = this.#namespacesOf(term, owner);
    const keys = { match: term.matchLabelKeys, mismatch: term.mismatchLabelKeys };
    return namespaces && selection(namespaces.names, mergeLabelKeys(term.labelSelector, keys, owner.labels));
  }

  /**
   * The term as kube-scheduler 1.36 reads it for the pod to place: a namespace selector that an empty label set meets
   * selects all namespaces (rule S17). Undefined if that is how it reads anyway.
   */
  readWide(term: PodAffinityTerm, owner: Pod): Selection | undefined {
    const { namespaceSelector } = term;
    if (!namespaceSelector || isEmpty(namespaceSelector) || !matchesSelector(namespaceSelector, {})) return undefined;
    const keys = { match: term.matchLabelKeys, mismatch: term.mismatchLabelKeys };
    return selection(undefined, mergeLabelKeys(term.labelSelector, keys, owner.labels));
  }

  #namespacesOf(term: PodAffinityTerm, owner: Pod): { readonly names: readonly string[] | undefined } | undefined {
    const { namespaces, namespaceSelector } = term;
    if (!namespaceSelector)
      return { names: namespaces.length > 0 ? namespaces.toSorted(compareText) : [owner.namespace] };
    if (isEmpty(namespaceSelector)) return { names: undefined };
    if (!this.#canJudge(namespaceSelector)) return namespaces.length > 0 ? { names: namespaces } : undefined;
    const selected = this.#byNamespaceSelector.get(keyOfSelector(namespaceSelector), () =>
      this.#all.filter((name) => matchesSelector(namespaceSelector, this.#labelsOf(name))),
    );
    return { names: [...new Set([...namespaces, ...selected])].sort(compareText) };
  }

  #canJudge({ matchLabels, matchExpressions }: LabelSelector): boolean {
    const keys = [...Object.keys(matchLabels), ...matchExpressions.map(({ key }) => key)];
    return (
      keys.every((key) => key === NAME_LABEL) || this.#warnings.knows('Namespace', 'namespaceSelector of pod affinity')
    );
  }

  /** A namespace without an object has no labels; where no object could be read, the name label can be told. */
  #labelsOf(name: string): Labels {
    if (!this.#snapshot.knows('Namespace')) return { [NAME_LABEL]: name };
    return this.#snapshot.find('Namespace', '', name)?.labels ?? {};
  }
}

const NAME_LABEL = 'kubernetes.io/metadata.name';

/** Why a term cannot be parsed; undefined if it can. */
export function termProblem(term: PodAffinityTerm): string | undefined {
  return problemsOf(term)[0]?.message;
}

const problemsOf = keyedBy((term: PodAffinityTerm) =>
  [term.labelSelector, term.namespaceSelector].flatMap((selector) => (selector ? selectorProblems(selector) : [])),
);

function isEmpty({ matchLabels, matchExpressions }: LabelSelector): boolean {
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
