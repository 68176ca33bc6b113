import type { Clock } from '../lib/clock.ts';

/** When the program counts as stuck. Times in ms. */
export interface HeartbeatOptions {
  readonly clock: Clock;
  /** Longest silence within a cycle. */
  readonly silenceMs: number;
  /** Longest time from one start to the next; undefined where nobody can tell. */
  readonly overdueMs: number | undefined;
}

/** Follows the loop, for /healthz and /readyz (rule C10). Every sign of progress is a beat. */
export class Heartbeat {
  readonly #options: HeartbeatOptions;
  #isRunning = false;
  #lastBeat: number;
  #lastStart: number;
  /** Why the last cycle failed; undefined if it did not. */
  #failure: string | undefined = 'the first cycle has not ended yet';

  constructor(options: HeartbeatOptions) {
    this.#options = options;
    this.#lastBeat = options.clock.now();
    this.#lastStart = this.#lastBeat;
  }

  /** Something has moved: a page, an eviction, a decision. */
  beat(): void {
    this.#lastBeat = this.#options.clock.now();
  }

  /** A cycle starts. */
  begin(): void {
    this.beat();
    this.#lastStart = this.#lastBeat;
    this.#isRunning = true;
  }

  /** A cycle has ended. */
  end(failure?: string): void {
    this.beat();
    this.#isRunning = false;
    this.#failure = failure;
  }

  /** Why the program should be started again; undefined while all is well. A cycle that failed is no reason. */
  unhealthy(): string | undefined {
    const { clock, silenceMs, overdueMs } = this.#options;
    const silence = clock.now() - this.#lastBeat;
    if (this.#isRunning) return silence > silenceMs ? `no progress in this cycle for ${seconds(silence)} s` : undefined;
    const since = clock.now() - this.#lastStart;
    if (overdueMs === undefined || since <= overdueMs) return undefined;
    return `no cycle has started for ${seconds(since)} s`;
  }

  /** Why it is not doing its work; undefined while the last cycle was a success. */
  unready(): string | undefined {
    return this.unhealthy() ?? this.#failure;
  }
}

function seconds(ms: number): number {
  return Math.round(ms / 1000);
}
