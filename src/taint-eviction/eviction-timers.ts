import type { Taint } from '../cluster/objects/terms.ts';
import type { Node } from '../cluster/objects/node.ts';
import type { Pod } from '../cluster/objects/pod.ts';
import type { ClusterStore } from '../cluster/store.ts';
import { momentOf, type Clock } from '../lib/clock.ts';
import { TimerQueue } from '../lib/timer-queue.ts';
import { arrivalAfter, arrivalOf } from './arrival.ts';
import { deadlineOf, taintDeadlines, type Deadline } from './deadline.ts';
import { newRemoval, newTimer, type Claim, type EvictionTimer, type TimerListener } from './eviction-timer.ts';
import { ObservedNodes } from './observed-nodes.ts';
import type { ObservedTaint } from './observed-taints.ts';
import { CANCELLED, exemption, stayingReason } from './reasons.ts';

/**
 * Which pods must go when, as the store has them now: computed anew on every change, by UID, with one heap and one timer of the
 * monotonic clock. Decides and tells; removes nothing itself.
 *
 * Differs from the reference: there a timer that runs is never changed, and belongs to whoever has the pod's name.
 */
export class EvictionTimers {
  readonly #store: ClusterStore;
  readonly #clock: Clock;
  readonly #listener: TimerListener;
  readonly #nodes: ObservedNodes;
  readonly #timers = new Map<string, EvictionTimer>();
  readonly #queue: TimerQueue<EvictionTimer>;

  constructor(store: ClusterStore, clock: Clock, listener: TimerListener) {
    this.#store = store;
    this.#clock = clock;
    this.#listener = listener;
    this.#nodes = new ObservedNodes(store, clock);
    this.#queue = new TimerQueue(clock, (_uid, { pod }) => this.#judge(pod));
  }

  /** Pods with time left. */
  get armed(): number {
    return this.#queue.size;
  }

  /** All that are known, in the order in which they came to be known. */
  all(): Iterable<EvictionTimer> {
    return this.#timers.values();
  }

  /** Looks at a node again, and at its pods if its NoExecute taints are others than before. */
  lookAtNode(name: string): void {
    if (!this.#nodes.look(name)) return;
    const reason = this.#store.node(name) ? CANCELLED.noTaints : CANCELLED.nodeGone;
    for (const pod of this.#store.podsOn(name)) this.#judge(pod, { reason });
  }

  /** Looks at a pod again. `isWitnessed`: it has come to its node just now. */
  lookAtPod(uid: string, isWitnessed = false): void {
    const pod = this.#store.pod(uid);
    if (pod) this.#judge(pod, { isWitnessed });
    else this.#drop(uid, CANCELLED.podGone);
  }

  /** The node's NoExecute taints as they were last considered. */
  taintsOf(nodeName: string): readonly ObservedTaint[] {
    return this.#nodes.taintsOf(nodeName);
  }

  /** When the pod goes and because of which taint, as far as is known now. */
  deadline({ pod, arrival }: EvictionTimer): Deadline {
    return deadlineOf(pod, this.taintsOf(pod.nodeName), arrival);
  }

  /** The taints because of which the pod must be gone by now. */
  dueTaints(uid: string): readonly Taint[] {
    const timer = this.#timers.get(uid);
    if (!timer) return [];
    return taintDeadlines(timer.pod, this.taintsOf(timer.pod.nodeName), timer.arrival)
      .filter(({ at }) => at <= this.#clock.now())
      .map(({ taint }) => taint);
  }

  /** What another copy of the pod, or of its node, says of the same timer. */
  deadlineWith(timer: EvictionTimer, pod: Pod, node?: Node): Deadline {
    if (pod.uid !== timer.pod.uid || exemption(pod) !== undefined) return { at: Infinity, by: undefined };
    const taints = node ? this.#nodes.taintsOfCopy(node) : this.taintsOf(pod.nodeName);
    return deadlineOf(pod, taints, arrivalAfter(timer.arrival, pod, momentOf(this.#clock)));
  }

  /** Takes a pod whose time is over, so that it can be removed undisturbed; undefined if it need not go any more. */
  claim(uid: string): Claim | undefined {
    const timer = this.#timers.get(uid);
    if (!timer) return undefined;
    this.lookAtPod(uid);
    const { removal } = timer;
    if (!removal || this.#timers.get(uid) !== timer) return undefined;
    timer.isWorkedOn = true;
    return { timer, removal, deadline: this.deadline(timer) };
  }

  /** Ends what `claim` began. A pod that was removed is never due again; another is judged by what it is now. */
  release(timer: EvictionTimer, isRemoved: boolean): void {
    timer.isWorkedOn = false;
    if (isRemoved) {
      timer.state = 'gone';
      timer.removal = undefined;
    }
    if (this.#timers.get(timer.pod.uid) === timer) this.lookAtPod(timer.pod.uid);
  }

  /** Forgets everything and stops the timer of the clock. */
  clear(): void {
    this.#queue.clear();
    this.#timers.clear();
    this.#nodes.clear();
  }

  #judge(
    pod: Pod,
    { reason, isWitnessed = false }: { readonly reason?: string; readonly isWitnessed?: boolean } = {},
  ): void {
    const taints = this.taintsOf(pod.nodeName);
    if (taints.length === 0) {
      this.#drop(pod.uid, reason ?? CANCELLED.noTaints);
      return;
    }
    const timer = this.#timerOf(pod, isWitnessed);
    if (timer.state === 'gone' || timer.isWorkedOn) return;
    const exempt = exemption(pod);
    const deadline = exempt === undefined ? this.deadline(timer) : { at: Infinity, by: undefined };
    const before = timer.at;
    timer.at = deadline.at;
    if (deadline.at === Infinity) {
      this.#free(timer, exempt ?? stayingReason(taintDeadlines(pod, taints, timer.arrival)));
    } else if (deadline.at <= this.#clock.now()) this.#expire(timer);
    else if (timer.state !== 'armed' || before !== deadline.at) this.#arm(timer, deadline);
  }

  /** The timer of the pod as it is now; a pod that is new to its node gets one. */
  #timerOf(pod: Pod, isWitnessed: boolean): EvictionTimer {
    const moment = momentOf(this.#clock);
    const known = this.#timers.get(pod.uid);
    if (known?.pod.nodeName === pod.nodeName) {
      known.arrival = arrivalAfter(known.arrival, pod, moment);
      known.pod = pod;
      return known;
    }
    const timer = newTimer(pod, arrivalOf(pod, isWitnessed, moment));
    this.#timers.set(pod.uid, timer);
    return timer;
  }

  #arm(timer: EvictionTimer, deadline: Deadline): void {
    timer.state = 'armed';
    timer.removal = undefined;
    timer.keptFor = '';
    this.#queue.set(timer.pod.uid, deadline.at, timer);
    this.#listener.scheduled(timer, deadline);
  }

  #expire(timer: EvictionTimer): void {
    this.#queue.delete(timer.pod.uid);
    if (timer.state === 'due') return;
    timer.removal = newRemoval(timer.state === 'armed');
    timer.state = 'due';
    this.#listener.due(timer);
  }

  #free(timer: EvictionTimer, reason: string): void {
    this.#cancel(timer, reason);
    if (timer.keptFor === reason) return;
    timer.keptFor = reason;
    this.#listener.kept(timer, reason);
  }

  #cancel(timer: EvictionTimer, reason: string): void {
    this.#queue.delete(timer.pod.uid);
    const { state } = timer;
    if (state !== 'armed' && state !== 'due') return;
    timer.state = 'free';
    timer.removal = undefined;
    this.#listener.cancelled(timer, reason, state === 'due');
  }

  #drop(uid: string, reason: string): void {
    const timer = this.#timers.get(uid);
    if (!timer) return;
    this.#timers.delete(uid);
    if (!timer.isWorkedOn) this.#cancel(timer, reason);
  }
}
