import type { Node } from '../cluster/node.ts';
import type { AssumedPod, Pod } from '../cluster/pod.ts';
import { requestsOf } from '../cluster/requests.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import type { Candidate } from './candidate.ts';
import type { Misfit } from './misfit.ts';
import { Nominations } from './nominations.ts';
import type { FitOptions } from './options.ts';
import { presences, type Presence } from './presence.ts';
import { Question, rulebook, type Rulebook } from './question.ts';
import { Replacements } from './replacement.ts';
import type { Change } from './residents.ts';
import { rulesOf } from './rules.ts';
import { Prediction } from './prediction.ts';
import { Ranking } from './score.ts';
import { DEFAULT_SCORING, type Scoring } from './scorer.ts';
import { createState, type State } from './state.ts';

export type { Misfit } from './misfit.ts';
export type { AddedAffinity, FitOptions } from './options.ts';
export { isForeseeable, type Prediction } from './prediction.ts';
export { DEFAULT_SCORING, type Scoring } from './scorer.ts';

/** The room of one cycle: the snapshot's residents, plus victims that still terminate, plus assumed pods. */
export interface Placement {
  /** All reasons of the first failing rule, in the scheduler's order; empty if the pod fits. The pod counts as gone. */
  misfits(pod: Pod, node: Node): readonly Misfit[];
  /** Those of `nodes` that fit, in their order. Lists that are passed again must not have changed. */
  fitting(pod: Pod, nodes: readonly Node[]): readonly Node[];
  /** How many of `nodes` fit. */
  countFitting(pod: Pod, nodes: readonly Node[]): number;
  /** Whether one of `nodes` fits; stops at the first. */
  fitsAny(pod: Pod, nodes: readonly Node[]): boolean;
  /** How many of `nodes` do not fit, by code, most frequent first, then by code (scheduler.md 1.3). */
  summary(pod: Pod, nodes: readonly Node[]): ReadonlyMap<string, number>;
  /** Those of `nodes` with the highest total score, by name, as if there were no others (scheduler.md 4.4). */
  likely(pod: Pod, nodes: readonly Node[]): readonly Node[];
  /**
   * Where the scheduler would put the pod's replacement, of all nodes of the cluster, the pod's own too: with the pod
   * terminating where it is or gone, as its owner has it (scheduler.md 4.2). Ask `isForeseeable` whether the pod's
   * scheduler is the one that is foreseen. `scoring` is what the caller takes for granted where the policy does not say how
   * the scheduler's profile scores resources.
   */
  predict(pod: Pod, scoring?: Scoring): Prediction;
  /** The pod that would come in place of this one, as far as that can be known; the pod itself where it would be the same. */
  replacementOf(pod: Pod): Pod;
  /** The victim terminates where it is from now on; its replacement, if there is a destination, is assumed there. */
  assume(victim: Pod, destination: Node | undefined): AssumedPod | undefined;
  /** Takes that back. */
  forget(victim: Pod): void;
  /** The victim is gone, and no replacement is assumed. */
  remove(victim: Pod): void;
  /** Rules that could not be judged because a kind is unknown, one sentence per kind (scheduler.md 4.6). */
  warnings(): readonly string[];
}

/** Makes the placement of a cycle from what the cycle's snapshot shows. */
export type CreatePlacement = (snapshot: Snapshot, options?: FitOptions) => Placement;

/** Answers for one cycle, by kube-scheduler's rules (scheduler.md 2). The snapshot stays the one of the cycle's start. */
export const createPlacement: CreatePlacement = (snapshot, options = {}) => new CyclePlacement(snapshot, options);

class CyclePlacement implements Placement {
  readonly #state: State;
  readonly #replacements: Replacements;
  readonly #rulebook: Rulebook;
  readonly #ranking: Ranking;
  #last: { readonly pod: Pod; readonly version: number; readonly question: Question } | undefined;
  #predicted: { readonly key: PredictionKey; readonly prediction: Prediction } | undefined;

  constructor(snapshot: Snapshot, options: FitOptions) {
    this.#state = createState(snapshot, options);
    this.#replacements = new Replacements(snapshot);
    const nominations = new Nominations(snapshot, this.#state.places);
    for (const pod of nominations.pods) this.#state.carriers.termsOf(pod);
    this.#rulebook = rulebook(rulesOf(this.#state, this.#replacements), nominations, this.#state);
    this.#ranking = new Ranking(this.#state);
  }

  misfits(pod: Pod, node: Node): readonly Misfit[] {
    const place = this.#state.places.of(node.name);
    return place === undefined ? [noSuchNode(node)] : this.#gone(pod).misfits(place);
  }

  fitting(pod: Pod, nodes: readonly Node[]): readonly Node[] {
    return fittingOf(this.#gone(pod), nodes, this.#state);
  }

  countFitting(pod: Pod, nodes: readonly Node[]): number {
    let count = 0;
    this.#gone(pod).eachFitting(this.#state.places.ofAll(nodes), () => (count += 1));
    return count;
  }

  fitsAny(pod: Pod, nodes: readonly Node[]): boolean {
    if (nodes.length === 0) return false;
    const question = this.#gone(pod);
    return this.#state.places.ofAll(nodes).some((place) => place >= 0 && question.passes(place));
  }

  summary(pod: Pod, nodes: readonly Node[]): ReadonlyMap<string, number> {
    const question = this.#gone(pod);
    const counts = new Map<string, number>();
    for (const place of this.#state.places.ofAll(nodes)) {
      const codes = place < 0 ? ['no-node'] : question.codes(place);
      for (const code of codes) counts.set(code, (counts.get(code) ?? 0) + 1);
    }
    return new Map([...counts].sort(([a, m], [b, n]) => n - m || (a < b ? -1 : 1)));
  }

  likely(pod: Pod, nodes: readonly Node[]): readonly Node[] {
    const places = this.#state.places.ofAll(nodes).filter((place) => place >= 0);
    return this.#predict(pod, places.sort()).likely;
  }

  predict(pod: Pod, scoring?: Scoring): Prediction {
    const key = { pod, scoring, version: this.#state.residents.version };
    if (!this.#predicted || !isSame(this.#predicted.key, key)) {
      this.#predicted = { key, prediction: this.#predict(pod, this.#state.places.all, scoring) };
    }
    return this.#predicted.prediction;
  }

  replacementOf(pod: Pod): Pod {
    return this.#replacements.of(pod);
  }

  assume(victim: Pod, destination: Node | undefined): AssumedPod | undefined {
    const assumed = destination && this.#replacements.assumedPod(victim, destination);
    this.#state.residents.assume(victim, assumed);
    return assumed;
  }

  forget(victim: Pod): void {
    this.#state.residents.forget(victim);
  }

  remove(victim: Pod): void {
    this.#state.residents.remove(victim);
  }

  warnings(): readonly string[] {
    return this.#state.warnings.texts();
  }

  #predict(pod: Pod, places: Int32Array, assumed = DEFAULT_SCORING): Prediction {
    const scoring = this.#state.options.scoringStrategy ?? assumed;
    for (const presence of presences(pod, this.#state.snapshot)) {
      const question = this.#question(pod, presence);
      const fitting = question.fittingAmong(places);
      if (fitting.length === 0) continue;
      return new Prediction(this.#state.places, this.#ranking.totals(question.candidate, fitting, scoring));
    }
    return new Prediction(this.#state.places, new Int32Array());
  }

  /** The question with the pod gone, kept while the same pod is asked about and nothing is booked. */
  #gone(pod: Pod): Question {
    const { version } = this.#state.residents;
    if (this.#last?.pod !== pod || this.#last.version !== version) {
      this.#last = { pod, version, question: this.#question(pod, 'gone') };
    }
    return this.#last.question;
  }

  #question(pod: Pod, presence: Presence): Question {
    const replacement = this.#replacements.of(pod);
    const { spec } = replacement;
    const changes = this.#changes(pod, presence);
    const candidate: Candidate = { pod: replacement, spec, needs: requestsOf(spec), changes };
    return new Question(candidate, this.#rulebook);
  }

  #changes(pod: Pod, presence: Presence): readonly Change[] {
    const resident = this.#state.residents.of(pod);
    if (!resident) return [];
    if (presence === 'gone') return [{ resident, sign: -1 }];
    if (resident.leaving) return [];
    return [
      { resident, sign: -1 },
      { resident: { ...resident, leaving: true }, sign: 1 },
    ];
  }
}

/** What a prediction depends on. */
interface PredictionKey {
  readonly pod: Pod;
  readonly scoring: Scoring | undefined;
  readonly version: number;
}

function isSame(a: PredictionKey, b: PredictionKey): boolean {
  return a.pod === b.pod && a.version === b.version && a.scoring === b.scoring;
}

function fittingOf(question: Question, nodes: readonly Node[], { places }: State): readonly Node[] {
  const fitting: Node[] = [];
  question.eachFitting(places.ofAll(nodes), (place) => fitting.push(places.at(place)));
  return fitting;
}

function noSuchNode(node: Node): Misfit {
  return { code: 'no-node', text: `node ${node.name} does not exist` };
}
