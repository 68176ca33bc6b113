import type { SpreadConstraint } from '../../cluster/pod.ts';

/** How many pods count in each domain of a constraint, and how uneven that is. */
export class Tally {
  readonly #maxSkew: number;
  /** Fewer domains than `minDomains`: the smallest count is 0 (scheduler.md 2.11, step 4). */
  readonly lowestIsZero: boolean;
  readonly #counts: Map<number, number>;
  /** By count, the number of domains with that count: three domains 2, 0, 2 are `[1, 0, 2]`. */
  readonly #levels: number[];
  #least = 0;
  #most = 0;

  constructor(domains: readonly number[], { maxSkew, minDomains }: SpreadConstraint) {
    this.#maxSkew = maxSkew;
    this.lowestIsZero = domains.length < (minDomains ?? 1);
    this.#counts = new Map(domains.map((domain) => [domain, 0]));
    this.#levels = [domains.length];
  }

  /** Pods in the domain. */
  at(domain: number): number {
    return this.#counts.get(domain) ?? 0;
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
    const before = this.#counts.get(domain);
    if (before === undefined) return;
    const after = before + sign;
    this.#counts.set(domain, after);
    this.#levels[before] = (this.#levels[before] ?? 0) - 1;
    this.#levels[after] = (this.#levels[after] ?? 0) + 1;
    const emptied = this.#levels[before] === 0;
    if (after > this.#most || (before === this.#most && emptied)) this.#most = after;
    if (after < this.#least || (before === this.#least && emptied)) this.#least = after;
  }

  /** Whether the constraint would be exceeded by more if a pod moved. */
  worsens(from: number, to: number): boolean {
    if (from === to) return false;
    const before = this.excess;
    this.#move(from, to);
    const after = this.excess;
    this.#move(to, from);
    return after > before;
  }

  #move(from: number, to: number): void {
    this.change(from, -1);
    this.change(to, 1);
  }
}
