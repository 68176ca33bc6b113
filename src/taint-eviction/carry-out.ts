import type { Node } from '../cluster/node.ts';
import type { Pod } from '../cluster/pod.ts';
import type { PostedCondition } from '../cluster/posting.ts';
import type { Versioned } from '../cluster/store.ts';
import type { Failure, Reply } from '../lib/answer.ts';
import type { Clock } from '../lib/clock.ts';
import type { WorkResult } from '../lib/work-queue.ts';
import type { PodOutcome } from '../outcomes/lifecycle.ts';
import type { Claim, Countdown, Countdowns } from './countdowns.ts';
import type { TaintEvictionOptions } from './options.ts';
import type { TaintEvictionPorts } from './ports.ts';
import { goingReason } from './reasons.ts';

/** What a removal needs. */
export interface CarryOutParts {
  readonly countdowns: Countdowns;
  readonly clock: Clock;
  readonly ports: TaintEvictionPorts;
  readonly options: TaintEvictionOptions;
  readonly observe: (outcome: PodOutcome) => void;
  /** Told once for each pod, before anything is written. */
  readonly begin: (countdown: Countdown) => void;
}

/** How a step of a removal has ended: done, to be tried again, or go on with the next step. */
type Step =
  { readonly kind: 'next' } | { readonly kind: 'removed' } | { readonly kind: 'later'; readonly after: WorkResult };

/** What was told by a watch within this time is as good as a live read. */
const FRESH_MS = 2_000;
/** Between two questions to a budget that does not say when to ask again. */
const EVICTION_RETRY_MS = 5_000;
/** The cache is behind: it will have caught up by then, or the next try asks again. */
const CATCH_UP: Step = { kind: 'later', after: { retryAfterMs: 1_000 } };
const NEXT: Step = { kind: 'next' };
const REMOVED: Step = { kind: 'removed' };

/**
 * Removes pods whose time is over: checks once more, posts the DisruptionTarget condition, deletes with the UID as a
 * precondition (node-lifecycle.md 4.7). Gone, another pod of that name, and terminating are success (deviation 5); every other
 * failure comes back later, as long as the reason lasts (deviation 4).
 */
export class CarryOut {
  readonly #parts: CarryOutParts;
  readonly #begun = new WeakSet<Countdown>();
  readonly #failed = new WeakSet<Countdown>();
  readonly #nodeReads = new Map<string, { readonly at: number; readonly node: Reply<Versioned<Node>> }>();

  constructor(parts: CarryOutParts) {
    this.#parts = parts;
  }

  /** One try for one pod, by UID; what it answers tells when to try again. */
  async remove(uid: string): Promise<WorkResult> {
    const { countdowns, options } = this.#parts;
    const claim = countdowns.claim(uid);
    if (!claim) return 'done';
    let step: Step = CATCH_UP;
    try {
      step = await this.#verify(claim);
      if (step.kind === 'next' && options.eviction === 'evict-then-delete') step = await this.#evict(claim);
      if (step.kind === 'next') step = await this.#mark(claim);
      if (step.kind === 'next') step = await this.#delete(claim);
    } finally {
      countdowns.release(claim.countdown, step.kind === 'removed');
    }
    return step.kind === 'later' ? step.after : 'done';
  }

  /** Asks the API server itself where what we know may be old: after a wait, and after a try that failed. */
  async #verify({ countdown, deadline }: Claim): Promise<Step> {
    const { countdowns, clock, ports } = this.#parts;
    const { pod } = countdown;
    const seenAt = countdowns.taintsOf(pod.nodeName).find(({ taint }) => taint === deadline.by?.taint)?.seenAt;
    const isAgain = this.#failed.has(countdown);
    if (!isAgain && clock.now() - (seenAt ?? 0) <= FRESH_MS) return NEXT;
    const node = await this.#liveNode(pod.nodeName);
    if (!node.ok) this.#nodeReads.delete(pod.nodeName);
    if (!node.ok) return node.failure.kind === 'not-found' ? CATCH_UP : this.#later(countdown, node.failure);
    if (!isAgain && !countdown.hasWaited) return this.#isStillDue(countdown, pod, node.value.object) ? NEXT : CATCH_UP;
    const live = await ports.getPod(pod.namespace, pod.name);
    if (!live.ok) return live.failure.kind === 'not-found' ? REMOVED : this.#later(countdown, live.failure);
    if (live.value.uid !== pod.uid || live.value.deletedAt !== undefined) return REMOVED;
    return this.#isStillDue(countdown, live.value, node.value.object) ? NEXT : CATCH_UP;
  }

  /** One read of a node serves all its pods that are due at about the same time. */
  #liveNode(name: string): Reply<Versioned<Node>> {
    const { clock, ports } = this.#parts;
    const known = this.#nodeReads.get(name);
    if (known && clock.now() - known.at <= FRESH_MS) return known.node;
    for (const [other, { at }] of this.#nodeReads) if (clock.now() - at > FRESH_MS) this.#nodeReads.delete(other);
    const node = ports.getNode(name);
    this.#nodeReads.set(name, { at: clock.now(), node });
    return node;
  }

  async #evict(claim: Claim): Promise<Step> {
    const { clock, ports, options } = this.#parts;
    const { countdown, deadline } = claim;
    const left = deadline.at + options.evictionDeadlineMs - clock.now();
    if (left <= 0) return NEXT;
    this.#beginOnce(countdown);
    const answer = await ports.evictPod(countdown.pod);
    if (answer.ok) return this.#removed(claim, 'evicted');
    const step = this.#afterRefusal(countdown, answer.failure);
    if (step.kind !== 'later') return step;
    const wait = answer.failure.retryAfterMs ?? EVICTION_RETRY_MS;
    return { kind: 'later', after: { retryAfterMs: Math.min(left, wait) } };
  }

  /** The patch answers with the pod as it is now, so it is a live read as well: a pod that need not go any more stays. */
  async #mark({ countdown }: Claim): Promise<Step> {
    const { clock, ports } = this.#parts;
    this.#beginOnce(countdown);
    if (isMarked(countdown.pod)) return NEXT;
    const answer = await ports.patchPodStatus({
      pod: countdown.pod,
      condition: disruptionTarget(countdown.pod, clock.now()),
    });
    if (!answer.ok) return this.#afterRefusal(countdown, answer.failure);
    if (answer.value.uid !== countdown.pod.uid || answer.value.deletedAt !== undefined) return REMOVED;
    return this.#isStillDue(countdown, answer.value) ? NEXT : CATCH_UP;
  }

  async #delete(claim: Claim): Promise<Step> {
    const { countdown } = claim;
    const answer = await this.#parts.ports.deletePod(countdown.pod);
    if (answer.ok) return this.#removed(claim, this.#parts.options.mode === 'act' ? 'deleted' : 'would-delete');
    return this.#afterRefusal(countdown, answer.failure);
  }

  /** With the UID as a precondition a conflict says that the name is another pod's; the next try reads it to be sure. */
  #afterRefusal(countdown: Countdown, failure: Failure): Step {
    if (failure.kind === 'not-found') return REMOVED;
    if (failure.kind !== 'conflict') return this.#later(countdown, failure);
    this.#failed.add(countdown);
    return CATCH_UP;
  }

  #isStillDue(countdown: Countdown, pod: Pod, node?: Node): boolean {
    return this.#parts.countdowns.deadlineWith(countdown, pod, node).at <= this.#parts.clock.now();
  }

  #beginOnce(countdown: Countdown): void {
    if (this.#begun.has(countdown)) return;
    this.#begun.add(countdown);
    this.#parts.begin(countdown);
  }

  #removed({ countdown, deadline }: Claim, result: 'deleted' | 'evicted' | 'would-delete'): Step {
    const { clock, observe } = this.#parts;
    const { pod } = countdown;
    observe({ kind: 'pod-deleted', pod, reason: goingReason(deadline), result, lateMs: clock.now() - deadline.at });
    return REMOVED;
  }

  #later(countdown: Countdown, { kind, message, retryAfterMs }: Failure): Step {
    this.#failed.add(countdown);
    this.#parts.observe({ kind: 'deletion-failed', pod: countdown.pod, failure: kind, error: message });
    return { kind: 'later', after: retryAfterMs === undefined ? 'retry' : { retryAfterMs } };
  }
}

/** The condition of the reference, which the failure policies of Jobs match on. */
function disruptionTarget({ generation }: Pod, now: number): PostedCondition {
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
