import type { Pod } from '../../cluster/objects/pod.ts';
import type { RemovePodsViolatingTopologySpreadConstraintArgs } from './args.ts';
import { ReachedLimits } from '../reached-limits.ts';
import { StaticNodes } from '../static-nodes.ts';
import type { Context } from '../strategy.ts';
import type { CountedRule, DomainCounts } from './domain-counts.ts';

/** What all rules of one run share. */
export class Run {
  readonly context: Context<RemovePodsViolatingTopologySpreadConstraintArgs>;
  readonly domainCounts: DomainCounts;
  readonly reached = new ReachedLimits();
  /** Where pods may run at all, whatever room there is. */
  readonly nodeIndexes: StaticNodes;
  readonly #usable: ReadonlySet<string>;
  readonly #done = new Set<string>();

  constructor(context: Context<RemovePodsViolatingTopologySpreadConstraintArgs>, domainCounts: DomainCounts) {
    this.context = context;
    this.domainCounts = domainCounts;
    this.nodeIndexes = new StaticNodes(context.snapshot.readyNodes);
    this.#usable = new Set(context.nodes.map(({ name }) => name));
  }

  /** The rules that the arguments want enforced, and that are broken. */
  get broken(): readonly CountedRule[] {
    return this.domainCounts.counted.filter((counted) => this.isBroken(counted));
  }

  /** Whether the arguments want the rule enforced, and it does not hold. */
  isBroken({ rule, tally }: CountedRule): boolean {
    return rule.enforced && tally.excess > 0;
  }

  /** Whether there is any use in asking for the pod; the strategy's own filters choose victims only. */
  isCandidate(pod: Pod): boolean {
    if (this.#done.has(pod.uid) || this.reached.passesOver(pod)) return false;
    return this.#usable.has(pod.nodeName) && this.context.inScope(pod);
  }

  /** The pod has been decided on. */
  finish(pod: Pod): void {
    this.#done.add(pod.uid);
  }

  /** How many broken rules other than this one get better when the pod leaves. */
  eases(pod: Pod, settled: CountedRule): number {
    return this.domainCounts.rulesOf(pod).filter((counted) => {
      const { rule, tally } = counted;
      return counted !== settled && rule.enforced && tally.isOver(this.domainCounts.domainOn(rule, pod.nodeName));
    }).length;
  }
}
