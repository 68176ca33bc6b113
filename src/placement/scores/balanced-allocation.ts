import { amountOf } from '../../cluster/amounts/resources.ts';
import { KeptColumns } from '../counts/kept-columns.ts';
import { changed, movesNobody, SCORED_RESOURCES, type ScoredResource } from './load.ts';
import { pick, type Scorer } from './scorer.ts';
import type { State } from '../state.ts';

/**
 * NodeResourcesBalancedAllocation: whether the pod evens out how much of cpu and of memory is requested (rule S22). Without defaults for containers that ask for nothing; left out for a pod that asks for neither. Pods with equal
 * needs share the scores of nodes.
 */
export function balancedAllocationScorer({ nodeIndexes, assignedPods, room }: State): Scorer {
  const capacities = SCORED_RESOURCES.map((name) =>
    Float64Array.from(nodeIndexes.nodes, ({ allocatable }) => amountOf(allocatable, name)),
  );
  const kept = new KeptColumns(assignedPods, nodeIndexes.count);
  return {
    name: 'NodeResourcesBalancedAllocation',
    weight: 1,
    score: ({ needs, changes }, scored, scores) => {
      const [cpu, memory] = SCORED_RESOURCES.map((name, index) => ({
        capacity: capacities[index] ?? new Float64Array(),
        free: changed(room.free(name), changes, ({ requests }) => -amountOf(requests, name)),
        added: amountOf(needs, name),
      }));
      if (!cpu || !memory || (cpu.added === 0 && memory.added === 0)) return false;
      const columns = { cpu, memory };
      const score = (nodeIndex: number) =>
        50 + Math.trunc((50 + balance(columns, nodeIndex, 1) - balance(columns, nodeIndex, 0)) / 2);
      if (movesNobody(changes)) pick(scores, scored, kept.of(`${cpu.added} ${memory.added}`, score));
      else for (let index = 0; index < scored.length; index += 1) scores[index] = score(scored[index] ?? 0);
      return true;
    },
  };
}

/** One resource: by place what there is and what is free, and what the pod adds. */
interface Column {
  readonly capacity: Float64Array;
  readonly free: Float64Array;
  readonly added: number;
}

type Columns = Readonly<Record<ScoredResource, Column>>;

/**
 * 100 where cpu and memory are taken to the same part, 50 where one is full and the other empty: half their difference is
 * the standard deviation of two values. One resource alone deviates from nothing.
 */
function balance({ cpu, memory }: Columns, nodeIndex: number, withPod: 0 | 1): number {
  const ofCpu = fraction(cpu, nodeIndex, withPod);
  const ofMemory = fraction(memory, nodeIndex, withPod);
  return ofCpu < 0 || ofMemory < 0 ? 100 : Math.trunc((1 - Math.abs((ofCpu - ofMemory) / 2)) * 100);
}

/** The part that is taken, all of it at most; -1 where the node does not offer the resource. */
function fraction({ capacity, free, added }: Column, nodeIndex: number, withPod: 0 | 1): number {
  const whole = capacity[nodeIndex] ?? 0;
  return whole <= 0 ? -1 : Math.min((whole - (free[nodeIndex] ?? 0) + withPod * added) / whole, 1);
}
