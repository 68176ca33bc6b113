/** Stops what was scheduled; harmless when it has already run. */
export type Cancel = () => void;

/**
 * Time as an argument: the system's, or a virtual one that tests and `outage` move. It has two faces, both in milliseconds, that are
 * never compared with each other: a step of the system's clock changes what `wall` says and nothing that lasts.
 */
export interface Clock {
  /** Since the epoch, as the system's clock has it now: for comparing with times that others wrote, and for writing times. */
  wall(): number;
  /** Monotonic, from an arbitrary start: for everything that lasts (countdowns, time-outs, back-offs, leases, cycles). */
  now(): number;
  /** Runs `run` at that moment of `now`, or as soon as possible when it has passed. Any distance is allowed. */
  schedule(at: number, run: () => void): Cancel;
}

/** One moment, on both faces of a clock. */
export interface Moment {
  readonly wall: number;
  readonly now: number;
}

/** The present moment. */
export function momentOf(clock: Clock): Moment {
  return { wall: clock.wall(), now: clock.now() };
}

/**
 * A time that somebody wrote, counted once on the monotonic face: as far from this moment as the wall clock has it then. What
 * the wall clock does afterwards moves it no more.
 */
export function monotonicTime(written: number, { wall, now }: Moment): number {
  return now + (written - wall);
}

/** A moment of the monotonic face as the wall clock has it now, to be written or shown. */
export function wallTime(at: number, { wall, now }: Moment): number {
  return wall + (at - now);
}

/** Node.js fires a longer timeout at once (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args). */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The clock of the machine; `now` is the age of the process. */
export const systemClock: Clock = clockOf({ wall: () => Date.now(), elapsedMs: () => performance.now() });

/** What a machine tells of time: milliseconds since the epoch, which may step, and milliseconds that only go on. */
export interface MachineTime {
  readonly wall: () => number;
  readonly elapsedMs: () => number;
}

/** A clock over what a machine tells. */
export function clockOf({ wall, elapsedMs }: MachineTime): Clock {
  const now = () => Math.floor(elapsedMs());
  return {
    wall,
    now,
    schedule(at, run) {
      let timer: NodeJS.Timeout;
      const arm = () => {
        const delay = Math.max(0, at - now());
        timer = delay > LONGEST_TIMEOUT_MS ? setTimeout(arm, LONGEST_TIMEOUT_MS) : setTimeout(run, delay);
      };
      arm();
      return () => {
        clearTimeout(timer);
      };
    },
  };
}

/**
 * A clock whose wall face was right when this was made and goes on with the time that passes: for the ages and limits of a
 * process that decides again and again, so that a step of the system's clock makes nothing older or younger.
 */
export function steadied(clock: Clock): Clock {
  const base = clock.wall() - clock.now();
  return { wall: () => base + clock.now(), now: () => clock.now(), schedule: (at, run) => clock.schedule(at, run) };
}

/** Resolves after that time; at once when the signal is or gets aborted. */
export function sleep(clock: Clock, ms: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal?.aborted) {
      resolve();
      return;
    }
    const wake = () => {
      cancel();
      signal?.removeEventListener('abort', wake);
      resolve();
    };
    const cancel = clock.schedule(clock.now() + ms, wake);
    signal?.addEventListener('abort', wake);
  });
}
