import type { Node } from '../cluster/objects/node.ts';
import type { Pod } from '../cluster/objects/pod.ts';
import type { ConditionUpdate } from '../cluster/updates.ts';
import type { ClusterStore, Versioned } from '../cluster/store.ts';
import type { Failure, Reply } from '../lib/answer.ts';
import type { Clock } from '../lib/clock.ts';
import type { WorkResult } from '../lib/work-queue.ts';
import type { PodOutcome } from '../outcomes/lifecycle.ts';
import type { Claim, EvictionTimer } from './eviction-timer.ts';
import type { EvictionTimers } from './eviction-timers.ts';
import type { TaintEvictionOptions } from './options.ts';
import type { TaintEvictionPorts } from './ports.ts';
import { goingReason } from './reasons.ts';

/** What a removal needs. */
export interface CarryOutParts {
  readonly store: ClusterStore;
  readonly timers: EvictionTimers;
  readonly clock: Clock;
  readonly ports: TaintEvictionPorts;
  readonly options: TaintEvictionOptions;
  readonly observe: (outcome: PodOutcome) => void;
  /** Told once for each pod, before anything is written. */
  readonly begin: (pod: Pod) => void;
}

/** How a step of a removal has ended: done, to be tried again, or go on with the next step. */
type Step =
  { readonly kind: 'next' } | { readonly kind: 'removed' } | { readonly kind: 'later'; readonly after: WorkResult };

/** A node as it was read live, when, and over which version of the cache. */
interface NodeRead {
  readonly at: number;
  readonly over: string;
  readonly node: Reply<Versioned<Node>>;
}

/** What was told by a watch within this time is as good as a live read. */
const FRESH_MS = 2_000;
/** Between two questions to a budget, unless it says that it wants more. */
const EVICTION_RETRY_MS = 5_000;
/** The cache is behind: it will have caught up by then, or the next try asks again. */
const CATCH_UP: Step = { kind: 'later', after: { retryAfterMs: 1_000 } };
const NEXT: Step = { kind: 'next' };
const REMOVED: Step = { kind: 'removed' };

/**
 * Removes pods whose time is over: checks once more, writes the DisruptionTarget condition
 * (https://kubernetes.io/docs/concepts/workloads/pods/disruptions/#pod-disruption-conditions), deletes with the UID as a
 * precondition. Gone, another pod of that name, and terminating are success; every other failure comes back later.
 *
 * Differs from the reference: it gives up after five tries within 50 ms, and deletes whatever pod has the name then.
 */
export class CarryOut {
  readonly #parts: CarryOutParts;
  readonly #nodeReads = new Map<string, NodeRead>();

  constructor(parts: CarryOutParts) {
    this.#parts = parts;
  }

  /** One try for one pod, by UID; what it answers tells when to try again. */
  async remove(uid: string): Promise<WorkResult> {
    const { timers, options } = this.#parts;
    const claim = timers.claim(uid);
    if (!claim) return 'done';
    let step: Step = CATCH_UP;
    try {
      step = await this.#verify(claim);
      if (step.kind === 'next' && options.eviction === 'evict-then-delete') step = await this.#evict(claim);
      if (step.kind === 'next') step = await this.#mark(claim);
      if (step.kind === 'next') step = await this.#delete(claim);
    } finally {
      timers.release(claim.timer, step.kind === 'removed');
    }
    return step.kind === 'later' ? step.after : 'done';
  }

  /** Asks the API server itself where what we know may be old: after a wait, and after a try that failed. */
  async #verify(claim: Claim): Promise<Step> {
    const { timer, deadline } = claim;
    const { timers, clock, ports, store } = this.#parts;
    const { pod } = timer;
    const seenAt = timers.taintsOf(pod.nodeName).find(({ taint }) => taint === deadline.by?.taint)?.seenAt;
    const { hasFailed, hasWaited } = claim.removal;
    if (!hasFailed && clock.now() - (seenAt ?? -Infinity) <= FRESH_MS) return NEXT;
    const cached = store.node(pod.nodeName)?.resourceVersion ?? '';
    const node = await this.#liveNode(pod.nodeName, cached);
    if (!node.ok) this.#nodeReads.delete(pod.nodeName);
    if (!node.ok) return node.failure.kind === 'not-found' ? CATCH_UP : this.#later(claim, node.failure);
    // A cache that knows this version may have gone on since.
    const other = node.value.resourceVersion === cached ? undefined : node.value.object;
    if (!hasFailed && !hasWaited) return this.#isStillDue(timer, pod, other) ? NEXT : CATCH_UP;
    const live = await ports.getPod(pod.namespace, pod.name);
    if (!live.ok) return live.failure.kind === 'not-found' ? REMOVED : this.#later(claim, live.failure);
    if (live.value.uid !== pod.uid || live.value.deletedAt !== undefined) return REMOVED;
    return this.#isStillDue(timer, live.value, other) ? NEXT : CATCH_UP;
  }

  /** One read of a node serves all its pods that are due at about the same time, unless the cache has changed since. */
  #liveNode(name: string, cached: string): Reply<Versioned<Node>> {
    const { clock, ports } = this.#parts;
    const known = this.#nodeReads.get(name);
    if (known?.over === cached && clock.now() - known.at <= FRESH_MS) return known.node;
    for (const [other, { at }] of this.#nodeReads) if (clock.now() - at > FRESH_MS) this.#nodeReads.delete(other);
    const node = ports.getNode(name);
    this.#nodeReads.set(name, { at: clock.now(), over: cached, node });
    return node;
  }

  /** The API is asked at least once, and once more when the deadline has passed, before the pod is deleted. */
  async #evict(claim: Claim): Promise<Step> {
    const { clock, ports, options } = this.#parts;
    const { timer, removal } = claim;
    removal.askedAt ??= clock.now();
    this.#beginOnce(claim);
    const answer = await ports.evictPod(timer.pod);
    if (answer.ok) return this.#removed(claim, 'evicted');
    const step = this.#afterRefusal(claim, answer.failure);
    if (step.kind !== 'later') return step;
    const left = removal.askedAt + options.evictionDeadlineMs - clock.now();
    if (left <= 0) return NEXT;
    const wait = Math.max(EVICTION_RETRY_MS, answer.failure.retryAfterMs ?? 0);
    return { kind: 'later', after: { afterMs: Math.min(left, wait) } };
  }

  /** The patch answers with the pod as it is now, so it is a live read as well: a pod that need not go any more stays. */
  async #mark(claim: Claim): Promise<Step> {
    const { clock, ports } = this.#parts;
    const { timer } = claim;
    this.#beginOnce(claim);
    if (isMarked(timer.pod)) return NEXT;
    const answer = await ports.patchPodStatus({
      pod: timer.pod,
      condition: disruptionTarget(timer.pod, clock.wall()),
    });
    if (!answer.ok) return this.#afterRefusal(claim, answer.failure);
    if (answer.value.uid !== timer.pod.uid || answer.value.deletedAt !== undefined) return REMOVED;
    return this.#isStillDue(timer, answer.value) ? NEXT : CATCH_UP;
  }

  async #delete(claim: Claim): Promise<Step> {
    const answer = await this.#parts.ports.deletePod(claim.timer.pod);
    return answer.ok ? this.#removed(claim, 'deleted') : this.#afterRefusal(claim, answer.failure);
  }

  /** With the UID as a precondition a conflict says that the name is another pod's; the next try reads it to be sure. */
  #afterRefusal(claim: Claim, failure: Failure): Step {
    if (failure.kind === 'not-found') return REMOVED;
    if (failure.kind !== 'conflict') return this.#later(claim, failure);
    claim.removal.hasFailed = true;
    return CATCH_UP;
  }

  #isStillDue(timer: EvictionTimer, pod: Pod, node?: Node): boolean {
    return this.#parts.timers.deadlineWith(timer, pod, node).at <= this.#parts.clock.now();
  }

  #beginOnce({ timer, removal }: Claim): void {
    if (removal.isEventRecorded) return;
    removal.isEventRecorded = true;
    this.#parts.begin(timer.pod);
  }

  #removed({ timer, deadline }: Claim, done: 'deleted' | 'evicted'): Step {
    const { clock, observe, options } = this.#parts;
    const result = options.mode === 'act' ? done : 'would-delete';
    const lateMs = clock.now() - deadline.at;
    observe({ kind: 'pod-deleted', pod: timer.pod, reason: goingReason(deadline), result, lateMs });
    return REMOVED;
  }

  #later({ timer, removal }: Claim, { kind, message, retryAfterMs }: Failure): Step {
    removal.hasFailed = true;
    this.#parts.observe({ kind: 'deletion-failed', pod: timer.pod, failure: kind, error: message });
    return { kind: 'later', after: retryAfterMs === undefined ? 'retry' : { retryAfterMs } };
  }
}

/** The condition of the reference, which the failure policies of Jobs match on. */
function disruptionTarget({ generation }: Pod, now: number): ConditionUpdate {
  return {
    type: 'DisruptionTarget',
    status: 'True',
    reason: REASON,
    message: 'Taint manager: deleting due to NoExecute taint',
    transitionAt: now,
    ...(generation === undefined ? {} : { observedGeneration: generation }),
  };
}

const REASON = 'DeletionByTaintManager';

function isMarked({ status }: Pod): boolean {
  return status.conditions.some(
    (condition) => condition.type === 'DisruptionTarget' && condition.status === 'True' && condition.reason === REASON,
  );
}
