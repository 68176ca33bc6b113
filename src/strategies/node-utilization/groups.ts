import type { Resources } from '../../cluster/amounts/resources.ts';
import { compareText } from '../../cluster/snapshot.ts';
import type { LowNodeUtilizationArgs } from './args.ts';
import { classify, excess, isLow, isOver } from './classify.ts';
import { cordonedLow, nothingLow, nothingOver, tooFewLow } from './notes.ts';
import { thresholdsFor, type Thresholds } from './thresholds.ts';
import type { Measured, NodeUsage } from './usage.ts';

/** The nodes of a run, sorted into those that take and those that give. */
export interface Groups {
  readonly all: readonly NodeUsage[];
  readonly low: readonly NodeUsage[];
  readonly over: readonly NodeUsage[];
  readonly bounds: Thresholds;
}

/** A cordoned node can be over, but never low (rule T18). */
export function grouped({ nodes }: Measured, args: LowNodeUtilizationArgs): Groups {
  const bounds = thresholdsFor(
    args,
    nodes.map(({ percent }) => percent),
  );
  const [low, over] = classify(
    nodes.map((usage) => ({ key: usage.node.name, value: usage, limits: [bounds.lower, bounds.upper] })),
    [
      (_name, { node, percent }, lower) => !node.unschedulable && isLow(percent, lower),
      (_name, { percent }, upper) => isOver(percent, upper),
    ],
  ).map((names) => new Set(names));
  return {
    all: nodes,
    low: nodes.filter(({ node }) => low?.has(node.name)),
    over: byExcess(
      nodes.filter(({ node }) => over?.has(node.name)),
      bounds.upper,
    ),
    bounds,
  };
}

/** Furthest above the target first, in percent points of the worst resource; by name among equals (rule T7). */
export function byExcess(nodes: readonly NodeUsage[], upper: Resources): readonly NodeUsage[] {
  return nodes.toSorted(
    (a, b) => excess(b.percent, upper) - excess(a.percent, upper) || compareText(a.node.name, b.node.name),
  );
}

/** Why no node has to give, or none can take; undefined where there is something to do. */
export function nothingToDo(
  { all, low, over, bounds }: Groups,
  { numberOfNodes }: LowNodeUtilizationArgs,
): string | undefined {
  if (low.length === 0) {
    const open = all.filter(({ node }) => !node.unschedulable);
    return nothingLow(open, bounds.lower) + cordonedLow(all, bounds.lower);
  }
  if (low.length <= numberOfNodes) return tooFewLow(low, numberOfNodes);
  if (over.length === 0) return nothingOver(all, bounds.upper);
  return undefined;
}
