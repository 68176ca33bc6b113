import type { Clock } from '../lib/clock.ts';

/** Until when a call is tried, for many calls to one server: one that is away is waited for once, not by each in turn. */
export class Patience {
  readonly #clock: Clock;
  readonly #ms: number;
  #silentSince: number | undefined;

  constructor(clock: Clock, ms: number) {
    this.#clock = clock;
    this.#ms = ms;
  }

  /** For a call that starts now, in ms since the epoch: counted from when the server fell silent. */
  deadline(): number {
    return (this.#silentSince ?? this.#clock.now()) + this.#ms;
  }

  /** What has come of a call: an answer that says something, or silence. */
  note(isAnswer: boolean): void {
    this.#silentSince = isAnswer ? undefined : (this.#silentSince ?? this.#clock.now());
  }
}
