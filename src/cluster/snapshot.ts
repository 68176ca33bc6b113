import { groupBy } from '../lib/group.ts';
import type { OtherKind, OtherKinds, PriorityClass } from './objects/kinds.ts';
import { isReady, type Node } from './objects/node.ts';
import { isFinished, type AssumedPod, type Pod, type PodSpec } from './objects/pod.ts';

/** Everything a snapshot is made of. A kind that is absent is unknown, not empty (rule S32). */
export interface ClusterContents {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly others: { readonly [K in OtherKind]?: readonly OtherKinds[K][] };
}

/** What the evictions of a cycle do to a cluster: these pods go, and those come where they were promised. */
export interface ExpectedChanges {
  readonly gone: readonly Pod[];
  readonly assumed: readonly AssumedPod[];
}

/** Plain code-unit order, the same on every machine (no locale). */
export function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/** What tells two objects apart, and in which order they stand. */
export interface Identified {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
}

/** By namespace, name and UID: total, since no two objects share a UID. */
export function compareIdentity(a: Identified, b: Identified): number {
  return compareText(a.namespace, b.namespace) || compareText(a.name, b.name) || compareText(a.uid, b.uid);
}

const NONE: readonly never[] = Object.freeze([]);

/** A frozen view of the cluster for one cycle, sorted by namespace and name; indexes are built on first use. */
export class Snapshot {
  readonly nodes: readonly Node[];
  readonly pods: readonly Pod[];
  readonly others: ClusterContents['others'];
  #byName: ReadonlyMap<string, Node> | undefined;
  #onNode: ReadonlyMap<string, readonly Pod[]> | undefined;
  #assignedPods: ReadonlyMap<string, readonly Pod[]> | undefined;
  #inNamespace: ReadonlyMap<string, readonly Pod[]> | undefined;
  readonly #named = new Map<OtherKind, ReadonlyMap<string, OtherKinds[OtherKind]>>();

  /** Sorts what it is given, other kinds too; the order of the input never matters afterwards. */
  constructor(contents: ClusterContents) {
    this.nodes = Object.freeze(
      contents.nodes.toSorted((a, b) => compareText(a.name, b.name) || compareText(a.uid, b.uid)),
    );
    const pods = withPriorities(contents.pods, contents.others.PriorityClass ?? NONE);
    this.pods = Object.freeze(pods.toSorted(compareIdentity));
    this.others = sortOthers(contents.others);
  }

  /** Nodes that are ready (rule C7). */
  get readyNodes(): readonly Node[] {
    return this.nodes.filter(isReady);
  }

  /** The node of that name, if it exists. */
  node(name: string): Node | undefined {
    this.#byName ??= new Map(this.nodes.map((node) => [node.name, node]));
    return this.#byName.get(name);
  }

  /** All pods bound to the node, finished and terminating ones too, by namespace and name. */
  podsOn(nodeName: string): readonly Pod[] {
    this.#onNode ??= groupBy(this.pods, (pod) => pod.nodeName);
    return this.#onNode.get(nodeName) ?? NONE;
  }

  /** Pods bound to the node that are not Succeeded or Failed: those that hold room there (rule S1). */
  assignedPodsOf(nodeName: string): readonly Pod[] {
    this.#assignedPods ??= groupBy(
      this.pods.filter((pod) => !isFinished(pod)),
      (pod) => pod.nodeName,
    );
    return this.#assignedPods.get(nodeName) ?? NONE;
  }

  /** All pods of the namespace, in every phase, bound or not. */
  podsIn(namespace: string): readonly Pod[] {
    this.#inNamespace ??= groupBy(this.pods, (pod) => pod.namespace);
    return this.#inNamespace.get(namespace) ?? NONE;
  }

  /** Whether objects of the kind could be read at all. */
  knows(kind: OtherKind): boolean {
    return this.others[kind] !== undefined;
  }

  /** All objects of a kind; empty where the kind is unknown (ask `knows`). */
  list<K extends OtherKind>(kind: K): readonly OtherKinds[K][] {
    return this.others[kind] ?? NONE;
  }

  /** One object by namespace (empty for cluster-scoped kinds) and name. */
  find<K extends OtherKind>(kind: K, namespace: string, name: string): OtherKinds[K] | undefined {
    let index = this.#named.get(kind);
    if (!index) {
      index = new Map(this.list(kind).map((object) => [`${object.namespace}/${object.name}`, object]));
      this.#named.set(kind, index);
    }
    return index.get(`${namespace}/${name}`) as OtherKinds[K] | undefined;
  }

  /** The same cluster as it is expected to be: without the pods that go, and with their replacements bound. */
  after({ gone, assumed }: ExpectedChanges): Snapshot {
    if (gone.length + assumed.length === 0) return this;
    const uids = new Set(gone.map(({ uid }) => uid));
    const pods = [...this.pods.filter(({ uid }) => !uids.has(uid)), ...assumed];
    return new Snapshot({ nodes: this.nodes, pods, others: this.others });
  }
}

/** Where only the class of a priority is given, its value is filled in, as admission does. */
function withPriorities(pods: readonly Pod[], classes: readonly PriorityClass[]): readonly Pod[] {
  const values = new Map(classes.map(({ name, value }) => [name, value]));
  const specs = new Map<PodSpec, PodSpec>();
  const specOf = (spec: PodSpec, priority: number): PodSpec => {
    const filled = specs.get(spec) ?? Object.freeze({ ...spec, priority });
    specs.set(spec, filled);
    return filled;
  };
  return pods.map((pod) => {
    const { priority, priorityClassName } = pod.spec;
    const value = priority === undefined ? values.get(priorityClassName) : undefined;
    return value === undefined ? pod : Object.freeze({ ...pod, spec: specOf(pod.spec, value) });
  });
}

function sortOthers(others: ClusterContents['others']): ClusterContents['others'] {
  const sorted = Object.entries(others).map(([kind, objects]: [string, readonly Identified[]]) => [
    kind,
    Object.freeze(objects.toSorted(compareIdentity)),
  ]);
  // Each list keeps its kind; only the order inside it changes.
  return Object.freeze(Object.fromEntries(sorted) as ClusterContents['others']);
}
