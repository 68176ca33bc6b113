import type { LabelSelector, PodAffinityTerm } from '../../cluster/objects/terms.ts';
import { isFinished, isTerminating, type Pod } from '../../cluster/objects/pod.ts';
import { labelOf, matchesSelector } from '../../cluster/rules/selectors.ts';
import { compareText, type Snapshot } from '../../cluster/snapshot.ts';
import { groupBy, groupByEach } from '../../lib/group.ts';

/** A required anti-affinity term as the scheduler reads it, with the pods that carry it and those that it forbids. */
export interface AntiAffinityRule {
  readonly selector: LabelSelector;
  readonly topologyKey: string;
  readonly carriers: readonly Pod[];
  readonly forbidden: readonly Pod[];
}

/**
 * All required anti-affinity rules of the cluster: equal terms of different pods are one rule (rule S16).
 * Finished pods take no part. The stored selector already contains what `matchLabelKeys` and `mismatchLabelKeys` ask
 * for, so they are not read. A term without a selector forbids nobody.
 *
 * Differs from the reference: `namespaceSelector` is honoured; every pod is a counterpart, whatever the strategy's own
 * filters; terminating pods take no part, since a violation by one of them is about to end without any eviction.
 */
export function antiAffinityRules(snapshot: Snapshot): readonly AntiAffinityRule[] {
  const pods = snapshot.pods.filter((pod) => takesPart(pod, snapshot));
  const index = new PodIndex(pods, snapshot);
  return [...carriersByTerm(pods, index)]
    .sort(([a], [b]) => compareText(a, b))
    .map(([, { term, selector, namespaces, carriers }]) => {
      const forbidden = namespaces.flatMap((namespace) => index.matching(namespace, selector));
      return { selector, topologyKey: term.topologyKey, carriers, forbidden };
    });
}

function takesPart(pod: Pod, snapshot: Snapshot): boolean {
  return !isFinished(pod) && !isTerminating(pod) && snapshot.node(pod.nodeName) !== undefined;
}

interface Carried {
  readonly term: PodAffinityTerm;
  readonly selector: LabelSelector;
  readonly namespaces: readonly string[];
  readonly carriers: Pod[];
}

function carriersByTerm(pods: readonly Pod[], index: PodIndex): ReadonlyMap<string, Carried> {
  const rules = new Map<string, Carried>();
  for (const pod of pods) {
    for (const term of new Set(pod.spec.podAntiAffinity)) {
      const selector = term.labelSelector;
      if (!selector) continue;
      const namespaces = index.namespacesOf(term, pod);
      const key = JSON.stringify([term.topologyKey, selector, namespaces]);
      const rule = rules.get(key);
      if (!rule) rules.set(key, { term, selector, namespaces, carriers: [pod] });
      else if (rule.carriers.at(-1) !== pod) rule.carriers.push(pod);
    }
  }
  return rules;
}

/** Finds pods by namespace and one label, so that a rule need not look at every pod. */
class PodIndex {
  readonly #snapshot: Snapshot;
  readonly #byNamespace: ReadonlyMap<string, readonly Pod[]>;
  readonly #byLabel = new Map<string, ReadonlyMap<string, readonly Pod[]>>();
  readonly #selected = new Map<LabelSelector, readonly string[]>();

  constructor(pods: readonly Pod[], snapshot: Snapshot) {
    this.#snapshot = snapshot;
    this.#byNamespace = groupBy(pods, (pod) => pod.namespace);
  }

  /**
   * The namespaces in which the term forbids pods: those it names and those its selector matches; the carrier's own if
   * it gives neither. A namespace without an object has no labels.
   */
  namespacesOf(term: PodAffinityTerm, carrier: Pod): readonly string[] {
    const { namespaces, namespaceSelector } = term;
    if (!namespaceSelector)
      return namespaces.length > 0 ? [...new Set(namespaces)].sort(compareText) : [carrier.namespace];
    return [...new Set([...namespaces, ...this.#selectedBy(namespaceSelector)])].sort(compareText);
  }

  matching(namespace: string, selector: LabelSelector): readonly Pod[] {
    return this.#candidates(namespace, selector).filter((pod) => matchesSelector(selector, pod.labels));
  }

  #selectedBy(selector: LabelSelector): readonly string[] {
    const known = this.#selected.get(selector);
    if (known) return known;
    const found = [...this.#byNamespace.keys()].filter((name) => {
      return matchesSelector(selector, this.#snapshot.find('Namespace', '', name)?.labels ?? {});
    });
    this.#selected.set(selector, found);
    return found;
  }

  /** Those with the label values that the selector insists on, by one of its keys; everybody if it has no such key. */
  #candidates(namespace: string, selector: LabelSelector): readonly Pod[] {
    const insisted = insistedValues(selector);
    if (!insisted) return this.#byNamespace.get(namespace) ?? [];
    const byValue = this.#byValue(namespace, insisted.key);
    return [...new Set(insisted.values)].flatMap((value) => byValue.get(value) ?? []);
  }

  #byValue(namespace: string, key: string): ReadonlyMap<string, readonly Pod[]> {
    const indexKey = JSON.stringify([namespace, key]);
    const known = this.#byLabel.get(indexKey);
    if (known) return known;
    const byValue = groupByEach(this.#byNamespace.get(namespace) ?? [], (pod) => {
      const value = labelOf(pod.labels, key);
      return value === undefined ? [] : [value];
    });
    this.#byLabel.set(indexKey, byValue);
    return byValue;
  }
}

function insistedValues(selector: LabelSelector): { key: string; values: readonly string[] } | undefined {
  const [label] = Object.entries(selector.matchLabels);
  if (label) return { key: label[0], values: [label[1]] };
  return selector.matchExpressions.find((requirement) => requirement.operator === 'In');
}
