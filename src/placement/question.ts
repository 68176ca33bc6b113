import type { Candidate } from './candidate.ts';
import type { Check, Misfit, Rule } from './misfit.ts';
import type { Nominations } from './nominations.ts';

/** All rules about one candidate, as things stand now. */
export class Question {
  readonly candidate: Candidate;
  /** Why no node can take the candidate, if that is so before any is looked at. */
  readonly refusal: Misfit | undefined;
  readonly #rules: readonly Rule[];
  readonly #nominations: Pick<Nominations, 'before'>;
  readonly #checks: readonly Check[];

  constructor(candidate: Candidate, rules: readonly Rule[], nominations: Pick<Nominations, 'before'>) {
    this.candidate = candidate;
    this.#rules = rules;
    this.#nominations = nominations;
    this.refusal = firstRefusal(candidate, rules);
    this.#checks = this.refusal ? [] : checksOf(candidate, rules);
  }

  /** Whether the candidate fits the place: without, and with the pods that are nominated there (scheduler.md 1.6). */
  passes(place: number): boolean {
    if (this.refusal) return false;
    for (const check of this.#checks) if (!check.passes(place)) return false;
    return this.#withNominated(place)?.passes(place) ?? true;
  }

  /** The codes of the first rule that fails. */
  codes(place: number): readonly string[] {
    if (this.refusal) return [this.refusal.code];
    return this.#failing(place)?.codes(place) ?? [];
  }

  /** The reasons of the first rule that fails. */
  misfits(place: number): readonly Misfit[] {
    if (this.refusal) return [this.refusal];
    const check = this.#failing(place);
    return check?.codes(place).map((code) => ({ code, text: check.text(place, code) })) ?? [];
  }

  /** The scheduler asks with the nominated pods first. */
  #failing(place: number): Check | undefined {
    const withNominated = this.#withNominated(place);
    return (withNominated && withNominated.#failing(place)) ?? this.#checks.find((check) => !check.passes(place));
  }

  #withNominated(place: number): Question | undefined {
    const nominated = this.#nominations.before(this.candidate.pod, place);
    if (nominated.length === 0) return undefined;
    const candidate = { ...this.candidate, changes: [...this.candidate.changes, ...nominated] };
    return new Question(candidate, this.#rules, NO_NOMINATIONS);
  }
}

const NO_NOMINATIONS: Pick<Nominations, 'before'> = { before: () => [] };

function firstRefusal(candidate: Candidate, rules: readonly Rule[]): Misfit | undefined {
  for (const rule of rules) {
    const refusal = rule.refuse?.(candidate);
    if (refusal) return refusal;
  }
  return undefined;
}

function checksOf(candidate: Candidate, rules: readonly Rule[]): readonly Check[] {
  const checks: Check[] = [];
  for (const rule of rules) {
    const check = rule.check?.(candidate);
    if (check) checks.push(check);
  }
  return checks;
}
