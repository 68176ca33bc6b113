import type { Node } from '../../cluster/node.ts';
import type { Pod } from '../../cluster/pod.ts';
import { level, sources, targets, type Evenness, type Level } from './leveling.ts';
import { Openings } from './openings.ts';
import type { Run } from './run.ts';
import type { CountedRule } from './standing.ts';
import { inOrderOfVictims } from './victims.ts';

/** The next eviction for a rule: who goes, and the nodes on any of which it would stand better. */
export interface Move {
  readonly pod: Pod;
  readonly from: number;
  readonly nodes: readonly Node[];
}

/**
 * Evens out one rule, move by move. Every move is the first of a plan that ends the violation, or gets as near to that as
 * can be, with the fewest moves; the plan is made anew for each, since only then is it known what became of the last.
 *
 * What cannot move is found out by trying. A domain is *stuck* if none of its pods can go where the plan needs them; the
 * plan is then made without counting on it. If that leads nowhere, the domains that nobody could reach are *closed*, and
 * the plan is made without filling them.
 */
export class Settlement {
  readonly #counted: CountedRule;
  readonly #run: Run;
  readonly #ids: readonly number[];
  readonly #evenness: Evenness;
  readonly #openings: Openings;
  readonly #candidates: Map<number, readonly Pod[]>;
  /** Candidates that the evictor would refuse. They are asked for in their turn, for the report, but nothing is built on them. */
  readonly #refusable = new Set<Pod>();
  readonly #stuck = new Set<number>();
  readonly #closed = new Set<number>();
  /** Whether a pod has moved since it was found out what is stuck and closed. */
  #stale = true;

  constructor(counted: CountedRule, run: Run) {
    const { rule, tally } = counted;
    this.#counted = counted;
    this.#run = run;
    this.#ids = rule.domains.ids;
    this.#evenness = { maxSkew: rule.constraint.maxSkew, lowestIsZero: tally.lowestIsZero };
    this.#openings = new Openings(counted, run);
    this.#candidates = candidatesByDomain(counted, run);
    for (const domain of this.#ids) {
      if (!tally.isOver(domain)) continue;
      for (const pod of this.#in(domain)) if (!run.context.check(pod).granted) this.#refusable.add(pod);
    }
    this.#survey();
  }

  /** The next move; undefined if no move makes the rule any better. */
  next(): Move | undefined {
    const move = this.#search();
    if (move || !this.#stale) return move;
    this.#survey();
    return this.#search();
  }

  /** The pod of the last move has been granted or refused. */
  decided({ pod, from }: Move, granted: boolean): void {
    this.#candidates.set(
      from,
      this.#in(from).filter((other) => other !== pod),
    );
    if (!granted) return;
    this.#openings.forget();
    this.#stale = true;
  }

  /** A limit was reached that holds back others, too. */
  limited(): void {
    for (const [domain, pods] of this.#candidates) {
      this.#candidates.set(
        domain,
        pods.filter((pod) => this.#run.isCandidate(pod)),
      );
    }
  }

  /** The domains that could take one more pod, be they full or not. */
  get open(): readonly number[] {
    return this.#ids.filter((domain) => this.#counted.tally.isOpen(domain));
  }

  /** Finds out which of the domains that lie too high can give nothing, so that no other gives in vain. */
  #survey(): void {
    this.#stuck.clear();
    this.#closed.clear();
    this.#stale = false;
    const { open } = this;
    for (const domain of this.#ids) {
      if (this.#counted.tally.isOver(domain) && !this.#isMobile(domain, open)) this.#stuck.add(domain);
    }
  }

  #isMobile(domain: number, open: readonly number[]): boolean {
    return this.#in(domain).some((pod) => !this.#refusable.has(pod) && this.#openings.of(pod, open).length > 0);
  }

  #search(): Move | undefined {
    for (;;) {
      const unreached = new Set<number>();
      const move = this.#searchNoting(unreached);
      if (move) return move;
      const before = this.#closed.size;
      for (const domain of unreached) this.#closed.add(domain);
      if (this.#closed.size === before) return undefined;
      this.#stuck.clear();
    }
  }

  #searchNoting(unreached: Set<number>): Move | undefined {
    for (;;) {
      const levels = this.#ids.map((domain) => this.#levelOf(domain));
      const plan = level(levels, this.#evenness);
      const from = sources(levels, plan).map((index) => this.#idAt(index));
      if (plan.moves === 0 || from.length === 0) return undefined;
      const into = targets(levels, plan, this.#evenness)
        .map((index) => this.#idAt(index))
        .filter((domain) => this.#counted.tally.isOpen(domain));
      for (const domain of from) {
        const move = this.#moveFrom(domain, into);
        if (move) return move;
        this.#stuck.add(domain);
      }
      for (const domain of into) unreached.add(domain);
    }
  }

  #levelOf(domain: number): Level {
    const count = this.#counted.tally.at(domain);
    const mobile = this.#stuck.has(domain) ? 0 : this.#in(domain).filter((pod) => !this.#refusable.has(pod)).length;
    const closed = this.#closed.has(domain) || this.#counted.rule.domains.readyNodes(domain).length === 0;
    return { count, fixed: count - mobile, closed };
  }

  #moveFrom(from: number, into: readonly number[]): Move | undefined {
    const eases = (pod: Pod) => this.#run.eases(pod, this.#counted);
    for (const pod of inOrderOfVictims(this.#in(from), eases)) {
      const nodes = this.#openings.of(pod, into);
      if (nodes.length > 0) return { pod, from, nodes };
    }
    return undefined;
  }

  #in(domain: number): readonly Pod[] {
    return this.#candidates.get(domain) ?? [];
  }

  #idAt(index: number): number {
    return this.#ids[index] ?? -1;
  }
}

function candidatesByDomain({ rule, members }: CountedRule, run: Run): Map<number, readonly Pod[]> {
  const byDomain = new Map<number, Pod[]>();
  for (const pod of members) {
    const domain = run.standing.domainOn(rule, pod.nodeName);
    if (domain < 0 || !run.isCandidate(pod)) continue;
    const pods = byDomain.get(domain);
    if (pods) pods.push(pod);
    else byDomain.set(domain, [pod]);
  }
  return byDomain;
}
