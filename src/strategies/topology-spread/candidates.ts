import type { Pod } from '../../cluster/objects/pod.ts';
import type { Run } from './run.ts';
import type { CountedRule } from './domain-counts.ts';

/** The pods of one rule that may be asked for, by domain. */
export class Candidates {
  readonly #run: Run;
  readonly #byDomain = new Map<number, readonly Pod[]>();
  /**
   * Those in domains that lie too high which the evictor would refuse. They are asked for in their turn, for the report,
   * but no plan builds on them.
   */
  readonly #refusable = new Set<Pod>();

  constructor(counted: CountedRule, run: Run) {
    const { rule, tally, members } = counted;
    this.#run = run;
    const byDomain = new Map<number, Pod[]>();
    for (const pod of members) {
      const domain = run.domainCounts.domainOn(rule, pod.nodeName);
      if (domain < 0 || !run.isCandidate(pod)) continue;
      if (tally.isOver(domain) && !run.context.check(pod).granted) this.#refusable.add(pod);
      const pods = byDomain.get(domain);
      if (pods) pods.push(pod);
      else byDomain.set(domain, [pod]);
    }
    this.#byDomain = byDomain;
  }

  /** All that may be asked for. */
  in(domain: number): readonly Pod[] {
    return this.#byDomain.get(domain) ?? [];
  }

  /** Those that plans may build on. */
  mobileIn(domain: number): readonly Pod[] {
    const pods = this.in(domain);
    return this.#refusable.size === 0 ? pods : pods.filter((pod) => !this.#refusable.has(pod));
  }

  /** The pod has been asked for. */
  drop(pod: Pod, domain: number): void {
    this.#byDomain.set(
      domain,
      this.in(domain).filter((other) => other !== pod),
    );
  }

  /** A limit was reached that holds back others than the pod that met it. */
  dropLimited(): void {
    for (const [domain, pods] of this.#byDomain) {
      this.#byDomain.set(
        domain,
        pods.filter((pod) => this.#run.isCandidate(pod)),
      );
    }
  }
}
