import type { MemberCount } from './groups.ts';
import type { Change, Resident } from './residents.ts';
import type { Domains } from './topology.ts';

/** Amounts by domain of a topology key, in an array, for sums over all nodes; nodes without the key count nowhere. */
export class DomainTally implements MemberCount {
  readonly domains: Domains;
  readonly amounts: Float64Array;

  constructor(domains: Domains) {
    this.domains = domains;
    this.amounts = new Float64Array(domains.values.length);
  }

  /** Counts members, 1 each. */
  change({ place }: Resident, sign: 1 | -1): void {
    this.add(place, sign);
  }

  /** Adds to the domain of the place. */
  add(place: number, amount: number): void {
    const domain = this.domains.of[place] ?? -1;
    if (domain >= 0) this.amounts[domain] = (this.amounts[domain] ?? 0) + amount;
  }
}

/** Members by place, without terminating ones. */
export class PlaceTally implements MemberCount {
  readonly #counts: Float64Array;

  constructor(places: number) {
    this.#counts = new Float64Array(places);
  }

  change({ place, leaving }: Resident, sign: 1 | -1): void {
    if (!leaving) this.#counts[place] = (this.#counts[place] ?? 0) + sign;
  }

  /** The counts as one question sees them; not to be written to. `changes` are of members only. */
  seenWith(changes: readonly Change[]): Float64Array {
    if (changes.length === 0) return this.#counts;
    const seen = this.#counts.slice();
    for (const { resident, sign } of changes) {
      if (!resident.leaving) seen[resident.place] = (seen[resident.place] ?? 0) + sign;
    }
    return seen;
  }
}
