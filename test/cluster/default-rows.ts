import type { Objects } from '../../src/cluster/decode/decode.ts';
import type { ReadKind } from '../../src/cluster/decode/decode-table.ts';

/** An object as the API takes it. */
export type Bare = Readonly<Record<string, unknown>> & {
  readonly kind: ReadKind;
  readonly metadata: { readonly name: string };
};

/** A field that decisions read and the default that an API server fills in where the object leaves it out. */
export interface DefaultRow {
  readonly field: string;
  /** Complete enough for an API server to take it. */
  readonly bare: Bare;
  readonly read: (object: Objects[ReadKind]) => unknown;
  readonly filled: unknown;
}

let count = 0;

function row<K extends ReadKind>(
  kind: K,
  field: string,
  given: { readonly bare?: object; readonly read: (object: Objects[K]) => unknown; readonly filled: unknown },
): DefaultRow {
  const [apiVersion, namespaced] = PLACES[kind] ?? ['v1', false];
  const name = `row-${(count += 1)}`;
  const metadata = { name, ...(namespaced && { namespace: 'default' }) };
  return {
    field: `${kind} ${field}`,
    bare: { apiVersion, kind, metadata, ...given.bare },
    // The row is only ever read with what its own object gives.
    read: given.read as DefaultRow['read'],
    filled: given.filled,
  };
}

const PLACES: Partial<Record<ReadKind, readonly [apiVersion: string, namespaced: boolean]>> = {
  Pod: ['v1', true],
  Job: ['batch/v1', true],
  ReplicaSet: ['apps/v1', true],
  StatefulSet: ['apps/v1', true],
  ReplicationController: ['v1', true],
  PodDisruptionBudget: ['policy/v1', true],
  PersistentVolumeClaim: ['v1', true],
  StorageClass: ['storage.k8s.io/v1', false],
  CSIDriver: ['storage.k8s.io/v1', false],
  PriorityClass: ['scheduling.k8s.io/v1', false],
};

function pod(
  field: string,
  spec: object,
  expected: { readonly read: (pod: Objects['Pod']) => unknown; readonly filled: unknown },
) {
  return row('Pod', field, { bare: { spec: { containers: [MAIN], ...spec } }, ...expected });
}

const MAIN = { name: 'main', image: 'i' };

function asking(resources: object): object {
  return { containers: [{ ...MAIN, resources }] };
}

const CLAIM = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
const TEMPLATE = { metadata: { labels: { app: 'web' } }, spec: { containers: [MAIN] } };
const SELECTS_WEB = { matchLabels: { app: 'web' }, matchExpressions: [] };
const ONCE = { spec: { containers: [MAIN], restartPolicy: 'Never' } };

/** Every field that decisions read and that an API server has a default for. */
export const DEFAULT_ROWS: readonly DefaultRow[] = [
  row('Node', 'status.allocatable: what capacity says', {
    bare: { status: { capacity: { cpu: '2', memory: '1Gi', pods: '9' } } },
    read: ({ allocatable }) => allocatable,
    filled: { cpu: 2000, memory: 2 ** 30, pods: 9 },
  }),
  row('Node', 'status.allocatable, empty: what capacity says', {
    bare: { status: { capacity: { cpu: '2' }, allocatable: {} } },
    read: ({ allocatable }) => allocatable,
    filled: { cpu: 2000 },
  }),
  row('Node', 'status.allocatable of one resource: nothing of the others', {
    bare: { status: { capacity: { cpu: '2', memory: '1Gi' }, allocatable: { cpu: '2' } } },
    read: ({ allocatable }) => allocatable,
    filled: { cpu: 2000 },
  }),
  row('Node', 'spec.unschedulable: no', { read: ({ unschedulable }) => unschedulable, filled: false }),
  pod('metadata.namespace: default', {}, { read: ({ namespace }) => namespace, filled: 'default' }),
  pod('metadata.generation: 1', {}, { read: ({ generation }) => generation ?? 1, filled: 1 }),
  pod('status.phase: Pending', {}, { read: ({ status }) => status.phase, filled: 'Pending' }),
  pod(
    'spec.schedulerName: default-scheduler',
    {},
    { read: ({ spec }) => spec.schedulerName, filled: 'default-scheduler' },
  ),
  pod(
    'spec.priority: that of the system class',
    { priorityClassName: 'system-node-critical' },
    {
      read: ({ spec }) => spec.priority,
      filled: 2_000_001_000,
    },
  ),
  pod('spec.priority: 0 to the scheduler', {}, { read: ({ spec }) => spec.priority ?? 0, filled: 0 }),
  pod('spec.hostNetwork: no', {}, { read: ({ spec }) => spec.hostNetwork, filled: false }),
  pod('container requests: the limits', asking({ requests: { cpu: '1' }, limits: { cpu: '2', memory: '1Gi' } }), {
    read: ({ spec }) => spec.containers[0]?.requests,
    filled: { cpu: 1000, memory: 2 ** 30 },
  }),
  pod(
    'init container requests: the limits',
    { initContainers: [{ ...MAIN, name: 'init', resources: { limits: { memory: '1Gi' } } }] },
    { read: ({ spec }) => spec.initContainers[0]?.requests, filled: { memory: 2 ** 30 } },
  ),
  pod('quantities: rounded up to thousandths', asking({ requests: { cpu: '100u', memory: '1Gi' } }), {
    read: ({ spec }) => spec.containers[0]?.requests,
    filled: { cpu: 1, memory: 2 ** 30 },
  }),
  pod(
    'pod-level requests: none without a limit',
    { resources: { requests: { cpu: '2' } } },
    {
      read: ({ spec }) => spec.podRequests,
      filled: { cpu: 2000 },
    },
  ),
  pod(
    'pod-level requests: the limits',
    { resources: { limits: { cpu: '2', memory: '1Gi' } } },
    {
      read: ({ spec }) => spec.podRequests,
      filled: { cpu: 2000, memory: 2 ** 30 },
    },
  ),
  pod(
    'pod-level requests: what the containers ask for, before the limits',
    {
      resources: { limits: { cpu: '2', memory: '1Gi' } },
      initContainers: [{ ...MAIN, name: 'init', resources: { requests: { cpu: '1500m' } } }],
      ...asking({ requests: { cpu: '500m' } }),
    },
    { read: ({ spec }) => spec.podRequests, filled: { cpu: 1500, memory: 2 ** 30 } },
  ),
  pod(
    'pod-level requests: hugepages of containers are a limit',
    {
      resources: { requests: { cpu: '2' } },
      ...asking({ limits: { cpu: '1', memory: '1Gi', 'hugepages-2Mi': '4Mi' } }),
    },
    { read: ({ spec }) => spec.podRequests, filled: { cpu: 2000, 'hugepages-2Mi': 2 ** 22, memory: 2 ** 30 } },
  ),
  pod(
    'ports[].protocol: TCP',
    { containers: [{ ...MAIN, ports: [{ containerPort: 80, hostPort: 8080 }] }] },
    {
      read: ({ spec }) => spec.containers[0]?.hostPorts,
      filled: [{ ip: '0.0.0.0', port: 8080, protocol: 'TCP' }],
    },
  ),
  pod(
    'ports[].hostPort on the host network: containerPort',
    { hostNetwork: true, containers: [{ ...MAIN, ports: [{ containerPort: 80 }] }] },
    { read: ({ spec }) => spec.containers[0]?.hostPorts, filled: [{ ip: '0.0.0.0', port: 80, protocol: 'TCP' }] },
  ),
  pod(
    'volumes[].rbd.pool: rbd',
    { volumes: [{ name: 'v', rbd: { monitors: ['m'], image: 'i' } }] },
    {
      read: ({ spec }) => spec.volumes,
      filled: [{ kind: 'rbd', name: 'v', disk: 'rbd/i', monitors: ['m'], readOnly: false }],
    },
  ),
  pod(
    'volumes[] without a source: emptyDir',
    { volumes: [{ name: 'v' }] },
    { read: ({ spec }) => spec.volumes, filled: [{ kind: 'emptyDir', name: 'v' }] },
  ),
  pod(
    'topologySpreadConstraints[]: policies Honor and Ignore',
    { topologySpreadConstraints: [{ maxSkew: 1, topologyKey: 'zone', whenUnsatisfiable: 'DoNotSchedule' }] },
    {
      read: ({ spec }) =>
        spec.spreadConstraints.map((it) => [it.nodeAffinityPolicy, it.nodeTaintsPolicy, it.labelSelector]),
      filled: [['Honor', 'Ignore', undefined]],
    },
  ),
  row('ReplicationController', 'spec.selector: the labels of the template', {
    bare: { spec: { template: TEMPLATE } },
    read: ({ selector }) => selector,
    filled: SELECTS_WEB,
  }),
  row('ReplicaSet', 'spec.template: requests are the limits for its pods', {
    bare: {
      spec: {
        selector: { matchLabels: { app: 'web' } },
        template: { ...TEMPLATE, spec: asking({ limits: { cpu: '0.5m' } }) },
      },
    },
    read: ({ templateRequests }) => templateRequests,
    filled: { containers: { main: { cpu: 1 } }, pod: undefined },
  }),
  row('StatefulSet', 'spec.updateStrategy: RollingUpdate of all pods', {
    bare: { spec: { serviceName: '', selector: { matchLabels: { app: 'web' } }, template: TEMPLATE } },
    read: ({ update }) => [update?.firstOrdinal, update?.revision, update?.spec.schedulerName],
    filled: [0, '', 'default-scheduler'],
  }),
  row('Job', 'spec.podReplacementPolicy: TerminatingOrFailed', {
    bare: { spec: { template: ONCE } },
    read: ({ podReplacementPolicy }) => podReplacementPolicy,
    filled: 'TerminatingOrFailed',
  }),
  row('Job', 'spec.podReplacementPolicy with a podFailurePolicy: Failed', {
    bare: {
      spec: {
        template: ONCE,
        podFailurePolicy: { rules: [{ action: 'Ignore', onPodConditions: [{ type: 'DisruptionTarget' }] }] },
      },
    },
    read: ({ podReplacementPolicy }) => podReplacementPolicy,
    filled: 'Failed',
  }),
  row('Namespace', 'metadata.labels: its name', {
    read: ({ name, labels }) => labels['kubernetes.io/metadata.name'] === name,
    filled: true,
  }),
  row('PriorityClass', 'value: 0', { read: ({ value }) => value, filled: 0 }),
  row('StorageClass', 'volumeBindingMode: Immediate', {
    bare: { provisioner: 'p' },
    read: ({ waitsForConsumer }) => waitsForConsumer,
    filled: false,
  }),
  row('CSIDriver', 'spec.storageCapacity: no', {
    bare: { spec: {} },
    read: ({ storageCapacity }) => storageCapacity,
    filled: false,
  }),
  row('PersistentVolumeClaim', 'spec.volumeMode: Filesystem, status.phase: Pending', {
    bare: { spec: CLAIM },
    read: ({ volumeMode, phase }) => [volumeMode, phase],
    filled: ['Filesystem', 'Pending'],
  }),
  row('PersistentVolume', 'spec.volumeMode: Filesystem, status.phase: Pending', {
    bare: {
      spec: { accessModes: ['ReadWriteOnce'], capacity: { storage: '1Gi' }, csi: { driver: 'd', volumeHandle: 'h' } },
    },
    read: ({ volumeMode, phase, storageClass }) => [volumeMode, phase, storageClass],
    filled: ['Filesystem', 'Pending', ''],
  }),
  row('PodDisruptionBudget', 'spec.selector: nobody', {
    bare: { spec: {} },
    read: ({ selector, disruptionsAllowed }) => [selector, disruptionsAllowed],
    filled: [undefined, 0],
  }),
];
