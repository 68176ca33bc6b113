import type { Pod } from '../../cluster/objects/pod.ts';
import type { Counting } from './counting.ts';
import { groupBy } from '../../lib/group.ts';
import { triedAt } from './history.ts';
import { momentText, ordinal, spanText } from './limit-words.ts';
import { MEMORY_KEYS, type LimitHit } from './limits.ts';
import { lastRow, pauseMs, type Pausing } from './pauses.ts';
import { placeOfOwner, placeText } from './places.ts';

/** An owner is left alone for a while after each eviction, longer each time; so a cycle takes one pod of it at most. */
export function cooldownLimit(pausing: Pausing, counting: Counting): (pod: Pod) => LimitHit | undefined {
  const by = MEMORY_KEYS.cooldown;
  const past = groupBy(counting.history.evictions, ({ namespace, owner }) => placeOfOwner(namespace, owner));
  return (pod) => {
    const place = counting.places.of(pod, 'owner');
    if (place === undefined) return undefined;
    const booked = Array.from({ length: counting.booked('owner', place) }, () => counting.now);
    const earlier = (past.get(place) ?? []).map((one) => ({ since: triedAt(one), at: one.at }));
    const row = lastRow([...earlier, ...booked.map((at) => ({ since: at, at }))], pausing);
    const last = row.at(-1)?.at;
    if (last === undefined) return undefined;
    const pause = pauseMs(pausing, row.length);
    if (counting.now >= last + pause) return undefined;
    const times = row.length === 1 ? '' : `, the ${ordinal(row.length)} in a row`;
    const reason = `stays because ${placeText('owner', place)} lost a pod at ${momentText(last)}${times}, and ${by} leaves it alone for ${spanText(pause)}; the next may go at ${momentText(last + pause)}`;
    return { scope: 'pod', by, key: `${by} ${place}`, reason };
  };
}

/** A pod that its budget has held back is left alone for a while, longer each time. */
export function blockedPodLimit(pausing: Pausing, counting: Counting): (pod: Pod) => LimitHit | undefined {
  const by = MEMORY_KEYS.blockedPods;
  const blocks = new Map(counting.history.blocks.map((block) => [block.uid, block]));
  return (pod) => {
    const block = blocks.get(pod.uid);
    if (!block) return undefined;
    const until = block.at + pauseMs(pausing, block.count);
    if (counting.now >= until) return undefined;
    const times = block.count === 1 ? '' : `, the ${ordinal(block.count)} time in a row`;
    const reason = `stays because a budget held it back at ${momentText(block.at)}${times}, and ${by} leaves it alone for ${spanText(until - block.at)}; it is tried again from ${momentText(until)} on`;
    return { scope: 'pod', by, reason };
  };
}
