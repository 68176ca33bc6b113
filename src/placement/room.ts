import { amountOf } from '../cluster/resources.ts';
import type { Places } from './places.ts';
import type { Resident, ResidentIndex } from './residents.ts';

/** What is free on every node: pod slots, and per resource the allocatable amount less what residents request. */
export class Room implements ResidentIndex {
  /** Free pod slots; 0 less the residents on a node that offers none. */
  readonly slots: Float64Array;
  readonly #free = new Map<string, Float64Array>();
  readonly places: Places;

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

  change(resident: Resident, sign: 1 | -1): void {
    const { place, requests } = resident;
    this.slots[place] = (this.slots[place] ?? 0) - sign;
    for (const name in requests) {
      const column = this.free(name);
      column[place] = (column[place] ?? 0) - sign * amountOf(requests, name);
    }
  }
}
