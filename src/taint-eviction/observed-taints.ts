import type { Taint } from '../cluster/objects/terms.ts';
import { parseTime } from '../cluster/decode/decode-time.ts';
import type { Node } from '../cluster/objects/node.ts';
import { monotonicTime, type Moment } from '../lib/clock.ts';

/** A NoExecute taint of a node, and since when it counts. Times in ms of the monotonic clock. */
export interface ObservedTaint {
  readonly taint: Taint;
  /** When it was added; our first sight of it where `timeAdded` is missing, cannot be read or cannot be right. */
  readonly addedAt: number;
  /** Whether `addedAt` is what the taint says. */
  readonly isDated: boolean;
  /** When we first saw it on this node. */
  readonly seenAt: number;
}

/** A node as it was when we last considered it. */
export interface ObservedNode {
  readonly uid: string;
  /** When that was, in ms of the monotonic clock. */
  readonly at: number;
  readonly taints: readonly ObservedTaint[];
}

/**
 * A watch tells of a change within this time, which also covers that `timeAdded` has whole seconds. Who dates something that we
 * have just seen come about further back, or dates anything further ahead, has another clock than we.
 */
export const TOLD_WITHIN_MS = 2_000;

/** Keys of the two taints that say that a node is not ready: one is exchanged for the other as its condition changes. */
export const READINESS_KEYS: ReadonlySet<string> = new Set([
  'node.kubernetes.io/not-ready',
  'node.kubernetes.io/unreachable',
]);

/**
 * Looks at a node's NoExecute taints, with the last look at the same node if there was one. A taint is its key, effect and
 * `timeAdded`: one that was there keeps its start, one with another `timeAdded` is another taint. What is new since the last
 * look starts no earlier than that look, whatever the clock of its writer says; at the first look `timeAdded` is believed.
 * A readiness taint that is new takes over the start of the one that it is exchanged for.
 */
export function observeNode(before: ObservedNode | undefined, node: Node, moment: Moment): ObservedNode {
  const last = before?.uid === node.uid ? before : undefined;
  const present = node.taints.filter(({ effect }) => effect === 'NoExecute');
  const known = present.map((taint) => knownTaint(taint, last, moment));
  const each = present.map((taint, index) => known[index] ?? newTaint(taint, last, moment));
  const taints = each.map((it, index) => known[index] ?? withExchangedStart(it, each, last?.taints ?? []));
  return { uid: node.uid, at: moment.now, taints };
}

/** Whether both looks show the same taints with the same starts, so that nothing has to be judged again. */
export function areSameTaints(before: readonly ObservedTaint[], after: readonly ObservedTaint[]): boolean {
  return (
    before.length === after.length &&
    before.every(({ taint, addedAt, seenAt }, index) => {
      const other = after[index];
      return (
        other?.taint.key === taint.key &&
        other.taint.value === taint.value &&
        other.taint.timeAdded === taint.timeAdded &&
        other.addedAt === addedAt &&
        other.seenAt === seenAt
      );
    })
  );
}

/** The taint as it was in the last look. One that had no time then is the same, unless its time lies after we had seen it. */
function knownTaint(taint: Taint, last: ObservedNode | undefined, moment: Moment): ObservedTaint | undefined {
  const known = last?.taints.find((it) => it.taint.key === taint.key);
  if (!known) return undefined;
  const written = writtenTime(taint);
  const before = writtenTime(known.taint);
  if (before === written) return { ...known, taint };
  if (before !== undefined || written === undefined) return undefined;
  const isTold = monotonicTime(written, moment) <= known.seenAt + TOLD_WITHIN_MS;
  return isTold ? { ...known, taint, isDated: true } : undefined;
}

function newTaint(taint: Taint, last: ObservedNode | undefined, moment: Moment): ObservedTaint {
  const { now } = moment;
  const written = writtenTime(taint);
  const saidAt = written === undefined ? Infinity : monotonicTime(written, moment);
  const earliest = last ? Math.max(last.at, now - TOLD_WITHIN_MS) : -Infinity;
  const isDated = saidAt >= earliest && saidAt <= now + TOLD_WITHIN_MS;
  return { taint, addedAt: isDated ? Math.min(saidAt, now) : now, isDated, seenAt: now };
}

function writtenTime({ timeAdded }: Taint): number | undefined {
  return timeAdded === undefined ? undefined : parseTime(timeAdded);
}

/** An exchange shows the other taint beside the new one, or in the last look, in which the new one was not there. */
function withExchangedStart(
  it: ObservedTaint,
  present: readonly ObservedTaint[],
  before: readonly ObservedTaint[],
): ObservedTaint {
  const { key } = it.taint;
  if (!READINESS_KEYS.has(key)) return it;
  const isOther = ({ taint }: ObservedTaint) => READINESS_KEYS.has(taint.key) && taint.key !== key;
  const wasThere = before.some(({ taint }) => taint.key === key);
  const others = [...present.filter(isOther), ...(wasThere ? [] : before.filter(isOther))];
  const oldest = others.reduce((a, b) => (b.addedAt < a.addedAt ? b : a), it);
  return { ...it, addedAt: oldest.addedAt, isDated: oldest.isDated, seenAt: Math.min(it.seenAt, oldest.seenAt) };
}
