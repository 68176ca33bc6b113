import type { Lease } from '../cluster/objects/kinds.ts';
import type { Node } from '../cluster/objects/node.ts';
import type { ConditionUpdate } from '../cluster/updates.ts';
import { monotonicTime, type Moment } from '../lib/clock.ts';
import { unknownConditions } from './unknown-conditions.ts';

/** A node's Ready condition; one that is missing, or that says none of these words, is `absent`. */
export type Readiness = 'True' | 'False' | 'Unknown' | 'absent';

/** The Ready condition as it was seen: only whether it changes matters, its times are never compared with our clock. */
export interface ReadySeen {
  readonly status: Readiness;
  readonly heartbeatAt: number | undefined;
  readonly transitionAt: number | undefined;
}

/** What is remembered of one node between two looks. */
export interface HealthRecord {
  /** A node made again under the same name starts afresh. */
  readonly uid: string;
  /** When a sign of life was last noticed, in ms of the monotonic clock. */
  readonly probeAt: number;
  readonly seen: ReadySeen;
  /** `renewTime` of the Lease when it was last considered, as the kubelet wrote it; undefined while there was none. */
  readonly renewedAt: number | undefined;
  /** What the node said when we marked it Unknown: as long as it says the same, our write is not visible yet. */
  readonly seenWhenMarked: ReadySeen | undefined;
}

/** One look at one node. */
export interface Look {
  /** Undefined for a node that was never considered, or only under another UID. */
  readonly previous: HealthRecord | undefined;
  readonly node: Node;
  readonly lease: Lease | undefined;
  readonly moment: Moment;
  /** When all nodes were considered before and this one was not there yet, in ms of the monotonic clock. */
  readonly absentAt: number | undefined;
  readonly graceMs: { readonly monitor: number; readonly startup: number };
}

/** What a look has shown. */
export interface Judgement {
  /** To remember if nothing is posted, or until the posting has succeeded (see `afterMarking`). */
  readonly record: HealthRecord;
  /** Before this look: the Ready condition as the cache has it, or as we have posted it. */
  readonly observed: Readiness;
  /** After it: differs only if `updates` is set. */
  readonly current: Readiness;
  /** Conditions to write to the node's status; undefined where there is nothing to write. */
  readonly updates: readonly ConditionUpdate[] | undefined;
}

/**
 * Judges a node by what has changed since the last look: a new heartbeat or a renewed Lease is a sign of life; without one for
 * longer than the grace period its conditions become Unknown
 * (https://kubernetes.io/docs/concepts/architecture/nodes/#node-heartbeats). What kubelets write is never compared with our clock.
 */
export function judge(look: Look): Judgement {
  const { node, moment, graceMs } = look;
  const present = readySeen(node);
  const record = afterLease(afterStatus(look, present), look);
  if (record.seenWhenMarked !== undefined && isSame(record.seenWhenMarked, present)) {
    return { record, observed: 'Unknown', current: 'Unknown', updates: undefined };
  }
  const settled = record.seenWhenMarked === undefined ? record : { ...record, seenWhenMarked: undefined };
  const grace = present.status === 'absent' ? graceMs.startup : graceMs.monitor;
  const isUnresponsive = moment.now > settled.probeAt + grace && present.status !== 'Unknown';
  if (!isUnresponsive)
    return { record: settled, observed: present.status, current: present.status, updates: undefined };
  return {
    record: settled,
    observed: present.status,
    current: 'Unknown',
    updates: unknownConditions(node, moment.wall),
  };
}

/**
 * The record after a look at a node that is ready and the same as in the last look, so that only its Lease can have changed;
 * undefined if it has not responded for too long: then `judge` it.
 */
export function lookAgain(
  record: HealthRecord,
  lease: Lease | undefined,
  { now, graceMs }: { readonly now: number; readonly graceMs: Look['graceMs'] },
): HealthRecord | undefined {
  if (lease && isRenewed(record, lease)) return { ...record, renewedAt: lease.renewedAt, probeAt: now };
  return now > record.probeAt + graceMs.monitor ? undefined : record;
}

/** The record once the conditions of a judgement have been written. */
export function afterMarking({ record }: Judgement): HealthRecord {
  return { ...record, seenWhenMarked: record.seen };
}

/** The record with a sign of life that was found outside of the cache, by a live read of the Lease. */
export function afterLiveLease(record: HealthRecord, lease: Lease, now: number): HealthRecord {
  return { ...record, probeAt: now, renewedAt: lease.renewedAt };
}

/** Whether the Lease shows life that the record does not know of. */
export function isRenewed(record: HealthRecord, lease: Lease): boolean {
  return lease.renewedAt !== undefined && lease.renewedAt !== record.renewedAt;
}

/** Whether the node still says what it said when we marked it, so that it counts as Unknown. */
export function isMarkedUnknown({ seenWhenMarked }: HealthRecord, node: Node): boolean {
  return seenWhenMarked !== undefined && isSame(seenWhenMarked, readySeen(node));
}

/** A full new grace period, given to every node when a phase ends in which nobody could be judged. */
export function withFreshGrace(record: HealthRecord, now: number): HealthRecord {
  return { ...record, probeAt: now };
}

/** The record with `ms` more of time that does not count, since nobody looked. */
export function withoutGap(record: HealthRecord, ms: number): HealthRecord {
  return { ...record, probeAt: record.probeAt + ms };
}

/** The node's Ready condition as a look sees it. */
export function readySeen(node: Node): ReadySeen {
  const ready = node.conditions.find(({ type }) => type === 'Ready');
  if (ready?.status !== 'True' && ready?.status !== 'False' && ready?.status !== 'Unknown') return ABSENT;
  return { status: ready.status, heartbeatAt: ready.heartbeatAt, transitionAt: ready.transitionAt };
}

const ABSENT: ReadySeen = { status: 'absent', heartbeatAt: undefined, transitionAt: undefined };

/** The record after a look at the status. */
function afterStatus(look: Look, present: ReadySeen): HealthRecord {
  const { previous, node, moment } = look;
  const { now } = moment;
  if (previous?.uid !== node.uid) {
    const probeAt = present.status === 'absent' ? madeAt(look) : now;
    return { uid: node.uid, probeAt, seen: present, renewedAt: undefined, seenWhenMarked: undefined };
  }
  const { seen } = previous;
  if (isSame(seen, present)) return previous;
  const isMarked = previous.seenWhenMarked !== undefined && present.status === 'Unknown';
  if (seen.status === 'absent' && !isMarked) {
    return { ...previous, seen: present, probeAt: now };
  }
  if (present.status === 'absent' || seen.heartbeatAt === present.heartbeatAt) return { ...previous, seen: present };
  return { ...previous, seen: present, probeAt: now };
}

/** A node that never reported has not responded since it was made; that was not before a look in which it was not there. */
function madeAt({ node, moment, absentAt }: Look): number {
  const { now } = moment;
  const createdAt = node.createdAt === undefined ? now : monotonicTime(node.createdAt, moment);
  return Math.min(now, Math.max(createdAt, absentAt ?? -Infinity));
}

/**
 * Differs from the reference: any change of `renewTime` is life, not only a later one. A kubelet whose clock was once far ahead
 * would else be taken for dead until that time has come.
 */
function afterLease(record: HealthRecord, { lease, moment }: Look): HealthRecord {
  if (!lease || !isRenewed(record, lease)) return record;
  return { ...record, renewedAt: lease.renewedAt, probeAt: moment.now };
}

function isSame(a: ReadySeen, b: ReadySeen): boolean {
  return a.status === b.status && a.heartbeatAt === b.heartbeatAt && a.transitionAt === b.transitionAt;
}
