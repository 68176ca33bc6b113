import type { Labels, NodeSelectorTerm, Requirement } from '../objects/terms.ts';
import { matchesLabels, matchesRequirements, requirementProblems } from './selectors.ts';

/** What a node shows to selectors. */
export interface SelectableNode {
  readonly name: string;
  readonly labels: Labels;
}

/** The part of a pod's spec that chooses nodes by label or name. */
export interface NodeChoice {
  readonly nodeSelector: Labels;
  readonly requiredNodeAffinity: readonly NodeSelectorTerm[] | undefined;
  readonly preferredNodeAffinity: readonly { readonly weight: number; readonly term: NodeSelectorTerm }[];
}

const MAX_INT32 = 2 ** 31 - 1;

// Terms are frozen and shared by the replicas of a workload; each is examined once.
const problems = new WeakMap<NodeSelectorTerm, { readonly problem: string | undefined }>();

/**
 * Whether the node is among those that the pod demands: all pairs of `nodeSelector` and at least one required term
 * (rule S8). No required affinity demands nothing, an empty list of terms matches no node.
 */
export function matchesRequiredNodeAffinity(spec: NodeChoice, node: SelectableNode): boolean {
  return (
    matchesLabels(spec.nodeSelector, node.labels) &&
    (spec.requiredNodeAffinity?.some((term) => matchesTerm(term, node)) ?? true)
  );
}

/** Whether all of the term's expressions and fields hold; an empty term and one that cannot be parsed match nothing. */
export function matchesTerm(term: NodeSelectorTerm, node: SelectableNode): boolean {
  if (term.matchExpressions.length === 0 && term.matchFields.length === 0) return false;
  if (termProblem(term) !== undefined) return false;
  return (
    matchesRequirements(term.matchExpressions, node.labels) &&
    (term.matchFields.length === 0 || matchesRequirements(term.matchFields, { 'metadata.name': node.name }))
  );
}

/**
 * Sum of the weights of the preferred terms that match the node; terms that cannot be parsed add nothing. Ends at the
 * largest 32-bit integer, in which the Go descheduler sums (rule T5).
 */
export function preferredWeight(spec: NodeChoice, node: SelectableNode): number {
  const matching = spec.preferredNodeAffinity.filter(({ term }) => matchesTerm(term, node));
  return Math.min(
    matching.reduce((sum, { weight }) => sum + weight, 0),
    MAX_INT32,
  );
}

/** Why the scheduler cannot parse the term, if so: it then matches nothing (rule S8). */
export function termProblem(term: NodeSelectorTerm): string | undefined {
  let known = problems.get(term);
  if (!known) {
    known = { problem: firstProblem(term) };
    problems.set(term, known);
  }
  return known.problem;
}

function firstProblem(term: NodeSelectorTerm): string | undefined {
  const [problem] = term.matchExpressions.flatMap(requirementProblems);
  return problem?.message ?? term.matchFields.flatMap(fieldProblems)[0];
}

function fieldProblems({ key, operator, values }: Requirement): readonly string[] {
  const found: string[] = [];
  if (key !== 'metadata.name') found.push(`field "${key}" cannot be matched, only metadata.name`);
  if (operator !== 'In' && operator !== 'NotIn') found.push(`operator "${operator}" on a field is not In or NotIn`);
  if (values.length !== 1) found.push(`${operator} on field "${key}" needs exactly one value`);
  return found;
}
