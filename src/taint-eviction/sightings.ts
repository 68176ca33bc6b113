import { parseTime } from '../cluster/decode-time.ts';
import type { Node } from '../cluster/node.ts';
import type { Taint } from '../cluster/taints.ts';

/** A NoExecute taint of a node, and since when it counts. Times in ms since the epoch. */
export interface SightedTaint {
  readonly taint: Taint;
  /** Its `timeAdded`; undefined where it has none that can be read. */
  readonly addedAt: number | undefined;
  /** When we first saw it on this node. */
  readonly seenAt: number;
}

/** The two that say that a node is not ready: one is exchanged for the other as its condition changes. */
const READINESS: ReadonlySet<string> = new Set(['node.kubernetes.io/not-ready', 'node.kubernetes.io/unreachable']);

/**
 * A node's NoExecute taints with their starts, from those of the last look. A taint that was there keeps its first sight;
 * of the two readiness taints the newer takes over the start of the older (node-lifecycle.md 4.5.2).
 */
export function sightTaints(before: readonly SightedTaint[], node: Node, now: number): readonly SightedTaint[] {
  const taints = node.taints.filter(({ effect }) => effect === 'NoExecute');
  const fresh = taints.map((taint) => {
    const known = before.find((it) => it.taint.key === taint.key);
    return { taint, addedAt: addedAt(taint), seenAt: known?.seenAt ?? now };
  });
  const family = [...before, ...fresh].filter(({ taint }) => READINESS.has(taint.key));
  const start = { addedAt: earliest(family.map((it) => it.addedAt)), seenAt: earliest(family.map((it) => it.seenAt)) };
  return fresh.map((it) =>
    READINESS.has(it.taint.key) ? { ...it, addedAt: start.addedAt, seenAt: start.seenAt ?? it.seenAt } : it,
  );
}

/** Whether both looks show the same taints, so that nothing has to be judged again. */
export function areSame(before: readonly SightedTaint[], after: readonly SightedTaint[]): boolean {
  return (
    before.length === after.length &&
    before.every((it, index) => {
      const other = after[index];
      return other !== undefined && it.addedAt === other.addedAt && isEqual(it.taint, other.taint);
    })
  );
}

function isEqual(a: Taint, b: Taint): boolean {
  return a.key === b.key && a.value === b.value && a.timeAdded === b.timeAdded;
}

function addedAt({ timeAdded }: Taint): number | undefined {
  return timeAdded === undefined ? undefined : parseTime(timeAdded);
}

function earliest(times: readonly (number | undefined)[]): number | undefined {
  const known = times.filter((time) => time !== undefined);
  return known.length === 0 ? undefined : Math.min(...known);
}
