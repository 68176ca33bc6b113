import type { SpreadConstraint } from '../../cluster/objects/pod.ts';
import type { CountedDomains } from './counted-domains.ts';

/** How many pods count in each domain of a constraint, and how uneven that is. */
export class Tally {
  readonly #maxSkew: number;
  /** Fewer domains than `minDomains`: the smallest count is 0 (rule S15). */
  readonly lowestIsZero: boolean;
  /** By domain; -1 for those that do not count. */
  readonly #counts: Int32Array;
  /** By count, the number of domains with that count: three domains 2, 0, 2 are `[1, 0, 2]`. */
  readonly #levels: number[];
  #least = 0;
  #most = 0;

  /** Domains are numbers below `limit`. */
  constructor({ ids, limit }: Pick<CountedDomains, 'ids' | 'limit'>, { maxSkew, minDomains }: SpreadConstraint) {
    this.#maxSkew = maxSkew;
    this.lowestIsZero = ids.length < (minDomains ?? 1);
    this.#counts = new Int32Array(limit).fill(-1);
    for (const domain of ids) this.#counts[domain] = 0;
    this.#levels = [ids.length];
  }

  /** Pods in the domain. */
  at(domain: number): number {
    return Math.max(0, this.#counts[domain] ?? 0);
  }

  /** The smallest count, as the constraint reads it. */
  get lowest(): number {
    return this.lowestIsZero ? 0 : this.#least;
  }

  /** By how much the fullest domain lies above what the constraint allows; 0 if it holds. */
  get excess(): number {
    return Math.max(0, this.#most - this.lowest - this.#maxSkew);
  }

  /** Whether the domain lies above what the constraint allows. */
  isOver(domain: number): boolean {
    return this.at(domain) > this.lowest + this.#maxSkew;
  }

  /** Whether the scheduler would add a pod there, which is gone from a fuller domain. */
  isOpen(domain: number): boolean {
    return this.at(domain) + 1 <= this.lowest + this.#maxSkew;
  }

  /** A pod comes or goes; one that counts nowhere, at -1, changes nothing. */
  change(domain: number, sign: 1 | -1): void {
    const before = this.#counts[domain] ?? -1;
    if (before < 0) return;
    const after = before + sign;
    this.#counts[domain] = after;
    this.#levels[before] = (this.#levels[before] ?? 0) - 1;
    this.#levels[after] = (this.#levels[after] ?? 0) + 1;
    const emptied = this.#levels[before] === 0;
    if (after > this.#most || (before === this.#most && emptied)) this.#most = after;
    if (after < this.#least || (before === this.#least && emptied)) this.#least = after;
  }

  /**
   * The most pods that a domain may have for one of `from` to come there without the constraint being exceeded by more;
   * undefined if it is exceeded by more as soon as the pod leaves.
   */
  roomFor(from: number): number | undefined {
    const before = this.excess;
    this.change(from, -1);
    const most = this.excess > before ? undefined : this.lowest + this.#maxSkew + before - 1;
    this.change(from, 1);
    return most;
  }
}
