import type { MemberCount } from './groups.ts';
import type { Change, AssignedPod } from './assigned-pods.ts';
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
  change({ nodeIndex }: AssignedPod, sign: 1 | -1): void {
    this.add(nodeIndex, sign);
  }

  /** Adds to the domain of the place. */
  add(nodeIndex: number, amount: number): void {
    const domain = this.domains.of[nodeIndex] ?? -1;
    if (domain >= 0) this.amounts[domain] = (this.amounts[domain] ?? 0) + amount;
  }
}

/** Members by place, without terminating ones. Kept for every workload, so only where there are some. */
export class NodeTally implements MemberCount {
  readonly #counts = new Map<number, number>();

  change({ nodeIndex, leaving }: AssignedPod, sign: 1 | -1): void {
    if (!leaving) addTo(this.#counts, nodeIndex, sign);
  }

  /** The counts as one question sees them; not to be written to. `changes` are of members only. */
  seenWith(changes: readonly Change[]): ReadonlyMap<number, number> {
    if (changes.length === 0) return this.#counts;
    const seen = new Map(this.#counts);
    for (const { assignedPod, sign } of changes) if (!assignedPod.leaving) addTo(seen, assignedPod.nodeIndex, sign);
    return seen;
  }
}

function addTo(counts: Map<number, number>, nodeIndex: number, amount: number): void {
  const count = (counts.get(nodeIndex) ?? 0) + amount;
  if (count === 0) counts.delete(nodeIndex);
  else counts.set(nodeIndex, count);
}
