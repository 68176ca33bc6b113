import type { Labels } from '../../cluster/objects/terms.ts';
import type { Node } from '../../cluster/objects/node.ts';
import { controllerOf, type Pod, type PodSpec } from '../../cluster/objects/pod.ts';
import { keyedBy, Memo } from '../../placement/counts/memo.ts';
import type { CountedDomains } from './counted-domains.ts';
import type { Run } from './run.ts';
import type { CountedRule } from './domain-counts.ts';
import type { Tally } from './tally.ts';

const NOWHERE: readonly number[] = [];

/**
 * The nodes to which pods can move for the sake of one rule: ready ones that the rule looks at, on which the pod fits if the
 * arguments ask for that, and where it makes no other rule worse. Pods that are alike get one answer until a pod moves.
 */
export class CandidateNodes {
  readonly #counted: CountedRule;
  readonly #run: Run;
  readonly #specs = new Map<PodSpec, number>();
  readonly #labels = keyedBy((labels: Labels) => JSON.stringify(Object.entries(labels).sort()));
  #known = new Memo<Map<number, readonly number[]>>();
  #likelyReturns = new Memo<{ readonly node: Node | undefined }>();

  constructor(counted: CountedRule, run: Run) {
    this.#counted = counted;
    this.#run = run;
  }

  /** The places in these domains to which the pod can move. */
  of(pod: Pod, domains: readonly number[]): readonly number[] {
    const known = this.#known.get(this.#likeness(pod), () => new Map<number, readonly number[]>());
    const unknown = domains.filter((domain) => !known.has(domain));
    if (unknown.length > 0) this.#findOut(pod, unknown, known);
    return domains.flatMap((domain) => known.get(domain) ?? NOWHERE);
  }

  /** The nodes of those after which no other rule has too many there, if there are such; else of all. */
  bestOf(pod: Pod, domains: readonly number[]): readonly Node[] {
    const { domainCounts } = this.#run;
    const nodeIndexes = this.of(pod, domains);
    const effects = this.#effectsOf(pod);
    const best = nodeIndexes.filter((nodeIndex) => effects.every((effect) => keepsOpen(effect, nodeIndex)));
    return (best.length > 0 ? best : nodeIndexes).map((nodeIndex) => domainCounts.nodeAt(nodeIndex));
  }

  /**
   * A node where the scheduler may well put the pod, though nothing is gained there or another rule gets worse: the pod
   * would be evicted in vain. Undefined if there is none, or nobody wants it foreseen. Pods that do not carry the rule
   * themselves may come back to the domain they leave, if not to the node (rule T9).
   */
  likelyReturn(pod: Pod): Node | undefined {
    const { likely } = this.#run.context;
    if (!likely) return undefined;
    return this.#likelyReturns.get(this.#likeness(pod), () => ({
      node: likely(pod).find((node) => !this.#gains(pod, node)),
    })).node;
  }

  /** A pod has moved: what was known no longer holds. */
  forget(): void {
    this.#known = new Memo();
    this.#likelyReturns = new Memo();
  }

  #gains(pod: Pod, { name }: Node): boolean {
    const { rule, tally } = this.#counted;
    const nodeIndex = this.#run.domainCounts.placeOf(name);
    const [from, to] = [this.#run.domainCounts.domainOn(rule, pod.nodeName), rule.domains.at(nodeIndex)];
    if (from === to || tally.at(to) + 1 >= tally.at(from)) return false;
    return this.#effectsOf(pod).every((effect) => isHarmless(effect, nodeIndex));
  }

  #findOut(pod: Pod, domains: readonly number[], known: Map<number, readonly number[]>): void {
    const { rule } = this.#counted;
    const { context } = this.#run;
    const effects = this.#effectsOf(pod);
    const harmless = domains
      .flatMap((domain) => rule.domains.readyNodeIndexes(domain))
      .filter((nodeIndex) => effects.every((effect) => isHarmless(effect, nodeIndex)));
    const fitting = context.args.topologyBalanceNodeFit ? this.#fitting(pod, harmless) : harmless;
    const found = new Map(domains.map((domain): [number, number[]] => [domain, []]));
    for (const nodeIndex of fitting) found.get(rule.domains.at(nodeIndex))?.push(nodeIndex);
    for (const [domain, nodeIndexes] of found) known.set(domain, nodeIndexes);
  }

  /** Fit answers in the order of the question. */
  #fitting(pod: Pod, nodeIndexes: readonly number[]): readonly number[] {
    const { context, domainCounts } = this.#run;
    const nodes = nodeIndexes.map((nodeIndex) => domainCounts.nodeAt(nodeIndex));
    const fitting = context.fits(pod, nodes);
    let next = 0;
    return nodeIndexes.filter((_, index) => nodes[index] === fitting[next] && (next += 1) > 0);
  }

  /** What it means for every rule that counts the pod, of whichever pod it may be, that the pod moves. */
  #effectsOf(pod: Pod): readonly Effect[] {
    const { domainCounts } = this.#run;
    return domainCounts.rulesOf(pod).map(({ rule, tally }) => {
      const from = domainCounts.domainOn(rule, pod.nodeName);
      return { domains: rule.domains, tally, from, most: tally.roomFor(from) };
    });
  }

  /** Equal for pods that fit alike (rule S33) and leave the same node. */
  #likeness(pod: Pod): string {
    const spec = this.#specs.get(pod.spec) ?? this.#specs.size;
    this.#specs.set(pod.spec, spec);
    return JSON.stringify([spec, pod.nodeName, pod.generation, controllerOf(pod)?.uid, this.#labels(pod.labels)]);
  }
}

/** The departure of a pod, as one rule sees it. */
interface Effect {
  readonly domains: CountedDomains;
  readonly tally: Tally;
  readonly from: number;
  /** The most pods that the domain may have in which the pod arrives; undefined: it may not leave. */
  readonly most: number | undefined;
}

/** Whether the rule is exceeded by no more afterwards. */
function isHarmless({ domains, tally, from, most }: Effect, nodeIndex: number): boolean {
  const to = domains.at(nodeIndex);
  return to === from || (most !== undefined && (to < 0 || tally.at(to) <= most));
}

/** Whether the rule would have let the pod come. */
function keepsOpen({ domains, tally, from }: Effect, nodeIndex: number): boolean {
  const to = domains.at(nodeIndex);
  return to < 0 || to === from || tally.isOpen(to);
}
