import type { NodeSelectorTerm, Requirement, Toleration } from '../objects/terms.ts';
import type { PodSpec } from '../objects/pod.ts';
import { compareText } from '../snapshot.ts';

const keys = new WeakMap<PodSpec, string>();

/**
 * A text that is equal for two specs exactly if they choose nodes alike: same `nodeSelector`, same required node
 * affinity, same tolerations, each in normal form (rule T5). Not for people.
 */
export function schedulingClassKey(spec: PodSpec): string {
  let key = keys.get(spec);
  if (key === undefined) {
    const pairs = Object.entries(spec.nodeSelector).sort(([a], [b]) => compareText(a, b));
    key = JSON.stringify([pairs, normalTerms(spec.requiredNodeAffinity) ?? null, normalTolerations(spec.tolerations)]);
    keys.set(spec, key);
  }
  return key;
}

/**
 * Tolerations by key, value, effect and operator, each once; how long they tolerate is left out (rule T5).
 */
export function normalTolerations(
  tolerations: readonly Toleration[],
): readonly Omit<Toleration, 'tolerationSeconds'>[] {
  return sortedUnique(
    tolerations.map(({ key, value, effect, operator }) => ({ key, value, effect, operator })),
    ({ key, value, effect, operator }) => [key, value, effect, operator],
  );
}

/**
 * Terms in normal form: values and requirements sorted and unique, equal neighbours among the terms once. Terms keep
 * their order; no terms (undefined) stay apart from an empty list (rule T5).
 */
export function normalTerms(terms: readonly NodeSelectorTerm[] | undefined): readonly NodeSelectorTerm[] | undefined {
  const normal = terms?.map(({ matchExpressions, matchFields }) => ({
    matchExpressions: normalRequirements(matchExpressions),
    matchFields: normalRequirements(matchFields),
  }));
  return normal?.filter((term, index) => index === 0 || JSON.stringify(term) !== JSON.stringify(normal[index - 1]));
}

/** Requirements by key, operator, number of values and values, each once; their values sorted, each once. */
export function normalRequirements(requirements: readonly Requirement[]): readonly Requirement[] {
  const normal = requirements.map(({ key, operator, values }) => ({
    key,
    operator,
    values: [...new Set(values)].sort(compareText),
  }));
  return sortedUnique(normal, ({ key, operator, values }) => [key, operator, values.length, ...values]);
}

type SortKey = readonly (string | number)[];

/** Sorted by the keys, part by part, with one of each. */
function sortedUnique<T>(items: readonly T[], keyOf: (item: T) => SortKey): readonly T[] {
  const sorted = items.toSorted((a, b) => compareKeys(keyOf(a), keyOf(b)));
  return sorted.filter((item, index) => {
    const previous = sorted[index - 1];
    return previous === undefined || compareKeys(keyOf(item), keyOf(previous)) !== 0;
  });
}

function compareKeys(a: SortKey, b: SortKey): number {
  for (const [index, part] of a.entries()) {
    const other = b[index];
    const order =
      typeof part === 'number' && typeof other === 'number' ? part - other : compareText(String(part), String(other));
    if (order !== 0) return order;
  }
  return a.length - b.length;
}
