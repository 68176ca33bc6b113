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

  constructor(counted: CountedRule, run: Run) {
    this.#counted = counted;
    this.#run = run;
  }

  /** The nodes of these domains. */
  of(pod: Pod, domains: readonly number[]): readonly Node[] {
    const known = this.#known.get(this.#likeness(pod), () => new Map<number, readonly Node[]>());
    const unknown = domains.filter((domain) => !known.has(domain));
    if (unknown.length > 0) this.#findOut(pod, unknown, known);
    return domains.flatMap((domain) => known.get(domain) ?? NOWHERE);
  }

  /** A pod has moved: what was known no longer holds. */
  forget(): void {
    this.#known = new Memo();
  }

  #findOut(pod: Pod, domains: readonly number[], known: Map<number, readonly Node[]>): void {
    const { rule } = this.#counted;
    const { context, standing } = this.#run;
    for (const domain of domains) known.set(domain, NOWHERE);
    const nodes = domains.flatMap((domain) => rule.domains.readyNodes(domain));
    const harmless = nodes.filter((node) => this.#harmless(pod, node));
    const fitting = context.args.topologyBalanceNodeFit ? context.fits(pod, harmless) : harmless;
    for (const node of fitting) {
      const domain = standing.domainOn(rule, node.name);
      known.set(domain, [...(known.get(domain) ?? NOWHERE), node]);
    }
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
