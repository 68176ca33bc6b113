import { budgetsOf } from '../cluster/rules/disruption-budgets.ts';
import type { Node } from '../cluster/objects/node.ts';
import type { Condition, Pod } from '../cluster/objects/pod.ts';
import type { ConditionUpdate } from '../cluster/updates.ts';
import { Snapshot, type ClusterContents } from '../cluster/snapshot.ts';
import { ClusterStore, type Change, type Versioned } from '../cluster/store.ts';
import { refused, replied, type Answer, type Reply } from '../lib/answer.ts';
import type { Clock } from '../lib/clock.ts';
import type { NodeLifecyclePorts } from '../node-lifecycle/ports.ts';
import type { TaintEvictionPorts } from '../taint-eviction/ports.ts';
import { Kubelets } from './kubelets.ts';

/** A change of the simulated cluster as it is made; both undefined never. */
export type ApiChange =
  | { readonly kind: 'Node'; readonly before: Node | undefined; readonly after: Node | undefined }
  | { readonly kind: 'Pod'; readonly before: Pod | undefined; readonly after: Pod | undefined };

/**
 * An API server of a cluster that exists only here: it takes writes, checks preconditions as the real one does, and tells its
 * changes to one watching store, in the same moment of the virtual clock but not before the writer has its answer.
 */
export class SimulatedApi {
  readonly kubelets = new Kubelets();
  readonly #clock: Clock;
  readonly #onChange: (change: ApiChange) => void;
  readonly #nodes = new Map<string, Versioned<Node>>();
  readonly #pods = new Map<string, Versioned<Pod>>();
  readonly #podNames = new Map<string, string>();
  readonly #terminating = new Map<string, Set<string>>();
  readonly #budgets: Snapshot;
  readonly #spentBudgets = new Map<string, number>();
  #version = 0;
  #watcher: ClusterStore | undefined;
  #untold: Change[] = [];

  constructor(contents: ClusterContents, clock: Clock, onChange: (change: ApiChange) => void) {
    this.#clock = clock;
    this.#onChange = onChange;
    this.#budgets = new Snapshot({ nodes: [], pods: [], others: contents.others });
    for (const node of contents.nodes) this.#nodes.set(node.name, { object: node, resourceVersion: this.#next() });
    for (const pod of contents.pods) this.#keepPod(pod);
  }

  /** All nodes, by name as they came. */
  nodes(): readonly Node[] {
    return [...this.#nodes.values()].map(({ object }) => object);
  }

  /** The node of that name. */
  node(name: string): Node | undefined {
    return this.#nodes.get(name)?.object;
  }

  /** All pods, in the order in which they came. */
  pods(): readonly Pod[] {
    return [...this.#pods.values()].map(({ object }) => object);
  }

  /** Pods that were deleted and are still there, since nobody hears from their node. */
  terminatingOn(nodeName: string): readonly Pod[] {
    return [...(this.#terminating.get(nodeName) ?? [])].flatMap((uid) => this.#pods.get(uid)?.object ?? []);
  }

  /** The pod of that name. */
  podNamed(namespace: string, name: string): Pod | undefined {
    return this.#pods.get(this.#podNames.get(`${namespace}/${name}`) ?? '')?.object;
  }

  /** A new store that has everything there is now, and follows from here on; the one before follows no more. */
  watch(): ClusterStore {
    const store = new ClusterStore();
    this.#untold = [];
    store.replaceAll('Node', [...this.#nodes.values()]);
    store.replaceAll('Lease', []);
    store.replaceAll('Pod', [...this.#pods.values()]);
    this.#watcher = store;
    return store;
  }

  /** Nobody follows any more. */
  unwatch(): void {
    this.#watcher = undefined;
  }

  /** Adds or replaces a node. */
  putNode(after: Node): Versioned<Node> {
    const before = this.#nodes.get(after.name)?.object;
    const versioned = { object: after, resourceVersion: this.#next() };
    this.#nodes.set(after.name, versioned);
    this.#onChange({ kind: 'Node', before, after });
    this.#tell({ type: 'put', ...versioned });
    return versioned;
  }

  /** Removes a node with its Lease; its pods stay, nothing collects them. */
  removeNode(name: string): void {
    const versioned = this.#nodes.get(name);
    if (!versioned) return;
    this.#nodes.delete(name);
    this.kubelets.remove(name);
    this.#onChange({ kind: 'Node', before: versioned.object, after: undefined });
    this.#tell({ type: 'delete', ...versioned });
  }

  /** Adds a pod, or replaces the one with its UID. */
  putPod(after: Pod): Pod {
    const before = this.#pods.get(after.uid)?.object;
    const versioned = this.#keepPod(after);
    this.#onChange({ kind: 'Pod', before, after });
    this.#tell({ type: 'put', ...versioned });
    return after;
  }

  /** Removes a pod's object. */
  removePod({ uid, namespace, name }: Pod): void {
    const versioned = this.#pods.get(uid);
    if (!versioned) return;
    this.#pods.delete(uid);
    const fullName = `${namespace}/${name}`;
    if (this.#podNames.get(fullName) === uid) this.#podNames.delete(fullName);
    this.#onChange({ kind: 'Pod', before: versioned.object, after: undefined });
    this.#tell({ type: 'delete', ...versioned });
  }

  /** The ports of the node-lifecycle controller. */
  lifecyclePorts(): NodeLifecyclePorts {
    return {
      patchNode: ({ node, resourceVersion, change: { taints, labels } }) =>
        this.#writeNode({ node, resourceVersion }, (now) => ({
          ...now,
          taints: taints ?? now.taints,
          labels: labels ? { ...now.labels, ...labels } : now.labels,
        })),
      patchNodeStatus: ({ node, resourceVersion, conditions }) =>
        this.#writeNode({ node, resourceVersion }, (now) => ({
          ...now,
          conditions: conditions.reduce(withCondition, now.conditions),
        })),
      patchPodStatus: (request) => this.#patchPodStatus(request.pod, request.condition),
      getNode: (name) => Promise.resolve(this.#getNode(name)),
      getLease: (name) => {
        const lease = this.kubelets.lease(name, this.#clock.now());
        return lease ? replied(lease) : Promise.resolve(refused('not-found', `there is no Lease ${name}`));
      },
      recordEvent: () => undefined,
    };
  }

  /** The ports of the taint-eviction controller. */
  evictionPorts(): TaintEvictionPorts {
    return {
      patchPodStatus: ({ pod, condition }) => this.#patchPodStatus(pod, condition),
      deletePod: (pod) => this.#deletePod(pod),
      evictPod: (pod) => this.#evictPod(pod),
      getPod: (namespace, name) => {
        const pod = this.podNamed(namespace, name);
        return pod ? replied(pod) : Promise.resolve(refused('not-found', `there is no pod ${namespace}/${name}`));
      },
      getNode: (name) => Promise.resolve(this.#getNode(name)),
      stampTaints: ({ node, stamps }) => this.#stampTaints(node, stamps),
      recordEvent: () => undefined,
    };
  }

  #getNode(name: string): Answer<Versioned<Node>> {
    const value = this.#nodes.get(name);
    return value ? { ok: true, value } : refused('not-found', `there is no node ${name}`);
  }

  #writeNode(over: { node: Node; resourceVersion: string }, write: (now: Node) => Node): Reply<Versioned<Node>> {
    const now = this.#nodes.get(over.node.name);
    if (!now) return Promise.resolve(refused('not-found', `there is no node ${over.node.name}`));
    const isSame = now.object.uid === over.node.uid && now.resourceVersion === over.resourceVersion;
    if (!isSame) return Promise.resolve(refused('conflict', `node ${over.node.name} has changed`));
    return replied(this.putNode(write(now.object)));
  }

  #patchPodStatus({ uid, name }: Pod, condition: ConditionUpdate): Reply<Pod> {
    const now = this.#pods.get(uid)?.object;
    if (!now) return Promise.resolve(refused('not-found', `there is no pod ${name} with the UID ${uid}`));
    const conditions = withCondition(now.status.conditions, condition);
    return replied(this.putPod({ ...now, status: { ...now.status, conditions } }));
  }

  /** On a node that nobody hears from, a pod stays terminating until its kubelet is back. */
  #deletePod({ uid, name }: Pod): Reply<undefined> {
    const now = this.#pods.get(uid)?.object;
    if (!now) return Promise.resolve(refused('not-found', `there is no pod ${name} with the UID ${uid}`));
    if (!this.#nodes.has(now.nodeName) || this.kubelets.isRunning(now.nodeName)) this.removePod(now);
    else this.#terminate(now);
    return replied(undefined);
  }

  #terminate(pod: Pod): void {
    const known = this.#terminating.get(pod.nodeName) ?? new Set<string>();
    this.#terminating.set(pod.nodeName, known.add(pod.uid));
    this.putPod({ ...pod, deletedAt: pod.deletedAt ?? this.#clock.wall() });
  }

  /** Budgets have what the dump says and get nothing back, for nothing is rescheduled. */
  #evictPod(pod: Pod): Reply<undefined> {
    const budgets = budgetsOf(pod, this.#budgets);
    const empty = budgets.find(
      ({ uid, disruptionsAllowed }) => disruptionsAllowed <= (this.#spentBudgets.get(uid) ?? 0),
    );
    if (empty)
      return Promise.resolve(refused('too-many-requests', `PodDisruptionBudget ${empty.name} allows no disruption`));
    for (const { uid } of budgets) this.#spentBudgets.set(uid, (this.#spentBudgets.get(uid) ?? 0) + 1);
    return this.#deletePod(pod);
  }

  #stampTaints(node: Node, stamps: Parameters<TaintEvictionPorts['stampTaints']>[0]['stamps']): Reply<undefined> {
    const now = this.#nodes.get(node.name)?.object;
    const isTested = stamps.every(({ index, taint }) => {
      const there = now?.taints[index];
      return there?.key === taint.key && there.effect === taint.effect && there.timeAdded === undefined;
    });
    if (!now || !isTested) return Promise.resolve(refused('invalid', `the taints of ${node.name} have changed`));
    const taints = now.taints.map((taint, place) => {
      const stamp = stamps.find(({ index }) => index === place);
      return stamp ? { ...taint, timeAdded: stamp.timeAdded } : taint;
    });
    this.putNode({ ...now, taints });
    return replied(undefined);
  }

  #keepPod(object: Pod): Versioned<Pod> {
    const versioned = { object, resourceVersion: this.#next() };
    this.#pods.set(object.uid, versioned);
    this.#podNames.set(`${object.namespace}/${object.name}`, object.uid);
    return versioned;
  }

  #next(): string {
    return String(++this.#version);
  }

  #tell(change: Change): void {
    if (!this.#watcher) return;
    if (this.#untold.push(change) > 1) return;
    this.#clock.schedule(this.#clock.now(), () => {
      const told = this.#untold;
      this.#untold = [];
      for (const each of told) this.#watcher?.apply(each);
    });
  }
}

/** Conditions with one of them set as posted; what the posting leaves out stays. */
function withCondition(conditions: readonly Condition[], posted: ConditionUpdate): readonly Condition[] {
  const before = conditions.find(({ type }) => type === posted.type);
  const after: Condition = {
    type: posted.type,
    status: posted.status,
    reason: posted.reason ?? before?.reason ?? '',
    transitionAt: posted.transitionAt,
    heartbeatAt: posted.heartbeatAt ?? before?.heartbeatAt,
  };
  return before ? conditions.map((each) => (each === before ? after : each)) : [...conditions, after];
}
