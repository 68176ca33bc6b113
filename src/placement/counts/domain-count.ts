import { DomainMask } from './domain-mask.ts';
import type { Group, MemberCount } from './groups.ts';
import type { Change, AssignedPod } from './assigned-pods.ts';
import type { Domains } from './topology.ts';

/** How many members of a group stand in each domain of a topology key; nodes without the key count nowhere. */
export class DomainCount implements MemberCount {
  readonly #domains: Domains;
  readonly #counts = new Map<number, number>();
  #total = 0;

  constructor(domains: Domains) {
    this.#domains = domains;
  }

  /** The count of a group's members by a topology key. */
  static of(group: Group, key: string, domains: Domains): DomainCount {
    return group.countedBy(`domains ${key}`, () => new DomainCount(domains));
  }

  change({ nodeIndex }: Pick<AssignedPod, 'nodeIndex'>, sign: 1 | -1): void {
    const domain = this.#domains.of[nodeIndex] ?? -1;
    if (domain < 0) return;
    this.#total += sign;
    const count = (this.#counts.get(domain) ?? 0) + sign;
    if (count === 0) this.#counts.delete(domain);
    else this.#counts.set(domain, count);
  }

  /** The domains with members; nodes without the key are not among them. `changes` are of members only. */
  occupied(changes: readonly Change[]): DomainMask {
    return this.#mask(changes, { keyless: false, others: false });
  }

  /** The domains without members, and the nodes without the key. */
  vacant(changes: readonly Change[]): DomainMask {
    return this.#mask(changes, { keyless: true, others: true });
  }

  /** Members in all domains. */
  total(changes: readonly Change[]): number {
    return changes.reduce(
      (sum, { assignedPod, sign }) => ((this.#domains.of[assignedPod.nodeIndex] ?? -1) < 0 ? sum : sum + sign),
      this.#total,
    );
  }

  /** Whether two places are in one domain. */
  together(a: number, b: number): boolean {
    const domain = this.#domains.of[a] ?? -1;
    return domain >= 0 && domain === this.#domains.of[b];
  }

  #mask(changes: readonly Change[], open: { readonly keyless: boolean; readonly others: boolean }): DomainMask {
    const mask = new DomainMask(this.#domains, open);
    for (const domain of this.#counts.keys()) mask.set(domain, !open.others);
    for (const { assignedPod } of changes) {
      const domain = this.#domains.of[assignedPod.nodeIndex] ?? -1;
      if (domain >= 0) mask.set(domain, this.#at(domain, changes) > 0 ? !open.others : open.others);
    }
    return mask;
  }

  #at(domain: number, changes: readonly Change[]): number {
    let count = this.#counts.get(domain) ?? 0;
    for (const { assignedPod, sign } of changes) if (this.#domains.of[assignedPod.nodeIndex] === domain) count += sign;
    return count;
  }
}
