import type { Node } from '../../cluster/objects/node.ts';
import type { Resources } from '../../cluster/amounts/resources.ts';
import { METRIC_RESOURCE } from './args.ts';

/** The bounds of one node, in percent by resource: at most `lower` is low, above `upper` is too much. */
export interface Thresholds {
  readonly lower: Resources;
  readonly upper: Resources;
}

/** Percent thresholds as the policy gives them, and how they are meant. */
export interface ThresholdArgs {
  readonly thresholds: Resources;
  readonly targetThresholds: Resources;
  readonly useDeviationThresholds: boolean;
}

/**
 * The bounds that hold for every node of the run. In deviation mode both are distances from the average over all nodes
 * that have the resource, cordoned ones too; a resource that no node has drops out (rule T18).
 */
export function thresholdsFor(args: ThresholdArgs, percentages: readonly Resources[]): Thresholds {
  if (!args.useDeviationThresholds) return { lower: args.thresholds, upper: args.targetThresholds };
  const mean = pick(average(percentages), Object.keys(args.thresholds));
  return {
    lower: clamp(sum(mean, negate(args.thresholds)), 0, 100),
    upper: clamp(sum(mean, args.targetThresholds), 0, 100),
  };
}

/** What a node offers: its allocatable, else its capacity, and 100 of the measured pseudo resource (rule T14). */
export function capacityOf(node: Node): Resources {
  const offered = Object.keys(node.allocatable).length > 0 ? node.allocatable : node.capacity;
  return { ...offered, [METRIC_RESOURCE]: 100 };
}

/**
 * How much of each watched resource may be used before the node counts as full: `trunc(threshold · capacity / 100)`,
 * all of it where no threshold is set, 0 where the node has none. 50% of 9 pods are 4 (rule T15).
 */
export function cappedCapacity(capacity: Resources, upper: Resources, watched: readonly string[]): Resources {
  return fromKeys(watched, (name) => {
    const whole = capacity[name] ?? 0;
    const threshold = upper[name];
    return threshold === undefined ? whole : Math.trunc(threshold * 0.01 * whole);
  });
}

/** Part of a whole in percent, as a double; 0 where there is no whole (rule T14). */
export function percentOf(used: number, whole: number): number {
  return whole <= 0 ? 0 : (used / whole) * 100;
}

/** Usage of a node in percent of its capacity; a resource that only one of the two knows is left out. */
export function percentages(used: Resources | undefined, capacity: Resources | undefined): Resources {
  return normalize(used ?? {}, capacity ?? {}, percentOf);
}

/** Combines the values of the keys that both have; others are left out (rule T14). */
export function normalize(
  used: Resources,
  totals: Resources,
  combine: (value: number, total: number) => number,
): Resources {
  const shared = Object.keys(used).filter((name) => totals[name] !== undefined);
  return fromKeys(shared, (name) => combine(used[name] ?? 0, totals[name] ?? 0));
}

/** Unweighted mean by resource, over the entries that have it (rule T14). */
export function average(entries: readonly Resources[]): Resources {
  const names = [...new Set(entries.flatMap((entry) => Object.keys(entry)))];
  return fromKeys(names, (name) => {
    const values = entries.flatMap((entry) => entry[name] ?? []);
    return values.reduce((total, value) => total + value, 0) / values.length;
  });
}

/** Adds by the keys of `a`; what only `b` has is dropped (rule T14). */
export function sum(a: Resources, b: Resources): Resources {
  return fromKeys(Object.keys(a), (name) => (a[name] ?? 0) + (b[name] ?? 0));
}

/** Each value with its sign turned. */
function negate(values: Resources): Resources {
  return fromKeys(Object.keys(values), (name) => -(values[name] ?? 0));
}

/** Each value moved into [min, max]. */
export function clamp(values: Resources, min: number, max: number): Resources {
  return fromKeys(Object.keys(values), (name) => Math.min(Math.max(values[name] ?? 0, min), max));
}

/** The values of these names, where there are any. */
export function pick(values: Resources, names: readonly string[]): Resources {
  return fromKeys(
    names.filter((name) => values[name] !== undefined),
    (name) => values[name] ?? 0,
  );
}

function fromKeys(names: readonly string[], value: (name: string) => number): Resources {
  return Object.fromEntries(names.map((name) => [name, value(name)]));
}
