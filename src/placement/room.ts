import { amountOf } from '../cluster/amounts/resources.ts';
import type { Places } from './counts/places.ts';
import { isExpected, type Resident, type ResidentIndex } from './counts/residents.ts';

/** What is free on every node: pod slots, and per resource the allocatable amount less what residents request. */
export class Room implements ResidentIndex {
  /** Free pod slots; 0 less the residents on a node that offers none. */
  readonly slots: Float64Array;
  readonly #free = new Map<string, Float64Array>();
  readonly places: Places;
  readonly #expected = new Map<number, Set<Resident>>();

  constructor(places: Places) {
    this.places = places;
    this.slots = Float64Array.from(places.nodes, (node) => amountOf(node.allocatable, 'pods'));
  }

  /** Free amounts by place; negative where a node is over-committed. A resource that a node does not offer counts 0. */
  free(name: string): Float64Array {
    let column = this.#free.get(name);
    if (!column) {
      column = Float64Array.from(this.places.nodes, (node) => amountOf(node.allocatable, name));
      this.#free.set(name, column);
    }
    return column;
  }

  /** Those of the place for whom room is kept, since they are not there yet. */
  expectedAt(place: number): Iterable<Resident> {
    return this.#expected.get(place) ?? [];
  }

  /** Whether there is any such pod. */
  isKeptAt(place: number): boolean {
    return (this.#expected.get(place)?.size ?? 0) > 0;
  }

  change(resident: Resident, sign: 1 | -1): void {
    if (isExpected(resident)) this.#expect(resident, sign);
    const { place, requests } = resident;
    this.slots[place] = (this.slots[place] ?? 0) - sign;
    for (const name in requests) {
      const column = this.free(name);
      column[place] = (column[place] ?? 0) - sign * amountOf(requests, name);
    }
  }

  #expect(resident: Resident, sign: 1 | -1): void {
    const here = this.#expected.get(resident.place) ?? new Set();
    this.#expected.set(resident.place, here);
    if (sign > 0) here.add(resident);
    else here.delete(resident);
  }
}
