import type { Resources } from '../../cluster/amounts/resources.ts';
import { compareText } from '../../cluster/snapshot.ts';
import { excess, isLow, isOver } from './classify.ts';
import type { DrainPlan } from './drain.ts';
import type { Destinations } from './destinations.ts';
import { percentages } from './thresholds.ts';
import type { NodeUsage } from './usage.ts';
import { counted, firstFew } from '../words.ts';
import { againstBounds } from './wording.ts';

/** Nodes that the source of usage says nothing about; they are left out of the run (rule T13). */
export function unmeasured(names: readonly string[]): readonly string[] {
  if (names.length === 0) return [];
  return [`${counted(names.length, 'node')} left out, since no usage of it is measured: ${firstFew(names)}`];
}

/** Why no node is low: which of those that may be comes closest, and by how much it misses. */
export function nothingLow(nodes: readonly NodeUsage[], lower: Resources): string {
  const closest = ranked(nodes, lower)[0];
  if (!closest) return 'no node is below the thresholds: there is none that could be';
  return `no node is below the thresholds: the closest is ${closest.node.name}, ${againstBounds(closest.percent, lower)}`;
}

/** Cordoned nodes that are below the thresholds and still take no pods. */
export function cordonedLow(nodes: readonly NodeUsage[], lower: Resources): string {
  const cordoned = nodes.filter(({ node, percent }) => node.unschedulable && isLow(percent, lower));
  return cordoned.length > 0 ? `; below but cordoned: ${firstFew(cordoned.map(({ node }) => node.name))}` : '';
}

/** Why the low nodes are too few for the policy's `numberOfNodes`. */
export function tooFewLow(low: readonly NodeUsage[], numberOfNodes: number): string {
  const names = firstFew(low.map(({ node }) => node.name));
  return `${counted(low.length, 'node')} below the thresholds (${names}), but numberOfNodes wants more than ${numberOfNodes}`;
}

/** Why no node gives: which one is highest, and how far it stays below its target. */
export function nothingOver(nodes: readonly NodeUsage[], upper: Resources): string {
  const highest = ranked(nodes, upper).reduce<NodeUsage | undefined>(
    (best, node) => (best && excess(best.percent, upper) >= excess(node.percent, upper) ? best : node),
    undefined,
  );
  if (!highest) return 'no node is above its target: there is no node';
  return `no node is above its target: the highest is ${highest.node.name}, ${againstBounds(highest.percent, upper)}`;
}

/** The nodes that are above their target after the run, and what ended it for them. */
export function stillOver({ sources, destinations, perNode }: DrainPlan, upper: Resources): readonly string[] {
  const over = sources
    .map(({ node, used, capacity, evicted }) => ({ node, evicted, percent: percentages(used, capacity) }))
    .filter(({ percent }) => isOver(percent, upper));
  if (over.length === 0) return [];
  const levels = over.map(({ node, percent }) => `${node.name} (${againstBounds(percent, upper)})`);
  const limited = over.filter(({ evicted }) => evicted === perNode).map(({ node }) => node.name);
  return [
    `still above the target: ${firstFew(levels)}`,
    ...(limited.length === 0 ? [] : [`evictionLimits.node (${perNode ?? 0}) is used up on ${firstFew(limited)}`]),
    ...stopped(destinations),
  ];
}

/** Why the run ended before its nodes were done, if the destinations are the cause. */
export function stopped({ exhausted }: Destinations): readonly string[] {
  return exhausted === undefined ? [] : [`stopped: ${exhausted}`];
}

/** Closest to its bounds from below first; by name among equals. */
function ranked(nodes: readonly NodeUsage[], bounds: Resources): readonly NodeUsage[] {
  return nodes.toSorted(
    (a, b) => excess(a.percent, bounds) - excess(b.percent, bounds) || compareText(a.node.name, b.node.name),
  );
}
