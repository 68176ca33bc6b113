import { amountOf } from '../cluster/resources.ts';
import type { Candidate } from './candidate.ts';
import { Load, loadToPlace, SCORED_RESOURCES } from './score-load.ts';
import type { Scorer, Scoring } from './scorer.ts';
import type { State } from './state.ts';

/**
 * NodeResourcesFit: cpu and memory with the pod, in percent of what is allocatable, on average (scheduler.md 3.1). By
 * LeastAllocated what is left counts; by MostAllocated what is taken. A resource that a node does not offer takes no part
 * in its average.
 */
export function resourcesFitScorer(state: State, load: Load, scoring: Scoring): Scorer {
  const capacities = SCORED_RESOURCES.map((name) =>
    Float64Array.from(state.places.nodes, ({ allocatable }) => amountOf(allocatable, name)),
  );
  const offered = Float64Array.from(
    state.places.nodes,
    (_, place) => capacities.filter((capacity) => (capacity[place] ?? 0) > 0).length,
  );
  return {
    name: 'NodeResourcesFit',
    weight: 1,
    score: (candidate, places, scores) => {
      scores.fill(0);
      for (const column of columnsOf(candidate, capacities, load)) addPercents(scores, places, { column, scoring });
      for (let index = 0; index < places.length; index += 1) {
        scores[index] = Math.trunc((scores[index] ?? 0) / Math.max(offered[places[index] ?? 0] ?? 0, 1));
      }
      return true;
    },
  };
}

/** One resource: by place what there is and what residents take, and what the pod adds. */
interface Column {
  readonly capacity: Float64Array;
  readonly used: Float64Array;
  readonly added: number;
}

function columnsOf(candidate: Candidate, capacities: readonly Float64Array[], load: Load): readonly Column[] {
  const needs = loadToPlace(candidate.spec);
  return SCORED_RESOURCES.map((name, index) => ({
    capacity: capacities[index] ?? new Float64Array(),
    used: load.seenWith(candidate.changes, name),
    added: needs[name],
  }));
}

/** Defaults can lift the sum over the whole: such a node counts as full. */
function addPercents(
  scores: Float64Array,
  places: Int32Array,
  { column: { capacity, used, added }, scoring }: { readonly column: Column; readonly scoring: Scoring },
): void {
  const countsLeft = scoring === 'LeastAllocated';
  for (let index = 0; index < places.length; index += 1) {
    const place = places[index] ?? 0;
    const whole = capacity[place] ?? 0;
    if (whole <= 0) continue;
    const taken = Math.min((used[place] ?? 0) + added, whole);
    scores[index] = (scores[index] ?? 0) + Math.trunc(((countsLeft ? whole - taken : taken) * 100) / whole);
  }
}
