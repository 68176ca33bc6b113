import type { LabelSelector } from '../../cluster/objects/terms.ts';
import type { PodSpec, SpreadConstraint } from '../../cluster/objects/pod.ts';
import { formatSelector } from '../../cluster/rules/selectors.ts';
import type { Candidate } from '../candidate.ts';
import type { DomainMask } from '../counts/domain-mask.ts';
import type { Group } from '../counts/groups.ts';
import { PairMemo } from '../counts/memo.ts';
import type { Check, Rule } from './filter-failure.ts';
import type { Change } from '../counts/assigned-pods.ts';
import { meaningKey, mergeLabelKeys, selection } from '../counts/selection.ts';
import { SpreadCount } from '../counts/spread-count.ts';
import type { State } from '../state.ts';
import type { Domains } from '../counts/topology.ts';

/** PodTopologySpread: constraints with DoNotSchedule (rule S15). */
export function topologySpreadRule(state: State): Rule {
  const bySpec = new PairMemo<PodSpec, readonly Basis[]>();
  return {
    scope: 'domain',
    check: (candidate) => {
      const { pod, spec } = candidate;
      const bases =
        spec.spreadConstraints.length === 0
          ? basesOf(candidate, state)
          : bySpec.get(spec, meaningKey(pod, spec.spreadConstraints), () => basesOf(candidate, state));
      return bases.length === 0 ? undefined : new SpreadCheck(bases, candidate);
    },
  };
}

/**
 * The pod's own constraints that forbid, matchLabelKeys merged; the profile's defaults only if the pod has none at all.
 * Differs from the reference: `{}` selects every pod of the namespace, as documented, where 1.36 counts nobody
 * (rule S15).
 */
export function hardConstraints({ pod, spec }: Candidate, state: State): readonly SpreadConstraint[] {
  const isHard = ({ whenUnsatisfiable }: SpreadConstraint) => whenUnsatisfiable === 'DoNotSchedule';
  if (spec.spreadConstraints.length > 0) {
    return spec.spreadConstraints
      .filter(isHard)
      .map((constraint) => ({ ...constraint, labelSelector: mergedSelector(constraint, pod.labels) }));
  }
  const defaults = (state.options.defaultConstraints ?? []).filter(isHard);
  if (defaults.length === 0) return [];
  const labelSelector = state.defaultSelectors.of(pod);
  return labelSelector ? defaults.map((constraint) => ({ ...constraint, labelSelector })) : [];
}

function mergedSelector(constraint: SpreadConstraint, labels: Candidate['pod']['labels']): LabelSelector | undefined {
  return mergeLabelKeys(constraint.labelSelector, { match: constraint.matchLabelKeys }, labels);
}

/** A constraint and what is counted for it. */
interface Basis {
  readonly constraint: SpreadConstraint;
  readonly domains: Domains;
  readonly group: Group;
  readonly count: SpreadCount;
}

/** The same for one candidate. */
interface Counted extends Basis {
  readonly changes: readonly Change[];
  /** 1 if the pod itself would be counted. */
  readonly self: number;
  readonly min: number;
  readonly open: DomainMask;
}

class SpreadCheck implements Check {
  readonly #counted: readonly Counted[];

  constructor(bases: readonly Basis[], candidate: Candidate) {
    this.#counted = bases.map((basis) => countedFor(basis, candidate));
  }

  passes(nodeIndex: number): boolean {
    return this.#violated(nodeIndex) === undefined;
  }

  exclude(flags: Uint8Array): void {
    for (const { open } of this.#counted) open.exclude(flags);
  }

  codes(nodeIndex: number): readonly string[] {
    const violated = this.#violated(nodeIndex);
    if (!violated) return [];
    return violated.domains.of[nodeIndex] === -1 ? ['spread-key'] : ['spread'];
  }

  text(nodeIndex: number): string {
    const violated = this.#violated(nodeIndex);
    if (!violated) return '';
    const { constraint, domains, min } = violated;
    const { topologyKey, maxSkew, labelSelector } = constraint;
    const domain = domains.of[nodeIndex] ?? -1;
    if (domain < 0) return `its topology spread needs the node label ${topologyKey}`;
    const pods = labelSelector ? formatSelector(labelSelector) || 'all pods' : 'no pods';
    return `spread of ${pods} by ${topologyKey}: ${domains.values[domain] ?? ''} would have ${this.#after(violated, nodeIndex)}, the emptiest has ${min}, maxSkew is ${maxSkew}`;
  }

  #violated(nodeIndex: number): Counted | undefined {
    for (const counted of this.#counted) if (!counted.open.has(nodeIndex)) return counted;
    return undefined;
  }

  /** Pods in the place's domain once this one is there, too. */
  #after({ count, changes, self }: Counted, nodeIndex: number): number {
    return count.at(nodeIndex, changes) + self;
  }
}

function basesOf(candidate: Candidate, state: State): readonly Basis[] {
  const constraints = hardConstraints(candidate, state);
  return constraints.map((constraint) => {
    const { topologyKey, labelSelector } = constraint;
    const scope = state.scopes.of(constraint, constraints, candidate.spec);
    const group = state.groups.of([selection([candidate.pod.namespace], labelSelector)]);
    const domains = state.topology.domains(topologyKey);
    const make = () => new SpreadCount(domains, scope, scope.sizeOf(topologyKey));
    return { constraint, domains, group, count: group.countedBy(`spread ${topologyKey} ${scope.key}`, make) };
  });
}

function countedFor(basis: Basis, candidate: Candidate): Counted {
  const { constraint, group, count } = basis;
  const { minDomains, maxSkew } = constraint;
  const changes = group.changesOf(candidate.changes);
  const min = count.size < (minDomains ?? 1) ? 0 : count.min(changes);
  const self = Number(group.includes(candidate.pod));
  return { ...basis, changes, self, min, open: count.atMost(maxSkew + min - self, changes) };
}
