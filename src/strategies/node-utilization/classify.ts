import type { Resources } from '../../cluster/amounts/resources.ts';

/** Whether a value belongs to a class, given the limit of that class for the key. */
export type Classifier<Value, Limit> = (key: string, value: Value, limit: Limit) => boolean;

/** A value and the limits it is held against, one for each classifier. */
export interface Classified<Value, Limit> {
  readonly key: string;
  readonly value: Value;
  readonly limits: readonly Limit[];
}

/**
 * Sorts keys into as many groups as there are classifiers. The first classifier that says yes to its own limit takes
 * the key, so the groups are disjoint; limits or classifiers without a partner are ignored (rule T14).
 */
export function classify<Value, Limit>(
  entries: readonly Classified<Value, Limit>[],
  classifiers: readonly Classifier<Value, Limit>[],
): readonly (readonly string[])[] {
  const groups = classifiers.map((): string[] => []);
  for (const { key, value, limits } of entries) {
    const index = classifiers.findIndex((says, place) => {
      const limit = limits[place];
      return limit !== undefined && says(key, value, limit);
    });
    groups[index]?.push(key);
  }
  return groups;
}

/** Whether the comparison holds for every key that both have; a key without a limit does not matter (4.3, ForMap). */
export function everyKey(used: Resources, limit: Resources, holds: (value: number, limit: number) => boolean): boolean {
  return Object.entries(used).every(([name, value]) => {
    const bound = limit[name];
    return bound === undefined || holds(value, bound);
  });
}

/** No resource above its lower bound; exactly at it is still low (rule T18). */
export function isLow(percent: Resources, lower: Resources): boolean {
  return everyKey(percent, lower, (value, bound) => value <= bound);
}

/** Some resource above its upper bound; exactly at it is not too much (rule T18). */
export function isOver(percent: Resources, upper: Resources): boolean {
  return !everyKey(percent, upper, (value, bound) => value <= bound);
}

/** How far the worst resource lies above its bound, in percent points; negative where none does. */
export function excess(percent: Resources, bounds: Resources): number {
  const gaps = Object.entries(bounds).map(([name, bound]) => (percent[name] ?? 0) - bound);
  return gaps.length === 0 ? -Infinity : Math.max(...gaps);
}

/** Usage as one number, cpu in millicores and the rest in units: memory outweighs all (rule T16). */
export function rawTotal(used: Resources): number {
  return Object.values(used).reduce((total, value) => total + value, 0);
}
