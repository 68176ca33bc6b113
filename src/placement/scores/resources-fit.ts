import { amountOf } from '../../cluster/amounts/resources.ts';
import { KeptColumns } from '../counts/kept-columns.ts';
import { isScalar } from '../filters/resources.ts';
import { Load, loadToAssign, movesNobody } from './load.ts';
import { pick, type Scorer, type Scoring } from './scorer.ts';
import type { State } from '../state.ts';

/**
 * NodeResourcesFit: every resource of the scoring strategy with the pod, in percent of what is allocatable, as a weighted
 * average. A resource that the node does not offer takes no part, nor does a scalar one that the pod does not ask for.
 * Pods with equal needs share the scores of nodes.
 * Source: https://kubernetes.io/docs/concepts/scheduling-eviction/resource-bin-packing/
 */
export function resourcesFitScorer(state: State, scoring: Scoring): Scorer {
  const scoredResources = scoring.resources.filter(({ name }) => isScored(name)).map((it) => scoredResource(it, state));
  const average = scoring.type === 'RequestedToCapacityRatio' ? averageOfRatios : averageOfAll;
  const rate = rateOf(scoring);
  const kept = new KeptColumns(state.assignedPods, state.nodeIndexes.count);
  return {
    name: 'NodeResourcesFit',
    weight: 1,
    score: ({ spec, changes }, scored, scores) => {
      const needs = loadToAssign(spec);
      const asked = scoredResources.filter(({ name }) => !isScalar(name) || amountOf(needs, name) > 0);
      const columns = asked.map(({ name, weight, capacity, load }) => {
        return { weight, capacity, used: load.seenWith(changes), added: amountOf(needs, name) };
      });
      const score = (nodeIndex: number) => average(columns, nodeIndex, rate);
      const key = scoredResources.map(({ name }) => amountOf(needs, name)).join();
      if (movesNobody(changes)) pick(scores, scored, kept.of(key, score));
      else for (let index = 0; index < scored.length; index += 1) scores[index] = score(scored[index] ?? 0);
      return true;
    },
  };
}

/** Whether the scheduler can score the resource; `pods` and names that it does not know it passes over. */
export function isScored(name: string): boolean {
  return name === 'cpu' || name === 'memory' || name === 'ephemeral-storage' || isScalar(name);
}

function scoredResource({ name, weight }: Scoring['resources'][number], { nodeIndexes, assignedPods }: State) {
  const capacity = Float64Array.from(nodeIndexes.nodes, ({ allocatable }) => amountOf(allocatable, name));
  return { name, weight, capacity, load: assignedPods.follow(new Load(name, nodeIndexes.count)) };
}

/** One resource: by place what there is and what assigned pods take, and what the pod adds. */
interface Column {
  readonly weight: number;
  readonly capacity: Float64Array;
  readonly used: Float64Array;
  readonly added: number;
}

/** The score of one resource, 0 to 100, from what is taken of it, which defaults can lift over the whole. */
type Rate = (taken: number, whole: number) => number;

function rateOf({ type, shape = [] }: Scoring): Rate {
  if (type === 'LeastAllocated') return (taken, whole) => percent(Math.max(whole - taken, 0), whole);
  if (type === 'MostAllocated') return (taken, whole) => percent(Math.min(taken, whole), whole);
  return (taken, whole) => onLine(percent(Math.min(taken, whole), whole), shape);
}

function percent(part: number, whole: number): number {
  return Math.trunc((part * 100) / whole);
}

/** Between two corners on the straight line, outside of them as at the nearest; scores of 10 become 100. */
function onLine(utilization: number, shape: NonNullable<Scoring['shape']>): number {
  const index = shape.findIndex((corner) => utilization <= corner.utilization);
  const [before, after] = [shape[index - 1], shape[index]];
  if (!after) return (shape.at(-1)?.score ?? 0) * 10;
  if (!before) return after.score * 10;
  const rise = (after.score - before.score) * 10 * (utilization - before.utilization);
  return before.score * 10 + Math.trunc(rise / (after.utilization - before.utilization));
}

function averageOfAll(columns: readonly Column[], nodeIndex: number, rate: Rate): number {
  let sum = 0;
  let weights = 0;
  for (const { weight, capacity, used, added } of columns) {
    const whole = capacity[nodeIndex] ?? 0;
    if (whole <= 0) continue;
    sum += weight * rate((used[nodeIndex] ?? 0) + added, whole);
    weights += weight;
  }
  return weights === 0 ? 0 : Math.trunc(sum / weights);
}

/** A resource with a score of 0 takes no part, and the average is rounded. */
function averageOfRatios(columns: readonly Column[], nodeIndex: number, rate: Rate): number {
  let sum = 0;
  let weights = 0;
  for (const { weight, capacity, used, added } of columns) {
    const whole = capacity[nodeIndex] ?? 0;
    const score = whole > 0 ? rate((used[nodeIndex] ?? 0) + added, whole) : 0;
    if (score <= 0) continue;
    sum += weight * score;
    weights += weight;
  }
  return weights === 0 ? 0 : Math.round(sum / weights);
}
