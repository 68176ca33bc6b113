import { amountOf } from '../cluster/resources.ts';
import { KeptColumns } from './kept-columns.ts';
import { loadToPlace, movesNobody, SCORED_RESOURCES, type Load } from './score-load.ts';
import { pick, type Scorer, type Scoring } from './scorer.ts';
import type { State } from './state.ts';

/**
 * NodeResourcesFit: cpu and memory with the pod, in percent of what is allocatable, on average (scheduler.md 3.1). By
 * LeastAllocated what is left counts; by MostAllocated what is taken. Pods with equal needs share the scores of nodes.
 */
export function resourcesFitScorer({ places, residents }: State, load: Load, scoring: Scoring): Scorer {
  const capacities = SCORED_RESOURCES.map((name) =>
    Float64Array.from(places.nodes, ({ allocatable }) => amountOf(allocatable, name)),
  );
  const kept = new KeptColumns(residents, places.count);
  return {
    name: 'NodeResourcesFit',
    weight: 1,
    score: ({ spec, changes }, scored, scores) => {
      const needs = loadToPlace(spec);
      const columns = SCORED_RESOURCES.map((name, index) => ({
        capacity: capacities[index] ?? new Float64Array(),
        used: load.seenWith(changes, name),
        added: needs[name],
      }));
      const score = (place: number) => average(columns, place, scoring);
      if (movesNobody(changes)) pick(scores, scored, kept.of(`${needs.cpu} ${needs.memory}`, score));
      else for (let index = 0; index < scored.length; index += 1) scores[index] = score(scored[index] ?? 0);
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

/**
 * A resource that the node does not offer takes no part in the average. Defaults can lift what is taken over the whole:
 * such a node counts as full.
 */
function average(columns: readonly Column[], place: number, scoring: Scoring): number {
  let sum = 0;
  let resources = 0;
  for (const { capacity, used, added } of columns) {
    const whole = capacity[place] ?? 0;
    if (whole <= 0) continue;
    const taken = Math.min((used[place] ?? 0) + added, whole);
    sum += Math.trunc(((scoring === 'LeastAllocated' ? whole - taken : taken) * 100) / whole);
    resources += 1;
  }
  return resources === 0 ? 0 : Math.trunc(sum / resources);
}
