import type { Candidate } from '../candidate.ts';
import type { Check, Misfit, Rule } from './misfit.ts';
import type { Nominations } from '../nominations.ts';
import { excludeFrom, SharedAnswers, type SharedAnswer } from '../shared-answers.ts';
import type { State } from '../state.ts';

/** What a question is answered with. */
export interface Rulebook {
  /** All rules in the scheduler's order. */
  readonly rules: readonly Rule[];
  readonly nominations: Nominations;
  readonly shared: SharedAnswers;
  /** One byte per place, overwritten by every question. */
  readonly scratch: Uint8Array;
  /** Rules about domains. */
  readonly domains: readonly Rule[];
  /** Rules of neither kind. */
  readonly others: readonly Rule[];
}

/** The rules, parted by what they depend on. */
export function rulebook(rules: readonly Rule[], nominations: Nominations, state: State): Rulebook {
  const ofScope = (wanted: Rule['scope']) => rules.filter(({ scope }) => scope === wanted);
  const shared = new SharedAnswers(ofScope('node'), state);
  return {
    rules,
    nominations,
    shared,
    scratch: new Uint8Array(state.places.count),
    domains: ofScope('domain'),
    others: ofScope(undefined),
  };
}

/** How most nodes are answered for: their own rules as for all pods of the spec, then the rules about domains. */
interface QuickAnswer {
  readonly shared: SharedAnswer;
  readonly checks: readonly Check[];
}

/** All rules about one candidate, as things stand now. */
export class Question {
  readonly candidate: Candidate;
  /** Why no node can take the candidate, if that is so before any is looked at. */
  readonly refusal: Misfit | undefined;
  readonly #book: Rulebook;
  readonly #quick: QuickAnswer | undefined;
  #checks: readonly Check[] | undefined;

  constructor(candidate: Candidate, book: Rulebook) {
    this.candidate = candidate;
    this.#book = book;
    this.refusal = firstRefusal(candidate, book.rules);
    this.#quick = this.refusal ? undefined : quickAnswer(candidate, book);
  }

  /** Whether the candidate fits the place. */
  passes(place: number): boolean {
    if (this.refusal) return false;
    if (!this.#quick || this.#isSpecial(place)) return this.#failing(place) === undefined;
    if (!this.#quick.shared.passes(place)) return false;
    for (const check of this.#quick.checks) if (!check.passes(place)) return false;
    return true;
  }

  /** Calls `visit` for those of `places` that the candidate fits, in their order; -1 is no place. */
  eachFitting(places: Int32Array, visit: (place: number) => void): void {
    if (this.refusal) return;
    const verdicts = this.#askAll();
    for (let index = 0; index < places.length; index++) {
      const place = places[index] ?? -1;
      const verdict = verdicts[place];
      if (verdict === FITS || (verdict === SPECIAL && this.passes(place))) visit(place);
    }
  }

  /** Those of `places` that the candidate fits, in their order. */
  fittingAmong(places: Int32Array): Int32Array {
    const fitting = new Int32Array(places.length);
    let count = 0;
    this.eachFitting(places, (place) => {
      fitting[count] = place;
      count += 1;
    });
    return fitting.subarray(0, count);
  }

  /** The codes of the first rule that fails. */
  codes(place: number): readonly string[] {
    if (this.refusal) return [this.refusal.code];
    if (!this.#quick || this.#isSpecial(place)) return this.#failing(place)?.codes(place) ?? NO_CODES;
    if (!this.#quick.shared.passes(place)) return this.#quick.shared.codes(place);
    for (const check of this.#quick.checks) if (!check.passes(place)) return check.codes(place);
    return NO_CODES;
  }

  /** The reasons of the first rule that fails. */
  misfits(place: number): readonly Misfit[] {
    if (this.refusal) return [this.refusal];
    const check = this.#failing(place);
    return check?.codes(place).map((code) => ({ code, text: check.text(place, code) })) ?? [];
  }

  /** Verdicts by place, for immediate use. What is special is left open: mostly it is the pod's own node. */
  #askAll(): Uint8Array {
    const { scratch, nominations } = this.#book;
    if (!this.#quick) return scratch.fill(SPECIAL);
    this.#quick.shared.copyTo(scratch);
    for (const check of this.#quick.checks) excludeFrom(scratch, check);
    for (const { resident } of this.candidate.changes) scratch[resident.place] = SPECIAL;
    for (const place of nominations.places()) scratch[place] = SPECIAL;
    return scratch;
  }

  /** Where residents differ from those that the shared answers know. */
  #isSpecial(place: number): boolean {
    const { changes, pod } = this.candidate;
    for (const { resident } of changes) if (resident.place === place) return true;
    return this.#book.nominations.before(pod, place).length > 0;
  }

  /** The first rule that fails: with the pods that are nominated there, else without (rule S5). */
  #failing(place: number): Check | undefined {
    const { candidate } = this;
    const nominated = this.#book.nominations.before(candidate.pod, place);
    if (nominated.length > 0) {
      const asked = { ...candidate, changes: [...candidate.changes, ...nominated] };
      const failing = checksOf(asked, this.#book.rules).find((check) => !check.passes(place));
      if (failing) return failing;
    }
    this.#checks ??= checksOf(candidate, this.#book.rules);
    return this.#checks.find((check) => !check.passes(place));
  }
}

const FITS = 1;
const SPECIAL = 2;
const NO_CODES: readonly string[] = [];

function firstRefusal(candidate: Candidate, rules: readonly Rule[]): Misfit | undefined {
  for (const rule of rules) {
    const refusal = rule.refuse?.(candidate);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Undefined if a rule has a say that is neither about a node nor about domains. */
function quickAnswer(candidate: Candidate, { shared, domains, others }: Rulebook): QuickAnswer | undefined {
  if (checksOf(candidate, others).length > 0) return undefined;
  return { shared: shared.of(candidate), checks: checksOf(candidate, domains) };
}

function checksOf(candidate: Candidate, rules: readonly Rule[]): readonly Check[] {
  const checks: Check[] = [];
  for (const rule of rules) {
    const check = rule.check?.(candidate);
    if (check) checks.push(check);
  }
  return checks;
}
