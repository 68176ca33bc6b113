import type { Node } from '../../cluster/objects/node.ts';
import type { Pod } from '../../cluster/objects/pod.ts';
import { Candidates } from './candidates.ts';
import { level, sources, targets, type Evenness, type Level } from './leveling.ts';
import { CandidateNodes } from './candidate-nodes.ts';
import type { Run } from './run.ts';
import type { CountedRule } from './domain-counts.ts';
import { survey, type Reach } from './survey.ts';
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
 * What a survey has not shown is found out by trying. A domain is *stuck* if none of its pods can go where the plan needs
 * them; the plan is then made without counting on it. If that leads nowhere, the domains that nobody could reach are
 * *closed*, and the plan is made without filling them.
 */
export class MovePlanner {
  readonly #counted: CountedRule;
  readonly #run: Run;
  readonly #ids: readonly number[];
  readonly #evenness: Evenness;
  readonly #candidateNodes: CandidateNodes;
  readonly #candidates: Candidates;
  #reach: Reach;
  /** Whether a pod has moved since the survey. */
  #stale = false;

  constructor(counted: CountedRule, run: Run) {
    const { rule, tally } = counted;
    this.#counted = counted;
    this.#run = run;
    this.#ids = rule.domains.ids;
    this.#evenness = { maxSkew: rule.constraint.maxSkew, lowestIsZero: tally.lowestIsZero };
    this.#candidateNodes = new CandidateNodes(counted, run);
    this.#candidates = new Candidates(counted, run);
    this.#reach = this.#survey();
  }

  /** The next move; undefined if no move makes the rule any better. */
  next(): Move | undefined {
    const move = this.#search();
    if (move || !this.#stale) return move;
    this.#reach = this.#survey();
    this.#stale = false;
    return this.#search();
  }

  /** The pod of the last move has been granted or refused. */
  decided({ pod, from }: Move, granted: boolean): void {
    this.#candidates.drop(pod, from);
    if (!granted) return;
    this.#candidateNodes.forget();
    this.#stale = true;
  }

  /** A limit was reached that holds back others, too. */
  limited(): void {
    this.#candidates.dropLimited();
  }

  #survey(): Reach {
    return survey({
      counted: this.#counted,
      run: this.#run,
      candidates: this.#candidates,
      candidateNodes: this.#candidateNodes,
    });
  }

  #search(): Move | undefined {
    const { stuck, closed } = this.#reach;
    for (;;) {
      const tried = new Set<number>();
      const move = this.#searchNoting(tried);
      if (move) return move;
      const before = closed.size;
      for (const domain of tried) closed.add(domain);
      if (closed.size === before) return undefined;
      stuck.clear();
    }
  }

  /** Plans without the domains that turn out to be stuck, until a pod is found or nothing is left to gain. */
  #searchNoting(tried: Set<number>): Move | undefined {
    for (;;) {
      const levels = this.#ids.map((domain) => this.#levelOf(domain));
      const plan = level(levels, this.#evenness);
      const from = this.#idsAt(sources(levels, plan));
      if (plan.moves === 0 || from.length === 0) return undefined;
      const into = this.#idsAt(targets(levels, plan, this.#evenness)).filter((id) => this.#counted.tally.isOpen(id));
      for (const domain of from) {
        const move = this.#moveFrom(domain, into);
        if (move) return move;
        this.#reach.stuck.add(domain);
      }
      for (const domain of into) tried.add(domain);
    }
  }

  #levelOf(domain: number): Level {
    const { stuck, closed } = this.#reach;
    const count = this.#counted.tally.at(domain);
    const mobile = stuck.has(domain) ? 0 : this.#candidates.mobileIn(domain).length;
    return { count, fixed: count - mobile, closed: closed.has(domain) };
  }

  #moveFrom(from: number, into: readonly number[]): Move | undefined {
    const eases = (pod: Pod) => this.#run.eases(pod, this.#counted);
    for (const pod of inOrderOfVictims(this.#candidates.in(from), eases)) {
      const nodes = this.#candidateNodes.bestOf(pod, into);
      if (nodes.length > 0 && !this.#candidateNodes.likelyReturn(pod)) return { pod, from, nodes };
    }
    return undefined;
  }

  #idsAt(indexes: readonly number[]): readonly number[] {
    return indexes.map((index) => this.#ids[index] ?? -1);
  }
}
