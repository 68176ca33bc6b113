import type { PodSpec } from '../../cluster/objects/pod.ts';
import { formatSelector } from '../../cluster/rules/selectors.ts';
import type { Candidate } from '../candidate.ts';
import { DomainCount } from '../counts/domain-count.ts';
import { domainCheck } from '../counts/domain-mask.ts';
import type { Group } from '../counts/groups.ts';
import { PairMemo } from '../counts/memo.ts';
import type { Check, Rule } from './filter-failure.ts';
import { nameOf } from '../counts/assigned-pods.ts';
import { meaningKey, termProblem, type Selection } from '../counts/selection.ts';
import type { State } from '../state.ts';

/** InterPodAffinity: none whom the pod's required anti-affinity means in the node's domain (rule S16, 2). */
export function antiAffinityRule(state: State): Rule {
  const bySpec = new PairMemo<PodSpec, readonly Term[]>();
  return {
    scope: 'domain',
    refuse: ({ spec }) => {
      const problem = spec.podAntiAffinity.map(termProblem).find((found) => found !== undefined);
      if (problem === undefined) return undefined;
      return { code: 'anti', text: `a required anti-affinity term cannot be parsed: ${problem}` };
    },
    check: (candidate) => {
      const { pod, spec } = candidate;
      if (spec.podAntiAffinity.length === 0) return undefined;
      const terms = bySpec.get(spec, meaningKey(pod, spec.podAntiAffinity), () => readTerms(candidate, state));
      return terms.length === 0 ? undefined : antiAffinityCheck(terms, candidate, state);
    },
  };
}

interface Term {
  readonly selection: Selection;
  readonly topologyKey: string;
  readonly group: Group;
  readonly count: DomainCount;
}

/** Where the two readings of a namespace selector differ, the wider one is stricter here (rule S17). */
function readTerms({ pod, spec }: Candidate, { terms, groups, topology }: State): readonly Term[] {
  return spec.podAntiAffinity.flatMap((term) => {
    const selection = terms.readWide(term, pod) ?? terms.read(term, pod);
    if (!selection?.selector) return [];
    const { topologyKey } = term;
    const group = groups.of([selection]);
    return { selection, topologyKey, group, count: DomainCount.of(group, topologyKey, topology.domains(topologyKey)) };
  });
}

function antiAffinityCheck(terms: readonly Term[], candidate: Candidate, state: State): Check {
  const asked = terms.map((term) => ({ ...term, open: term.count.vacant(term.group.changesOf(candidate.changes)) }));
  const violated = (nodeIndex: number) => asked.find(({ open }) => !open.has(nodeIndex));
  const text = (nodeIndex: number) => {
    const term = violated(nodeIndex);
    const other = term && findMember(term, nodeIndex, candidate);
    const selector = term?.selection.selector;
    if (!term || !other || !selector) return '';
    return `its anti-affinity to ${formatSelector(selector) || 'any pod'} by ${term.topologyKey} excludes ${nameOf(other)} on ${state.nodeIndexes.at(other.nodeIndex).name}`;
  };
  return domainCheck('anti', asked, text);
}

/** A member in the place's domain, for the words. */
function findMember({ group, count }: Term, nodeIndex: number, { changes }: Candidate) {
  const gone = new Set(changes.filter(({ sign }) => sign < 0).map(({ assignedPod }) => assignedPod));
  const come = group.changesOf(changes).filter(({ sign }) => sign > 0);
  for (const member of group.members()) {
    if (!gone.has(member) && count.together(nodeIndex, member.nodeIndex)) return member;
  }
  return come.find(({ assignedPod }) => count.together(nodeIndex, assignedPod.nodeIndex))?.assignedPod;
}
