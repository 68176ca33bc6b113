import { podName, type Pod, type PodSpec } from '../../cluster/objects/pod.ts';
import type { Candidate } from '../candidate.ts';
import { DomainCount } from '../counts/domain-count.ts';
import { domainCheck } from '../counts/domain-mask.ts';
import { Memo, PairMemo } from '../counts/memo.ts';
import type { Check, Rule } from './filter-failure.ts';
import { nameOf, type AssignedPod, type AssignedPodIndex } from '../counts/assigned-pods.ts';
import { meaningKey, selects, type Selection, type TermReader } from '../counts/selection.ts';
import type { NodeIndexes } from '../counts/node-indexes.ts';
import { bucketsOfPod, bucketsOfSelection } from '../counts/term-buckets.ts';
import type { Topology } from '../counts/topology.ts';

/** InterPodAffinity: no assigned pod's required anti-affinity may mean the pod (rule S16, 3). */
export function existingAntiAffinityRule(carriers: Carriers, nodeIndexes: NodeIndexes): Rule {
  return {
    scope: 'domain',
    check: (candidate) => {
      const terms = carriers.against(candidate.pod);
      return terms.length === 0 ? undefined : existingAntiAffinityCheck(terms, candidate, { carriers, nodeIndexes });
    },
  };
}

/** One distinct anti-affinity term of assigned pods, and where those who carry it stand. */
interface CarriedTerm {
  readonly selection: Selection;
  readonly topologyKey: string;
  readonly count: DomainCount;
  readonly carriers: Set<AssignedPod>;
}

function existingAntiAffinityCheck(
  terms: readonly CarriedTerm[],
  candidate: Candidate,
  { carriers, nodeIndexes }: { readonly carriers: Carriers; readonly nodeIndexes: NodeIndexes },
): Check {
  const asked = terms.map((term) => {
    const changes = candidate.changes.filter(({ assignedPod }) => carriers.termsOf(assignedPod.pod).includes(term));
    return { ...term, changes, open: term.count.vacant(changes) };
  });
  const violated = (nodeIndex: number) => asked.find(({ open }) => !open.has(nodeIndex));
  const text = (nodeIndex: number) => {
    const term = violated(nodeIndex);
    if (!term) return '';
    const gone = new Set(term.changes.filter(({ sign }) => sign < 0).map(({ assignedPod }) => assignedPod));
    const come = term.changes.filter(({ sign }) => sign > 0).map(({ assignedPod }) => assignedPod);
    const carrier = [...term.carriers, ...come].find(
      (assignedPod) => !gone.has(assignedPod) && term.count.together(nodeIndex, assignedPod.nodeIndex),
    );
    if (!carrier) return '';
    return `the anti-affinity of ${nameOf(carrier)} on ${nodeIndexes.at(carrier.nodeIndex).name} by ${term.topologyKey} excludes ${podName(candidate.pod)}`;
  };
  return domainCheck('existing-anti', asked, text);
}

/** All assigned pods' required anti-affinity terms, equal ones together, found by the pods that they mean. */
export class Carriers implements AssignedPodIndex {
  readonly #terms: TermReader;
  readonly #topology: Topology;
  readonly #byKey = new Memo<CarriedTerm>();
  readonly #byLabel = new Memo<CarriedTerm[]>();
  readonly #bySpec = new PairMemo<PodSpec, readonly CarriedTerm[]>();

  constructor(terms: TermReader, topology: Topology) {
    this.#terms = terms;
    this.#topology = topology;
  }

  /** The terms that a pod carries. Those that cannot be parsed are dropped. */
  termsOf(pod: Pod): readonly CarriedTerm[] {
    const { podAntiAffinity } = pod.spec;
    if (podAntiAffinity.length === 0) return NO_TERMS;
    return this.#bySpec.get(pod.spec, meaningKey(pod, podAntiAffinity), () => this.#read(pod));
  }

  #read(pod: Pod): readonly CarriedTerm[] {
    const found = pod.spec.podAntiAffinity.flatMap((term) => {
      const selection = this.#terms.read(term, pod);
      return selection?.selector ? this.#term(selection, term.topologyKey) : [];
    });
    return [...new Set(found)];
  }

  change(assignedPod: AssignedPod, sign: 1 | -1): void {
    for (const term of this.termsOf(assignedPod.pod)) {
      term.count.change(assignedPod, sign);
      if (sign > 0) term.carriers.add(assignedPod);
      else term.carriers.delete(assignedPod);
    }
  }

  /** The terms, of whomever, that mean this pod. */
  against(pod: Pod): readonly CarriedTerm[] {
    if (this.#byLabel.isEmpty) return [];
    const found: CarriedTerm[] = [];
    for (const bucket of bucketsOfPod(pod)) {
      for (const term of this.#byLabel.peek(bucket) ?? []) if (selects(term.selection, pod)) found.push(term);
    }
    return found;
  }

  #term(selection: Selection, topologyKey: string): CarriedTerm {
    return this.#byKey.get(`${topologyKey} ${selection.key}`, () => {
      const count = new DomainCount(this.#topology.domains(topologyKey));
      const term: CarriedTerm = { selection, topologyKey, count, carriers: new Set() };
      for (const bucket of bucketsOfSelection(selection)) this.#byLabel.get(bucket, () => []).push(term);
      return term;
    });
  }
}

const NO_TERMS: readonly CarriedTerm[] = [];
