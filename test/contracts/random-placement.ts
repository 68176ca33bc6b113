import fc from 'fast-check';
import type { Claim, CsiNode, StorageClass, Volume } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import {
  allocatable,
  apart,
  cordoned,
  hostPort,
  labels,
  namespace,
  namespaceObject,
  near,
  node,
  nodeSelector,
  on,
  phase,
  pod,
  prefersNode,
  priority,
  requests,
  requiresNode,
  selector,
  snapshot,
  spec,
  spreads,
  status,
  taint,
  term,
  terminating,
  tolerates,
  type Part,
} from '../builders/cluster.ts';

/** A booking: the pod and node by number; `to` -1 promises no place, -2 takes the booking back, -3 removes the pod. */
export interface Booking {
  readonly pod: number;
  readonly to: number;
}

/** A random cluster with rules of every kind, and bookings to make in it one after another. */
export interface Scene {
  readonly cluster: Snapshot;
  readonly bookings: readonly Booking[];
}

const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';
const KEYS = [ZONE, HOSTNAME, 'rack'] as const;

/** Most nodes are open, or nothing else would be asked. */
const NO_TAINT = Array.from({ length: 9 }, () => undefined);

const nodeParts: fc.Arbitrary<readonly Part<Node>[]> = fc
  .record({
    zone: fc.constantFrom('a', 'b', 'c', undefined),
    rack: fc.constantFrom('', 'r1', undefined),
    pool: fc.constantFrom('p', 'q'),
    cpu: fc.integer({ min: 1, max: 8 }),
    pods: fc.integer({ min: 2, max: 9 }),
    gpu: fc.boolean(),
    taint: fc.constantFrom('dedicated=gpu:NoSchedule', 'old:NoExecute', 'soft:PreferNoSchedule', ...NO_TAINT),
    cordoned: fc.nat(9).map((drawn) => drawn === 0),
  })
  .map((drawn) => [
    drawn.zone === undefined ? same : labels({ [ZONE]: drawn.zone }),
    drawn.rack === undefined ? same : labels({ rack: drawn.rack }),
    labels({ pool: drawn.pool }),
    allocatable({ cpu: drawn.cpu, memory: '4Gi', pods: drawn.pods }),
    drawn.gpu ? allocatable({ 'example.com/gpu': 1 }) : same,
    drawn.taint === undefined ? same : taint(drawn.taint),
    drawn.cordoned ? cordoned : same,
  ]);

const namespaceSelectors = [undefined, undefined, selector(''), selector('team=a'), selector('team notin (a)')];
const podSelectors = ['app=x', 'app in (x,y)', 'app notin (x)', 'app', ''];

const affinity = fc
  .record({
    text: fc.constantFrom(...podSelectors),
    key: fc.constantFrom(...KEYS),
    namespaceSelector: fc.constantFrom(...namespaceSelectors),
    namespaces: fc.constantFrom([], [], ['other']),
    matchLabelKeys: fc.constantFrom([], [], ['hash']),
    nil: fc.integer({ min: 0, max: 9 }),
  })
  .map(({ text, key, nil, ...over }) => ({
    text,
    key,
    over: { ...over, ...(nil === 0 ? { labelSelector: undefined } : {}) },
  }));

const spread = fc
  .record({
    text: fc.constantFrom(...podSelectors),
    key: fc.constantFrom(...KEYS),
    maxSkew: fc.integer({ min: 1, max: 2 }),
    minDomains: fc.constantFrom(undefined, undefined, 2, 3),
    whenUnsatisfiable: fc.constantFrom('DoNotSchedule', 'DoNotSchedule', 'ScheduleAnyway'),
    matchLabelKeys: fc.constantFrom([], ['hash']),
    nodeAffinityPolicy: fc.constantFrom('Honor' as const, 'Ignore' as const),
    nodeTaintsPolicy: fc.constantFrom('Honor' as const, 'Ignore' as const),
  })
  .map(({ text, key, ...over }) => spreads(text, key, over));

const broken = { matchExpressions: [{ key: 'g', operator: 'Gt', values: ['x'] }], matchFields: [] };

/** Two of them can never be used; others often, so that pods share them. */
const CLAIMS = ['bound', 'zonal', 'single', 'waiting', 'bound', 'zonal', 'single', 'waiting', 'gone', 'immediate'];

/** One rule of any kind. */
const rule: fc.Arbitrary<Part<Pod>> = fc.oneof(
  spread,
  affinity.map(({ text, key, over }) => apart(text, key, over)),
  affinity.map(({ text, key, over }) => near(text, key, over)),
  spread,
  fc.constantFrom<Part<Pod>>(
    hostPort(80),
    hostPort(80, { ip: '10.0.0.1' }),
    nodeSelector({ pool: 'p' }),
    requiresNode(term('pool=q'), term(`${ZONE}=a`)),
    tolerates(''),
    tolerates('dedicated=gpu'),
    tolerates('node.kubernetes.io/unschedulable:NoSchedule'),
    priority(5),
    requests({ 'example.com/gpu': 1 }),
  ),
  fc.constantFrom(...CLAIMS).map((name) => spec({ volumes: [{ kind: 'claim', name, claim: name }] })),
  fc.nat(9).map((drawn) => (drawn === 0 ? prefersNode(1, broken) : same)),
);

const podParts: fc.Arbitrary<readonly Part<Pod>[]> = fc
  .record({
    at: fc.integer({ min: -3, max: 5 }),
    other: fc.integer({ min: 0, max: 3 }),
    app: fc.constantFrom('x', 'x', 'y', undefined),
    hash: fc.constantFrom('1', '2', undefined),
    cpu: fc.constantFrom(0, 0, 500, 1000, 2000),
    state: fc.constantFrom('Running', 'Running', 'Running', 'Running', 'Succeeded', 'terminating'),
    rules: fc.array(rule, { maxLength: 3 }),
  })
  .map((drawn) => [
    drawn.other === 0 ? namespace('other') : same,
    drawn.app === undefined ? same : labels({ app: drawn.app }),
    drawn.hash === undefined ? same : labels({ hash: drawn.hash }),
    requests({ cpu: `${drawn.cpu}m` }),
    drawn.state === 'terminating' ? terminating : phase(drawn.state),
    // Pending ones are nominated, so that they matter; n9 does not exist.
    drawn.at === -1 ? status({ nominatedNode: 'n0' }) : on(drawn.at === -2 ? 'n9' : `n${drawn.at}`),
    ...drawn.rules,
  ]);

/** Up to six nodes and fourteen pods, every one of which carries up to three rules. */
export const scenes: fc.Arbitrary<Scene> = fc
  .record({
    nodes: fc.array(nodeParts, { minLength: 1, maxLength: 6 }),
    pods: fc.array(podParts, { minLength: 1, maxLength: 14 }),
    limit: fc.constantFrom(1, 2, undefined),
    bookings: fc.array(fc.record({ pod: fc.nat(13), to: fc.integer({ min: -2, max: 5 }) }), { maxLength: 6 }),
  })
  .map(({ nodes, pods, limit, bookings }) => ({
    cluster: snapshot(
      ...nodes.map((parts, index) => node(`n${index}`, ...parts)),
      ...pods.map((parts, index) => pod(`p${index}`, ...parts)),
      namespaceObject('other', { team: 'a' }),
      ...storage(),
      ...(limit === undefined ? [] : [csiNode('n0', limit), csiNode('n1', limit)]),
      csiNode('elsewhere', 1),
    ),
    bookings,
  }));

function same<T>(before: T): T {
  return before;
}

function named(name: string, namespace = '') {
  return { name, namespace, uid: `uid-${namespace}-${name}`, labels: {} };
}

function csiNode(name: string, count: number): CsiNode {
  return { kind: 'CSINode', ...named(name), limits: { 'csi.example': count } };
}

/** Claims of namespace default: bound ones, one in a zone, one for a single pod, one that waits, one that does not. */
function storage(): readonly (Claim | Volume | StorageClass)[] {
  const claim = (name: string, over: Partial<Claim>): Claim => ({
    kind: 'PersistentVolumeClaim',
    ...named(name, 'default'),
    annotations: { 'pv.kubernetes.io/bind-completed': 'yes' },
    owners: [],
    deletedAt: undefined,
    accessModes: ['ReadWriteOnce'],
    storageClass: 'waits',
    volumeName: `pv-${name}`,
    volumeMode: 'Filesystem',
    attributesClass: undefined,
    requestBytes: 1,
    selector: undefined,
    phase: 'Bound',
    ...over,
  });
  const volume = (name: string, over: Partial<Volume>): Volume => ({
    kind: 'PersistentVolume',
    ...named(`pv-${name}`),
    deletedAt: undefined,
    accessModes: ['ReadWriteOnce'],
    storageClass: 'waits',
    volumeMode: 'Filesystem',
    attributesClass: undefined,
    capacityBytes: 1,
    nodeAffinity: undefined,
    claimRef: { namespace: 'default', name, uid: '' },
    driver: 'csi.example',
    handle: `h-${name}`,
    phase: 'Bound',
    ...over,
  });
  const unbound = { annotations: {}, volumeName: '', phase: 'Pending' };
  const storageClass = (name: string, waitsForConsumer: boolean): StorageClass => ({
    kind: 'StorageClass',
    ...named(name),
    provisioner: 'csi.example',
    waitsForConsumer,
    isDefault: false,
    allowedTopologies: [],
  });
  return [
    claim('bound', {}),
    volume('bound', { nodeAffinity: [term('pool=p')] }),
    claim('zonal', {}),
    volume('zonal', { labels: { [ZONE]: 'a' } }),
    claim('single', { accessModes: ['ReadWriteOncePod'] }),
    volume('single', {}),
    claim('waiting', unbound),
    claim('immediate', { ...unbound, storageClass: 'at-once' }),
    storageClass('waits', true),
    storageClass('at-once', false),
  ];
}
