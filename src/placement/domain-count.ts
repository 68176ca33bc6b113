import type { Group, MemberCount } from './groups.ts';
import type { Change, Resident } from './residents.ts';
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

  change({ place }: Pick<Resident, 'place'>, sign: 1 | -1): void {
    const domain = this.#domains.of[place] ?? -1;
    if (domain < 0) return;
    this.#total += sign;
    this.#counts.set(domain, (this.#counts.get(domain) ?? 0) + sign);
  }

  /** Members in the place's domain; 0 where the node lacks the key. `changes` are of members only. */
  at(place: number, changes: readonly Change[]): number {
    const domain = this.#domains.of[place] ?? -1;
    if (domain < 0) return 0;
    let count = this.#counts.get(domain) ?? 0;
    for (const { resident, sign } of changes) if (this.#domains.of[resident.place] === domain) count += sign;
    return count;
  }

  /** Members in all domains. */
  total(changes: readonly Change[]): number {
    return changes.reduce(
      (sum, { resident, sign }) => ((this.#domains.of[resident.place] ?? -1) < 0 ? sum : sum + sign),
      this.#total,
    );
  }

  /** Whether two places are in one domain. */
  together(a: number, b: number): boolean {
    const domain = this.#domains.of[a] ?? -1;
    return domain >= 0 && domain === this.#domains.of[b];
  }
}
