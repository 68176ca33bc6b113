import type { PodSpec } from '../../cluster/objects/pod.ts';
import { formatSelector } from '../../cluster/rules/selectors.ts';
import type { Candidate } from '../candidate.ts';
import { DomainCount } from '../counts/domain-count.ts';
import { domainCheck, DomainMask } from '../counts/domain-mask.ts';
import type { Group } from '../counts/groups.ts';
import { PairMemo } from '../counts/memo.ts';
import type { Rule } from './filter-failure.ts';
import { meaningKey, termProblem, type Selection } from '../counts/selection.ts';
import type { State } from '../state.ts';
import type { Domains } from '../counts/topology.ts';

/** InterPodAffinity: assigned pods whom all required affinity terms mean, in the node's domains (rule S16, 1). */
export function podAffinityRule(state: State): Rule {
  const bySpec = new PairMemo<PodSpec, readonly Reading[]>();
  return {
    scope: 'domain',
    refuse: ({ spec }) => {
      const problem = spec.podAffinity.map(termProblem).find((found) => found !== undefined);
      if (problem === undefined) return undefined;
      return { code: 'pod-affinity', text: `a required pod affinity term cannot be parsed: ${problem}` };
    },
    check: (candidate) => {
      const { pod, spec } = candidate;
      if (spec.podAffinity.length === 0) return undefined;
      const readings = bySpec.get(spec, meaningKey(pod, spec.podAffinity), () => readTerms(candidate, state));
      if (readings.length === 0) return undefined;
      const open = readings.flatMap((reading) => openDomains(reading, candidate));
      return domainCheck('pod-affinity', open, (nodeIndex) => lackingText(candidate, state, nodeIndex));
    },
  };
}

/** Whom all of the terms mean together, and for each term how many of them stand where. */
interface Reading {
  readonly group: Group;
  readonly counts: readonly { readonly domains: Domains; readonly count: DomainCount }[];
}

/** The node must pass however namespace selectors are read (rule S17). */
function readTerms({ pod, spec }: Candidate, state: State): readonly Reading[] {
  const narrow = spec.podAffinity.map((term) => state.terms.read(term, pod));
  // A term that cannot be judged without Namespace objects makes the whole rule unknown.
  if (!narrow.every((selection) => selection !== undefined)) return [];
  const wide = spec.podAffinity.flatMap((term, index) => state.terms.readWide(term, pod) ?? narrow[index] ?? []);
  const isSame = wide.every((selection, index) => selection.key === narrow[index]?.key);
  return (isSame ? [narrow] : [narrow, wide]).map((selections) => readingOf(selections, spec, state));
}

function readingOf(selections: readonly Selection[], spec: PodSpec, { groups, topology }: State): Reading {
  const group = groups.of(selections);
  const counts = spec.podAffinity.map(({ topologyKey }) => {
    const domains = topology.domains(topologyKey);
    return { domains, count: DomainCount.of(group, topologyKey, domains) };
  });
  return { group, counts };
}

/** Per term, the domains in which one of those stands whom all terms mean; or, for the first of its kind, all domains. */
function openDomains({ group, counts }: Reading, candidate: Candidate): readonly { readonly open: DomainMask }[] {
  const changes = group.changesOf(candidate.changes);
  const isFirst = group.includes(candidate.pod) && counts.every(({ count }) => count.total(changes) === 0);
  return counts.map(({ domains, count }) => ({
    open: isFirst ? new DomainMask(domains, { keyless: false, others: true }) : count.occupied(changes),
  }));
}

function lackingText({ spec }: Candidate, { nodeIndexes }: State, nodeIndex: number): string {
  const { labels } = nodeIndexes.at(nodeIndex);
  const keyless = spec.podAffinity.find(({ topologyKey }) => !Object.hasOwn(labels, topologyKey));
  if (keyless) return `its pod affinity needs the node label ${keyless.topologyKey}`;
  const wanted = spec.podAffinity.map(({ labelSelector, topologyKey }) => {
    const kind = labelSelector ? formatSelector(labelSelector) || 'any pod' : 'no pod at all';
    return `${kind} in the same ${topologyKey}`;
  });
  return `its pod affinity wants ${wanted.join(' and ')}`;
}
