import type { DisruptionBudget } from '../cluster/kinds.ts';
import type { Pod } from '../cluster/pod.ts';
import type { EvictionLimits, LimitHit } from './limits.ts';
import { isReplica, soleOwnerKey } from './replicas.ts';
import type { WiderLimits } from './wider-limits.ts';

export type { EvictionLimits } from './limits.ts';

/** The limits by their policy names, in the order in which they are asked (framework.md 3.2, step 4). */
const LIMITS: readonly { readonly scope: 'total' | 'node' | 'namespace'; readonly by: string }[] = [
  { scope: 'total', by: 'maxNoOfPodsToEvictTotal' },
  { scope: 'node', by: 'maxNoOfPodsToEvictPerNode' },
  { scope: 'namespace', by: 'maxNoOfPodsToEvictPerNamespace' },
];

/** The account of one cycle, shared by all profiles: what the granted evictions have used up, and which pods are gone. */
export class Ledger {
  readonly #limits: EvictionLimits;
  readonly #wider: WiderLimits | undefined;
  readonly #bookings = new Map<string, { readonly pod: Pod; readonly budget: DisruptionBudget | undefined }>();
  readonly #failures = new Map<string, string>();
  readonly #blocked = new Set<string>();
  readonly #counts = new Map<string, number>();

  /** `wider`: the limits beyond those of the reference. */
  constructor(limits: EvictionLimits, wider?: WiderLimits) {
    this.#limits = limits;
    this.#wider = wider;
  }

  /** UIDs of the pods that are on their way out. */
  get evicted(): ReadonlySet<string> {
    return new Set(this.#bookings.keys());
  }

  /** Whether the pod is booked as evicted. */
  has(pod: Pod): boolean {
    return this.#bookings.has(pod.uid);
  }

  /** Why the pod's eviction has failed in this cycle; undefined if it has not. */
  failureOf(pod: Pod): string | undefined {
    return this.#failures.get(pod.uid);
  }

  /** The first limit that one more eviction would break: of the cycle, of the pod's node, of its namespace, then ours. */
  limitHit(pod: Pod): LimitHit | undefined {
    for (const { scope, by } of LIMITS) {
      const limit = this.#limits[scope];
      if (limit === undefined || (scope === 'node' && pod.nodeName === '')) continue;
      const key = limitKey(by, pod);
      if (this.#count(key) + 1 > limit) return { scope, by, key, reason: limitReason(by, limit, pod) };
    }
    return this.#wider?.hit(pod);
  }

  /** UIDs of the pods whose budget had no room for them when the cycle began, or that the API server refused for it. */
  get blocked(): ReadonlySet<string> {
    return this.#blocked;
  }

  /** Notes that the pod's budget holds it back. */
  noteBlocked(pod: Pod): void {
    this.#blocked.add(pod.uid);
  }

  /** How many disruptions this cycle has taken from the budget. */
  spentOf(budget: DisruptionBudget): number {
    return this.#count(budgetKey(budget));
  }

  /** How many working replicas of that owner (`soleOwnerKey`) this cycle has evicted. */
  evictedOf(owner: string): number {
    return this.#count(`owner ${owner}`);
  }

  /** Enters an eviction; `budget` is the one it is taken from. */
  book(pod: Pod, budget: DisruptionBudget | undefined): void {
    this.#bookings.set(pod.uid, { pod, budget });
    this.#add(pod, budget, 1);
  }

  /** Takes an eviction back, as if it had never been entered. */
  cancel(pod: Pod): void {
    const booking = this.#bookings.get(pod.uid);
    if (!booking) return;
    this.#bookings.delete(pod.uid);
    this.#add(pod, booking.budget, -1);
  }

  /** Frees what a failed eviction had used up, and remembers why it failed: it is not tried again in this cycle. */
  fail(pod: Pod, error: string): void {
    this.cancel(pod);
    this.#failures.set(pod.uid, error);
  }

  /** Lets a failed eviction count for the limits all the same, since nobody knows whether the pod is gone. */
  countUncertain(pod: Pod): void {
    this.#wider?.count(pod, 1);
  }

  #add(pod: Pod, budget: DisruptionBudget | undefined, change: 1 | -1): void {
    for (const { by } of LIMITS) this.#change(limitKey(by, pod), change);
    if (budget) this.#change(budgetKey(budget), change);
    this.#wider?.count(pod, change);
    const owner = soleOwnerKey(pod);
    if (owner !== undefined && isReplica(pod)) this.#change(`owner ${owner}`, change);
  }

  #change(key: string, change: 1 | -1): void {
    this.#counts.set(key, this.#count(key) + change);
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

/** The notice that a refusal by one of the reference's limits belongs to; undefined if `by` is none of them. */
export function noticeKey(by: string, pod: Pod): string | undefined {
  return LIMITS.some((limit) => limit.by === by) ? limitKey(by, pod) : undefined;
}

function limitKey(by: string, pod: Pod): string {
  const place = placeOf(by, pod);
  return place === undefined ? by : `${by} ${place}`;
}

function placeOf(by: string, pod: Pod): string | undefined {
  if (by === 'maxNoOfPodsToEvictPerNode') return `on node ${pod.nodeName}`;
  if (by === 'maxNoOfPodsToEvictPerNamespace') return `in namespace ${pod.namespace}`;
  return undefined;
}

/** Only the first pod that a limit holds back is reported (framework.md 7.2, number 9), so it speaks for the others. */
function limitReason(by: string, limit: number, pod: Pod): string {
  const place = placeOf(by, pod) ?? 'in this cycle';
  const scope = place === 'in this cycle' ? place : `${place} in this cycle`;
  return `stays because ${by} allows ${limit === 0 ? 'no eviction' : count(limit)} ${scope}; further pods are passed over`;
}

function count(evictions: number): string {
  return evictions === 1 ? '1 eviction' : `${evictions} evictions`;
}

function budgetKey(budget: DisruptionBudget): string {
  return `budget ${budget.namespace}/${budget.name}`;
}
