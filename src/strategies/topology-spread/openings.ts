import type { Node } from '../../cluster/node.ts';
import { controllerOf, type Pod, type PodSpec } from '../../cluster/pod.ts';
import type { Labels } from '../../cluster/selectors.ts';
import { keyedBy, Memo } from '../../placement/memo.ts';
import type { Run } from './run.ts';
import type { CountedRule } from './standing.ts';

const NOWHERE: readonly Node[] = [];

/**
 * The nodes to which pods can move for the sake of one rule: ready ones that the rule looks at, on which the pod fits if the
 * arguments ask for that, and where it makes no other rule worse. Pods that are alike get one answer until a pod moves.
 */
export class Openings {
  readonly #counted: CountedRule;
  readonly #run: Run;
  readonly #specs = new Map<PodSpec, number>();
  readonly #labels = keyedBy((labels: Labels) => JSON.stringify(Object.entries(labels).sort()));
  #known = new Memo<Map<number, readonly Node[]>>();
  #strays = new Memo<{ readonly node: Node | undefined }>();

  constructor(counted: CountedRule, run: Run) {
    this.#counted = counted;
    this.#run = run;
  }

  /** All nodes of these domains to which the pod can move. */
  of(pod: Pod, domains: readonly number[]): readonly Node[] {
    const known = this.#known.get(this.#likeness(pod), () => new Map<number, readonly Node[]>());
    const unknown = domains.filter((domain) => !known.has(domain));
    if (unknown.length > 0) this.#findOut(pod, unknown, known);
    return domains.flatMap((domain) => known.get(domain) ?? NOWHERE);
  }

  /** Those of them after which no other rule has too many there, if there are such. */
  bestOf(pod: Pod, domains: readonly number[]): readonly Node[] {
    const nodes = this.of(pod, domains);
    const best = nodes.filter((node) => this.#isOpenByAll(pod, node));
    return best.length > 0 ? best : nodes;
  }

  /**
   * A node where the scheduler may well put the pod, though nothing is gained there or another rule gets worse: the pod
   * would be evicted in vain. Undefined if there is none, or nobody wants it foreseen. Pods that do not carry the rule
   * themselves may come back to the domain they leave, if not to the node (strategies.md 18.2, number 10).
   */
  stray(pod: Pod): Node | undefined {
    const { likely } = this.#run.context;
    if (!likely) return undefined;
    return this.#strays.get(this.#likeness(pod), () => ({ node: likely(pod).find((node) => !this.#gains(pod, node)) }))
      .node;
  }

  /** A pod has moved: what was known no longer holds. */
  forget(): void {
    this.#known = new Memo();
    this.#strays = new Memo();
  }

  #gains(pod: Pod, node: Node): boolean {
    const { rule, tally } = this.#counted;
    const { standing } = this.#run;
    const [from, to] = [standing.domainOn(rule, pod.nodeName), standing.domainOn(rule, node.name)];
    return from !== to && tally.at(to) + 1 < tally.at(from) && this.#harmless(pod, node);
  }

  #findOut(pod: Pod, domains: readonly number[], known: Map<number, readonly Node[]>): void {
    const { rule } = this.#counted;
    const { context, standing } = this.#run;
    const found = new Map(domains.map((domain): [number, Node[]] => [domain, []]));
    const nodes = domains.flatMap((domain) => rule.domains.readyNodes(domain));
    const harmless = nodes.filter((node) => this.#harmless(pod, node));
    const fitting = context.args.topologyBalanceNodeFit ? context.fits(pod, harmless) : harmless;
    for (const node of fitting) found.get(standing.domainOn(rule, node.name))?.push(node);
    for (const [domain, list] of found) known.set(domain, list);
  }

  #isOpenByAll(pod: Pod, node: Node): boolean {
    const { standing } = this.#run;
    return standing.rulesOf(pod).every(({ rule, tally }) => {
      const to = standing.domainOn(rule, node.name);
      return to < 0 || to === standing.domainOn(rule, pod.nodeName) || tally.isOpen(to);
    });
  }

  /** Whether no rule that counts the pod, of whichever pod it may be, is exceeded by more when it moves there. */
  #harmless(pod: Pod, node: Node): boolean {
    const { standing } = this.#run;
    return standing
      .rulesOf(pod)
      .every(
        ({ rule, tally }) => !tally.worsens(standing.domainOn(rule, pod.nodeName), standing.domainOn(rule, node.name)),
      );
  }

  /** Equal for pods that fit alike (scheduler.md 4.7) and leave the same node. */
  #likeness(pod: Pod): string {
    const spec = this.#specs.get(pod.spec) ?? this.#specs.size;
    this.#specs.set(pod.spec, spec);
    return JSON.stringify([spec, pod.nodeName, pod.generation, controllerOf(pod)?.uid, this.#labels(pod.labels)]);
  }
}
