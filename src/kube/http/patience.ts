import { sleep, type Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { retryDelay } from '../../lib/retry.ts';

/** What patience works with. */
export interface PatienceOptions {
  readonly clock: Clock;
  readonly random: Random;
  /** For how long a server that serves nobody is asked. */
  readonly ms: number;
}

/** How a request may go: `as-probe` it sees whether the server is back. */
export type Turn = 'freely' | 'as-probe' | 'never';

/** What has come of a request. */
export interface Asked {
  readonly turn: Turn;
  /** Whether the server did what it was asked, or said why not. */
  readonly isServed: boolean;
  readonly retryAfterMs?: number | undefined;
}

const BACKOFF = { baseMs: 200, capMs: 5_000 };

/**
 * Patience with a server that serves nobody, shared by many requests: one at a time asks whether it is back, after waits that
 * grow, and it is given up once, not by each in turn.
 */
export class Patience {
  readonly #options: PatienceOptions;
  #failingSince: number | undefined;
  #failures = 0;
  #nextAt = 0;
  #isProbing = false;
  readonly #waiting: (() => void)[] = [];

  constructor(options: PatienceOptions) {
    this.#options = options;
  }

  /**
   * Until when a request that starts now is tried, as `clock.now()` has it: counted from when the server began to fail, but
   * for the next time that somebody sees whether it is back.
   */
  deadline(): number {
    const { clock, ms } = this.#options;
    return this.#failingSince === undefined ? clock.now() + ms : Math.max(this.#failingSince + ms, this.#nextAt + 1);
  }

  /** Resolves when a request may go, or the signal comes; or when none may go until the deadline any more. */
  async turn(deadline: number, signal: AbortSignal): Promise<Turn> {
    const { clock } = this.#options;
    while (this.#failingSince !== undefined && !signal.aborted) {
      if (this.#nextAt >= deadline) return 'never';
      if (clock.now() < this.#nextAt) await sleep(clock, this.#nextAt - clock.now(), signal);
      else if (this.#isProbing) await new Promise<void>((resolve) => this.#waiting.push(resolve));
      else {
        this.#isProbing = true;
        return 'as-probe';
      }
    }
    return 'freely';
  }

  /** Takes note of an answer. Of requests that fail together only the first makes the wait grow. */
  note({ turn, isServed, retryAfterMs }: Asked): void {
    const { clock, random } = this.#options;
    const isCounted = turn === 'as-probe' || this.#failingSince === undefined;
    if (isServed) {
      this.#failingSince = undefined;
      this.#failures = 0;
    } else if (isCounted) {
      this.#failingSince ??= clock.now();
      this.#nextAt = clock.now() + retryDelay(BACKOFF, this.#failures++, { random, retryAfterMs });
    }
    if (turn === 'as-probe') this.#isProbing = false;
    for (const wake of this.#waiting.splice(0)) wake();
  }
}
