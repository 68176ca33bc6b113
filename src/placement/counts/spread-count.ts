import { DomainMask } from './domain-mask.ts';
import type { MemberCount } from './groups.ts';
import type { Change, AssignedPod } from './assigned-pods.ts';
import type { SpreadScope } from './spread-scope.ts';
import type { Domains } from './topology.ts';

/**
 * Members of a group per domain, on those nodes only that a spread constraint looks at, without terminating ones; and
 * the smallest of these counts (rule S15).
 */
export class SpreadCount implements MemberCount {
  /** How many domains there are. */
  readonly size: number;
  readonly #domains: Domains;
  readonly #eligible: Uint8Array;
  readonly #counts = new Map<number, number>();
  /** By count, the number of domains with that count: three domains 2, 0, 2 are `[1, 0, 2]`. */
  readonly #levels: number[];

  constructor(domains: Domains, scope: Pick<SpreadScope, 'eligible'>, size: number) {
    this.#domains = domains;
    this.#eligible = scope.eligible;
    this.size = size;
    this.#levels = [this.size];
  }

  change(assignedPod: AssignedPod, sign: 1 | -1): void {
    if (!this.#isCounted(assignedPod)) return;
    const domain = this.#domains.of[assignedPod.nodeIndex] ?? -1;
    const count = this.#counts.get(domain) ?? 0;
    this.#counts.set(domain, count + sign);
    this.#levels[count] = (this.#levels[count] ?? 0) - 1;
    this.#levels[count + sign] = (this.#levels[count + sign] ?? 0) + 1;
  }

  /** Members in the place's domain; 0 in a domain that is not considered. `changes` are of members only. */
  at(nodeIndex: number, changes: readonly Change[]): number {
    const domain = this.#domains.of[nodeIndex] ?? -1;
    return (this.#counts.get(domain) ?? 0) + (this.#deltas(changes).get(domain) ?? 0);
  }

  /** The smallest count of all domains; 0 if there is none. */
  min(changes: readonly Change[]): number {
    const deltas = [...this.#deltas(changes)].map(([domain, delta]) => {
      const before = this.#counts.get(domain) ?? 0;
      return { before, after: before + delta };
    });
    for (let level = 0; level < this.#levels.length + changes.length; level++) {
      let domains = this.#levels[level] ?? 0;
      for (const { before, after } of deltas) domains += Number(after === level) - Number(before === level);
      if (domains > 0) return level;
    }
    return 0;
  }

  /** The domains with at most `limit` members; nodes without the key are not among them. */
  atMost(limit: number, changes: readonly Change[]): DomainMask {
    const mask = new DomainMask(this.#domains, { keyless: false, others: limit >= 0 });
    for (const [domain, count] of this.#counts) mask.set(domain, count <= limit);
    for (const [domain, delta] of this.#deltas(changes)) {
      mask.set(domain, (this.#counts.get(domain) ?? 0) + delta <= limit);
    }
    return mask;
  }

  #deltas(changes: readonly Change[]): ReadonlyMap<number, number> {
    const deltas = new Map<number, number>();
    for (const { assignedPod, sign } of changes) {
      if (!this.#isCounted(assignedPod)) continue;
      const domain = this.#domains.of[assignedPod.nodeIndex] ?? -1;
      deltas.set(domain, (deltas.get(domain) ?? 0) + sign);
    }
    return deltas;
  }

  #isCounted({ nodeIndex, leaving }: AssignedPod): boolean {
    return !leaving && this.#eligible[nodeIndex] === 1;
  }
}
