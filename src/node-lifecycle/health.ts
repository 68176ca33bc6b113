import type { Lease } from '../cluster/kinds.ts';
import type { Node } from '../cluster/node.ts';
import type { PostedCondition } from '../cluster/posting.ts';
import { monotonicTime, type Moment } from '../lib/clock.ts';
import { silenceConditions } from './silence.ts';

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
  /** A node made again under the same name starts afresh (deviation 16). */
  readonly uid: string;
  /** When a sign of life was last noticed, in ms of the monotonic clock. */
  readonly probeAt: number;
  readonly seen: ReadySeen;
  /** `renewTime` of the Lease when it was last looked at, as the kubelet wrote it; undefined while there was none. */
  readonly renewedAt: number | undefined;
  /** What the node said when we posted that it is silent: as long as it says the same, our posting is not visible yet. */
  readonly condemned: ReadySeen | undefined;
}

/** One look at one node. */
export interface Look {
  /** Undefined for a node that was never looked at, or only under another UID. */
  readonly previous: HealthRecord | undefined;
  readonly node: Node;
  readonly lease: Lease | undefined;
  readonly moment: Moment;
  /** When all nodes were looked at before and this one was not there yet, in ms of the monotonic clock. */
  readonly absentAt: number | undefined;
  readonly graceMs: { readonly monitor: number; readonly startup: number };
}

/** What a look has shown. */
export interface Judgement {
  /** To remember if nothing is posted, or until the posting has succeeded (see `afterPosting`). */
  readonly record: HealthRecord;
  /** Before this look: the Ready condition as the cache has it, or as we have posted it. */
  readonly observed: Readiness;
  /** After it: differs only if `post` is set. */
  readonly current: Readiness;
  /** Conditions to write to the node's status; undefined where there is nothing to write. */
  readonly post: readonly PostedCondition[] | undefined;
}

/**
 * Judges a node by what has changed since the last look (node-lifecycle.md 1.3): a new heartbeat or a renewed Lease is a
 * sign of life, silence longer than the grace period makes its conditions Unknown.
 */
export function judge(look: Look): Judgement {
  const { node, moment, graceMs } = look;
  const present = readySeen(node);
  const record = afterLease(afterStatus(look, present), look);
  if (record.condemned !== undefined && isSame(record.condemned, present)) {
    return { record, observed: 'Unknown', current: 'Unknown', post: undefined };
  }
  const settled = record.condemned === undefined ? record : { ...record, condemned: undefined };
  const grace = present.status === 'absent' ? graceMs.startup : graceMs.monitor;
  const isSilent = moment.now > settled.probeAt + grace && present.status !== 'Unknown';
  if (!isSilent) return { record: settled, observed: present.status, current: present.status, post: undefined };
  return { record: settled, observed: present.status, current: 'Unknown', post: silenceConditions(node, moment.wall) };
}

/**
 * The record after a look at a node that is ready and the same as in the last look, so that only its Lease can have changed;
 * undefined if it has been silent for too long: then `judge` it.
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
export function afterPosting({ record }: Judgement): HealthRecord {
  return { ...record, condemned: record.seen };
}

/** The record with a sign of life that was found outside of the cache, by a live read of the Lease (deviation 18). */
export function afterLiveLease(record: HealthRecord, lease: Lease, now: number): HealthRecord {
  return { ...record, probeAt: now, renewedAt: lease.renewedAt };
}

/** Whether the Lease shows life that the record does not know of. */
export function isRenewed(record: HealthRecord, lease: Lease): boolean {
  return lease.renewedAt !== undefined && lease.renewedAt !== record.renewedAt;
}

/** Whether the node still says what it said when we posted that it is silent, so that it counts as Unknown. */
export function isOwnPosting({ condemned }: HealthRecord, node: Node): boolean {
  return condemned !== undefined && isSame(condemned, readySeen(node));
}

/** A full new grace period, given to every node when a phase ends in which nobody could be judged. */
export function withFreshGrace(record: HealthRecord, now: number): HealthRecord {
  return { ...record, probeAt: now };
}

/** The record with `ms` more of time that does not count as silence, since nobody looked. */
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

/** Steps 1 to 3: the memory after a look at the status. */
function afterStatus(look: Look, present: ReadySeen): HealthRecord {
  const { previous, node, moment } = look;
  const { now } = moment;
  if (previous?.uid !== node.uid) {
    const probeAt = present.status === 'absent' ? madeAt(look) : now;
    return { uid: node.uid, probeAt, seen: present, renewedAt: undefined, condemned: undefined };
  }
  const { seen } = previous;
  if (isSame(seen, present)) return previous;
  const isPosted = previous.condemned !== undefined && present.status === 'Unknown';
  if (seen.status === 'absent' && !isPosted) {
    return { ...previous, seen: present, probeAt: now };
  }
  if (present.status === 'absent' || seen.heartbeatAt === present.heartbeatAt) return { ...previous, seen: present };
  return { ...previous, seen: present, probeAt: now };
}

/** A node that never reported has been silent since it was made; that was not before a look in which it was not there. */
function madeAt({ node, moment, absentAt }: Look): number {
  const { now } = moment;
  const createdAt = node.createdAt === undefined ? now : monotonicTime(node.createdAt, moment);
  return Math.min(now, Math.max(createdAt, absentAt ?? -Infinity));
}

/**
 * Step 4. Differs from the reference: any change of `renewTime` is life, not only a later one. A kubelet whose clock was
 * once far ahead would else be taken for silent until that time has come.
 */
function afterLease(record: HealthRecord, { lease, moment }: Look): HealthRecord {
  if (!lease || !isRenewed(record, lease)) return record;
  return { ...record, renewedAt: lease.renewedAt, probeAt: moment.now };
}

function isSame(a: ReadySeen, b: ReadySeen): boolean {
  return a.status === b.status && a.heartbeatAt === b.heartbeatAt && a.transitionAt === b.transitionAt;
}
