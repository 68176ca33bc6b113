import type { Taint, Toleration } from '../../cluster/objects/terms.ts';
import { formatTaint, isTolerated, untoleratedTaint } from '../../cluster/rules/taints.ts';
import type { Candidate } from '../candidate.ts';
import { singleCheck, type Rule } from './filter-failure.ts';
import type { NodeIndexes } from '../counts/node-indexes.ts';
import { keyedBy, Memo } from '../counts/memo.ts';

const CORDON: Taint = {
  key: 'node.kubernetes.io/unschedulable',
  value: '',
  effect: 'NoSchedule',
  timeAdded: undefined,
};

/** NodeUnschedulable: a cordoned node takes nobody who does not tolerate its taint (rule S6). */
export function cordonRule(nodeIndexes: NodeIndexes): Rule {
  if (!nodeIndexes.nodes.some((node) => node.unschedulable)) return {};
  return {
    scope: 'node',
    check: ({ spec }) => {
      if (isTolerated(spec.tolerations, CORDON)) return undefined;
      const passes = (nodeIndex: number) => !nodeIndexes.at(nodeIndex).unschedulable;
      return singleCheck('cordon', passes, () => 'is cordoned');
    },
  };
}

/** TaintToleration: every NoSchedule and NoExecute taint needs a toleration (rule S7). */
export function taintsRule(nodeIndexes: NodeIndexes, tolerationMatcher: TolerationMatcher): Rule {
  if (!tolerationMatcher.matters) return {};
  return {
    scope: 'node',
    check: ({ spec }: Candidate) => {
      const tolerated = tolerationMatcher.of(spec.tolerations);
      const text = (nodeIndex: number) => {
        const taint = untoleratedTaint(spec.tolerations, nodeIndexes.at(nodeIndex).taints);
        return taint ? `taint ${formatTaint(taint)} is not tolerated` : '';
      };
      return singleCheck('taint', (nodeIndex) => tolerated(nodeIndex), text);
    },
  };
}

/** Which nodes a list of tolerations opens, found once per distinct list and distinct set of taints. */
export class TolerationMatcher {
  readonly #classOf: Int32Array;
  readonly #classes: (readonly Taint[])[] = [];
  readonly #byTolerations = new Memo<readonly boolean[]>();
  readonly #keyOf = keyedBy((tolerations: readonly Toleration[]) => JSON.stringify(tolerations));

  constructor(nodeIndexes: NodeIndexes) {
    const classes = new Map<string, number>();
    this.#classOf = Int32Array.from(nodeIndexes.nodes, ({ taints }) => {
      const blocking = taints.filter(({ effect }) => effect === 'NoSchedule' || effect === 'NoExecute');
      const key = JSON.stringify(blocking.map(({ key, value, effect }) => [key, value, effect]));
      const known = classes.get(key);
      if (known !== undefined) return known;
      classes.set(key, this.#classes.length);
      return this.#classes.push(blocking) - 1;
    });
  }

  /** Whether any node has a taint that blocks. */
  get matters(): boolean {
    return this.#classes.some((taints) => taints.length > 0);
  }

  /** Whether all blocking taints of a place are tolerated. */
  of(tolerations: readonly Toleration[]): (nodeIndex: number) => boolean {
    const tolerated = this.#byTolerations.get(this.#keyOf(tolerations), () =>
      this.#classes.map((taints) => untoleratedTaint(tolerations, taints) === undefined),
    );
    return (nodeIndex) => tolerated[this.#classOf[nodeIndex] ?? -1] ?? false;
  }

  /** The same for all places whose tolerations are equal: equal lists give equal text. */
  keyOf(tolerations: readonly Toleration[]): string {
    return this.#keyOf(tolerations);
  }
}
