import type { Decoded, Objects } from './decode/decode.ts';
import type { ReadKind } from './decode/decode-table.ts';
import type { Lease, OtherKind } from './objects/kinds.ts';
import type { Node } from './objects/node.ts';
import type { Pod } from './objects/pod.ts';
import { compareText, type ClusterContents } from './snapshot.ts';

/** One change of the cluster, as a watch or a simulation tells it; a deleted object is given as it last was. */
export interface Change extends Decoded {
  readonly type: 'put' | 'delete';
}

/** Something of that name is not as it was. Says what to look at again, never what follows from it. */
export type StoreChange =
  /** `isBound`: the pod is new here and has a node, or has only now got one. */
  | { readonly kind: 'Pod'; readonly uid: string; readonly nodeName: string; readonly isBound: boolean }
  | {
      readonly kind: Exclude<ReadKind, 'Pod'>;
      readonly uid: string;
      readonly namespace: string;
      readonly name: string;
    };

/** Is told of every change, in order, after the store has it. Must not change the store. */
export type Subscriber = (change: StoreChange) => void;

/** An object and the version of it that we have. */
export interface Versioned<T> {
  readonly object: T;
  readonly resourceVersion: string;
}

const NOTHING: ReadonlyMap<string, never> = new Map<string, never>();

/**
 * The cluster as it is now, fed by watches or by a simulation. Objects are known by UID, so one that was deleted and made
 * again while nobody looked is two objects. Keeps indexes as changes come; decides nothing.
 */
export class ClusterStore {
  readonly #kinds = new Map<ReadKind, Map<string, Decoded>>();
  readonly #onNode = new Map<string, Map<string, Pod>>();
  readonly #nodes = new Map<string, Versioned<Node>>();
  readonly #leases = new Map<string, Lease>();
  readonly #synced = new Set<ReadKind>();
  readonly #subscribers = new Set<Subscriber>();
  readonly #waiting: { readonly kinds: readonly ReadKind[]; readonly run: () => void }[] = [];
  #sortedNodes: readonly Node[] | undefined;

  /** Adds, replaces or removes one object and announces it. A deletion of what is not there is ignored. */
  apply(change: Change): void {
    const made = change.type === 'put' ? this.#put(change) : this.#remove(change.object);
    if (made) this.#announce([made]);
  }

  /**
   * Takes a whole list of a kind, after which the kind is synced. What the store had and the list has not was deleted while
   * nobody looked; it is announced like everything that differs. Announces after all of it is in place.
   */
  replaceAll(kind: ReadKind, listed: readonly Decoded[]): void {
    const kept = new Set(listed.map(({ object }) => object.uid));
    const known = this.#kinds.get(kind) ?? NOTHING;
    const gone = [...known.values()].filter(({ object }) => !kept.has(object.uid));
    const changed = listed.filter(({ object, resourceVersion }) => {
      const before = known.get(object.uid);
      return before === undefined || resourceVersion === '' || before.resourceVersion !== resourceVersion;
    });
    const change = [...gone.map(({ object }) => this.#remove(object)), ...changed.map((it) => this.#put(it))];
    this.#synced.add(kind);
    this.#announce(change.filter((it) => it !== undefined));
    this.#releaseWaiting();
  }

  /** Whether these kinds have been listed in full at least once. */
  isSynced(...kinds: readonly ReadKind[]): boolean {
    return kinds.every((kind) => this.#synced.has(kind));
  }

  /** Runs once these kinds are synced: now, or right after the list that makes them so has been announced. */
  whenSynced(kinds: readonly ReadKind[], run: () => void): void {
    if (this.isSynced(...kinds)) run();
    else this.#waiting.push({ kinds, run });
  }

  /** Subscribes to announcements; the answer ends that. */
  subscribe(subscriber: Subscriber): () => void {
    this.#subscribers.add(subscriber);
    return () => {
      this.#subscribers.delete(subscriber);
    };
  }

  /** All nodes by name. */
  get nodes(): readonly Node[] {
    this.#sortedNodes ??= [...this.#nodes.values()]
      .map(({ object }) => object)
      .sort((a, b) => compareText(a.name, b.name));
    return this.#sortedNodes;
  }

  /** The node of that name; of two with different UIDs the one that was announced last. */
  node(name: string): Versioned<Node> | undefined {
    return this.#nodes.get(name);
  }

  /** The pod with that UID. */
  pod(uid: string): Pod | undefined {
    const pod = this.#kinds.get('Pod')?.get(uid)?.object;
    return pod?.kind === 'Pod' ? pod : undefined;
  }

  /** Pods bound to a node, in every phase, in the order in which they came to be known. */
  podsOn(nodeName: string): Iterable<Pod> {
    return (this.#onNode.get(nodeName) ?? NOTHING).values();
  }

  /** How many objects of a kind there are. */
  count(kind: ReadKind): number {
    return this.#kinds.get(kind)?.size ?? 0;
  }

  /** The node's Lease in `kube-node-lease`. */
  lease(nodeName: string): Lease | undefined {
    return this.#leases.get(nodeName);
  }

  /** What a snapshot is made of; kinds that were never listed are left out, for they are unknown. */
  contents(): ClusterContents {
    const others: Partial<Record<OtherKind, unknown[]>> = {};
    for (const kind of this.#synced) {
      if (kind !== 'Node' && kind !== 'Pod') others[kind] = this.#objects(kind);
    }
    // Every list was filled from the objects of its own kind.
    return { nodes: this.nodes, pods: this.#objects('Pod'), others: others as ClusterContents['others'] };
  }

  #objects<K extends ReadKind>(kind: K): Objects[K][] {
    const objects = [...(this.#kinds.get(kind) ?? NOTHING).values()].map(({ object }) => object);
    return objects as Objects[K][];
  }

  #put(decoded: Decoded): StoreChange {
    const { object, resourceVersion } = decoded;
    let known = this.#kinds.get(object.kind);
    if (!known) this.#kinds.set(object.kind, (known = new Map<string, Decoded>()));
    const before = known.get(object.uid)?.object;
    known.set(object.uid, { object, resourceVersion });
    if (object.kind === 'Pod') return this.#index(object, before?.kind === 'Pod' ? before : undefined);
    if (object.kind === 'Node') {
      this.#nodes.set(object.name, { object, resourceVersion });
      this.#sortedNodes = undefined;
    }
    if (isNodeLease(object)) this.#leases.set(object.name, object);
    return { kind: object.kind, uid: object.uid, namespace: namespaceOf(object), name: object.name };
  }

  #remove(object: Objects[ReadKind]): StoreChange | undefined {
    const known = this.#kinds.get(object.kind);
    const before = known?.get(object.uid)?.object;
    if (!before) return undefined;
    known.delete(object.uid);
    if (before.kind === 'Pod') {
      this.#unindex(before);
      return { kind: 'Pod', uid: before.uid, nodeName: before.nodeName, isBound: false };
    }
    // A namesake that came meanwhile stays.
    if (before.kind === 'Node' && this.#nodes.get(before.name)?.object.uid === before.uid) {
      this.#nodes.delete(before.name);
      this.#sortedNodes = undefined;
    }
    if (isNodeLease(before) && this.#leases.get(before.name)?.uid === before.uid) this.#leases.delete(before.name);
    return { kind: before.kind, uid: before.uid, namespace: namespaceOf(before), name: before.name };
  }

  #index(pod: Pod, before: Pod | undefined): StoreChange {
    const { uid, nodeName } = pod;
    if (before && before.nodeName !== nodeName) this.#unindex(before);
    if (nodeName !== '') {
      let pods = this.#onNode.get(nodeName);
      if (!pods) this.#onNode.set(nodeName, (pods = new Map<string, Pod>()));
      pods.set(uid, pod);
    }
    return { kind: 'Pod', uid, nodeName, isBound: nodeName !== '' && before?.nodeName !== nodeName };
  }

  #unindex({ uid, nodeName }: Pod): void {
    const pods = this.#onNode.get(nodeName);
    pods?.delete(uid);
    if (pods?.size === 0) this.#onNode.delete(nodeName);
  }

  #announce(change: readonly StoreChange[]): void {
    for (const each of change) for (const subscriber of this.#subscribers) subscriber(each);
  }

  #releaseWaiting(): void {
    const ready = this.#waiting.filter(({ kinds }) => this.isSynced(...kinds));
    for (const each of ready) this.#waiting.splice(this.#waiting.indexOf(each), 1);
    for (const { run } of ready) run();
  }
}

function isNodeLease(object: Objects[ReadKind]): object is Lease {
  return object.kind === 'Lease' && object.namespace === 'kube-node-lease';
}

function namespaceOf(object: Exclude<Objects[ReadKind], Pod>): string {
  return object.kind === 'Node' ? '' : object.namespace;
}
