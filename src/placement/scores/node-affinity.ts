import type { NodeSelectorTerm } from '../../cluster/objects/terms.ts';
import { matchesTerm, preferredWeight } from '../../cluster/rules/affinity.ts';
import type { PodSpec, Weighted } from '../../cluster/objects/pod.ts';
import { keyedBy } from '../counts/memo.ts';
import { pick, toPercentOfMax, type Scorer } from './scorer.ts';
import type { State } from '../state.ts';

/**
 * NodeAffinity: the sum of the weights of preferred terms that match, the profile's `addedAffinity` included
 * (rule S24). Summed once per spec; left out where nothing is preferred.
 */
export function nodeAffinityScorer({ nodeIndexes, options }: State): Scorer {
  const added = options.addedAffinity?.preferred ?? [];
  const weightsOf = keyedBy((spec: PodSpec) =>
    Float64Array.from(nodeIndexes.nodes, (node) => preferredWeight(spec, node) + addedWeight(added, node)),
  );
  return {
    name: 'NodeAffinity',
    weight: 2,
    score: ({ spec }, scored, scores) => {
      if (spec.preferredNodeAffinity.length === 0 && added.length === 0) return false;
      pick(scores, scored, weightsOf(spec));
      toPercentOfMax(scores, scored.length);
      return true;
    },
  };
}

function addedWeight(
  added: readonly Weighted<NodeSelectorTerm>[],
  node: { readonly name: string; readonly labels: Readonly<Record<string, string>> },
): number {
  return added.reduce((sum, { weight, term }) => (matchesTerm(term, node) ? sum + weight : sum), 0);
}
