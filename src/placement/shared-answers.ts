import type { PodSpec } from '../cluster/objects/pod.ts';
import type { Candidate } from './candidate.ts';
import { PairMemo } from './counts/memo.ts';
import type { Check, Rule } from './filters/filter-failure.ts';
import type { State } from './state.ts';

/**
 * What the rules about single nodes say to every pod of one spec and namespace, with all assigned pods in place: asked once
 * per node, and again for a node only after a booking has changed it.
 */
export class SharedAnswer {
  readonly checks: readonly Check[];
  readonly #touched: readonly number[];
  /** `UNKNOWN`, `FITS`, or `FAILS` and more: for which reason. */
  readonly #verdicts: Uint8Array;
  /** 1 where the verdict is `FITS`, once everything has been asked. */
  readonly #flags: Uint8Array;
  readonly #codes: (readonly string[])[] = [NO_CODES];
  #seen = 0;
  #isComplete = false;

  constructor(checks: readonly Check[], { nodeIndexes, assignedPods }: State) {
    this.checks = checks;
    this.#touched = assignedPods.touched;
    this.#verdicts = new Uint8Array(nodeIndexes.count);
    this.#flags = new Uint8Array(nodeIndexes.count);
    this.#seen = this.#touched.length;
  }

  /** Forgets what has been booked over since the answers were last used; call before asking. */
  refresh(): void {
    const nodeIndexes = this.#touched.slice(this.#seen);
    this.#seen = this.#touched.length;
    for (const nodeIndex of nodeIndexes) this.#verdicts[nodeIndex] = UNKNOWN;
    if (this.#isComplete) for (const nodeIndex of nodeIndexes) this.passes(nodeIndex);
  }

  /** Writes by place 1 where the pod passes, 0 where not. */
  copyTo(flags: Uint8Array): void {
    if (!this.#isComplete) this.#askAll();
    flags.set(this.#flags);
  }

  passes(nodeIndex: number): boolean {
    const verdict = this.#verdicts[nodeIndex];
    return verdict === UNKNOWN ? this.#ask(nodeIndex) : verdict === FITS;
  }

  /** The codes of the first rule that fails. */
  codes(nodeIndex: number): readonly string[] {
    if (this.passes(nodeIndex)) return NO_CODES;
    if (this.#verdicts[nodeIndex] === FAILS) this.#verdicts[nodeIndex] = FAILS + this.#codeNumber(nodeIndex);
    return this.#codes[(this.#verdicts[nodeIndex] ?? FAILS) - FAILS] ?? NO_CODES;
  }

  /** Asks rule by rule, which is faster than node by node. */
  #askAll(): void {
    const flags = this.#flags.fill(FITS);
    for (const check of this.checks) excludeFrom(flags, check);
    for (let nodeIndex = 0; nodeIndex < flags.length; nodeIndex++) {
      if (this.#verdicts[nodeIndex] === UNKNOWN) this.#verdicts[nodeIndex] = flags[nodeIndex] === FITS ? FITS : FAILS;
    }
    this.#isComplete = true;
  }

  #ask(nodeIndex: number): boolean {
    const passes = this.checks.every((check) => check.passes(nodeIndex));
    this.#verdicts[nodeIndex] = passes ? FITS : FAILS;
    this.#flags[nodeIndex] = Number(passes);
    return passes;
  }

  /** Equal lists of codes get one number; there are few of them. */
  #codeNumber(nodeIndex: number): number {
    const codes = this.checks.find((check) => !check.passes(nodeIndex))?.codes(nodeIndex) ?? NO_CODES;
    const key = codes.join();
    const known = this.#codes.findIndex((list, index) => index > 0 && list.join() === key);
    return known > 0 ? known : this.#codes.push(codes) - 1;
  }
}

/** Clears the flags of the places that the check does not let pass. */
export function excludeFrom(flags: Uint8Array, check: Check): void {
  if (check.exclude) check.exclude(flags);
  else
    for (let nodeIndex = 0; nodeIndex < flags.length; nodeIndex++) {
      if (flags[nodeIndex] === FITS && !check.passes(nodeIndex)) flags[nodeIndex] = 0;
    }
}

const UNKNOWN = 0;
const FITS = 1;
const FAILS = 2;
const NO_CODES: readonly string[] = [];

/** The shared answers of one cycle (architecture: pods that are equal to the scheduler share one signature). */
export class SharedAnswers {
  readonly #rules: readonly Rule[];
  readonly #state: State;
  readonly #bySpec = new PairMemo<PodSpec, SharedAnswer>();

  /** `rules` are those about single nodes. */
  constructor(rules: readonly Rule[], state: State) {
    this.#rules = rules;
    this.#state = state;
  }

  /** The answer that the candidate shares; up to date until the next booking. */
  of(candidate: Candidate): SharedAnswer {
    const { spec, pod } = candidate;
    // Claims of generic ephemeral volumes carry the pod's name.
    const key = spec.volumes.some(({ kind }) => kind === 'ephemeral') ? `${pod.namespace}/${pod.name}` : pod.namespace;
    const answer = this.#bySpec.get(spec, key, () => this.#make({ ...candidate, changes: [] }));
    answer.refresh();
    return answer;
  }

  #make(candidate: Candidate): SharedAnswer {
    const checks = this.#rules.flatMap((rule) => rule.check?.(candidate) ?? []);
    return new SharedAnswer(checks, this.#state);
  }
}
