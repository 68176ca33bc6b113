import type { Node } from '../cluster/node.ts';
import type { Pod } from '../cluster/pod.ts';
import type { ClusterStore } from '../cluster/store.ts';
import type { Clock } from '../lib/clock.ts';
import { TimerQueue } from '../lib/timer-queue.ts';
import { deadlineOf, taintDeadlines, type Deadline } from './deadline.ts';
import { exemption } from './exemption.ts';
import { CANCELLED, stayingReason } from './reasons.ts';
import { areSame, sightTaints, type SightedTaint } from './sightings.ts';

/** One pod on a node with NoExecute taints. Belongs to `Countdowns`, which alone changes it. */
export interface Countdown {
  pod: Pod;
  /** When the pod was first seen on its node while that was tainted, in ms. */
  readonly seenAt: number;
  /** When the pod must be gone, in ms since the epoch; why is computed when somebody asks (`reasonOf`). */
  at: number;
  /** `free`: may stay; `armed`: has time left; `due`: must go; `gone`: removed, its object only has to vanish. */
  state: 'free' | 'armed' | 'due' | 'gone';
  /** Its removal is under way: nothing changes its state until that has ended. */
  isWorkedOn: boolean;
  /** It had time, and this is over: what was known when it began may be old. */
  hasWaited: boolean;
  /** The last reason that was given for its staying. */
  keptFor: string;
}

/** Who is told what becomes of countdowns. */
export interface CountdownListener {
  /** The pod must go now. */
  readonly due: (countdown: Countdown) => void;
  readonly scheduled: (countdown: Countdown, deadline: Deadline) => void;
  /** `wasDue`: its time was over, but it had not been removed yet. */
  readonly cancelled: (countdown: Countdown, reason: string, wasDue: boolean) => void;
  readonly kept: (countdown: Countdown, reason: string) => void;
}

/** A pod whose time is over and that is being removed, and why, as it was when that began. */
export interface Claim {
  readonly countdown: Countdown;
  readonly deadline: Deadline;
}

interface TaintedNode {
  readonly uid: string;
  readonly taints: readonly SightedTaint[];
}

const NO_TAINTS: readonly SightedTaint[] = Object.freeze([]);

/**
 * Which pods must go when, as the store has them now: recomputed on every change (deviation 2), by UID (deviation 3), with
 * one heap and one timer. Decides and tells; removes nothing itself.
 */
export class Countdowns {
  readonly #store: ClusterStore;
  readonly #clock: Clock;
  readonly #listener: CountdownListener;
  readonly #nodes = new Map<string, TaintedNode>();
  readonly #countdowns = new Map<string, Countdown>();
  readonly #timers: TimerQueue<Countdown>;

  constructor(store: ClusterStore, clock: Clock, listener: CountdownListener) {
    this.#store = store;
    this.#clock = clock;
    this.#listener = listener;
    this.#timers = new TimerQueue(clock, (_uid, countdown) => this.#judge(countdown.pod));
  }

  /** Pods with time left. */
  get armed(): number {
    return this.#timers.size;
  }

  /** All that are known, in the order in which they came to be known. */
  all(): Iterable<Countdown> {
    return this.#countdowns.values();
  }

  /** Looks at a node again, and at its pods if its NoExecute taints are others than before. */
  lookAtNode(name: string): void {
    const node = this.#store.node(name)?.object;
    const known = this.#nodes.get(name);
    const before = known && known.uid === node?.uid ? known.taints : NO_TAINTS;
    const after = node ? sightTaints(before, node, this.#clock.now()) : NO_TAINTS;
    if (areSame(before, after) && known?.uid === node?.uid) return;
    if (node && after.length > 0) this.#nodes.set(name, { uid: node.uid, taints: after });
    else this.#nodes.delete(name);
    for (const pod of this.#store.podsOn(name)) this.#judge(pod, node ? CANCELLED.noTaints : CANCELLED.nodeGone);
  }

  /** Looks at a pod again. */
  lookAtPod(uid: string): void {
    const pod = this.#store.pod(uid);
    if (pod) this.#judge(pod);
    else this.#drop(uid, CANCELLED.podGone);
  }

  /** The node's NoExecute taints as they were last looked at. */
  taintsOf(nodeName: string): readonly SightedTaint[] {
    return this.#nodes.get(nodeName)?.taints ?? NO_TAINTS;
  }

  /** When the pod goes and because of which taint, as far as is known now. */
  deadline({ pod, seenAt }: Countdown): Deadline {
    return deadlineOf(pod, this.taintsOf(pod.nodeName), seenAt);
  }

  /** The same by UID; undefined for a pod on a node without NoExecute taints. */
  deadlineOfPod(uid: string): Deadline | undefined {
    const countdown = this.#countdowns.get(uid);
    return countdown && this.deadline(countdown);
  }

  /** What another copy of the pod, or of its node, says of the same countdown. */
  deadlineWith(countdown: Countdown, pod: Pod, node?: Node): Deadline {
    if (pod.uid !== countdown.pod.uid || exemption(pod) !== undefined) return { at: Infinity, by: undefined };
    const known = this.taintsOf(pod.nodeName);
    return deadlineOf(pod, node ? sightTaints(known, node, this.#clock.now()) : known, countdown.seenAt);
  }

  /** Takes a pod whose time is over, so that it can be removed undisturbed; undefined if it need not go any more. */
  claim(uid: string): Claim | undefined {
    const countdown = this.#countdowns.get(uid);
    if (!countdown) return undefined;
    this.lookAtPod(uid);
    if (countdown.state !== 'due' || this.#countdowns.get(uid) !== countdown) return undefined;
    countdown.isWorkedOn = true;
    return { countdown, deadline: this.deadline(countdown) };
  }

  /** Ends what `claim` began. A pod that was removed is never due again; another is judged by what it is now. */
  release(countdown: Countdown, isRemoved: boolean): void {
    countdown.isWorkedOn = false;
    if (isRemoved) countdown.state = 'gone';
    if (this.#countdowns.get(countdown.pod.uid) === countdown) this.lookAtPod(countdown.pod.uid);
  }

  /** Forgets everything and stops the timer. */
  clear(): void {
    this.#timers.clear();
    this.#countdowns.clear();
    this.#nodes.clear();
  }

  #judge(pod: Pod, reason: string = CANCELLED.noTaints): void {
    const taints = this.taintsOf(pod.nodeName);
    if (taints.length === 0) {
      this.#drop(pod.uid, reason);
      return;
    }
    const countdown = this.#countdownOf(pod);
    countdown.pod = pod;
    if (countdown.state === 'gone' || countdown.isWorkedOn) return;
    const exempt = exemption(pod);
    const deadline = exempt === undefined ? deadlineOf(pod, taints, countdown.seenAt) : { at: Infinity, by: undefined };
    const before = countdown.at;
    countdown.at = deadline.at;
    if (deadline.at === Infinity) {
      this.#free(countdown, exempt ?? stayingReason(taintDeadlines(pod, taints, countdown.seenAt)));
    } else if (deadline.at <= this.#clock.now()) this.#expire(countdown);
    else if (countdown.state !== 'armed' || before !== deadline.at) this.#arm(countdown, deadline);
  }

  #countdownOf(pod: Pod): Countdown {
    const known = this.#countdowns.get(pod.uid);
    if (known?.pod.nodeName === pod.nodeName) return known;
    const countdown: Countdown = {
      pod,
      seenAt: this.#clock.now(),
      at: Infinity,
      state: 'free',
      isWorkedOn: false,
      hasWaited: false,
      keptFor: '',
    };
    this.#countdowns.set(pod.uid, countdown);
    return countdown;
  }

  #arm(countdown: Countdown, deadline: Deadline): void {
    countdown.state = 'armed';
    countdown.keptFor = '';
    this.#timers.set(countdown.pod.uid, deadline.at, countdown);
    this.#listener.scheduled(countdown, deadline);
  }

  #expire(countdown: Countdown): void {
    this.#timers.delete(countdown.pod.uid);
    if (countdown.state === 'due') return;
    countdown.hasWaited = countdown.state === 'armed';
    countdown.state = 'due';
    this.#listener.due(countdown);
  }

  #free(countdown: Countdown, reason: string): void {
    this.#cancel(countdown, reason);
    if (countdown.keptFor === reason) return;
    countdown.keptFor = reason;
    this.#listener.kept(countdown, reason);
  }

  #cancel(countdown: Countdown, reason: string): void {
    this.#timers.delete(countdown.pod.uid);
    const { state } = countdown;
    if (state !== 'armed' && state !== 'due') return;
    countdown.state = 'free';
    this.#listener.cancelled(countdown, reason, state === 'due');
  }

  #drop(uid: string, reason: string): void {
    const countdown = this.#countdowns.get(uid);
    if (!countdown) return;
    this.#countdowns.delete(uid);
    if (!countdown.isWorkedOn) this.#cancel(countdown, reason);
  }
}
