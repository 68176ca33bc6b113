import type { Pod } from '../../cluster/objects/pod.ts';
import type { Counting } from './counting.ts';
import { momentText, podsText, shareText, spanText } from './limit-words.ts';
import { MEMORY_KEYS, type EvictionWindow, type LimitHit, type Per } from './limits.ts';
import { placeText, type Place } from './places.ts';
import { podsOf, type Share } from './share.ts';

/** What a limit allows the place of one pod. */
interface Allowance {
  readonly place: Place;
  readonly allowed: number;
  /** The place in words, and what a percentage means there. */
  readonly text: string;
  readonly ofShare: string;
}

/** At most so many evictions of one owner in one cycle. */
export function ownerLimit(share: Share, counting: Counting): (pod: Pod) => LimitHit | undefined {
  const by = 'maxNoOfPodsToEvictPerOwner';
  return (pod) => {
    const allowance = allowanceOf(pod, { per: 'owner', share, counting });
    if (!allowance || counting.booked('owner', allowance.place) < allowance.allowed) return undefined;
    const { place, text, ofShare } = allowance;
    const reason = `stays because ${by} allows ${evictionsText(allowance.allowed)} of ${text} in this cycle${ofShare}; further pods are passed over`;
    return { scope: 'pod', by, key: `${by} ${place}`, reason };
  };
}

/**
 * At most so many evictions in any span of the window's length. An eviction has left the window once it is as old as the
 * window is long. This cycle's evictions count as of its start, which is never too late.
 */
export function windowLimit(window: EvictionWindow, counting: Counting): (pod: Pod) => LimitHit | undefined {
  const { per, max: share, windowMs } = window;
  const by = MEMORY_KEYS.windows;
  const past = counting.past(per, counting.now - windowMs);
  return (pod) => {
    const allowance = allowanceOf(pod, { per, share, counting });
    if (!allowance) return undefined;
    const { place, allowed } = allowance;
    const moments = past.get(place) ?? [];
    const used = moments.length + counting.booked(per, place);
    if (used < allowed) return undefined;
    const freed = allowed === 0 ? undefined : (moments[used - allowed] ?? counting.now) + windowMs;
    const reason = windowReason(allowance, { used, freed, span: spanText(windowMs) });
    return { scope: per === 'owner' ? 'pod' : per, by, key: `${by} ${per} ${windowMs} ${place}`, reason };
  };
}

interface Asked {
  readonly per: Per;
  readonly share: Share;
  readonly counting: Counting;
}

function allowanceOf(pod: Pod, { per, share, counting }: Asked): Allowance | undefined {
  const place = counting.places.of(pod, per);
  if (place === undefined) return undefined;
  const size = () => counting.places.size(per, place);
  const ofShare = 'percent' in share ? shareText(share, size()) : '';
  return { place, allowed: podsOf(share, size), text: placeText(per, place), ofShare };
}

interface WindowUse {
  readonly used: number;
  /** When the next may go; undefined is never. */
  readonly freed: number | undefined;
  readonly span: string;
}

function windowReason({ allowed, text, ofShare }: Allowance, { used, freed, span }: WindowUse): string {
  const by = MEMORY_KEYS.windows;
  if (freed === undefined) return `stays because ${by} allows ${text} no eviction within ${span}${ofShare}`;
  const limit = used === allowed ? `as many as ${by} allows` : `and ${by} allows ${allowed}`;
  return `stays because ${text} lost ${podsText(used)} within ${span}, ${limit}${ofShare}; the next may go at ${momentText(freed)}`;
}

function evictionsText(evictions: number): string {
  if (evictions === 0) return 'no eviction';
  return evictions === 1 ? '1 eviction' : `${evictions} evictions`;
}
