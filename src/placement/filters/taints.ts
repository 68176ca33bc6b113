import type { Taint, Toleration } from '../../cluster/objects/terms.ts';
import { formatTaint, isTolerated, untoleratedTaint } from '../../cluster/rules/taints.ts';
import type { Candidate } from '../candidate.ts';
import { singleCheck, type Rule } from './misfit.ts';
import type { Places } from '../counts/places.ts';
import { keyedBy, Memo } from '../counts/memo.ts';

const CORDON: Taint = {
  key: 'node.kubernetes.io/unschedulable',
  value: '',
  effect: 'NoSchedule',
  timeAdded: undefined,
};

/** NodeUnschedulable: a cordoned node takes nobody who does not tolerate its taint (rule S6). */
export function cordonRule(places: Places): Rule {
  if (!places.nodes.some((node) => node.unschedulable)) return {};
  return {
    scope: 'node',
    check: ({ spec }) => {
      if (isTolerated(spec.tolerations, CORDON)) return undefined;
      const passes = (place: number) => !places.at(place).unschedulable;
      return singleCheck('cordon', passes, () => 'is cordoned');
    },
  };
}

/** TaintToleration: every NoSchedule and NoExecute taint needs a toleration (rule S7). */
export function taintsRule(places: Places, tolerance: Tolerance): Rule {
  if (!tolerance.matters) return {};
  return {
    scope: 'node',
    check: ({ spec }: Candidate) => {
      const tolerated = tolerance.of(spec.tolerations);
      const text = (place: number) => {
        const taint = untoleratedTaint(spec.tolerations, places.at(place).taints);
        return taint ? `taint ${formatTaint(taint)} is not tolerated` : '';
      };
      return singleCheck('taint', (place) => tolerated(place), text);
    },
  };
}

/** Which nodes a list of tolerations opens, found once per distinct list and distinct set of taints. */
export class Tolerance {
  readonly #classOf: Int32Array;
  readonly #classes: (readonly Taint[])[] = [];
  readonly #byTolerations = new Memo<readonly boolean[]>();
  readonly #keyOf = keyedBy((tolerations: readonly Toleration[]) => JSON.stringify(tolerations));

  constructor(places: Places) {
    const classes = new Map<string, number>();
    this.#classOf = Int32Array.from(places.nodes, ({ taints }) => {
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
  of(tolerations: readonly Toleration[]): (place: number) => boolean {
    const tolerated = this.#byTolerations.get(this.#keyOf(tolerations), () =>
      this.#classes.map((taints) => untoleratedTaint(tolerations, taints) === undefined),
    );
    return (place) => tolerated[this.#classOf[place] ?? -1] ?? false;
  }

  /** The same for all places whose tolerations are equal: equal lists give equal text. */
  keyOf(tolerations: readonly Toleration[]): string {
    return this.#keyOf(tolerations);
  }
}
