import type { Service } from '../cluster/kinds.ts';
import type { Pod } from '../cluster/pod.ts';
import { matchesLabels, type LabelSelector } from '../cluster/selectors.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { Memo } from './memo.ts';
import type { Warnings } from './warnings.ts';

const CONTROLLERS = ['ReplicationController', 'ReplicaSet', 'StatefulSet'] as const;

/** Which pods belong together where a spread constraint does not say so itself (scheduler.md 2.11, last paragraph). */
export class DefaultSelectors {
  readonly #snapshot: Snapshot;
  readonly #warnings: Pick<Warnings, 'knows'>;
  readonly #services = new Memo<readonly Service[]>();

  constructor(snapshot: Snapshot, warnings: Pick<Warnings, 'knows'>) {
    this.#snapshot = snapshot;
    this.#warnings = warnings;
  }

  /** What the Services of the pod select, and its controller; undefined if there is neither: the constraint is void. */
  of(pod: Pod): LabelSelector | undefined {
    const wanted: Record<string, string> = {};
    for (const { selector } of this.#servicesIn(pod.namespace)) {
      if (selector && matchesLabels(selector, pod.labels)) Object.assign(wanted, selector);
    }
    const controller = this.#controllerSelector(pod);
    const matchLabels = { ...wanted, ...controller?.matchLabels };
    const matchExpressions = controller?.matchExpressions ?? [];
    const isEmpty = Object.keys(matchLabels).length + matchExpressions.length === 0;
    return isEmpty ? undefined : { matchLabels, matchExpressions };
  }

  #servicesIn(namespace: string): readonly Service[] {
    if (!this.#warnings.knows('Service', 'topology spread by default')) return [];
    return this.#services.get(namespace, () =>
      this.#snapshot.list('Service').filter((service) => service.namespace === namespace),
    );
  }

  #controllerSelector(pod: Pod): LabelSelector | undefined {
    const owner = pod.owners.find(({ controller }) => controller);
    const kind = CONTROLLERS.find((name) => name === owner?.kind);
    if (!owner || !kind || !this.#warnings.knows(kind, 'topology spread by default')) return undefined;
    return this.#snapshot.find(kind, pod.namespace, owner.name)?.selector;
  }
}
