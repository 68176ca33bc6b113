import type { Node } from '../cluster/objects/node.ts';
import type { AssumedPod, Pod } from '../cluster/objects/pod.ts';
import { requestsOf } from '../cluster/amounts/requests.ts';
import { compareText, type Snapshot } from '../cluster/snapshot.ts';
import type { Candidate } from './candidate.ts';
import type { Misfit, MisfitCount } from './filters/misfit.ts';
import { Nominations } from './nominations.ts';
import type { FitOptions } from './options.ts';
import { Prediction } from './prediction.ts';
import { presences, type Presence } from './counts/presence.ts';
import { Question, rulebook, type Rulebook } from './filters/question.ts';
import type { Queued } from './queue.ts';
import type { Replacements } from './replacement.ts';
import type { Change } from './counts/residents.ts';
import { rulesOf } from './filters/rules.ts';
import { Ranking } from './score.ts';
import { DEFAULT_SCORING, type Scoring } from './scores/scorer.ts';
import { createState, type State } from './state.ts';

/** What a view is made from. */
export interface ViewBasis {
  readonly snapshot: Snapshot;
  readonly options: FitOptions;
  readonly replacements: Replacements;
}

/** The cluster as the scheduler finds it when it comes to a pod, and its answers about that pod. */
export class View {
  readonly #state: State;
  readonly #replacements: Replacements;
  readonly #rulebook: Rulebook;
  readonly #ranking: Ranking;
  #last: { readonly pod: Pod; readonly version: number; readonly question: Question } | undefined;
  #predicted: { readonly key: PredictionKey; readonly prediction: Prediction } | undefined;

  constructor({ snapshot, options, replacements }: ViewBasis) {
    this.#state = createState(snapshot, options);
    this.#replacements = replacements;
    const nominations = new Nominations(snapshot, this.#state.places);
    for (const pod of nominations.pods) this.#state.carriers.termsOf(pod);
    this.#rulebook = rulebook(rulesOf(this.#state, replacements), nominations, this.#state);
    this.#ranking = new Ranking(this.#state);
  }

  misfits(pod: Pod, node: Node): readonly Misfit[] {
    const place = this.#state.places.of(node.name);
    return place === undefined ? [noSuchNode(node)] : this.#gone(pod).misfits(place);
  }

  fitting(pod: Pod, nodes: readonly Node[]): readonly Node[] {
    const { places } = this.#state;
    const fitting: Node[] = [];
    this.#gone(pod).eachFitting(places.ofAll(nodes), (place) => fitting.push(places.at(place)));
    return fitting;
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

  summary(pod: Pod, nodes: readonly Node[]): readonly MisfitCount[] {
    const question = this.#gone(pod);
    const { places, room } = this.#state;
    const counts = new Map<string, MisfitCount>();
    places.ofAll(nodes).forEach((place, index) => {
      const isKept = room.isKeptAt(place);
      for (const code of place < 0 ? ['no-node'] : question.codes(place)) {
        const kept = isKept && (code === 'pods' || Object.hasOwn(question.candidate.needs, code));
        const before = counts.get(code);
        const count = (before?.count ?? 0) + 1;
        const here = nodes[index];
        if (before && (before.kept || !kept)) counts.set(code, { ...before, count });
        else if (here) counts.set(code, { code, count, example: here, kept });
      }
    });
    return [...counts.values()].sort((a, b) => b.count - a.count || compareText(a.code, b.code));
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

  assume(victim: Pod, assumed: AssumedPod | undefined): void {
    this.#state.residents.assume(victim, assumed);
  }

  forget(victim: Pod): void {
    this.#state.residents.forget(victim);
  }

  remove(victim: Pod): void {
    this.#state.residents.remove(victim);
  }

  /** Puts a pending pod where the scheduler would likely put it; undefined where it fits nowhere. */
  place(pod: Pod): number | undefined {
    const question = new Question(candidateFor(pod, []), this.#rulebook);
    const [best] = this.#rank(question, this.#state.places.all, undefined).likely;
    const place = best && this.#state.places.of(best.name);
    if (place !== undefined) this.#state.residents.admit(pod, place);
    return place;
  }

  /** A pending pod takes the place that it gets. */
  admit({ pod, place }: Queued): void {
    this.#state.residents.admit(pod, place);
  }

  /** The nodes by number. */
  get places() {
    return this.#state.places;
  }

  warnings(): readonly string[] {
    return this.#state.warnings.texts();
  }

  #predict(pod: Pod, places: Int32Array, scoring?: Scoring): Prediction {
    for (const presence of presences(pod, this.#state.snapshot)) {
      const prediction = this.#rank(this.#question(pod, presence), places, scoring);
      if (prediction.likely.length > 0) return prediction;
    }
    return new Prediction(this.#state.places, new Int32Array());
  }

  #rank(question: Question, places: Int32Array, assumed = DEFAULT_SCORING): Prediction {
    const fitting = question.fittingAmong(places);
    if (fitting.length === 0) return new Prediction(this.#state.places, new Int32Array());
    const scoring = this.#state.options.scoringStrategy ?? assumed;
    return new Prediction(this.#state.places, this.#ranking.totals(question.candidate, fitting, scoring));
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
    return new Question(candidateFor(this.#replacements.of(pod), this.#changes(pod, presence)), this.#rulebook);
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

function candidateFor(pod: Pod, changes: readonly Change[]): Candidate {
  const { spec } = pod;
  return { pod, spec, needs: requestsOf(spec), changes };
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

function noSuchNode(node: Node): Misfit {
  return { code: 'no-node', text: `node ${node.name} does not exist` };
}
