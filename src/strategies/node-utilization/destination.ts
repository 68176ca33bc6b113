import type { Node } from '../../cluster/objects/node.ts';
import type { Resources } from '../../cluster/amounts/resources.ts';
import { cappedCapacity, percentOf } from './thresholds.ts';
import type { NodeUsage } from './usage.ts';

/** The resource that keeps a load from a destination: what it would be at there, its limit, and the difference, in percent. */
export interface Obstacle {
  readonly name: string;
  readonly percent: number;
  readonly limit: number;
  readonly overshoot: number;
}

/** Which resources are watched, and up to which percent each may be used. */
interface Bounds {
  readonly watched: readonly string[];
  readonly upper: Resources;
}

/** One destination and what is left of it. */
export class Destination {
  readonly node: Node;
  readonly capacity: Resources;
  readonly #watched: readonly string[];
  // By the position of the resource in `watched`: this is asked for every pod and every destination.
  readonly #used: number[];
  readonly #wholes: readonly number[];
  readonly #limits: readonly number[];
  readonly #caps: readonly number[];

  constructor({ node, capacity, used }: NodeUsage, { watched, upper }: Bounds) {
    this.node = node;
    this.capacity = capacity;
    this.#watched = watched;
    const caps = cappedCapacity(capacity, upper, watched);
    this.#used = watched.map((name) => used[name] ?? 0);
    this.#caps = watched.map((name) => caps[name] ?? 0);
    this.#wholes = watched.map((name) => capacity[name] ?? 0);
    this.#limits = watched.map((name) => upper[name] ?? 100);
  }

  /** What the stop rule counts as left of a watched resource, given its position; may be negative (rule T15). */
  left(place: number): number {
    return (this.#caps[place] ?? 0) - (this.#used[place] ?? 0);
  }

  /** What the load would lift over its limit; only what it adds to can be in the way. */
  obstacle(load: Resources): Obstacle | undefined {
    for (let place = 0; place < this.#watched.length; place += 1) {
      const name = this.#watched[place] ?? '';
      const added = load[name] ?? 0;
      if (added === 0) continue;
      const used = (this.#used[place] ?? 0) + added;
      const whole = this.#wholes[place] ?? 0;
      const limit = this.#limits[place] ?? 100;
      // The rule that classifies nodes; of what a node does not have, anything is too much.
      const percent = whole <= 0 && used > 0 ? Infinity : percentOf(used, whole);
      if (percent > limit) return { name, percent, limit, overshoot: percent - limit };
    }
    return undefined;
  }

  /** Percent of the fullest watched resource, once the load is there. */
  level(load: Resources): number {
    return Math.max(
      ...this.#watched.map((name, place) =>
        percentOf((this.#used[place] ?? 0) + (load[name] ?? 0), this.capacity[name] ?? 0),
      ),
    );
  }

  /** Counts the load from now on. */
  fill(load: Resources): void {
    this.#watched.forEach((name, place) => (this.#used[place] = (this.#used[place] ?? 0) + (load[name] ?? 0)));
  }
}
