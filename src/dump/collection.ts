import type { Decoded, Objects } from '../cluster/decode/decode.ts';
import { isReadKind, type ReadKind } from '../cluster/decode/decode-table.ts';
import { Excess } from './dump-error.ts';
import { compareText, type ClusterContents } from '../cluster/snapshot.ts';

/** Several times the largest cluster. */
const MOST_ENTRIES = 3_000_000;

/** The objects of a dump: each once, of every kind that appeared. */
export class Collection {
  readonly #kinds = new Map<ReadKind, Map<string, Decoded>>();
  readonly #ignored = new Map<string, number>();
  /** Entries of lists that are null, or anything else but objects. */
  nothings = 0;
  #lists = 0;
  #taken = 0;
  #duplicates = 0;

  /** Takes an object. Of several with the same kind, namespace and name the highest resourceVersion stays. */
  add(decoded: Decoded): void {
    const { object } = decoded;
    this.#count();
    const known = this.#ofKind(object.kind);
    const place = 'namespace' in object ? `${object.namespace}\0${object.name}` : object.name;
    const other = known.get(place);
    if (other) this.#duplicates++;
    if (!other || compareCopies(decoded, other) > 0) known.set(place, decoded);
  }

  /** The kind appeared: without objects it is empty, not unknown. */
  know(kind: string): void {
    if (isReadKind(kind)) this.#ofKind(kind);
  }

  /** A list appeared, of whatever kind. */
  countList(): void {
    this.#lists++;
    this.#count();
  }

  /** Counts an object that is not read. */
  ignore(kind: string): void {
    this.#count();
    this.#ignored.set(kind, (this.#ignored.get(kind) ?? 0) + 1);
  }

  /** Counts an entry of a list that is null, or anything else but an object. */
  countNothing(): void {
    this.nothings++;
    this.#limit();
  }

  #count(): void {
    this.#taken++;
    this.#limit();
  }

  #limit(): void {
    if (this.#taken + this.nothings > MOST_ENTRIES)
      throw new Excess(`does not end: it has more than ${MOST_ENTRIES} objects`);
  }

  /** How many lists and objects have come, read or not. */
  get taken(): number {
    return this.#taken;
  }

  /** Whether there is nothing to work with: no list and no object of a kind that is read. */
  get isEmpty(): boolean {
    return this.#lists === 0 && this.#kinds.size === 0;
  }

  /** Objects that had come before, in another file or twice in one. */
  get duplicates(): number {
    return this.#duplicates;
  }

  /** Objects that are not read, by kind, in the order of the kinds. */
  get ignored(): Readonly<Record<string, number>> {
    return Object.fromEntries([...this.#ignored].sort(([a], [b]) => compareText(a, b)));
  }

  /** Everything, each kind by namespace and name. */
  contents(): ClusterContents {
    const kinds = [...this.#kinds.keys()].filter((kind) => kind !== 'Node' && kind !== 'Pod').sort(compareText);
    const others = Object.fromEntries(kinds.map((kind) => [kind, this.#sorted(kind)]));
    return { nodes: this.#sorted('Node'), pods: this.#sorted('Pod'), others };
  }

  /** Whether any object or typed list of the kind appeared. */
  knows(kind: ReadKind): boolean {
    return this.#kinds.has(kind);
  }

  #sorted<K extends ReadKind>(kind: K): Objects[K][] {
    const entries = [...(this.#kinds.get(kind) ?? [])].sort(([a], [b]) => compareText(a, b));
    return entries.map(([, { object }]) => object as Objects[K]);
  }

  #ofKind(kind: ReadKind): Map<string, Decoded> {
    let known = this.#kinds.get(kind);
    if (!known) {
      known = new Map();
      this.#kinds.set(kind, known);
    }
    return known;
  }
}

/** By resourceVersion as a number; copies of the same version are told apart by their content, so that order never matters. */
function compareCopies(a: Decoded, b: Decoded): number {
  return (
    compareVersions(a.resourceVersion, b.resourceVersion) ||
    compareText(JSON.stringify(a.object), JSON.stringify(b.object))
  );
}

function compareVersions(a: string, b: string): number {
  const [x, y] = [digitsOf(a), digitsOf(b)];
  return x.length - y.length || compareText(x, y);
}

function digitsOf(version: string): string {
  return /^\d+$/.test(version) ? version.replace(/^0+/, '') : '';
}
