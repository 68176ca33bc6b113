import type { LabelSelector } from '../../cluster/objects/terms.ts';
import { labelOf } from '../../cluster/rules/selectors.ts';
import { Memo } from './memo.ts';
import type { Resident, ResidentIndex } from './residents.ts';
import { selects, type Selection } from './selection.ts';

type Bucket = Set<Resident>;

const EMPTY: ReadonlySet<Resident> = new Set();

/** Residents by namespace, and within one by the values of those labels that somebody has asked for. */
export class Lookup implements ResidentIndex {
  readonly #namespaces = new Map<string, NamespaceIndex>();

  change(resident: Resident, sign: 1 | -1): void {
    const { namespace } = resident.pod;
    let index = this.#namespaces.get(namespace);
    if (!index) {
      index = new NamespaceIndex();
      this.#namespaces.set(namespace, index);
    }
    index.change(resident, sign);
  }

  /** All residents that the selection selects. */
  *select(selection: Selection): Generator<Resident> {
    const { selector } = selection;
    if (!selector) return;
    for (const namespace of selection.namespaces ?? this.#namespaces.keys()) {
      for (const bucket of this.#namespaces.get(namespace)?.narrow(selector) ?? []) {
        for (const resident of bucket) if (selects(selection, resident.pod)) yield resident;
      }
    }
  }
}

class NamespaceIndex {
  readonly #all: Bucket = new Set();
  readonly #byLabel = new Map<string, Memo<Bucket>>();

  change(resident: Resident, sign: 1 | -1): void {
    put(this.#all, resident, sign);
    for (const [key, buckets] of this.#byLabel) putByLabel(buckets, key, { resident, sign });
  }

  /** The fewest buckets in which everybody is whom the selector can match. */
  narrow({ matchLabels, matchExpressions }: LabelSelector): readonly ReadonlySet<Resident>[] {
    let best: readonly ReadonlySet<Resident>[] = [this.#all];
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
      for (const resident of this.#all) putByLabel(buckets, key, { resident, sign: 1 });
      this.#byLabel.set(key, buckets);
    }
    return buckets;
  }
}

function size(buckets: readonly ReadonlySet<Resident>[]): number {
  return buckets.reduce((sum, bucket) => sum + bucket.size, 0);
}

function putByLabel(buckets: Memo<Bucket>, key: string, change: { resident: Resident; sign: 1 | -1 }): void {
  const value = labelOf(change.resident.pod.labels, key);
  if (value !== undefined)
    put(
      buckets.get(value, () => new Set()),
      change.resident,
      change.sign,
    );
}

function put(bucket: Bucket, resident: Resident, sign: 1 | -1): void {
  if (sign > 0) bucket.add(resident);
  else bucket.delete(resident);
}
