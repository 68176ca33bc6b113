import type { Eviction, Observe, Outcome, Refusal, StrategyRun } from './outcome.ts';

/** What a journal has gathered, each list in the order of the plan. */
export interface JournalEntries {
  readonly evictions: readonly Eviction[];
  readonly refusals: readonly Refusal[];
  readonly strategies: readonly StrategyRun[];
  readonly warnings: readonly string[];
}

/**
 * Gathers the outcomes of one cycle and passes each on at once. Evictions end in any order, for they are carried out side
 * by side; the journal keeps them in the order in which they were granted, so that equal plans give equal reports.
 */
export class Journal {
  readonly #observe: Observe;
  readonly #evictions: (Eviction | undefined)[] = [];
  readonly #refusals: Refusal[] = [];
  readonly #strategies: StrategyRun[] = [];
  readonly #warnings = new Set<string>();

  constructor(observe: Observe) {
    this.#observe = observe;
  }

  /** Keeps a place for an eviction that is granted now; the answer takes how it ended. */
  expectEviction(): (ended: Eviction) => void {
    const place = this.#evictions.push(undefined) - 1;
    return (ended) => {
      this.#evictions[place] = ended;
      this.#observe(ended);
    };
  }

  /** Takes any other outcome; a warning with the same text is taken once. */
  add(outcome: Exclude<Outcome, Eviction>): void {
    if (outcome.kind === 'warning') {
      if (this.#warnings.has(outcome.text)) return;
      this.#warnings.add(outcome.text);
    } else if (outcome.kind === 'refusal') this.#refusals.push(outcome);
    else this.#strategies.push(outcome);
    this.#observe(outcome);
  }

  /** Everything so far; evictions that have not ended yet are left out. */
  entries(): JournalEntries {
    return {
      evictions: this.#evictions.filter((eviction) => eviction !== undefined),
      refusals: [...this.#refusals],
      strategies: [...this.#strategies],
      warnings: [...this.#warnings],
    };
  }
}
