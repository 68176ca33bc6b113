import type { Pod } from '../../cluster/objects/pod.ts';
import type { Counting } from './counting.ts';
import { groupBy } from '../../lib/group.ts';
import { triedAt } from './history.ts';
import { momentText, ordinal, spanText } from './limit-words.ts';
import { MEMORY_KEYS, type LimitHit } from './limits.ts';
import { lastStreak, pauseMs, type Backoff } from './backoff.ts';
import { ownerScope, scopeText } from './limit-scope.ts';

/** An owner is left alone for a while after each eviction, longer each time; so a cycle takes one pod of it at most. */
export function cooldownLimit(backoff: Backoff, counting: Counting): (pod: Pod) => LimitHit | undefined {
  const by = MEMORY_KEYS.cooldown;
  const past = groupBy(counting.history.evictions, ({ namespace, owner }) => ownerScope(namespace, owner));
  return (pod) => {
    const scope = counting.scopes.of(pod, 'owner');
    if (scope === undefined) return undefined;
    const booked = Array.from({ length: counting.booked('owner', scope) }, () => counting.now);
    const earlier = (past.get(scope) ?? []).map((one) => ({ since: triedAt(one), at: one.at }));
    const streak = lastStreak([...earlier, ...booked.map((at) => ({ since: at, at }))], backoff);
    const last = streak.at(-1)?.at;
    if (last === undefined) return undefined;
    const pause = pauseMs(backoff, streak.length);
    if (counting.now >= last + pause) return undefined;
    const times = streak.length === 1 ? '' : `, the ${ordinal(streak.length)} in a row`;
    const reason = `is kept because ${scopeText('owner', scope)} lost a pod at ${momentText(last)}${times}, and ${by} leaves it alone for ${spanText(pause)}; the next can be evicted at ${momentText(last + pause)}`;
    return { scope: 'pod', by, key: `${by} ${scope}`, reason };
  };
}

/** A pod that its budget has held back is left alone for a while, longer each time. */
export function blockedPodLimit(backoff: Backoff, counting: Counting): (pod: Pod) => LimitHit | undefined {
  const by = MEMORY_KEYS.blockedPods;
  const blocks = new Map(counting.history.blocks.map((block) => [block.uid, block]));
  return (pod) => {
    const block = blocks.get(pod.uid);
    if (!block) return undefined;
    const until = block.at + pauseMs(backoff, block.count);
    if (counting.now >= until) return undefined;
    const times = block.count === 1 ? '' : `, the ${ordinal(block.count)} time in a row`;
    const reason = `is kept because a PodDisruptionBudget held it back at ${momentText(block.at)}${times}, and ${by} leaves it alone for ${spanText(until - block.at)}; it is tried again from ${momentText(until)} on`;
    return { scope: 'pod', by, reason };
  };
}
