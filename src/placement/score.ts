import type { Candidate } from './candidate.ts';
import { balancedAllocationScorer } from './scores/balanced-allocation.ts';
import { imageLocalityScorer } from './scores/image-locality.ts';
import { interPodAffinityScorer } from './scores/inter-pod-affinity.ts';
import { nodeAffinityScorer } from './scores/node-affinity.ts';
import { resourcesFitScorer } from './scores/resources-fit.ts';
import { taintTolerationScorer } from './scores/taint-toleration.ts';
import { topologySpreadScorer } from './scores/topology-spread.ts';
import type { Scorer, Scoring } from './scores/scorer.ts';
import type { State } from './state.ts';

/**
 * kube-scheduler's scoring plugins over one cycle's state (rule S20). DynamicResources and VolumeBinding are not
 * among them: without alpha gates and without claims they give every node 0.
 */
export class Ranking {
  readonly #state: State;
  // Lent to every prediction and overwritten: in the order of the places that fit.
  readonly #scores: Float64Array;
  readonly #sums: Float64Array;
  readonly #scorers = new Map<Scoring, readonly Scorer[]>();
  #others: readonly Scorer[] | undefined;

  constructor(state: State) {
    this.#state = state;
    this.#scores = new Float64Array(state.nodeIndexes.count);
    this.#sums = new Float64Array(state.nodeIndexes.count);
  }

  /**
   * By place, the weighted sum of all plugins (rule S20), -1 for a place that is not among `fitting`, which must
   * be all that fit.
   */
  totals(candidate: Candidate, fitting: Int32Array, scoring: Scoring): Int32Array {
    const scores = this.#scores;
    const sums = this.#sums.fill(0);
    for (const { weight, score } of this.scorers(scoring)) {
      if (!score(candidate, fitting, scores)) continue;
      for (let index = 0; index < fitting.length; index += 1) {
        sums[index] = (sums[index] ?? 0) + weight * (scores[index] ?? 0);
      }
    }
    const totals = new Int32Array(this.#state.nodeIndexes.count).fill(-1);
    for (let index = 0; index < fitting.length; index += 1) totals[fitting[index] ?? 0] = sums[index] ?? 0;
    return totals;
  }

  /** The plugins of a profile that scores resources in this way. */
  scorers(scoring: Scoring): readonly Scorer[] {
    let scorers = this.#scorers.get(scoring);
    if (!scorers) {
      this.#others ??= otherScorers(this.#state);
      scorers = [resourcesFitScorer(this.#state, scoring), ...this.#others];
      this.#scorers.set(scoring, scorers);
    }
    return scorers;
  }
}

function otherScorers(state: State): readonly Scorer[] {
  return [
    balancedAllocationScorer(state),
    taintTolerationScorer(state),
    nodeAffinityScorer(state),
    imageLocalityScorer(state),
    interPodAffinityScorer(state),
    topologySpreadScorer(state),
  ];
}
