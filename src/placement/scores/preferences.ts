import type { PodAffinityTerm } from '../../cluster/objects/terms.ts';
import type { Pod } from '../../cluster/objects/pod.ts';
import { keyedBy, Memo } from '../counts/memo.ts';
import type { AssignedPod, AssignedPodIndex } from '../counts/assigned-pods.ts';
import { selects, type Selection, type TermReader } from '../counts/selection.ts';
import { DomainTally } from '../counts/tally.ts';
import { bucketsOfPod, bucketsOfSelection } from '../counts/term-buckets.ts';
import type { Topology } from '../counts/topology.ts';

/** One distinct term of assigned pods that draws pods or keeps them off, and how strongly in each domain. */
export interface Pull {
  readonly selection: Selection;
  readonly topologyKey: string;
  readonly tally: DomainTally;
}

/** A term that one pod carries: positive draws, negative keeps off. */
interface Carried {
  readonly pull: Pull;
  readonly weight: number;
}

/** `hardPodAffinityWeight` of the scheduler: what a assigned pod's required affinity is worth to those whom it means. */
const REQUIRED_WEIGHT = 1;

/**
 * What assigned pods would like to have near them or far from them: their required and preferred affinity and their preferred
 * anti-affinity, equal terms together, found by the pods that they mean (rule S26).
 */
export class Preferences implements AssignedPodIndex {
  readonly #terms: TermReader;
  readonly #topology: Topology;
  readonly #byKey = new Memo<Pull>();
  readonly #byLabel = new Memo<Pull[]>();

  constructor(terms: TermReader, topology: Topology) {
    this.#terms = terms;
    this.#topology = topology;
  }

  /** The terms that a pod carries. Those that cannot be parsed are dropped. */
  readonly carriedBy = keyedBy((pod: Pod): readonly Carried[] => {
    const { podAffinity, preferredPodAffinity, preferredPodAntiAffinity } = pod.spec;
    return [
      ...podAffinity.flatMap((term) => this.#carried(pod, term, REQUIRED_WEIGHT)),
      ...preferredPodAffinity.flatMap(({ term, weight }) => this.#carried(pod, term, weight)),
      ...preferredPodAntiAffinity.flatMap(({ term, weight }) => this.#carried(pod, term, -weight)),
    ];
  });

  change({ pod, nodeIndex }: AssignedPod, sign: 1 | -1): void {
    if (!hasPreferences(pod)) return;
    for (const { pull, weight } of this.carriedBy(pod)) pull.tally.add(nodeIndex, sign * weight);
  }

  /** The terms, of whomever, that mean this pod. */
  about(pod: Pod): readonly Pull[] {
    if (this.#byLabel.isEmpty) return [];
    return bucketsOfPod(pod).flatMap((bucket) =>
      (this.#byLabel.peek(bucket) ?? []).filter(({ selection }) => selects(selection, pod)),
    );
  }

  #carried(pod: Pod, term: PodAffinityTerm, weight: number): readonly Carried[] {
    const selection = this.#terms.read(term, pod);
    return selection?.selector ? [{ pull: this.#pull(selection, term.topologyKey), weight }] : [];
  }

  #pull(selection: Selection, topologyKey: string): Pull {
    return this.#byKey.get(`${topologyKey} ${selection.key}`, () => {
      const pull = { selection, topologyKey, tally: new DomainTally(this.#topology.domains(topologyKey)) };
      for (const bucket of new Set(bucketsOfSelection(selection))) this.#byLabel.get(bucket, () => []).push(pull);
      return pull;
    });
  }
}

/** Whether the pod has a term that counts for others. */
export function hasPreferences({ spec }: Pod): boolean {
  return spec.podAffinity.length + spec.preferredPodAffinity.length + spec.preferredPodAntiAffinity.length > 0;
}
