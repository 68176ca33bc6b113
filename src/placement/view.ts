import type { Node } from '../cluster/objects/node.ts';
import type { AssumedPod, Pod } from '../cluster/objects/pod.ts';
import { requestsOf } from '../cluster/amounts/requests.ts';
import { compareText, type Snapshot } from '../cluster/snapshot.ts';
import type { Candidate } from './candidate.ts';
import type { FilterFailure, FailureCount } from './filters/filter-failure.ts';
import { Nominations } from './nominations.ts';
import type { FitOptions } from './options.ts';
import { Prediction } from './prediction.ts';
import { presences, type Presence } from './counts/presence.ts';
import { FilterRun, filterPlugins, type FilterPlugins } from './filters/filter-run.ts';
import type { Queued } from './queue.ts';
import type { Replacements } from './replacement.ts';
import type { Change } from './counts/assigned-pods.ts';
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
  readonly #filterPlugins: FilterPlugins;
  readonly #ranking: Ranking;
  #last: { readonly pod: Pod; readonly version: number; readonly filterRun: FilterRun } | undefined;
  #predicted: { readonly key: PredictionKey; readonly prediction: Prediction } | undefined;

  constructor({ snapshot, options, replacements }: ViewBasis) {
    this.#state = createState(snapshot, options);
    this.#replacements = replacements;
    const nominations = new Nominations(snapshot, this.#state.nodeIndexes);
    for (const pod of nominations.pods) this.#state.carriers.termsOf(pod);
    this.#filterPlugins = filterPlugins(rulesOf(this.#state, replacements), nominations, this.#state);
    this.#ranking = new Ranking(this.#state);
  }

  misfits(pod: Pod, node: Node): readonly FilterFailure[] {
    const nodeIndex = this.#state.nodeIndexes.of(node.name);
    return nodeIndex === undefined ? [noSuchNode(node)] : this.#gone(pod).misfits(nodeIndex);
  }

  fitting(pod: Pod, nodes: readonly Node[]): readonly Node[] {
    const { nodeIndexes } = this.#state;
    const fitting: Node[] = [];
    this.#gone(pod).eachFitting(nodeIndexes.ofAll(nodes), (nodeIndex) => fitting.push(nodeIndexes.at(nodeIndex)));
    return fitting;
  }

  countFitting(pod: Pod, nodes: readonly Node[]): number {
    let count = 0;
    this.#gone(pod).eachFitting(this.#state.nodeIndexes.ofAll(nodes), () => (count += 1));
    return count;
  }

  fitsAny(pod: Pod, nodes: readonly Node[]): boolean {
    if (nodes.length === 0) return false;
    const filterRun = this.#gone(pod);
    return this.#state.nodeIndexes.ofAll(nodes).some((nodeIndex) => nodeIndex >= 0 && filterRun.passes(nodeIndex));
  }

  summary(pod: Pod, nodes: readonly Node[]): readonly FailureCount[] {
    const filterRun = this.#gone(pod);
    const { nodeIndexes, room } = this.#state;
    const counts = new Map<string, FailureCount>();
    nodeIndexes.ofAll(nodes).forEach((nodeIndex, index) => {
      const isKept = room.isKeptAt(nodeIndex);
      for (const code of nodeIndex < 0 ? ['no-node'] : filterRun.codes(nodeIndex)) {
        const kept = isKept && (code === 'pods' || Object.hasOwn(filterRun.candidate.needs, code));
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
    const nodeIndexes = this.#state.nodeIndexes.ofAll(nodes).filter((nodeIndex) => nodeIndex >= 0);
    return this.#predict(pod, nodeIndexes.sort()).likely;
  }

  predict(pod: Pod, scoring?: Scoring): Prediction {
    const key = { pod, scoring, version: this.#state.assignedPods.version };
    if (!this.#predicted || !isSame(this.#predicted.key, key)) {
      this.#predicted = { key, prediction: this.#predict(pod, this.#state.nodeIndexes.all, scoring) };
    }
    return this.#predicted.prediction;
  }

  assume(victim: Pod, assumed: AssumedPod | undefined): void {
    this.#state.assignedPods.assume(victim, assumed);
  }

  forget(victim: Pod): void {
    this.#state.assignedPods.forget(victim);
  }

  remove(victim: Pod): void {
    this.#state.assignedPods.remove(victim);
  }

  /** Puts a pending pod where the scheduler would likely put it; undefined where it fits nowhere. */
  nodeIndex(pod: Pod): number | undefined {
    const filterRun = new FilterRun(candidateFor(pod, []), this.#filterPlugins);
    const [best] = this.#rank(filterRun, this.#state.nodeIndexes.all, undefined).likely;
    const nodeIndex = best && this.#state.nodeIndexes.of(best.name);
    if (nodeIndex !== undefined) this.#state.assignedPods.admit(pod, nodeIndex);
    return nodeIndex;
  }

  /** A pending pod takes the place that it gets. */
  admit({ pod, nodeIndex }: Queued): void {
    this.#state.assignedPods.admit(pod, nodeIndex);
  }

  /** The nodes by number. */
  get nodeIndexes() {
    return this.#state.nodeIndexes;
  }

  warnings(): readonly string[] {
    return this.#state.warnings.texts();
  }

  #predict(pod: Pod, nodeIndexes: Int32Array, scoring?: Scoring): Prediction {
    for (const presence of presences(pod, this.#state.snapshot)) {
      const prediction = this.#rank(this.#filterRun(pod, presence), nodeIndexes, scoring);
      if (prediction.likely.length > 0) return prediction;
    }
    return new Prediction(this.#state.nodeIndexes, new Int32Array());
  }

  #rank(filterRun: FilterRun, nodeIndexes: Int32Array, assumed = DEFAULT_SCORING): Prediction {
    const fitting = filterRun.fittingAmong(nodeIndexes);
    if (fitting.length === 0) return new Prediction(this.#state.nodeIndexes, new Int32Array());
    const scoring = this.#state.options.scoringStrategy ?? assumed;
    return new Prediction(this.#state.nodeIndexes, this.#ranking.totals(filterRun.candidate, fitting, scoring));
  }

  /** The question with the pod gone, kept while the same pod is asked about and nothing is booked. */
  #gone(pod: Pod): FilterRun {
    const { version } = this.#state.assignedPods;
    if (this.#last?.pod !== pod || this.#last.version !== version) {
      this.#last = { pod, version, filterRun: this.#filterRun(pod, 'gone') };
    }
    return this.#last.filterRun;
  }

  #filterRun(pod: Pod, presence: Presence): FilterRun {
    return new FilterRun(candidateFor(this.#replacements.of(pod), this.#changes(pod, presence)), this.#filterPlugins);
  }

  #changes(pod: Pod, presence: Presence): readonly Change[] {
    const assignedPod = this.#state.assignedPods.of(pod);
    if (!assignedPod) return [];
    if (presence === 'gone') return [{ assignedPod, sign: -1 }];
    if (assignedPod.leaving) return [];
    return [
      { assignedPod, sign: -1 },
      { assignedPod: { ...assignedPod, leaving: true }, sign: 1 },
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

function noSuchNode(node: Node): FilterFailure {
  return { code: 'no-node', text: `node ${node.name} does not exist` };
}
