import type { LabelSelector, Labels } from '../../cluster/objects/terms.ts';
import type { Service } from '../../cluster/objects/kinds.ts';
import type { Pod } from '../../cluster/objects/pod.ts';
import { matchesLabels } from '../../cluster/rules/selectors.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { Warnings } from '../warnings.ts';

const CONTROLLERS = ['ReplicationController', 'ReplicaSet', 'StatefulSet'] as const;

/** Which pods belong together where a spread constraint does not say so itself (rule S15). */
export class DefaultSelectors {
  readonly #snapshot: Snapshot;
  readonly #warnings: Pick<Warnings, 'knows'>;
  #indexes: ReadonlyMap<string, SelectorIndex> | undefined;

  constructor(snapshot: Snapshot, warnings: Pick<Warnings, 'knows'>) {
    this.#snapshot = snapshot;
    this.#warnings = warnings;
  }

  /** What the Services of the pod select, and its controller; undefined if there is neither: the constraint is void. */
  of(pod: Pod): LabelSelector | undefined {
    const wanted: Record<string, string> = {};
    for (const selector of this.#selectorsFor(pod)) {
      if (matchesLabels(selector, pod.labels)) Object.assign(wanted, selector);
    }
    const controller = this.#controllerSelector(pod);
    const matchLabels = { ...wanted, ...controller?.matchLabels };
    const matchExpressions = controller?.matchExpressions ?? [];
    const isEmpty = Object.keys(matchLabels).length + matchExpressions.length === 0;
    return isEmpty ? undefined : { matchLabels, matchExpressions };
  }

  /** Selectors of Services that could mean the pod: those of which it has the first label, and empty ones. */
  #selectorsFor({ namespace, labels }: Pod): readonly Labels[] {
    if (!this.#warnings.knows('Service', 'topology spread by default')) return [];
    const index = this.#byNamespace.get(namespace);
    if (!index) return [];
    const found = [...(index.get(EMPTY) ?? [])];
    for (const key of Object.keys(labels)) found.push(...(index.get(bucketOf(key, labels[key])) ?? []));
    return found;
  }

  get #byNamespace(): ReadonlyMap<string, SelectorIndex> {
    this.#indexes ??= indexSelectors(this.#snapshot.list('Service'));
    return this.#indexes;
  }

  #controllerSelector(pod: Pod): LabelSelector | undefined {
    const owner = pod.owners.find(({ controller }) => controller);
    const kind = CONTROLLERS.find((name) => name === owner?.kind);
    if (!owner || !kind || !this.#warnings.knows(kind, 'topology spread by default')) return undefined;
    return this.#snapshot.find(kind, pod.namespace, owner.name)?.selector;
  }
}

/** Selectors by their first pair. */
type SelectorIndex = Map<string, Labels[]>;

const EMPTY = '';

function indexSelectors(services: readonly Service[]): ReadonlyMap<string, SelectorIndex> {
  const byNamespace = new Map<string, SelectorIndex>();
  for (const { namespace, selector } of services) {
    if (!selector) continue;
    const [first] = Object.entries(selector);
    const bucket = first ? bucketOf(...first) : EMPTY;
    const index = byNamespace.get(namespace) ?? new Map<string, Labels[]>();
    byNamespace.set(namespace, index);
    index.set(bucket, [...(index.get(bucket) ?? []), selector]);
  }
  return byNamespace;
}

function bucketOf(key: string, value = ''): string {
  return `${key}\n${value}`;
}
