import type { Node } from '../cluster/objects/node.ts';
import type { ClusterStore, Versioned } from '../cluster/store.ts';
import { isReadinessTaint, NOT_READY, UNREACHABLE, type DesiredNoExecute } from './condition-taints.ts';
import { isMarkedUnknown, readySeen, type HealthRecord, type Readiness } from './health.ts';

/** What the controller knows of one node. Belongs to the controller, whose parts change it. */
export interface NodeHealth {
  readonly name: string;
  readonly uid: string;
  /** Undefined until the first pass has judged it. */
  record: HealthRecord | undefined;
  /** The Ready condition after the last pass. */
  current: Readiness;
  zone: string;
  /** What its readiness taints are to become. */
  desired: DesiredNoExecute;
  /** The node as it was judged last, if it was ready and nothing had to follow from that. */
  quiet: Node | undefined;
  /** The node as our last write left it, as long as the cache shows the version that we wrote over. */
  written: { readonly over: string; readonly node: Versioned<Node> } | undefined;
}

const UNCHANGED = { added: [], removed: [] } as const;

/** The nodes that are known to the controller, by name; a node made again under its name is another one. */
export class NodeHealthMap {
  readonly #store: ClusterStore;
  readonly #entries = new Map<string, NodeHealth>();
  #listed: readonly Node[] | undefined;

  constructor(store: ClusterStore) {
    this.#store = store;
  }

  /** Takes in nodes that are new and lets go of those that are gone; answers with both. */
  update(zoneOf: (node: Node) => string): { readonly added: readonly Node[]; readonly removed: readonly NodeHealth[] } {
    if (this.#store.nodes === this.#listed) return UNCHANGED;
    this.#listed = this.#store.nodes;
    const removed = [...this.#entries.values()].filter(({ name, uid }) => this.#store.node(name)?.object.uid !== uid);
    for (const { name } of removed) this.#entries.delete(name);
    const added = this.#store.nodes.filter(({ name }) => !this.#entries.has(name));
    for (const node of added) this.#entries.set(node.name, newEntry(node, zoneOf(node)));
    return { added, removed };
  }

  /** The entry of that name. */
  entry(name: string): NodeHealth | undefined {
    return this.#entries.get(name);
  }

  /** How many there are. */
  get size(): number {
    return this.#entries.size;
  }

  /** All entries, in the order in which they were taken in. */
  entries(): Iterable<NodeHealth> {
    return this.#entries.values();
  }

  /** Remembers the node as our write has left it, until the cache shows another version than now. */
  wrote(node: Versioned<Node>): void {
    const entry = this.#entries.get(node.object.name);
    const cached = this.#store.node(node.object.name);
    if (entry && cached) entry.written = { over: cached.resourceVersion, node };
  }

  /** The node as far as we know: what we wrote last, else what the cache has. */
  view(name: string): Versioned<Node> | undefined {
    const cached = this.#store.node(name);
    const entry = this.#entries.get(name);
    if (!cached || !entry?.written) return cached;
    if (entry.written.over === cached.resourceVersion && entry.uid === cached.object.uid) return entry.written.node;
    entry.written = undefined;
    return cached;
  }
}

/** The NoExecute taint that a readiness calls for. */
export function taintFor(readiness: Readiness): typeof NOT_READY | typeof UNREACHABLE | undefined {
  if (readiness === 'False') return NOT_READY;
  return readiness === 'Unknown' ? UNREACHABLE : undefined;
}

/**
 * What is desired, as it applies to this copy of the node: one that has become ready since, or not ready in another way, is not
 * tainted by it; and one without such a taint gets it only when its turn has come.
 */
export function desiredFor({ desired, record, current }: NodeHealth, node: Node, isGranted: boolean): DesiredNoExecute {
  if (desired === 'none') return current === 'True' && readySeen(node).status !== 'True' ? 'keep' : 'none';
  if (desired === 'keep' || !(isGranted || node.taints.some(isReadinessTaint))) return 'keep';
  if (record && isMarkedUnknown(record, node)) return desired;
  return taintFor(readySeen(node).status) ?? 'keep';
}

function newEntry({ name, uid }: Node, zone: string): NodeHealth {
  return {
    name,
    uid,
    record: undefined,
    current: 'absent',
    zone,
    desired: 'keep',
    quiet: undefined,
    written: undefined,
  };
}
