import type { PodAffinityTerm } from '../../cluster/objects/terms.ts';
import type { Candidate } from '../candidate.ts';
import { Preferences } from './preferences.ts';
import type { Scorer } from './scorer.ts';
import type { State } from '../state.ts';
import { DomainTally } from '../counts/tally.ts';

/**
 * InterPodAffinity: what the pod prefers to be near to or far from, and what assigned pods prefer about it (rule S26). Normalised between the smallest and the largest sum, so that the least difference is worth the whole span.
 */
export function interPodAffinityScorer(state: State): Scorer {
  const preferences = state.assignedPods.follow(new Preferences(state.terms, state.topology));
  return {
    name: 'InterPodAffinity',
    weight: 2,
    score: (candidate, nodeIndexes, scores) => {
      const sums = new Sums(state);
      addOwn(sums, candidate, state);
      addOthers(sums, candidate, preferences);
      if (sums.isEmpty) return false;
      for (let index = 0; index < nodeIndexes.length; index += 1) scores[index] = sums.at(nodeIndexes[index] ?? 0);
      stretch(scores, nodeIndexes.length);
      return true;
    },
  };
}

/** Sums by domain, for every topology key that a term names. */
class Sums {
  readonly #topology: State['topology'];
  readonly #byKey = new Map<string, DomainTally>();

  constructor({ topology }: Pick<State, 'topology'>) {
    this.#topology = topology;
  }

  get isEmpty(): boolean {
    return this.#byKey.size === 0;
  }

  of(topologyKey: string): DomainTally {
    let tally = this.#byKey.get(topologyKey);
    if (!tally) {
      tally = new DomainTally(this.#topology.domains(topologyKey));
      this.#byKey.set(topologyKey, tally);
    }
    return tally;
  }

  at(nodeIndex: number): number {
    let sum = 0;
    for (const { domains, amounts } of this.#byKey.values()) sum += amounts[domains.of[nodeIndex] ?? -1] ?? 0;
    return sum;
  }
}

function addOwn(sums: Sums, candidate: Candidate, state: State): void {
  const { preferredPodAffinity, preferredPodAntiAffinity } = candidate.spec;
  for (const { term, weight } of preferredPodAffinity) addTerm(sums, { term, weight }, { candidate, state });
  for (const { term, weight } of preferredPodAntiAffinity)
    addTerm(sums, { term, weight: -weight }, { candidate, state });
}

interface Asked {
  readonly candidate: Candidate;
  readonly state: State;
}

/** Negative namespace selectors as kube-scheduler 1.36 reads them for the pod to place (rule S17). */
function addTerm(
  sums: Sums,
  { term, weight }: { readonly term: PodAffinityTerm; readonly weight: number },
  { candidate: { pod, changes }, state: { terms, groups, topology } }: Asked,
): void {
  const selection = terms.readWide(term, pod) ?? terms.read(term, pod);
  if (!selection?.selector) return;
  const { topologyKey } = term;
  const group = groups.of([selection]);
  const members = group.countedBy(`tally ${topologyKey}`, () => new DomainTally(topology.domains(topologyKey)));
  const sum = sums.of(topologyKey);
  addAll(sum, members, weight);
  for (const { assignedPod, sign } of group.changesOf(changes)) sum.add(assignedPod.nodeIndex, sign * weight);
}

function addOthers(sums: Sums, { pod, changes }: Candidate, preferences: Preferences): void {
  for (const pull of preferences.about(pod)) {
    const sum = sums.of(pull.topologyKey);
    addAll(sum, pull.tally, 1);
    for (const { assignedPod, sign } of changes) {
      for (const carried of preferences.carriedBy(assignedPod.pod)) {
        if (carried.pull === pull) sum.add(assignedPod.nodeIndex, sign * carried.weight);
      }
    }
  }
}

function addAll(sum: DomainTally, tally: DomainTally, factor: number): void {
  for (let domain = 0; domain < sum.amounts.length; domain += 1) {
    sum.amounts[domain] = (sum.amounts[domain] ?? 0) + factor * (tally.amounts[domain] ?? 0);
  }
}

/** All 0 where all are equal. The quotient is taken first, as the scheduler does, since what is cut off depends on it. */
function stretch(scores: Float64Array, count: number): void {
  let min = Infinity;
  let max = -Infinity;
  for (let index = 0; index < count; index += 1) {
    min = Math.min(min, scores[index] ?? 0);
    max = Math.max(max, scores[index] ?? 0);
  }
  for (let index = 0; index < count; index += 1) {
    scores[index] = max > min ? Math.trunc(100 * (((scores[index] ?? 0) - min) / (max - min))) : 0;
  }
}
