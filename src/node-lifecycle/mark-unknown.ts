import type { Lease } from '../cluster/objects/kinds.ts';
import type { Node } from '../cluster/objects/node.ts';
import type { Versioned } from '../cluster/store.ts';
import type { Answer } from '../lib/answer.ts';
import type { Clock } from '../lib/clock.ts';
import { eachInParallel } from '../lib/parallel.ts';
import type { ObserveLifecycle } from '../outcomes/lifecycle.ts';
import { afterLiveLease, afterMarking, isRenewed, judge, type Judgement, type Look } from './health.ts';
import type { NodeLifecyclePorts } from './ports.ts';

/** A node that has not responded for longer than its grace period. */
export interface Unresponsive {
  readonly look: Look;
  readonly resourceVersion: string;
  readonly judgement: Judgement;
}

/**
 * What became of an unresponsive node: judged anew (`updates` is undefined once it is written), or passed over in this pass, because
 * it is gone or could not be asked or written to.
 */
export type Marked =
  | {
      readonly judgement: Judgement;
      /** The node as our write has left it. */
      readonly written?: Versioned<Node>;
    }
  | 'skipped';

/** What marking nodes needs. */
export interface MarkUnknownParts {
  readonly ports: Pick<NodeLifecyclePorts, 'getLease' | 'getNode' | 'patchNodeStatus'>;
  readonly clock: Clock;
  readonly observe: ObserveLifecycle;
  /** Whether nothing may be written any more. */
  readonly isStopped: () => boolean;
  /** In how many passes up to now the API server could not be reached, in a row. */
  readonly unreachablePasses: number;
}

/** What became of the unresponsive nodes of a pass. */
export interface Verdict {
  readonly byName: ReadonlyMap<string, Marked>;
  /** The API server could not be reached. */
  readonly isServerUnreachable: boolean;
}

/** Nodes that are written to at the same time; as many as the reference has workers. */
const WORKERS = 8;
const MOST_TRIES = 5;

/**
 * Marks nodes Unknown that do not respond. First each one's Lease is read live: one that was renewed shows that our cache is
 * behind, and then no node is marked in this pass.
 *
 * Differs from the reference: it reads one Lease, ours one for each node, in a pass that marks any. The first may belong
 * to a node that is really dead, and says nothing about the others then. And while the API server cannot be asked, kubelets
 * cannot renew either: in the first pass in which it can be asked again no node is marked, and all grace periods begin afresh.
 */
export async function markUnknown(unresponsive: readonly Unresponsive[], parts: MarkUnknownParts): Promise<Verdict> {
  const leases = new Map<string, Answer<Lease>>();
  const readLease = async ({ look: { node } }: Unresponsive) => {
    if (!leases.has(node.name)) leases.set(node.name, await parts.ports.getLease(node.name));
  };
  if (await isStillUnreachable(unresponsive, parts, { leases, readLease })) {
    return { byName: new Map(unresponsive.map(({ look }) => [look.node.name, 'skipped'])), isServerUnreachable: true };
  }
  await eachInParallel(unresponsive, WORKERS, readLease);
  const isServerUnreachable = [...leases.values()].some(isUnanswered);
  const alive = unresponsive.filter((each) => isAlive(each, leases.get(each.look.node.name)));
  if (alive[0]) parts.observe({ kind: 'stale-cache', node: alive[0].look.node.name });
  if (alive[0] || (parts.unreachablePasses > 0 && !isServerUnreachable)) {
    const postpone = (each: Unresponsive): Marked => ({ judgement: postponed(each, leases, parts) });
    return { byName: new Map(unresponsive.map((each) => [each.look.node.name, postpone(each)])), isServerUnreachable };
  }
  const byName = new Map<string, Marked>();
  await eachInParallel(unresponsive, WORKERS, async (each) => {
    byName.set(each.look.node.name, await mark(each, leases.get(each.look.node.name), parts));
  });
  return { byName, isServerUnreachable };
}

interface Reading {
  readonly leases: ReadonlyMap<string, Answer<Lease>>;
  readonly readLease: (unresponsive: Unresponsive) => Promise<void>;
}

/** A server that could not be reached is asked for one Lease, each time another node's, before it is asked for all. */
async function isStillUnreachable(
  unresponsive: readonly Unresponsive[],
  parts: MarkUnknownParts,
  { leases, readLease }: Reading,
): Promise<boolean> {
  const probed = parts.unreachablePasses > 0 ? unresponsive[parts.unreachablePasses % unresponsive.length] : undefined;
  if (!probed) return false;
  await readLease(probed);
  const lease = leases.get(probed.look.node.name);
  if (!lease || !isUnanswered(lease)) return false;
  skipped(probed.look.node, 'read its Lease', { answer: lease, parts });
  return true;
}

/** No answer that says anything; a permission that is missing does not keep us from judging, as it did not before 1.37. */
function isUnanswered(lease: Answer<Lease>): boolean {
  if (lease.ok) return false;
  const { kind } = lease.failure;
  return kind !== 'not-found' && kind !== 'gone' && kind !== 'forbidden' && kind !== 'invalid';
}

function isAlive({ judgement }: Unresponsive, lease: Answer<Lease> | undefined): boolean {
  return lease?.ok === true && isRenewed(judgement.record, lease.value);
}

/** A node as it is judged while the cache is behind: as before, with the sign of life that its Lease may have. */
function postponed(
  unresponsive: Unresponsive,
  leases: ReadonlyMap<string, Answer<Lease>>,
  { clock }: MarkUnknownParts,
): Judgement {
  const { observed, record } = unresponsive.judgement;
  const lease = leases.get(unresponsive.look.node.name);
  const isRenewedNow = lease?.ok === true && isRenewed(record, lease.value);
  const after = isRenewedNow ? afterLiveLease(record, lease.value, clock.now()) : record;
  return { record: after, observed, current: observed, updates: undefined };
}

async function mark(
  unresponsive: Unresponsive,
  lease: Answer<Lease> | undefined,
  parts: MarkUnknownParts,
): Promise<Marked> {
  if (lease && isUnanswered(lease)) {
    return skipped(unresponsive.look.node, 'read its Lease', { answer: lease, parts });
  }
  let { judgement } = unresponsive;
  let view: Versioned<Node> = { object: unresponsive.look.node, resourceVersion: unresponsive.resourceVersion };
  for (let tries = 0; tries < MOST_TRIES && judgement.updates && !parts.isStopped(); tries++) {
    const request = { node: view.object, resourceVersion: view.resourceVersion, conditions: judgement.updates };
    const answer = await parts.ports.patchNodeStatus(request);
    if (answer.ok) {
      const record = afterMarking(judgement);
      return { judgement: { ...judgement, record, updates: undefined }, written: answer.value };
    }
    if (answer.failure.kind !== 'conflict') return skipped(view.object, 'mark it Unknown', { answer, parts });
    const live = await parts.ports.getNode(view.object.name);
    if (!live.ok) return skipped(view.object, 'read it', { answer: live, parts });
    view = live.value;
    const previous = judgement.record;
    judgement = judge({
      ...unresponsive.look,
      previous,
      node: view.object,
      lease: lease?.ok ? lease.value : undefined,
    });
  }
  return judgement.updates ? 'skipped' : { judgement };
}

function skipped(
  { name }: Node,
  what: string,
  { answer, parts }: { readonly answer: Answer<unknown>; readonly parts: MarkUnknownParts },
): 'skipped' {
  if (!answer.ok && answer.failure.kind !== 'not-found') {
    parts.observe({ kind: 'call-failed', node: name, what, error: answer.failure.message });
  }
  return 'skipped';
}
