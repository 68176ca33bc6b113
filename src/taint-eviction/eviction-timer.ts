import type { Pod } from '../cluster/objects/pod.ts';
import type { Arrival } from './arrival.ts';
import type { Deadline } from './deadline.ts';

/** One pod on a node with NoExecute taints. Belongs to `EvictionTimers`, which alone changes it. */
export interface EvictionTimer {
  pod: Pod;
  arrival: Arrival;
  /** When the pod must be gone, in ms of the monotonic clock; why is computed when somebody asks. */
  at: number;
  /** `free`: may stay; `armed`: has time left; `due`: must go; `gone`: removed, its object only has to vanish. */
  state: 'free' | 'armed' | 'due' | 'gone';
  /** How its removal stands; undefined unless it is `due`. */
  removal: Removal | undefined;
  /** Its removal is under way: nothing changes its state until that has ended. */
  isWorkedOn: boolean;
  /** The last reason that was given for its staying. */
  keptFor: string;
}

/** How the removal of a pod stands, from when its time is over until it is gone or may stay after all. */
export interface Removal {
  /** It had time, and this is over: what was known when it began may be old. */
  readonly hasWaited: boolean;
  /** Its event has been written. */
  isEventRecorded: boolean;
  /** A try has failed. */
  hasFailed: boolean;
  /** When the Eviction API was asked first, in ms of the monotonic clock. */
  askedAt: number | undefined;
}

/** Who is told what becomes of pods. */
export interface TimerListener {
  /** The pod must go now. */
  readonly due: (timer: EvictionTimer) => void;
  readonly scheduled: (timer: EvictionTimer, deadline: Deadline) => void;
  /** `wasDue`: its time was over, but it had not been removed yet. */
  readonly cancelled: (timer: EvictionTimer, reason: string, wasDue: boolean) => void;
  readonly kept: (timer: EvictionTimer, reason: string) => void;
}

/** A pod whose time is over and that is being removed, and why, as it was when that began. */
export interface Claim {
  readonly timer: EvictionTimer;
  readonly removal: Removal;
  readonly deadline: Deadline;
}

/** The timer of a pod that is new to its node: nothing is known of when it must go. */
export function newTimer(pod: Pod, arrival: Arrival): EvictionTimer {
  return { pod, arrival, at: Infinity, state: 'free', removal: undefined, isWorkedOn: false, keptFor: '' };
}

/** A removal of which nothing has been done yet. */
export function newRemoval(hasWaited: boolean): Removal {
  return { hasWaited, isEventRecorded: false, hasFailed: false, askedAt: undefined };
}
