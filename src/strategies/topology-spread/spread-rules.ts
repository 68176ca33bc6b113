import { isFinished, isTerminating, type Pod, type PodSpec, type SpreadConstraint } from '../../cluster/objects/pod.ts';
import { labelOf } from '../../cluster/rules/selectors.ts';
import { schedulingClassKey } from '../../cluster/rules/scheduling-class.ts';
import { compareText, type Snapshot } from '../../cluster/snapshot.ts';
import { DefaultSelectors } from '../../placement/counts/default-selector.ts';
import { Memo } from '../../placement/counts/memo.ts';
import { AffinityMatcher } from '../../placement/filters/node-affinity.ts';
import { NodeIndexes } from '../../placement/counts/node-indexes.ts';
import { mergeLabelKeys, selection, type Selection } from '../../placement/counts/selection.ts';
import { SpreadScopes } from '../../placement/counts/spread-scope.ts';
import { TolerationMatcher } from '../../placement/filters/taints.ts';
import { Topology } from '../../placement/counts/topology.ts';
import { StaticNodes } from '../static-nodes.ts';
import { CountedDomains } from './counted-domains.ts';

/** One constraint of one or more pods of a namespace, as kube-scheduler reads it for them (rule S15). */
export interface SpreadRule {
  readonly key: string;
  readonly namespace: string;
  /** With `matchLabelKeys` merged into the selector. */
  readonly constraint: SpreadConstraint;
  readonly selection: Selection;
  readonly domains: CountedDomains;
  /** Whether evictions are to make it hold. If not, they are not to make it worse. */
  readonly enforced: boolean;
}

/** What the rules of a cluster are read with. */
export interface RuleView {
  readonly snapshot: Snapshot;
  readonly nodeIndexes: NodeIndexes;
  /** The values of `whenUnsatisfiable` that are enforced. */
  readonly actions: readonly string[];
  /** Those of the scheduler's profile, where the policy names them: for pods without any of their own. */
  readonly defaultConstraints: readonly SpreadConstraint[];
}

/**
 * The rules that pods on nodes carry, protected pods too, each once: those that are enforced, and those that the scheduler
 * enforces. By namespace, wide domains before narrow ones, then by topology key and selector.
 *
 * Differs from the reference: there, only constraints of evictable pods are known (rule T27).
 */
export function spreadRules(view: RuleView): readonly SpreadRule[] {
  const reader = new RuleReader(view);
  const rules = new Map<string, SpreadRule>();
  const seen = new Set<readonly SpreadRule[]>();
  for (const pod of view.snapshot.pods) {
    if (isFinished(pod) || isTerminating(pod) || view.nodeIndexes.of(pod.nodeName) === undefined) continue;
    const carried = reader.rulesOf(pod);
    if (seen.has(carried)) continue;
    seen.add(carried);
    for (const rule of carried) rules.set(rule.key, rule);
  }
  return [...rules.values()].sort(compareRules);
}

function compareRules(a: SpreadRule, b: SpreadRule): number {
  return (
    compareText(a.namespace, b.namespace) ||
    a.domains.ids.length - b.domains.ids.length ||
    compareText(a.constraint.topologyKey, b.constraint.topologyKey) ||
    compareText(a.key, b.key)
  );
}

const NONE: readonly SpreadRule[] = [];

/** Reads the rules of pods; pods that are alike in what their constraints depend on get the same ones. */
class RuleReader {
  readonly #view: RuleView;
  readonly #topology: Topology;
  readonly #scopes: SpreadScopes;
  readonly #defaultSelectors: DefaultSelectors;
  readonly #allowed: StaticNodes;
  readonly #domains = new Memo<CountedDomains>();
  readonly #known = new WeakMap<PodSpec, Memo<readonly SpreadRule[]>>();

  constructor(view: RuleView) {
    const { nodeIndexes, snapshot } = view;
    this.#view = view;
    this.#topology = new Topology(nodeIndexes);
    this.#allowed = new StaticNodes(nodeIndexes.nodes);
    const parts = {
      affinityMatcher: new AffinityMatcher(nodeIndexes),
      tolerationMatcher: new TolerationMatcher(nodeIndexes),
    };
    this.#scopes = new SpreadScopes({ nodeIndexes, topology: this.#topology, ...parts });
    this.#defaultSelectors = new DefaultSelectors(snapshot, { knows: (kind) => snapshot.knows(kind) });
  }

  rulesOf(pod: Pod): readonly SpreadRule[] {
    const { spec } = pod;
    if (spec.spreadConstraints.length === 0) {
      return this.#view.defaultConstraints.length === 0 ? NONE : this.#rulesFor(pod, this.#defaultsFor(pod));
    }
    let known = this.#known.get(spec);
    if (!known) {
      known = new Memo<readonly SpreadRule[]>();
      this.#known.set(spec, known);
    }
    return known.get(likeness(pod), () => this.#rulesFor(pod, ownConstraints(pod)));
  }

  /** Only for pods that have no constraints at all, not even soft ones. */
  #defaultsFor(pod: Pod): readonly SpreadConstraint[] {
    const { defaultConstraints } = this.#view;
    const labelSelector = this.#defaultSelectors.of(pod);
    return labelSelector ? defaultConstraints.map((constraint) => ({ ...constraint, labelSelector })) : [];
  }

  /** A node has to have the keys of all constraints of the same kind. */
  #rulesFor(pod: Pod, constraints: readonly SpreadConstraint[]): readonly SpreadRule[] {
    const relevant = constraints.filter(({ whenUnsatisfiable: action }) => {
      return action === 'DoNotSchedule' || this.#view.actions.includes(action);
    });
    return relevant.map((constraint) => {
      const alike = constraints.filter(({ whenUnsatisfiable }) => whenUnsatisfiable === constraint.whenUnsatisfiable);
      const domains = this.#domainsOf(constraint, alike, pod);
      return this.#rule(pod.namespace, constraint, domains);
    });
  }

  /**
   * ScheduleAnyway compares only domains with a node that the scheduler gets to score, so those without any that the pod may
   * run on are none (rule S27). Whether there is room on it changes by the minute, and is not considered.
   */
  #domainsOf(constraint: SpreadConstraint, alike: readonly SpreadConstraint[], pod: Pod): CountedDomains {
    const { topologyKey, whenUnsatisfiable } = constraint;
    const { nodeIndexes } = this.#view;
    const scope = this.#scopes.of(constraint, alike, pod.spec);
    const isSoft = whenUnsatisfiable !== 'DoNotSchedule';
    const key = JSON.stringify([topologyKey, scope.key, isSoft ? schedulingClassKey(pod.spec) : '']);
    return this.#domains.get(key, () => {
      const scored = isSoft ? new Set(this.#allowed.of(pod)) : undefined;
      return new CountedDomains({ key, domains: this.#topology.domains(topologyKey), scope, nodeIndexes, scored });
    });
  }

  #rule(namespace: string, constraint: SpreadConstraint, domains: CountedDomains): SpreadRule {
    const selected = selection([namespace], constraint.labelSelector);
    const { maxSkew, minDomains = 1, whenUnsatisfiable } = constraint;
    const key = JSON.stringify([domains.key, selected.key, maxSkew, minDomains, whenUnsatisfiable]);
    const enforced = this.#view.actions.includes(whenUnsatisfiable) && !selectsByNothing(constraint);
    return { key, namespace, constraint, selection: selected, domains, enforced };
  }
}

/** Equal for pods of the same spec whose constraints mean the same: by namespace and the labels of `matchLabelKeys`. */
function likeness({ namespace, labels, spec }: Pod): string {
  if (spec.spreadConstraints.every(({ matchLabelKeys }) => matchLabelKeys.length === 0)) return namespace;
  const keys = spec.spreadConstraints.flatMap(({ matchLabelKeys }) => matchLabelKeys);
  return JSON.stringify([namespace, keys.map((key) => labelOf(labels, key) ?? null)]);
}

function ownConstraints({ spec, labels }: Pod): readonly SpreadConstraint[] {
  return spec.spreadConstraints.map((constraint) => {
    const keys = { match: constraint.matchLabelKeys };
    return { ...constraint, labelSelector: mergeLabelKeys(constraint.labelSelector, keys, labels) };
  });
}

/** Whether the selector is `{}`, of which kube-scheduler 1.36 counts nobody, so that an eviction does nothing (D1). */
export function selectsByNothing({ labelSelector }: SpreadConstraint): boolean {
  if (!labelSelector) return false;
  const { matchLabels, matchExpressions } = labelSelector;
  return Object.keys(matchLabels).length === 0 && matchExpressions.length === 0;
}
