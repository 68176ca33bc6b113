import { amountOf } from '../cluster/resources.ts';
import { changed, SCORED_RESOURCES } from './score-load.ts';
import type { Candidate } from './candidate.ts';
import type { Scorer } from './scorer.ts';
import type { State } from './state.ts';

/**
 * NodeResourcesBalancedAllocation: whether the pod evens out how much of cpu and of memory is requested (scheduler.md
 * 3.2). Without defaults for containers that ask for nothing; left out for a pod that asks for neither.
 */
export function balancedAllocationScorer({ places, room }: State): Scorer {
  const capacities = SCORED_RESOURCES.map((name) =>
    Float64Array.from(places.nodes, ({ allocatable }) => amountOf(allocatable, name)),
  );
  return {
    name: 'NodeResourcesBalancedAllocation',
    weight: 1,
    scores: (candidate, scored) => {
      const { needs } = candidate;
      if (SCORED_RESOURCES.every((name) => amountOf(needs, name) === 0)) return undefined;
      const columns = SCORED_RESOURCES.map((name, index) => ({
        capacity: capacities[index] ?? new Float64Array(),
        free: freeSeenBy(candidate, room.free(name), name),
        added: amountOf(needs, name),
      }));
      return Float64Array.from(scored, (place) => {
        const gain = balance(columns, place, true) - balance(columns, place, false);
        return 50 + Math.trunc((50 + gain) / 2);
      });
    },
  };
}

/** One resource: by place what there is and what is free, and what the pod adds. */
interface Column {
  readonly capacity: Float64Array;
  readonly free: Float64Array;
  readonly added: number;
}

function freeSeenBy({ changes }: Candidate, free: Float64Array, name: string): Float64Array {
  return changed(free, changes, ({ requests }) => -amountOf(requests, name));
}

/** 100 where cpu and memory are taken to the same part, 50 where one is full and the other empty. */
function balance(columns: readonly Column[], place: number, withPod: boolean): number {
  let fractions = 0;
  let difference = 0;
  for (const { capacity, free, added } of columns) {
    const whole = capacity[place] ?? 0;
    if (whole <= 0) continue;
    const used = whole - (free[place] ?? 0) + (withPod ? added : 0);
    const fraction = Math.min(used / whole, 1);
    difference = fractions === 0 ? fraction : difference - fraction;
    fractions += 1;
  }
  // The standard deviation of two values is half their difference; one value deviates from nothing.
  const deviation = fractions === 2 ? Math.abs(difference / 2) : 0;
  return Math.trunc((1 - deviation) * 100);
}
