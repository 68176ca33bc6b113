import type { NodeSelectorTerm } from '../../cluster/objects/terms.ts';
import { matchesRequiredNodeAffinity, matchesTerm, termProblem } from '../../cluster/rules/affinity.ts';
import { podName, type PodSpec } from '../../cluster/objects/pod.ts';
import { labelOf } from '../../cluster/rules/selectors.ts';
import type { Candidate } from '../candidate.ts';
import { keyedBy, Memo } from '../counts/memo.ts';
import { singleCheck, type FilterFailure, type Rule } from './filter-failure.ts';
import type { FitOptions } from '../options.ts';
import type { NodeIndexes } from '../counts/node-indexes.ts';
import type { Replacements } from '../replacement.ts';

/** NodeAffinity where all nodes that may be tried are named: others are not considered (rule S8). */
export function namedNodesRule(nodeIndexes: NodeIndexes): Rule {
  const namedBy = keyedBy((spec: PodSpec) => ({ names: namedNodes(spec.requiredNodeAffinity) }));
  return {
    scope: 'node',
    refuse: ({ spec }) => {
      if (namedBy(spec).names?.size !== 0) return undefined;
      return {
        code: 'node-conflict',
        text: 'every required node affinity term names nodes that contradict each other',
      };
    },
    check: ({ spec }) => {
      const { names } = namedBy(spec);
      if (!names) return undefined;
      const text = () => `required node affinity names ${[...names].join(', ')}`;
      return singleCheck('not-named', (nodeIndex) => names.has(nodeIndexes.at(nodeIndex).name), text);
    },
  };
}

/** `addedAffinity`: what the scheduler's profile asks for every pod (rule S8). */
export function addedAffinityRule(nodeIndexes: NodeIndexes, { addedAffinity }: FitOptions): Rule {
  const required = addedAffinity?.required;
  if (!required) return {};
  const matches = nodeIndexes.nodes.map((node) => required.some((term) => matchesTerm(term, node)));
  const text = () => "does not match the scheduler profile's addedAffinity";
  return {
    scope: 'node',
    check: () => singleCheck('added-affinity', (nodeIndex) => matches[nodeIndex] ?? false, text),
  };
}

/** NodeAffinity: all of nodeSelector and one of the required terms (rule S8). */
export function nodeAffinityRule(
  nodeIndexes: NodeIndexes,
  affinityMatcher: AffinityMatcher,
  replacements: Replacements,
): Rule {
  return {
    scope: 'node',
    refuse: (candidate) => brokenPreference(candidate) ?? projectConflict(candidate, replacements),
    check: ({ spec }) => {
      const matches = affinityMatcher.of(spec);
      return (
        matches && singleCheck('node-affinity', matches, (nodeIndex) => lackingText(spec, nodeIndexes.at(nodeIndex)))
      );
    },
  };
}

/** Which nodes a spec's nodeSelector and required terms choose; shared by specs that choose alike. */
export class AffinityMatcher {
  readonly #nodeIndexes: NodeIndexes;
  readonly #byKey = new Memo<(nodeIndex: number) => boolean>();

  /** Equal for specs that choose alike; empty for one that takes every node. */
  readonly keyOf = keyedBy((spec: PodSpec) => {
    const demands = spec.requiredNodeAffinity !== undefined || Object.keys(spec.nodeSelector).length > 0;
    return demands ? JSON.stringify([spec.nodeSelector, spec.requiredNodeAffinity ?? null]) : '';
  });

  constructor(nodeIndexes: NodeIndexes) {
    this.#nodeIndexes = nodeIndexes;
  }

  /** Whether a place is chosen, remembered by place; undefined for a spec that takes every node. */
  of(spec: PodSpec): ((nodeIndex: number) => boolean) | undefined {
    const key = this.keyOf(spec);
    return key === '' ? undefined : this.#byKey.get(key, () => this.#remembered(spec));
  }

  #remembered(spec: PodSpec): (nodeIndex: number) => boolean {
    const known = new Int8Array(this.#nodeIndexes.count);
    return (nodeIndex) => {
      known[nodeIndex] ||= matchesRequiredNodeAffinity(spec, this.#nodeIndexes.at(nodeIndex)) ? 1 : -1;
      return known[nodeIndex] === 1;
    };
  }
}

/**
 * The scheduler fails on a pod whose preferred term cannot be parsed as soon as two nodes are left (rule S8).
 * Ours: such a pod stays where it is, however many nodes there are.
 */
function brokenPreference({ pod, spec }: Candidate): FilterFailure | undefined {
  for (const { term } of spec.preferredNodeAffinity) {
    const problem = termProblem(term);
    if (problem !== undefined) {
      const text = `the scheduler cannot place ${podName(pod)}: a preferred node affinity term is broken (${problem})`;
      return { code: 'node-affinity', text };
    }
  }
  return undefined;
}

/** Admission on OpenShift refuses a pod whose node selector contradicts that of its project. */
function projectConflict({ pod }: Candidate, replacements: Replacements): FilterFailure | undefined {
  const project = replacements.projectSelector(pod.namespace);
  for (const [key, value] of Object.entries(project)) {
    const own = labelOf(pod.spec.nodeSelector, key);
    if (own !== undefined && own !== value) {
      const text = `its node selector ${key}=${own} contradicts ${key}=${value} of the project ${pod.namespace}`;
      return { code: 'node-affinity', text };
    }
  }
  return undefined;
}

/** The names that are left if every term has `metadata.name In`; undefined if a term leaves the name open. */
function namedNodes(terms: readonly NodeSelectorTerm[] | undefined): ReadonlySet<string> | undefined {
  if (!terms || terms.length === 0) return undefined;
  const names = new Set<string>();
  for (const term of terms) {
    const fields = term.matchFields.filter(({ key, operator }) => key === 'metadata.name' && operator === 'In');
    const [first, ...rest] = fields;
    if (!first) return undefined;
    for (const name of first.values) if (rest.every(({ values }) => values.includes(name))) names.add(name);
  }
  return names;
}

function lackingText(spec: PodSpec, node: { readonly labels: Readonly<Record<string, string>> }): string {
  const missing = Object.entries(spec.nodeSelector).find(([key, value]) => labelOf(node.labels, key) !== value);
  if (!missing) return 'matches no required node affinity term';
  const [key, value] = missing;
  const actual = labelOf(node.labels, key);
  return `node selector ${key}=${value} is not met, ${actual === undefined ? 'the node has no such label' : `the node has ${actual}`}`;
}
