import type { Candidate } from './candidate.ts';
import { balancedAllocationScorer } from './score-balanced-allocation.ts';
import { imageLocalityScorer } from './score-image-locality.ts';
import { interPodAffinityScorer } from './score-inter-pod-affinity.ts';
import { Load } from './score-load.ts';
import { nodeAffinityScorer } from './score-node-affinity.ts';
import { resourcesFitScorer } from './score-resources-fit.ts';
import { taintTolerationScorer } from './score-taint-toleration.ts';
import { topologySpreadScorer } from './score-topology-spread.ts';
import type { Scorer, Scoring } from './scorer.ts';
import type { State } from './state.ts';

/**
 * kube-scheduler's scoring plugins over one cycle's state (scheduler.md 3). DynamicResources and VolumeBinding are not
 * among them: without alpha gates and without claims they give every node 0.
 */
export class Ranking {
  readonly #state: State;
  readonly #scorers = new Map<Scoring, readonly Scorer[]>();
  #shared: { readonly load: Load; readonly others: readonly Scorer[] } | undefined;

  constructor(state: State) {
    this.#state = state;
  }

  /** The total of each of these places, which must be all that fit: the weighted sum of all plugins (scheduler.md 3.9). */
  totals(candidate: Candidate, places: Int32Array, scoring: Scoring): Float64Array {
    const totals = new Float64Array(places.length);
    for (const { weight, scores } of this.scorers(scoring)) {
      const given = scores(candidate, places);
      if (!given) continue;
      for (let index = 0; index < given.length; index += 1) {
        totals[index] = (totals[index] ?? 0) + weight * (given[index] ?? 0);
      }
    }
    return totals;
  }

  /** The plugins of a profile that scores resources in this way. */
  scorers(scoring: Scoring): readonly Scorer[] {
    let scorers = this.#scorers.get(scoring);
    if (!scorers) {
      this.#shared ??= sharedScorers(this.#state);
      scorers = [resourcesFitScorer(this.#state, this.#shared.load, scoring), ...this.#shared.others];
      this.#scorers.set(scoring, scorers);
    }
    return scorers;
  }
}

function sharedScorers(state: State) {
  return {
    load: state.residents.follow(new Load(state.places.count)),
    others: [
      balancedAllocationScorer(state),
      taintTolerationScorer(state),
      nodeAffinityScorer(state),
      imageLocalityScorer(state),
      interPodAffinityScorer(state),
      topologySpreadScorer(state),
    ],
  };
}
