import type { Pod } from '../cluster/objects/pod.ts';
import type { ClusterStore } from '../cluster/store.ts';
import type { Failure } from '../lib/answer.ts';
import type { Clock } from '../lib/clock.ts';
import type { WorkResult } from '../lib/work-queue.ts';
import type { PodOutcome } from '../outcomes/lifecycle.ts';
import { disruptionTarget, hasDisruptionTarget } from './disruption-target.ts';
import type { Claim } from './eviction-timer.ts';
import type { EvictionTimers } from './eviction-timers.ts';
import { isStillDue, LiveCheck } from './live-check.ts';
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
  readonly #live: LiveCheck;

  constructor(parts: CarryOutParts) {
    this.#parts = parts;
    this.#live = new LiveCheck(parts);
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

  /** What we know may be old: the API server itself is asked where it may matter. */
  async #verify(claim: Claim): Promise<Step> {
    const found = await this.#live.check(claim);
    if (found === 'due') return NEXT;
    if (found === 'removed') return REMOVED;
    return found === 'not-due' ? CATCH_UP : this.#later(claim, found);
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
    if (hasDisruptionTarget(timer.pod)) return NEXT;
    const answer = await ports.patchPodStatus({
      pod: timer.pod,
      condition: disruptionTarget(timer.pod, clock.wall()),
    });
    if (!answer.ok) return this.#afterRefusal(claim, answer.failure);
    if (answer.value.uid !== timer.pod.uid || answer.value.deletedAt !== undefined) return REMOVED;
    return isStillDue(this.#parts, timer, answer.value) ? NEXT : CATCH_UP;
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
