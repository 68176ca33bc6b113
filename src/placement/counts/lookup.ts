import type { LabelSelector } from '../../cluster/objects/terms.ts';
import { labelOf } from '../../cluster/rules/selectors.ts';
import { Memo } from './memo.ts';
import type { AssignedPod, AssignedPodIndex } from './assigned-pods.ts';
import { selects, type Selection } from './selection.ts';

type Bucket = Set<AssignedPod>;

const EMPTY: ReadonlySet<AssignedPod> = new Set();

/** Assigned pods by namespace, and within one by the values of those labels that somebody has asked for. */
export class Lookup implements AssignedPodIndex {
  readonly #namespaces = new Map<string, NamespaceIndex>();

  change(assignedPod: AssignedPod, sign: 1 | -1): void {
    const { namespace } = assignedPod.pod;
    let index = this.#namespaces.get(namespace);
    if (!index) {
      index = new NamespaceIndex();
      this.#namespaces.set(namespace, index);
    }
    index.change(assignedPod, sign);
  }

  /** All assigned pods that the selection selects. */
  *select(selection: Selection): Generator<AssignedPod> {
    const { selector } = selection;
    if (!selector) return;
    for (const namespace of selection.namespaces ?? this.#namespaces.keys()) {
      for (const bucket of this.#namespaces.get(namespace)?.narrow(selector) ?? []) {
        for (const assignedPod of bucket) if (selects(selection, assignedPod.pod)) yield assignedPod;
      }
    }
  }
}

class NamespaceIndex {
  readonly #all: Bucket = new Set();
  readonly #byLabel = new Map<string, Memo<Bucket>>();

  change(assignedPod: AssignedPod, sign: 1 | -1): void {
    put(this.#all, assignedPod, sign);
    for (const [key, buckets] of this.#byLabel) putByLabel(buckets, key, { assignedPod, sign });
  }

  /** The fewest buckets in which everybody is whom the selector can match. */
  narrow({ matchLabels, matchExpressions }: LabelSelector): readonly ReadonlySet<AssignedPod>[] {
    let best: readonly ReadonlySet<AssignedPod>[] = [this.#all];
    const wanted = [
      ...Object.entries(matchLabels).map(([key, value]) => ({ key, values: [value] })),
      ...matchExpressions.filter(({ operator }) => operator === 'In'),
    ];
    for (const { key, values } of wanted) {
      const buckets = this.#bucketsOf(key);
      const found = [...new Set(values)].map((value) => buckets.peek(value) ?? EMPTY);
      if (size(found) < size(best)) best = found;
    }
    return best;
  }

  #bucketsOf(key: string): Memo<Bucket> {
    let buckets = this.#byLabel.get(key);
    if (!buckets) {
      buckets = new Memo();
      for (const assignedPod of this.#all) putByLabel(buckets, key, { assignedPod, sign: 1 });
      this.#byLabel.set(key, buckets);
    }
    return buckets;
  }
}

function size(buckets: readonly ReadonlySet<AssignedPod>[]): number {
  return buckets.reduce((sum, bucket) => sum + bucket.size, 0);
}

function putByLabel(buckets: Memo<Bucket>, key: string, change: { assignedPod: AssignedPod; sign: 1 | -1 }): void {
  const value = labelOf(change.assignedPod.pod.labels, key);
  if (value !== undefined)
    put(
      buckets.get(value, () => new Set()),
      change.assignedPod,
      change.sign,
    );
}

function put(bucket: Bucket, assignedPod: AssignedPod, sign: 1 | -1): void {
  if (sign > 0) bucket.add(assignedPod);
  else bucket.delete(assignedPod);
}
