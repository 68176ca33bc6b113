import type { Lease } from '../cluster/kinds.ts';
import type { Node } from '../cluster/node.ts';
import type { Versioned } from '../cluster/store.ts';
import type { Answer } from '../lib/answer.ts';
import type { Clock } from '../lib/clock.ts';
import { eachInParallel } from '../lib/parallel.ts';
import type { ObserveLifecycle } from '../outcomes/lifecycle.ts';
import { afterLiveLease, afterPosting, isRenewed, judge, type Judgement, type Look } from './health.ts';
import type { NodeLifecyclePorts } from './ports.ts';

/** A node that a look has found silent. */
export interface Silent {
  readonly look: Look;
  readonly resourceVersion: string;
  readonly judgement: Judgement;
}

/**
 * What became of a silent node: judged anew (`post` is undefined once it is written), or passed over in this pass, because
 * it is gone or could not be asked or written to.
 */
export type Condemned =
  | {
      readonly judgement: Judgement;
      /** The node as our posting has left it. */
      readonly written?: Versioned<Node>;
    }
  | 'skipped';

/** What condemning needs. */
export interface CondemnParts {
  readonly ports: Pick<NodeLifecyclePorts, 'getLease' | 'getNode' | 'patchNodeStatus'>;
  readonly clock: Clock;
  readonly observe: ObserveLifecycle;
  /** Whether nothing may be written any more. */
  readonly isStopped: () => boolean;
  /** Whether the API server could not be asked in the last pass. */
  readonly wasBlind: boolean;
}

/** What became of the silent nodes of a pass. */
export interface Verdict {
  readonly byName: ReadonlyMap<string, Condemned>;
  /** The API server could not be asked. */
  readonly isBlind: boolean;
}

/** Nodes that are written to at the same time; as many as the reference has workers. */
const WORKERS = 8;
const MOST_TRIES = 5;

/**
 * Posts that nodes are silent. First each one's Lease is read live: one that was renewed shows that our cache is behind, and
 * then nobody is condemned in this pass (deviation 18).
 *
 * Differs from the reference: it reads one Lease, ours one for each node, in a pass that condemns any. The first may belong
 * to a node that is really dead, and says nothing about the others then. And while the API server cannot be asked, kubelets
 * cannot renew either: in the first pass in which it can be asked again nobody is condemned, and silence begins afresh.
 */
export async function condemn(silent: readonly Silent[], parts: CondemnParts): Promise<Verdict> {
  const leases = new Map<string, Answer<Lease>>();
  await eachInParallel(silent, WORKERS, async ({ look: { node } }) => {
    leases.set(node.name, await parts.ports.getLease(node.name));
  });
  const isBlind = [...leases.values()].some(isUnasked);
  const alive = silent.filter((each) => isAlive(each, leases.get(each.look.node.name)));
  if (alive[0]) parts.observe({ kind: 'stale-cache', node: alive[0].look.node.name });
  if (alive[0] || (parts.wasBlind && !isBlind)) {
    const spare = (each: Silent): Condemned => ({ judgement: spared(each, leases, parts) });
    return { byName: new Map(silent.map((each) => [each.look.node.name, spare(each)])), isBlind };
  }
  const byName = new Map<string, Condemned>();
  await eachInParallel(silent, WORKERS, async (each) => {
    byName.set(each.look.node.name, await post(each, leases.get(each.look.node.name), parts));
  });
  return { byName, isBlind };
}

/** No answer that says anything; a permission that is missing does not keep us from judging, as it did not before 1.37. */
function isUnasked(lease: Answer<Lease>): boolean {
  if (lease.ok) return false;
  const { kind } = lease.failure;
  return kind !== 'not-found' && kind !== 'gone' && kind !== 'forbidden' && kind !== 'invalid';
}

function isAlive({ judgement }: Silent, lease: Answer<Lease> | undefined): boolean {
  return lease?.ok === true && isRenewed(judgement.record, lease.value);
}

/** A node as it is judged while the cache is behind: as before, with the sign of life if its Lease has one. */
function spared(silent: Silent, leases: ReadonlyMap<string, Answer<Lease>>, { clock }: CondemnParts): Judgement {
  const { observed, record } = silent.judgement;
  const lease = leases.get(silent.look.node.name);
  const isRenewedNow = lease?.ok === true && isRenewed(record, lease.value);
  const after = isRenewedNow ? afterLiveLease(record, lease.value, clock.now()) : record;
  return { record: after, observed, current: observed, post: undefined };
}

async function post(silent: Silent, lease: Answer<Lease> | undefined, parts: CondemnParts): Promise<Condemned> {
  if (lease && isUnasked(lease)) {
    return skipped(silent.look.node, 'read its Lease', { answer: lease, parts });
  }
  let { judgement } = silent;
  let view: Versioned<Node> = { object: silent.look.node, resourceVersion: silent.resourceVersion };
  for (let tries = 0; tries < MOST_TRIES && judgement.post && !parts.isStopped(); tries++) {
    const request = { node: view.object, resourceVersion: view.resourceVersion, conditions: judgement.post };
    const answer = await parts.ports.patchNodeStatus(request);
    if (answer.ok) {
      const record = afterPosting(judgement);
      return { judgement: { ...judgement, record, post: undefined }, written: answer.value };
    }
    if (answer.failure.kind !== 'conflict') return skipped(view.object, 'post that it is silent', { answer, parts });
    const live = await parts.ports.getNode(view.object.name);
    if (!live.ok) return skipped(view.object, 'read it', { answer: live, parts });
    view = live.value;
    const previous = judgement.record;
    judgement = judge({ ...silent.look, previous, node: view.object, lease: lease?.ok ? lease.value : undefined });
  }
  return judgement.post ? 'skipped' : { judgement };
}

function skipped(
  { name }: Node,
  what: string,
  { answer, parts }: { readonly answer: Answer<unknown>; readonly parts: CondemnParts },
): 'skipped' {
  if (!answer.ok && answer.failure.kind !== 'not-found') {
    parts.observe({ kind: 'call-failed', node: name, what, error: answer.failure.message });
  }
  return 'skipped';
}
