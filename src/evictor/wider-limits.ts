import type { Pod } from '../cluster/pod.ts';
import { Counting, type CountingView } from './counting.ts';
import type { EvictionLimits, LimitHit, Per } from './limits.ts';
import { blockedPodLimit, cooldownLimit } from './pause-limits.ts';
import { ownerLimit, windowLimit } from './window-limits.ts';

/** Widest first, so that a strategy learns at once how far a refusal reaches. */
const WIDTH: Readonly<Record<Per, number>> = { total: 0, node: 1, namespace: 2, owner: 3 };

/**
 * The limits that the reference lacks (framework.md 1.9, 7.3; docs/limits.md): per owner, per time window, a pause of an
 * owner after an eviction, a pause of blocked pods. They hold for what the history remembers and this cycle has booked.
 */
export class WiderLimits {
  readonly #rules: readonly ((pod: Pod) => LimitHit | undefined)[];
  readonly #counting: Counting;

  constructor({ owner, windows = [], cooldown, blockedPods }: EvictionLimits, view: CountingView) {
    const counting = new Counting(view);
    const widestFirst = windows.toSorted((a, b) => WIDTH[a.per] - WIDTH[b.per]);
    this.#counting = counting;
    this.#rules = [
      ...(owner ? [ownerLimit(owner, counting)] : []),
      ...widestFirst.map((window) => windowLimit(window, counting)),
      ...(cooldown ? [cooldownLimit(cooldown, counting)] : []),
      ...(blockedPods ? [blockedPodLimit(blockedPods, counting)] : []),
    ];
  }

  /** The first of these limits that one more eviction would break. */
  hit(pod: Pod): LimitHit | undefined {
    for (const rule of this.#rules) {
      const hit = rule(pod);
      if (hit) return hit;
    }
    return undefined;
  }

  /** Enters an eviction of this cycle, or takes it back. */
  count(pod: Pod, change: 1 | -1): void {
    if (this.#rules.length > 0) this.#counting.add(pod, change);
  }

  /** `Deployment/web`: whom the pod's eviction is remembered under. */
  ownerOf(pod: Pod): string {
    return this.#counting.places.owner(pod);
  }
}
