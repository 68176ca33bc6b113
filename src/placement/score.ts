import type { Node } from '../cluster/node.ts';
import { compareText } from '../cluster/snapshot.ts';
import type { Candidate } from './candidate.ts';
import { leastAllocatedScorer } from './score-least-allocated.ts';
import type { Scorer } from './scorer.ts';
import type { State } from './state.ts';

/** Ranks nodes that fit as kube-scheduler's default profile does (scheduler.md 3). */
export interface Ranking {
  /** Those with the highest total, by name. */
  best(candidate: Candidate, nodes: readonly Node[]): readonly Node[];
}

/** The scheduler's scoring plugins over one cycle's state. */
export function createRanking(state: State): Ranking {
  // The other plugins of scheduler.md section 3 are one more line each.
  const scorers: readonly Scorer[] = [leastAllocatedScorer(state)];
  return {
    best: (candidate, nodes) => {
      const places = nodes.map(({ name }) => state.places.of(name) ?? -1);
      const totals = totalScores(candidate, places, scorers);
      const highest = totals.reduce((max, total) => Math.max(max, total), -Infinity);
      return nodes.filter((_, index) => totals[index] === highest).toSorted((a, b) => compareText(a.name, b.name));
    },
  };
}

/** Per place, the weighted sum of what each plugin gives; a plugin that is left out adds nothing (scheduler.md 3.9). */
export function totalScores(
  candidate: Candidate,
  places: readonly number[],
  scorers: readonly Scorer[],
): readonly number[] {
  const totals = places.map(() => 0);
  for (const { weight, scores } of scorers) {
    scores(candidate, places)?.forEach((score, index) => {
      totals[index] = (totals[index] ?? 0) + weight * score;
    });
  }
  return totals;
}
