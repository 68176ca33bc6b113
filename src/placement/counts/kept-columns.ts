import type { Residents } from './residents.ts';

interface Column {
  readonly values: Uint8Array;
  /** How many of the touched places have been looked at. */
  seen: number;
}

/**
 * Values 0 to 255 by place that depend on a node and its residents alone: worked out once per key, and again for a place
 * only when somebody has come or gone there.
 */
export class KeptColumns {
  readonly #residents: Residents;
  readonly #places: number;
  readonly #byKey = new Map<string, Column>();

  constructor(residents: Residents, places: number) {
    this.#residents = residents;
    this.#places = places;
  }

  /** The column of a key; `value` must give the same for the same key and the same residents. */
  of(key: string, value: (place: number) => number): Uint8Array {
    const { touched } = this.#residents;
    let column = this.#byKey.get(key);
    if (!column) {
      column = { values: new Uint8Array(this.#places), seen: touched.length };
      for (let place = 0; place < this.#places; place += 1) column.values[place] = value(place);
      this.#byKey.set(key, column);
    }
    for (; column.seen < touched.length; column.seen += 1) {
      const place = touched[column.seen] ?? 0;
      column.values[place] = value(place);
    }
    return column.values;
  }
}
