import type { Node } from '../cluster/node.ts';
import type { Places } from './places.ts';

/**
 * Where the scheduler would put the pod that replaces another (scheduler.md 4.4).
 *
 * It is a likelihood. Where more than 100 nodes fit, the scheduler ranks a window of them that nobody outside can know
 * (scheduler.md 1.4); `likely` still has the highest total of all. Equal totals are common, and nothing outside tells
 * which of them wins (1.5).
 */
export class Prediction {
  readonly #places: Places;
  readonly #fitting: Int32Array;
  readonly #totals: Float64Array;
  #byPlace: Float64Array | undefined;
  #likely: readonly Node[] | undefined;

  /** `fitting` are all places that fit, ascending, `totals` their totals in the same order. */
  constructor(places: Places, fitting: Int32Array, totals: Float64Array) {
    this.#places = places;
    this.#fitting = fitting;
    this.#totals = totals;
  }

  /** The nodes with the highest total, by name; none if no node fits. */
  get likely(): readonly Node[] {
    this.#likely ??= this.#findLikely();
    return this.#likely;
  }

  /** The node's total; undefined if the pod does not fit there. */
  total({ name }: Pick<Node, 'name'>): number | undefined {
    const total = this.#totalAt(this.#places.of(name) ?? -1);
    return total < 0 ? undefined : total;
  }

  /** Of these nodes the one with the highest total, the first by name among equals; undefined if none fits. */
  best(nodes: readonly Node[]): Node | undefined {
    const at = this.#places.ofAll(nodes);
    let best = -1;
    let highest = -1;
    for (let index = 0; index < at.length; index += 1) {
      const place = at[index] ?? -1;
      const total = this.#totalAt(place);
      // Places are in the order of names.
      if (total > highest || (total >= 0 && total === highest && place < best)) [best, highest] = [place, total];
    }
    return best < 0 ? undefined : this.#places.at(best);
  }

  /** The best of all nodes but this one. */
  bestBut({ name }: Pick<Node, 'name'>): Node | undefined {
    const own = this.#places.of(name);
    let best = -1;
    for (const place of this.#fitting) {
      if (place !== own && this.#totalAt(place) > this.#totalAt(best)) best = place;
    }
    return best < 0 ? undefined : this.#places.at(best);
  }

  #findLikely(): readonly Node[] {
    let highest = -1;
    let places: number[] = [];
    for (let index = 0; index < this.#fitting.length; index += 1) {
      const total = this.#totals[index] ?? 0;
      if (total > highest) [highest, places] = [total, []];
      if (total === highest) places.push(this.#fitting[index] ?? 0);
    }
    return places.map((place) => this.#places.at(place));
  }

  /** -1 where the pod does not fit. */
  #totalAt(place: number): number {
    this.#byPlace ??= this.#spreadOut();
    return this.#byPlace[place] ?? -1;
  }

  #spreadOut(): Float64Array {
    const byPlace = new Float64Array(this.#places.count).fill(-1);
    for (let index = 0; index < this.#fitting.length; index += 1) {
      byPlace[this.#fitting[index] ?? 0] = this.#totals[index] ?? -1;
    }
    return byPlace;
  }
}
