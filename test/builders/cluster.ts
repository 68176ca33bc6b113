import type {
  LabelSelector,
  Labels,
  NodeSelectorTerm,
  PodAffinityTerm,
  Taint,
  Toleration,
} from '../../src/cluster/objects/terms.ts';
import type { DisruptionBudget, Namespace, OtherKind, OtherKinds } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Condition, Container, Pod, PodSpec, PodStatus, SpreadConstraint } from '../../src/cluster/objects/pod.ts';
import { parseResources, type Resources } from '../../src/cluster/amounts/resources.ts';
import { parseSelector } from '../../src/cluster/rules/selectors.ts';
import { Snapshot } from '../../src/cluster/snapshot.ts';

/** One thing that a row says about a node or pod: the object before, the object after. */
export type Part<T> = (before: T) => T;

/** Amounts as in a manifest. */
export type Amounts = Readonly<Record<string, string | number>>;

/** Creation time of everything that a row does not date. */
export const CREATED = Date.parse('2026-01-01T00:00:00Z');

const placedOn = new WeakMap<Node, readonly Pod[]>();

/** A ready node of 4 cpu, 8Gi and 110 pods with a hostname label; pods among the parts are bound to it (see `snapshot`). */
export function node(name: string, ...parts: readonly (Part<Node> | Pod)[]): Node {
  const isPart = (part: Part<Node> | Pod): part is Part<Node> => typeof part === 'function';
  const built = freeze(parts.filter(isPart).reduce((before, part) => part(before), plainNode(name)));
  const pods = parts.filter((part): part is Pod => !isPart(part));
  placedOn.set(
    built,
    pods.map((pod) => freeze({ ...pod, nodeName: name })),
  );
  return built;
}

/** A running, unbound pod of namespace default with one container that asks for nothing, owned by a ReplicaSet. */
export function pod(name: string, ...parts: readonly Part<Pod>[]): Pod {
  const built = parts.reduce((before, part) => part(before), plainPod(name));
  return freeze({ ...built, uid: built.uid === '' ? `uid-${built.namespace}-${name}` : built.uid });
}

/** A snapshot of nodes with the pods given as their parts, further pods, and objects of other kinds. */
export function snapshot(...things: readonly (Node | Pod | OtherKinds[OtherKind])[]): Snapshot {
  const nodes = things.filter((thing) => thing.kind === 'Node');
  const pods = things.filter((thing) => thing.kind === 'Pod');
  const others: Partial<Record<OtherKind, OtherKinds[OtherKind][]>> = {};
  for (const thing of things) {
    if (thing.kind !== 'Node' && thing.kind !== 'Pod') (others[thing.kind] ??= []).push(thing);
  }
  // Every object went into the list of its own kind.
  const byKind = others as Snapshot['others'];
  return new Snapshot({ nodes, pods: [...nodes.flatMap(podsGivenWith), ...pods], others: byKind });
}

/** The pods that were given as parts of this node, bound to it. */
export function podsGivenWith(node: Node): readonly Pod[] {
  return placedOn.get(node) ?? [];
}

// ---------------------------------------------------------------- parts of nodes and pods

/** Adds labels. */
export function labels(added: Labels): <T extends { readonly labels: Labels }>(before: T) => T {
  return (before) => ({ ...before, labels: { ...before.labels, ...added } });
}

/** Takes all labels away, the hostname too. */
export function noLabels<T extends { readonly labels: Labels }>(before: T): T {
  return { ...before, labels: {} };
}

/** Adds annotations. */
export function annotations(added: Labels): <T extends { readonly annotations: Labels }>(before: T) => T {
  return (before) => ({ ...before, annotations: { ...before.annotations, ...added } });
}

/** Creation time, as RFC 3339. */
export function createdAt(time: string): <T extends { readonly createdAt: number | undefined }>(before: T) => T {
  return (before) => ({ ...before, createdAt: Date.parse(time) });
}

/** Another UID than the one made from namespace and name. */
export function uid(uid: string): <T extends { readonly uid: string }>(before: T) => T {
  return (before) => ({ ...before, uid });
}

// ---------------------------------------------------------------- parts of nodes

/** Adds a taint, written `key=value:Effect` or `key:Effect`. */
export function taint(text: string): Part<Node> {
  return (before) => ({ ...before, taints: [...before.taints, parseTaint(text)] });
}

/** Sets amounts of capacity and allocatable; the others stay. */
export function allocatable(amounts: Amounts): Part<Node> {
  const added = parseResources(amounts);
  return (before) => ({
    ...before,
    capacity: { ...before.capacity, ...added },
    allocatable: { ...before.allocatable, ...added },
  });
}

/** Takes a resource out of capacity and allocatable. */
export function lacks(resource: string): Part<Node> {
  const without = (amounts: Resources): Resources =>
    Object.fromEntries(Object.entries(amounts).filter(([name]) => name !== resource));
  return (before) => ({ ...before, capacity: without(before.capacity), allocatable: without(before.allocatable) });
}

/** The tables' `n1[cpu/memory/pods]`: exactly these three, in millicores, bytes and slots, and no labels. */
export function sized(cpu: number, memory: number, pods: number): Part<Node> {
  return (before) => ({ ...before, labels: {}, capacity: { cpu, memory, pods }, allocatable: { cpu, memory, pods } });
}

/** `spec.unschedulable`. */
export const cordoned: Part<Node> = (before) => ({ ...before, unschedulable: true });

/** Condition Ready=False. */
export const notReady: Part<Node> = (before) => ({ ...before, conditions: [condition('Ready', 'False')] });

/** Other conditions instead of Ready=True. */
export function conditions(...given: readonly Condition[]): <T extends Node>(before: T) => T {
  return (before) => ({ ...before, conditions: given });
}

/** One condition of a node or pod. */
export function condition(type: string, status: string, reason = ''): Condition {
  return { type, status, reason, transitionAt: undefined, heartbeatAt: undefined };
}

// ---------------------------------------------------------------- parts of pods

/** Merges fields into the spec. */
export function spec(fields: Partial<PodSpec>): Part<Pod> {
  return (before) => ({ ...before, spec: { ...before.spec, ...fields } });
}

/** Merges fields into the status. */
export function status(fields: Partial<PodStatus>): Part<Pod> {
  return (before) => ({ ...before, status: { ...before.status, ...fields } });
}

/** Places the pod in a namespace. */
export function namespace(namespace: string): Part<Pod> {
  return (before) => ({ ...before, namespace });
}

/** Binds the pod to a node by name. */
export function on(nodeName: string): Part<Pod> {
  return (before) => ({ ...before, nodeName });
}

/** `status.phase`. */
export function phase(phase: string): Part<Pod> {
  return status({ phase });
}

/** Has a deletion timestamp. */
export const terminating: Part<Pod> = (before) => ({ ...before, deletedAt: CREATED + 3_600_000 });

/** Requests of the first container, merged into those it has. */
export function requests(amounts: Amounts): Part<Pod> {
  const added = parseResources(amounts);
  return firstContainer((first) => ({ ...first, requests: { ...first.requests, ...added } }));
}

/** Limits of the first container, merged into those it has; requests stay as they are. */
export function limits(amounts: Amounts): Part<Pod> {
  const added = parseResources(amounts);
  return firstContainer((first) => ({ ...first, limits: { ...first.limits, ...added } }));
}

/** The tables' `p1(cpu/memory)`: requests of the first container in millicores and bytes, a 0 is present. */
export function asks(cpu: number, memory: number): Part<Pod> {
  return firstContainer((first) => ({ ...first, requests: { cpu, memory } }));
}

/** Image of the first container. */
export function image(image: string): Part<Pod> {
  return firstContainer((first) => ({ ...first, image }));
}

/** Adds a host port to the first container, TCP on all addresses unless said. */
export function hostPort(port: number, { ip = '0.0.0.0', protocol = 'TCP' } = {}): Part<Pod> {
  return firstContainer((first) => ({ ...first, hostPorts: [...first.hostPorts, { ip, protocol, port }] }));
}

/** Adds a container behind the first one. */
export function container(name: string, amounts: Amounts = {}): Part<Pod> {
  const added = plainContainer(name, amounts);
  return (before) => spec({ containers: [...before.spec.containers, added] })(before);
}

/** Adds an init container that ends before the others start. */
export function init(name: string, amounts: Amounts = {}): Part<Pod> {
  const added = plainContainer(name, amounts);
  return (before) => spec({ initContainers: [...before.spec.initContainers, added] })(before);
}

/** Adds an init container that keeps running. */
export function sidecar(name: string, amounts: Amounts = {}): Part<Pod> {
  const added = { ...plainContainer(name, amounts), sidecar: true };
  return (before) => spec({ initContainers: [...before.spec.initContainers, added] })(before);
}

/** `spec.priority`. */
export function priority(priority: number): Part<Pod> {
  return spec({ priority });
}

/** The only owner, its controller; the UID is made from kind and name. */
export function ownedBy(kind: string, name: string, apiVersion = 'apps/v1'): Part<Pod> {
  return (before) => ({
    ...before,
    owners: [{ kind, name, apiVersion, uid: `uid-${kind}-${name}`, controller: true }],
  });
}

/** A bare pod. */
export const noOwner: Part<Pod> = (before) => ({ ...before, owners: [] });

/**
 * Adds a toleration: `key=value:Effect` (Equal), `key:Effect` or `key` (Exists), the empty text tolerates everything;
 * without effect all effects. `over` sets further fields.
 */
export function tolerates(text: string, over: Partial<Toleration> = {}): Part<Pod> {
  const added = { ...parseToleration(text), ...over };
  return (before) => spec({ tolerations: [...before.spec.tolerations, added] })(before);
}

/** `spec.nodeSelector`. */
export function nodeSelector(nodeSelector: Labels): Part<Pod> {
  return spec({ nodeSelector });
}

/** Required node affinity: these terms, any of them. */
export function requiresNode(...terms: readonly NodeSelectorTerm[]): Part<Pod> {
  return spec({ requiredNodeAffinity: terms });
}

/** Adds a preferred node term. */
export function prefersNode(weight: number, term: NodeSelectorTerm): Part<Pod> {
  return (before) => spec({ preferredNodeAffinity: [...before.spec.preferredNodeAffinity, { weight, term }] })(before);
}

/** A node selector term: labels in kubectl's syntax, names of nodes for matchFields (`In`, one each). */
export function term(expressions: string, ...names: readonly string[]): NodeSelectorTerm {
  return {
    matchExpressions: parseSelector(expressions),
    matchFields: names.map((name) => ({ key: 'metadata.name', operator: 'In', values: [name] })),
  };
}

/** Adds a required pod affinity term: selector in kubectl's syntax and topology key, `over` sets further fields. */
export function near(text: string, topologyKey: string, over: Partial<PodAffinityTerm> = {}): Part<Pod> {
  const added = podTerm(text, topologyKey, over);
  return (before) => spec({ podAffinity: [...before.spec.podAffinity, added] })(before);
}

/** Adds a required pod anti-affinity term, as `near`. */
export function apart(text: string, topologyKey: string, over: Partial<PodAffinityTerm> = {}): Part<Pod> {
  const added = podTerm(text, topologyKey, over);
  return (before) => spec({ podAntiAffinity: [...before.spec.podAntiAffinity, added] })(before);
}

/** A pod affinity term. */
export function podTerm(text: string, topologyKey: string, over: Partial<PodAffinityTerm> = {}): PodAffinityTerm {
  return {
    labelSelector: selector(text),
    namespaces: [],
    namespaceSelector: undefined,
    topologyKey,
    matchLabelKeys: [],
    mismatchLabelKeys: [],
    ...over,
  };
}

/** Adds a spread constraint: DoNotSchedule, skew 1, the API's default policies unless said. */
export function spreads(text: string, topologyKey: string, over: Partial<SpreadConstraint> = {}): Part<Pod> {
  const added: SpreadConstraint = {
    maxSkew: 1,
    topologyKey,
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: selector(text),
    matchLabelKeys: [],
    minDomains: undefined,
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
    ...over,
  };
  return (before) => spec({ spreadConstraints: [...before.spec.spreadConstraints, added] })(before);
}

// ---------------------------------------------------------------- other values

/** A label selector from kubectl's syntax; the empty text selects everything. */
export function selector(text: string): LabelSelector {
  return { matchLabels: {}, matchExpressions: parseSelector(text) };
}

/** A taint from `key=value:Effect` or `key:Effect`. */
export function parseTaint(text: string): Taint {
  const [pair = '', effect = ''] = text.split(':');
  const [key = '', value = ''] = pair.split('=');
  return { key, value, effect, timeAdded: undefined };
}

/** A toleration from the text that `tolerates` describes. */
export function parseToleration(text: string): Toleration {
  const { key, value, effect } = parseTaint(text);
  return { key, value, effect, operator: text.includes('=') ? 'Equal' : 'Exists', tolerationSeconds: undefined };
}

/** A budget of namespace default that allows one eviction among two healthy pods; selector in kubectl's syntax. */
export function budget(name: string, text: string, over: Partial<DisruptionBudget> = {}): DisruptionBudget {
  return freeze<DisruptionBudget>({
    kind: 'PodDisruptionBudget',
    name,
    namespace: 'default',
    uid: `uid-${over.namespace ?? 'default'}-${name}`,
    labels: {},
    selector: selector(text),
    minAvailable: 1,
    maxUnavailable: undefined,
    unhealthyPodEvictionPolicy: undefined,
    disruptionsAllowed: 1,
    currentHealthy: 2,
    desiredHealthy: 1,
    expectedPods: 2,
    generation: 1,
    observedGeneration: 1,
    hasStatus: true,
    disruptedPods: [],
    ...over,
  });
}

/** A Namespace object. */
export function namespaceObject(name: string, labels: Labels = {}, annotations: Labels = {}): Namespace {
  const uid = `uid-${name}`;
  return freeze<Namespace>({ kind: 'Namespace', name, namespace: '', uid, labels, annotations, terminating: false });
}

/** A Namespace that is being deleted. */
export function namespaceGoing(name: string): Namespace {
  return freeze({ ...namespaceObject(name), terminating: true });
}

/** A container that runs; amounts are its requests. */
export function plainContainer(name: string, amounts: Amounts = {}): Container {
  return {
    name,
    image: 'app:1',
    requests: parseResources(amounts),
    limits: {},
    hostPorts: [],
    sidecar: false,
    restartsAll: false,
  };
}

function firstContainer(change: (first: Container) => Container): Part<Pod> {
  return (before) => {
    const [first = plainContainer('main'), ...rest] = before.spec.containers;
    return spec({ containers: [change(first), ...rest] })(before);
  };
}

function plainNode(name: string): Node {
  const amounts = { cpu: 4000, memory: 8 * 2 ** 30, pods: 110 };
  return {
    kind: 'Node',
    name,
    uid: `uid-${name}`,
    labels: { 'kubernetes.io/hostname': name },
    annotations: {},
    createdAt: CREATED,
    deletedAt: undefined,
    unschedulable: false,
    taints: [],
    capacity: amounts,
    allocatable: amounts,
    conditions: [condition('Ready', 'True')],
    images: [],
    declaredFeatures: [],
  };
}

function plainPod(name: string): Pod {
  const bare: Pod = {
    kind: 'Pod',
    name,
    namespace: 'default',
    uid: '',
    labels: {},
    annotations: {},
    createdAt: CREATED,
    deletedAt: undefined,
    generation: 1,
    owners: [],
    nodeName: '',
    spec: PLAIN_SPEC,
    status: { ...PLAIN_STATUS, startedAt: CREATED },
  };
  return ownedBy('ReplicaSet', 'replicaset-1')(bare);
}

const PLAIN_SPEC: PodSpec = {
  schedulerName: 'default-scheduler',
  priority: undefined,
  priorityClassName: '',
  schedulingGates: [],
  nodeSelector: {},
  requiredNodeAffinity: undefined,
  preferredNodeAffinity: [],
  podAffinity: [],
  preferredPodAffinity: [],
  podAntiAffinity: [],
  preferredPodAntiAffinity: [],
  tolerations: [],
  spreadConstraints: [],
  containers: [plainContainer('main')],
  initContainers: [],
  overhead: {},
  podRequests: undefined,
  volumes: [],
  resourceClaims: [],
  hostNetwork: false,
  hostUsers: undefined,
};

const PLAIN_STATUS: PodStatus = {
  phase: 'Running',
  reason: '',
  startedAt: undefined,
  qosClass: '',
  nominatedNode: '',
  conditions: [],
  containers: [],
  initContainers: [],
  ephemeralContainers: [],
  requests: undefined,
  allocated: undefined,
  resourceClaims: {},
};

/** Freezes an object and all that it holds. */
export function freeze<T extends object>(value: T): T {
  for (const held of Object.values(value) as unknown[]) {
    if (typeof held === 'object' && held !== null && !Object.isFrozen(held)) freeze(held);
  }
  return Object.freeze(value);
}
