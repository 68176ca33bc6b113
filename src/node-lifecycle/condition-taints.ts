import type { Taint } from '../cluster/objects/terms.ts';
import type { Node } from '../cluster/objects/node.ts';
import { parseTime } from '../cluster/decode/decode-time.ts';
import { apiTime } from '../cluster/updates.ts';

/** Ready is False: the kubelet is alive and unhappy. */
export const NOT_READY = 'node.kubernetes.io/not-ready';
/** Ready is Unknown: nobody has heard from the kubelet. */
export const UNREACHABLE = 'node.kubernetes.io/unreachable';

/**
 * What a node's readiness taints are to become: one of the two, none of them, or as they are (while it waits for its turn).
 */
export type DesiredNoExecute = typeof NOT_READY | typeof UNREACHABLE | 'none' | 'keep';

const BY_CONDITION: readonly (readonly [type: string, status: string, key: string])[] = [
  ['Ready', 'False', NOT_READY],
  ['Ready', 'Unknown', UNREACHABLE],
  ['MemoryPressure', 'True', 'node.kubernetes.io/memory-pressure'],
  ['DiskPressure', 'True', 'node.kubernetes.io/disk-pressure'],
  ['PIDPressure', 'True', 'node.kubernetes.io/pid-pressure'],
  ['NetworkUnavailable', 'True', 'node.kubernetes.io/network-unavailable'],
];
const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';
const OWN_KEYS: ReadonlySet<string> = new Set([...BY_CONDITION.map(([, , key]) => key), UNSCHEDULABLE]);

/** Keys of the NoSchedule taints that the node's conditions and `spec.unschedulable` call for (https://kubernetes.io/docs/reference/labels-annotations-taints/). */
export function conditionKeys(node: Node): readonly string[] {
  const keys = BY_CONDITION.filter(([type, status]) => {
    const condition = node.conditions.find((it) => it.type === type);
    return condition?.status === status;
  }).map(([, , key]) => key);
  return node.unschedulable ? [...keys, UNSCHEDULABLE] : keys;
}

/**
 * The whole list of taints that the node should have, or undefined if it has it: its NoSchedule taints after its
 * conditions, its readiness taints as `desired`. Foreign taints, and ours that stay, are the
 * same objects in the same order, so that their `timeAdded` survives byte for byte.
 *
 * Differs from the reference: one list, hence one patch, where it adds and removes in two; so there is no moment without a
 * taint that would cancel every timer, and none with both.
 */
export function desiredTaints(node: Node, desired: DesiredNoExecute, wall: number): readonly Taint[] | undefined {
  const keys = conditionKeys(node);
  const stay = node.taints.filter((taint) => {
    if (taint.effect === 'NoSchedule') return !OWN_KEYS.has(taint.key) || keys.includes(taint.key);
    return !isReadinessTaint(taint) || desired === 'keep' || taint.key === desired;
  });
  const isMissing = (key: string, effect: string) => !stay.some((it) => it.key === key && it.effect === effect);
  const added: Taint[] = keys
    .filter((key) => isMissing(key, 'NoSchedule'))
    .map((key) => ({ key, value: '', effect: 'NoSchedule', timeAdded: apiTime(wall) }));
  if (desired !== 'none' && desired !== 'keep' && isMissing(desired, 'NoExecute')) {
    added.push({ key: desired, value: '', effect: 'NoExecute', timeAdded: earlierStart(node) ?? apiTime(wall) });
  }
  return added.length === 0 && stay.length === node.taints.length ? undefined : [...stay, ...added];
}

/** Whether it is one of the two NoExecute taints that say that a node is not ready. */
export function isReadinessTaint({ key, effect }: Taint): boolean {
  return effect === 'NoExecute' && (key === NOT_READY || key === UNREACHABLE);
}

/** Whether the node carries that NoExecute taint. */
export function hasNoExecute(node: Node, key: string): boolean {
  return node.taints.some((taint) => taint.effect === 'NoExecute' && taint.key === key);
}

/**
 * When one of the two is exchanged for the other, its time goes along: the timers of the pods have one start, after a restart,
 * too.
 */
function earlierStart(node: Node): string | undefined {
  const times = node.taints.filter(isReadinessTaint).flatMap(({ timeAdded }) => {
    const at = timeAdded === undefined ? undefined : parseTime(timeAdded);
    return timeAdded === undefined || at === undefined ? [] : [{ timeAdded, at }];
  });
  return times.toSorted((a, b) => a.at - b.at)[0]?.timeAdded;
}
