import type { Eviction, Observe, Outcome, Refusal, StrategyRun } from './outcome.ts';

/** What has been recorded, each list in the order of the plan. */
export interface RecordedOutcomes {
  readonly evictions: readonly Eviction[];
  readonly refusals: readonly Refusal[];
  readonly strategies: readonly StrategyRun[];
  readonly warnings: readonly string[];
}

/**
 * Records the outcomes of one cycle and passes each on at once. Evictions end in any order, for they are carried out side
 * by side; they are kept in the order of the plan, so that equal plans give equal reports.
 */
export class OutcomeRecorder {
  readonly #observe: Observe;
  readonly #evictions: (Eviction | undefined)[] = [];
  readonly #refusals: Refusal[] = [];
  readonly #strategies: StrategyRun[] = [];
  readonly #warnings = new Set<string>();

  constructor(observe: Observe) {
    this.#observe = observe;
  }

  /** Takes an eviction that has ended; `position` is its place in the plan. */
  addEviction(position: number, ended: Eviction): void {
    this.#evictions[position] = ended;
    this.#observe(ended);
  }

  /** Names other likely nodes of an eviction, once the whole plan is known. */
  nameLikelyNodes(position: number, likelyNodes: readonly string[]): void {
    const eviction = this.#evictions[position];
    if (eviction) this.#evictions[position] = { ...eviction, likelyNodes };
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
  entries(): RecordedOutcomes {
    return {
      evictions: this.#evictions.filter((eviction) => eviction !== undefined),
      refusals: [...this.#refusals],
      strategies: [...this.#strategies],
      warnings: [...this.#warnings],
    };
  }
}
