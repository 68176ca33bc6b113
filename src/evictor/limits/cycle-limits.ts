import type { Pod } from '../../cluster/objects/pod.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import { Counting } from './counting.ts';
import { EMPTY_HISTORY, type HistoryState } from './history.ts';
import type { EvictionLimits, LimitHit, Per } from './limits.ts';
import { blockedPodLimit, cooldownLimit } from './backoff-limits.ts';
import { ownerLimit, windowLimit } from './window-limits.ts';

/** The limits of the Go descheduler by their policy names, in the order in which they are asked. */
const LIMITS: readonly { readonly scope: 'total' | 'node' | 'namespace'; readonly by: string }[] = [
  { scope: 'total', by: 'maxNoOfPodsToEvictTotal' },
  { scope: 'node', by: 'maxNoOfPodsToEvictPerNode' },
  { scope: 'namespace', by: 'maxNoOfPodsToEvictPerNamespace' },
];

/** Widest first, so that a strategy learns at once how far a refusal reaches. */
const WIDTH: Readonly<Record<Per, number>> = { total: 0, node: 1, namespace: 2, owner: 3 };

/** What limits look at besides the pod. */
export interface LimitsView {
  readonly snapshot: Snapshot;
  readonly now: Date;
  /** What earlier cycles have spent. */
  readonly history?: HistoryState | undefined;
}

type LimitRule = (pod: Pod) => LimitHit | undefined;

/**
 * What evictions may use up of the policy's limits: those of the Go descheduler in one cycle, shared by all profiles, and
 * those that it lacks: per owner, per time window, a pause of an owner after an eviction, a pause of blocked pods
 * (docs/limits.md). They hold for what the history remembers and what this cycle has counted.
 */
export class CycleLimits {
  readonly #counting: Counting;
  readonly #rules: readonly LimitRule[];

  constructor(limits: EvictionLimits, { snapshot, now, history = EMPTY_HISTORY }: LimitsView) {
    this.#counting = new Counting({ snapshot, history, now: now.getTime() });
    this.#rules = rulesOf(limits, this.#counting);
  }

  /** The first limit that one more eviction would break: of the cycle, of the pod's node, of its namespace, then ours. */
  hit(pod: Pod): LimitHit | undefined {
    for (const rule of this.#rules) {
      const hit = rule(pod);
      if (hit) return hit;
    }
    return undefined;
  }

  /** Counts an eviction, or takes it back. */
  count(pod: Pod, change: 1 | -1): void {
    if (this.#rules.length > 0) this.#counting.add(pod, change);
  }

  /** `Deployment/web`: the owner that limits count the pod under. */
  ownerOf(pod: Pod): string {
    return this.#counting.scopes.owner(pod);
  }
}

function rulesOf(limits: EvictionLimits, counting: Counting): readonly LimitRule[] {
  const { owner, windows = [], cooldown, blockedPods } = limits;
  const widestFirst = windows.toSorted((a, b) => WIDTH[a.per] - WIDTH[b.per]);
  return [
    ...LIMITS.flatMap(({ scope, by }) => {
      const max = limits[scope];
      return max === undefined ? [] : [cycleLimit({ scope, by, max }, counting)];
    }),
    ...(owner ? [ownerLimit(owner, counting)] : []),
    ...widestFirst.map((window) => windowLimit(window, counting)),
    ...(cooldown ? [cooldownLimit(cooldown, counting)] : []),
    ...(blockedPods ? [blockedPodLimit(blockedPods, counting)] : []),
  ];
}

function cycleLimit(limit: (typeof LIMITS)[number] & { readonly max: number }, counting: Counting): LimitRule {
  const { scope, by, max } = limit;
  return (pod) => {
    const ofPod = counting.scopes.of(pod, scope);
    if (ofPod === undefined || counting.booked(scope, ofPod) < max) return undefined;
    return { scope, by, key: limitKey(by, pod), reason: limitReason(by, max, pod) };
  };
}

/** The notice that a refusal by one of the Go descheduler's limits belongs to; undefined if `by` is none of them. */
export function noticeKey(by: string, pod: Pod): string | undefined {
  return LIMITS.some((limit) => limit.by === by) ? limitKey(by, pod) : undefined;
}

function limitKey(by: string, pod: Pod): string {
  const scope = scopeText(by, pod);
  return scope === undefined ? by : `${by} ${scope}`;
}

function scopeText(by: string, pod: Pod): string | undefined {
  if (by === 'maxNoOfPodsToEvictPerNode') return `on node ${pod.nodeName}`;
  if (by === 'maxNoOfPodsToEvictPerNamespace') return `in namespace ${pod.namespace}`;
  return undefined;
}

/** Only the first pod that a limit holds back is reported, so it speaks for the others. */
function limitReason(by: string, limit: number, pod: Pod): string {
  const part = scopeText(by, pod);
  const scope = part === undefined ? 'in this cycle' : `${part} in this cycle`;
  return `is kept because ${by} allows ${limit === 0 ? 'no eviction' : count(limit)} ${scope}; further pods are passed over`;
}

function count(evictions: number): string {
  return evictions === 1 ? '1 eviction' : `${evictions} evictions`;
}
