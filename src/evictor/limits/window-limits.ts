import type { Pod } from '../../cluster/objects/pod.ts';
import type { Counting } from './counting.ts';
import { momentText, podsText, intOrPercentText, spanText } from './limit-words.ts';
import { MEMORY_KEYS, type EvictionWindow, type LimitHit, type Per } from './limits.ts';
import { scopeText, type LimitScope } from './limit-scope.ts';
import { podsOf, type IntOrPercent } from './int-or-percent.ts';

/** What a limit allows the place of one pod. */
interface Allowance {
  readonly scope: LimitScope;
  readonly allowed: number;
  /** The place in words, and what a percentage means there. */
  readonly text: string;
  readonly ofIntOrPercent: string;
}

/** At most so many evictions of one owner in one cycle. */
export function ownerLimit(intOrPercent: IntOrPercent, counting: Counting): (pod: Pod) => LimitHit | undefined {
  const by = 'maxNoOfPodsToEvictPerOwner';
  return (pod) => {
    const allowance = allowanceOf(pod, { per: 'owner', intOrPercent, counting });
    if (!allowance || counting.booked('owner', allowance.scope) < allowance.allowed) return undefined;
    const { scope, text, ofIntOrPercent } = allowance;
    const reason = `is kept because ${by} allows ${evictionsText(allowance.allowed)} of ${text} in this cycle${ofIntOrPercent}; further pods are passed over`;
    return { scope: 'pod', by, key: `${by} ${scope}`, reason };
  };
}

/**
 * At most so many evictions in any span of the window's length. An eviction has left the window once it is as old as the
 * window is long. This cycle's evictions count as of its start, which is never too late.
 */
export function windowLimit(window: EvictionWindow, counting: Counting): (pod: Pod) => LimitHit | undefined {
  const { per, max: intOrPercent, windowMs } = window;
  const by = MEMORY_KEYS.windows;
  const past = counting.past(per, counting.now - windowMs);
  return (pod) => {
    const allowance = allowanceOf(pod, { per, intOrPercent, counting });
    if (!allowance) return undefined;
    const { scope, allowed } = allowance;
    const moments = past.get(scope) ?? [];
    const used = moments.length + counting.booked(per, scope);
    if (used < allowed) return undefined;
    const freed = allowed === 0 ? undefined : (moments[used - allowed] ?? counting.now) + windowMs;
    const reason = windowReason(allowance, { used, freed, span: spanText(windowMs) });
    return { scope: per === 'owner' ? 'pod' : per, by, key: `${by} ${per} ${windowMs} ${scope}`, reason };
  };
}

interface Asked {
  readonly per: Per;
  readonly intOrPercent: IntOrPercent;
  readonly counting: Counting;
}

function allowanceOf(pod: Pod, { per, intOrPercent, counting }: Asked): Allowance | undefined {
  const scope = counting.scopes.of(pod, per);
  if (scope === undefined) return undefined;
  const size = () => counting.scopes.size(per, scope);
  const ofIntOrPercent = 'percent' in intOrPercent ? intOrPercentText(intOrPercent, size()) : '';
  return { scope, allowed: podsOf(intOrPercent, size), text: scopeText(per, scope), ofIntOrPercent };
}

interface WindowUse {
  readonly used: number;
  /** When the next may go; undefined is never. */
  readonly freed: number | undefined;
  readonly span: string;
}

function windowReason({ allowed, text, ofIntOrPercent }: Allowance, { used, freed, span }: WindowUse): string {
  const by = MEMORY_KEYS.windows;
  if (freed === undefined) return `is kept because ${by} allows ${text} no eviction within ${span}${ofIntOrPercent}`;
  const limit = used === allowed ? `as many as ${by} allows` : `and ${by} allows ${allowed}`;
  return `is kept because ${text} lost ${podsText(used)} within ${span}, ${limit}${ofIntOrPercent}; the next can be evicted at ${momentText(freed)}`;
}

function evictionsText(evictions: number): string {
  if (evictions === 0) return 'no eviction';
  return evictions === 1 ? '1 eviction' : `${evictions} evictions`;
}
