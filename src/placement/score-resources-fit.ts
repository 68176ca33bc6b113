import { amountOf } from '../cluster/resources.ts';
import type { Candidate } from './candidate.ts';
import { Load, loadToPlace, SCORED_RESOURCES } from './score-load.ts';
import type { Scorer, Scoring } from './scorer.ts';
import type { State } from './state.ts';

/**
 * NodeResourcesFit: cpu and memory with the pod, in percent of what is allocatable, on average (scheduler.md 3.1). By
 * LeastAllocated what is left counts; by MostAllocated what is taken.
 */
export function resourcesFitScorer(state: State, load: Load, scoring: Scoring): Scorer {
  const capacities = SCORED_RESOURCES.map((name) =>
    Float64Array.from(state.places.nodes, ({ allocatable }) => amountOf(allocatable, name)),
  );
  const percent = scoring === 'LeastAllocated' ? percentLeft : percentTaken;
  return {
    name: 'NodeResourcesFit',
    weight: 1,
    scores: (candidate, places) => {
      const columns = columnsOf(candidate, capacities, load);
      return Float64Array.from(places, (place) => average(columns, place, percent));
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
    added: amountOf(needs, name),
  }));
}

/** A resource that the node does not offer takes no part in the average. */
function average(columns: readonly Column[], place: number, percent: typeof percentLeft): number {
  let sum = 0;
  let resources = 0;
  for (const { capacity, used, added } of columns) {
    const whole = capacity[place] ?? 0;
    if (whole <= 0) continue;
    sum += percent((used[place] ?? 0) + added, whole);
    resources += 1;
  }
  return resources === 0 ? 0 : Math.trunc(sum / resources);
}

function percentLeft(used: number, whole: number): number {
  return used > whole ? 0 : Math.trunc(((whole - used) * 100) / whole);
}

/** Defaults can lift the sum over the whole: such a node counts as full. */
function percentTaken(used: number, whole: number): number {
  return used > whole ? 100 : Math.trunc((used * 100) / whole);
}
