import type { Taint, Toleration } from '../../cluster/objects/terms.ts';
import { isTolerated } from '../../cluster/rules/taints.ts';
import { Memo } from '../counts/memo.ts';
import { pick, toReversedPercentOfMax, type Scorer } from './scorer.ts';
import type { State } from '../state.ts';

/**
 * TaintToleration: the fewer PreferNoSchedule taints the pod does not tolerate, the better (rule S23). Counted
 * once per distinct list of tolerations.
 */
export function taintTolerationScorer({ nodeIndexes, tolerationMatcher }: State): Scorer {
  const softTaints = nodeIndexes.nodes.map(({ taints }) =>
    taints.filter(({ effect }) => effect === 'PreferNoSchedule'),
  );
  const isPlain = softTaints.every((taints) => taints.length === 0);
  const counts = new Memo<Float64Array>();
  return {
    name: 'TaintToleration',
    weight: 3,
    score: ({ spec: { tolerations } }, scored, scores) => {
      if (isPlain) {
        scores.fill(100);
        return true;
      }
      const untolerated = counts.get(tolerationMatcher.keyOf(tolerations), () =>
        countUntolerated(softTaints, tolerations),
      );
      pick(scores, scored, untolerated);
      toReversedPercentOfMax(scores, scored.length);
      return true;
    },
  };
}

/** Only tolerations that could mean such a taint are asked: of any effect, or of this one. */
function countUntolerated(
  taintsByNodeIndex: readonly (readonly Taint[])[],
  tolerations: readonly Toleration[],
): Float64Array {
  const asked = tolerations.filter(({ effect }) => effect === '' || effect === 'PreferNoSchedule');
  return Float64Array.from(taintsByNodeIndex, (taints) => taints.filter((taint) => !isTolerated(asked, taint)).length);
}
