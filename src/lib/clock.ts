/** Stops what was scheduled; harmless when it has already run. */
export type Cancel = () => void;

/** Time as an argument: the system's, or a virtual one that tests and `outage` move. Milliseconds since the epoch. */
export interface Clock {
  now(): number;
  /** Runs `run` at that moment, or as soon as possible when it has passed. Any distance is allowed. */
  schedule(at: number, run: () => void): Cancel;
}

/** Node.js fires a longer timeout at once (https://nodejs.org/api/timers.html#settimeoutcallback-delay-args). */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

/** The clock of the machine. */
export const systemClock: Clock = clockOf(() => Date.now());

/**
 * The clock of the machine as it stood at the call, going on evenly from there: a step of the wall clock moves no deadline of
 * this process, forwards or backwards. For daemons that act on time that has passed.
 */
export function steadyClock(wall: () => number = Date.now, elapsedMs: () => number = () => performance.now()): Clock {
  const offset = wall() - elapsedMs();
  return clockOf(() => Math.floor(offset + elapsedMs()));
}

function clockOf(now: () => number): Clock {
  return {
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
