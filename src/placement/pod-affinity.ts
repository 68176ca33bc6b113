import { formatSelector } from '../cluster/selectors.ts';
import type { Candidate } from './candidate.ts';
import { DomainCount } from './domain-count.ts';
import { domainCheck, DomainMask } from './domain-mask.ts';
import type { Check, Rule } from './misfit.ts';
import { termProblem, type Selection } from './selection.ts';
import type { State } from './state.ts';

/** InterPodAffinity: residents whom all required affinity terms mean, in the node's domains (scheduler.md 2.12, 1). */
export function podAffinityRule(state: State): Rule {
  return {
    scope: 'domain',
    refuse: ({ spec }) => {
      const problem = spec.podAffinity.map(termProblem).find((found) => found !== undefined);
      if (problem === undefined) return undefined;
      return { code: 'pod-affinity', text: `a required pod affinity term cannot be parsed: ${problem}` };
    },
    check: (candidate) => (candidate.spec.podAffinity.length === 0 ? undefined : podAffinityCheck(candidate, state)),
  };
}

/** The node must pass however namespace selectors are read (scheduler.md D2). */
function podAffinityCheck(candidate: Candidate, state: State): Check | undefined {
  const { pod, spec } = candidate;
  const narrow = spec.podAffinity.map((term) => state.terms.read(term, pod));
  // A term that cannot be judged without Namespace objects makes the whole rule unknown.
  if (!narrow.every((selection) => selection !== undefined)) return undefined;
  const wide = spec.podAffinity.map((term, index) => state.terms.readWide(term, pod) ?? narrow[index]);
  const readings = [narrow];
  if (wide.some((selection, index) => selection?.key !== narrow[index]?.key)) {
    readings.push(wide.filter((selection) => selection !== undefined));
  }
  const open = readings.flatMap((selections) => openDomains(selections, candidate, state));
  const text = (place: number) => lackingText(candidate, state, place);
  return domainCheck(
    'pod-affinity',
    open.map((mask) => ({ open: mask })),
    text,
  );
}

/**
 * Per term, the domains in which one of those stands whom all terms mean; or, for the first of its kind, all domains.
 */
function openDomains(
  selections: readonly Selection[],
  candidate: Candidate,
  { groups, topology }: State,
): readonly DomainMask[] {
  const group = groups.of(selections);
  const changes = group.changesOf(candidate.changes);
  const counts = candidate.spec.podAffinity.map(({ topologyKey }) => {
    const domains = topology.domains(topologyKey);
    return { domains, count: DomainCount.of(group, topologyKey, domains) };
  });
  const isFirst = group.includes(candidate.pod) && counts.every(({ count }) => count.total(changes) === 0);
  return counts.map(({ domains, count }) =>
    isFirst ? new DomainMask(domains, { keyless: false, others: true }) : count.occupied(changes),
  );
}

function lackingText({ spec }: Candidate, { places }: State, place: number): string {
  const { labels } = places.at(place);
  const keyless = spec.podAffinity.find(({ topologyKey }) => !Object.hasOwn(labels, topologyKey));
  if (keyless) return `its pod affinity needs the node label ${keyless.topologyKey}`;
  const wanted = spec.podAffinity.map(({ labelSelector, topologyKey }) => {
    const kind = labelSelector ? formatSelector(labelSelector) || 'any pod' : 'no pod at all';
    return `${kind} in the same ${topologyKey}`;
  });
  return `its pod affinity wants ${wanted.join(' and ')}`;
}
