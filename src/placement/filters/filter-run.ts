import type { Candidate } from '../candidate.ts';
import type { Check, FilterFailure, Rule } from './filter-failure.ts';
import type { Nominations } from '../nominations.ts';
import { excludeFrom, SharedAnswers, type SharedAnswer } from '../shared-answers.ts';
import type { State } from '../state.ts';

/** What a question is answered with. */
export interface FilterPlugins {
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
export function filterPlugins(rules: readonly Rule[], nominations: Nominations, state: State): FilterPlugins {
  const ofScope = (wanted: Rule['scope']) => rules.filter(({ scope }) => scope === wanted);
  const shared = new SharedAnswers(ofScope('node'), state);
  return {
    rules,
    nominations,
    shared,
    scratch: new Uint8Array(state.nodeIndexes.count),
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
export class FilterRun {
  readonly candidate: Candidate;
  /** Why no node can take the candidate, if that is so before any is considered. */
  readonly refusal: FilterFailure | undefined;
  readonly #assume: FilterPlugins;
  readonly #quick: QuickAnswer | undefined;
  #checks: readonly Check[] | undefined;

  constructor(candidate: Candidate, assume: FilterPlugins) {
    this.candidate = candidate;
    this.#assume = assume;
    this.refusal = firstRefusal(candidate, assume.rules);
    this.#quick = this.refusal ? undefined : quickAnswer(candidate, assume);
  }

  /** Whether the candidate fits the place. */
  passes(nodeIndex: number): boolean {
    if (this.refusal) return false;
    if (!this.#quick || this.#isSpecial(nodeIndex)) return this.#failing(nodeIndex) === undefined;
    if (!this.#quick.shared.passes(nodeIndex)) return false;
    for (const check of this.#quick.checks) if (!check.passes(nodeIndex)) return false;
    return true;
  }

  /** Calls `visit` for those of `nodeIndexes` that the candidate fits, in their order; -1 is no place. */
  eachFitting(nodeIndexes: Int32Array, visit: (nodeIndex: number) => void): void {
    if (this.refusal) return;
    const verdicts = this.#askAll();
    for (let index = 0; index < nodeIndexes.length; index++) {
      const nodeIndex = nodeIndexes[index] ?? -1;
      const verdict = verdicts[nodeIndex];
      if (verdict === FITS || (verdict === SPECIAL && this.passes(nodeIndex))) visit(nodeIndex);
    }
  }

  /** Those of `nodeIndexes` that the candidate fits, in their order. */
  fittingAmong(nodeIndexes: Int32Array): Int32Array {
    const fitting = new Int32Array(nodeIndexes.length);
    let count = 0;
    this.eachFitting(nodeIndexes, (nodeIndex) => {
      fitting[count] = nodeIndex;
      count += 1;
    });
    return fitting.subarray(0, count);
  }

  /** The codes of the first rule that fails. */
  codes(nodeIndex: number): readonly string[] {
    if (this.refusal) return [this.refusal.code];
    if (!this.#quick || this.#isSpecial(nodeIndex)) return this.#failing(nodeIndex)?.codes(nodeIndex) ?? NO_CODES;
    if (!this.#quick.shared.passes(nodeIndex)) return this.#quick.shared.codes(nodeIndex);
    for (const check of this.#quick.checks) if (!check.passes(nodeIndex)) return check.codes(nodeIndex);
    return NO_CODES;
  }

  /** The reasons of the first rule that fails. */
  misfits(nodeIndex: number): readonly FilterFailure[] {
    if (this.refusal) return [this.refusal];
    const check = this.#failing(nodeIndex);
    return check?.codes(nodeIndex).map((code) => ({ code, text: check.text(nodeIndex, code) })) ?? [];
  }

  /** Verdicts by place, for immediate use. What is special is left open: mostly it is the pod's own node. */
  #askAll(): Uint8Array {
    const { scratch, nominations } = this.#assume;
    if (!this.#quick) return scratch.fill(SPECIAL);
    this.#quick.shared.copyTo(scratch);
    for (const check of this.#quick.checks) excludeFrom(scratch, check);
    for (const { assignedPod } of this.candidate.changes) scratch[assignedPod.nodeIndex] = SPECIAL;
    for (const nodeIndex of nominations.nodeIndexes()) scratch[nodeIndex] = SPECIAL;
    return scratch;
  }

  /** Where assigned pods differ from those that the shared answers know. */
  #isSpecial(nodeIndex: number): boolean {
    const { changes, pod } = this.candidate;
    for (const { assignedPod } of changes) if (assignedPod.nodeIndex === nodeIndex) return true;
    return this.#assume.nominations.before(pod, nodeIndex).length > 0;
  }

  /** The first rule that fails: with the pods that are nominated there, else without (rule S5). */
  #failing(nodeIndex: number): Check | undefined {
    const { candidate } = this;
    const nominated = this.#assume.nominations.before(candidate.pod, nodeIndex);
    if (nominated.length > 0) {
      const asked = { ...candidate, changes: [...candidate.changes, ...nominated] };
      const failing = checksOf(asked, this.#assume.rules).find((check) => !check.passes(nodeIndex));
      if (failing) return failing;
    }
    this.#checks ??= checksOf(candidate, this.#assume.rules);
    return this.#checks.find((check) => !check.passes(nodeIndex));
  }
}

const FITS = 1;
const SPECIAL = 2;
const NO_CODES: readonly string[] = [];

function firstRefusal(candidate: Candidate, rules: readonly Rule[]): FilterFailure | undefined {
  for (const rule of rules) {
    const refusal = rule.refuse?.(candidate);
    if (refusal) return refusal;
  }
  return undefined;
}

/** Undefined if a rule has a say that is neither about a node nor about domains. */
function quickAnswer(candidate: Candidate, { shared, domains, others }: FilterPlugins): QuickAnswer | undefined {
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
