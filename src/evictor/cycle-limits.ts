import type { Pod } from '../cluster/pod.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { EMPTY_HISTORY, type HistoryState } from './history.ts';
import type { EvictionLimits, LimitHit } from './limits.ts';
import { WiderLimits } from './wider-limits.ts';

/** The limits of the Go descheduler by their policy names, in the order in which they are asked. */
const LIMITS: readonly { readonly scope: 'total' | 'node' | 'namespace'; readonly by: string }[] = [
  { scope: 'total', by: 'maxNoOfPodsToEvictTotal' },
  { scope: 'node', by: 'maxNoOfPodsToEvictPerNode' },
  { scope: 'namespace', by: 'maxNoOfPodsToEvictPerNamespace' },
];

/** What limits look at besides the pod. */
export interface LimitsView {
  readonly snapshot: Snapshot;
  readonly now: Date;
  /** What earlier cycles have spent. */
  readonly history?: HistoryState | undefined;
}

/** What the evictions of one cycle, shared by all profiles, have used up of the policy's limits. */
export class CycleLimits {
  readonly #limits: EvictionLimits;
  readonly #wider: WiderLimits;
  readonly #counts = new Map<string, number>();

  constructor(limits: EvictionLimits, { snapshot, now, history = EMPTY_HISTORY }: LimitsView) {
    this.#limits = limits;
    this.#wider = new WiderLimits(limits, { snapshot, history, now: now.getTime() });
  }

  /** The first limit that one more eviction would break: of the cycle, of the pod's node, of its namespace, then ours. */
  hit(pod: Pod): LimitHit | undefined {
    for (const { scope, by } of LIMITS) {
      const limit = this.#limits[scope];
      if (limit === undefined || (scope === 'node' && pod.nodeName === '')) continue;
      const key = limitKey(by, pod);
      if (this.#count(key) + 1 > limit) return { scope, by, key, reason: limitReason(by, limit, pod) };
    }
    return this.#wider.hit(pod);
  }

  /** Counts an eviction, or takes it back. */
  count(pod: Pod, change: 1 | -1): void {
    for (const { by } of LIMITS) {
      const key = limitKey(by, pod);
      this.#counts.set(key, this.#count(key) + change);
    }
    this.#wider.count(pod, change);
  }

  /** `Deployment/web`: the owner that limits count the pod under. */
  ownerOf(pod: Pod): string {
    return this.#wider.ownerOf(pod);
  }

  #count(key: string): number {
    return this.#counts.get(key) ?? 0;
  }
}

/** The notice that a refusal by one of the Go descheduler's limits belongs to; undefined if `by` is none of them. */
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

/** Only the first pod that a limit holds back is reported, so it speaks for the others. */
function limitReason(by: string, limit: number, pod: Pod): string {
  const place = placeOf(by, pod) ?? 'in this cycle';
  const scope = place === 'in this cycle' ? place : `${place} in this cycle`;
  return `stays because ${by} allows ${limit === 0 ? 'no eviction' : count(limit)} ${scope}; further pods are passed over`;
}

function count(evictions: number): string {
  return evictions === 1 ? '1 eviction' : `${evictions} evictions`;
}
