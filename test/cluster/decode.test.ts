import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Decoder } from '../../src/cluster/decode/decode.ts';
import { parseTime } from '../../src/cluster/decode/decode-time.ts';
import type { Pod, PodSpec, PodStatus } from '../../src/cluster/objects/pod.ts';
import { KINDS } from './api-objects.ts';

const PLAIN: Pod = {
  kind: 'Pod',
  name: 'web-1',
  namespace: 'default',
  uid: 'Pod/default/web-1',
  labels: {},
  annotations: {},
  createdAt: undefined,
  deletedAt: undefined,
  generation: undefined,
  owners: [],
  nodeName: '',
  spec: {
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
    containers: [],
    initContainers: [],
    overhead: {},
    podRequests: undefined,
    volumes: [],
    resourceClaims: [],
    hostNetwork: false,
    hostUsers: undefined,
  },
  status: {
    phase: 'Pending',
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
  },
};
const CONTAINER = {
  name: 'main',
  image: '',
  requests: {},
  limits: {},
  hostPorts: [],
  sidecar: false,
  restartsAll: false,
};

type Json = Readonly<Record<string, unknown>>;

function decode(json: Json, kind?: string): unknown {
  return new Decoder().decodeObject(json, kind)?.object;
}

function pod(parts: Json): Json {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'web-1' }, ...parts };
}

function metadataRow(sentence: string, metadata: Json, expected: Partial<Pod>): void {
  it(sentence, () => {
    assert.deepEqual(decode(pod({ metadata: { name: 'web-1', ...metadata } })), { ...PLAIN, ...expected });
  });
}

function specRow(sentence: string, spec: Json, expected: Partial<PodSpec>): void {
  it(sentence, () => {
    assert.deepEqual(decode(pod({ spec })), { ...PLAIN, spec: { ...PLAIN.spec, ...expected } });
  });
}

function statusRow(sentence: string, status: Json, expected: Partial<PodStatus>): void {
  it(sentence, () => {
    assert.deepEqual(decode(pod({ status })), { ...PLAIN, status: { ...PLAIN.status, ...expected } });
  });
}

function row(sentence: string, json: Json, expected: Json): void {
  it(sentence, () => assert.deepEqual(decode(json), expected));
}

describe('decode: a pod', () => {
  it('that has only a name', () => assert.deepEqual(decode(pod({})), PLAIN));
  it('takes its kind from the list where it says none', () =>
    assert.deepEqual(decode({ metadata: { name: 'web-1' } }, 'Pod'), PLAIN));
  it('with null wherever something could be', () => {
    const nothing = { labels: null, annotations: null, ownerReferences: null, deletionTimestamp: null };
    const spec = { containers: null, volumes: null, tolerations: null, affinity: null, nodeSelector: null };
    const json = pod({
      metadata: { name: 'web-1', ...nothing },
      spec,
      status: { conditions: null, containerStatuses: null },
    });
    assert.deepEqual(decode(json), PLAIN);
  });
  it('without a name is none', () => assert.equal(decode(pod({ metadata: { namespace: 'shop' } })), undefined));

  metadataRow(
    'keeps only annotations that decisions read',
    {
      annotations: {
        'descheduler.alpha.kubernetes.io/evict': '',
        'kubernetes.io/config.mirror': 'm',
        'prometheus.io/port': '80',
      },
    },
    { annotations: { 'descheduler.alpha.kubernetes.io/evict': '', 'kubernetes.io/config.mirror': 'm' } },
  );
  metadataRow(
    'reads label values that are numbers and booleans as text',
    { labels: { version: 2, canary: true, none: null } },
    { labels: { version: '2', canary: 'true' } },
  );
  metadataRow(
    'gives an owner without UID the one that the owner would get itself',
    {
      namespace: 'shop',
      ownerReferences: [
        { apiVersion: 'apps/v1', kind: 'ReplicaSet', name: 'web', controller: true },
        { apiVersion: 'v1', kind: 'Node', name: 'n1', uid: 'u1' },
        { kind: 'Node', name: 'n1' },
      ],
    },
    {
      namespace: 'shop',
      uid: 'Pod/shop/web-1',
      owners: [
        { kind: 'ReplicaSet', name: 'web', uid: 'ReplicaSet/shop/web', apiVersion: 'apps/v1', controller: true },
        { kind: 'Node', name: 'n1', uid: 'u1', apiVersion: 'v1', controller: false },
        { kind: 'Node', name: 'n1', uid: 'Node/n1', apiVersion: '', controller: false },
      ],
    },
  );
  metadataRow(
    'takes an owner without kind or name, which no API server accepts, for none',
    {
      ownerReferences: [
        { apiVersion: 'apps/v1', name: 'agent', uid: 'u', controller: true },
        { kind: null, name: 'agent', uid: 'u' },
        { kind: 'DaemonSet', uid: 'u' },
        { kind: 'Job', name: 'a', uid: 'u' },
      ],
    },
    { owners: [{ kind: 'Job', name: 'a', uid: 'u', apiVersion: '', controller: false }] },
  );
  metadataRow(
    'reads times as milliseconds, a broken one as absent',
    {
      creationTimestamp: '2026-01-01T00:00:00Z',
      deletionTimestamp: 'soon',
      generation: 3,
      uid: 'u',
    },
    { createdAt: Date.UTC(2026, 0, 1), generation: 3, uid: 'u' },
  );

  specRow(
    'tolerations with what is missing empty',
    { tolerations: [{ operator: 'Exists' }, { key: 'a', tolerationSeconds: 0 }] },
    {
      tolerations: [
        { key: '', operator: 'Exists', value: '', effect: '', tolerationSeconds: undefined },
        { key: 'a', operator: '', value: '', effect: '', tolerationSeconds: 0 },
      ],
    },
  );
  specRow(
    'spread constraints with the policies of the API',
    {
      topologySpreadConstraints: [
        { maxSkew: 2, topologyKey: 'zone', whenUnsatisfiable: 'ScheduleAnyway', labelSelector: {} },
        {
          maxSkew: 1,
          topologyKey: 'host',
          nodeAffinityPolicy: 'Ignore',
          nodeTaintsPolicy: 'Honor',
          minDomains: 3,
          matchLabelKeys: ['a'],
        },
      ],
    },
    {
      spreadConstraints: [
        {
          maxSkew: 2,
          topologyKey: 'zone',
          whenUnsatisfiable: 'ScheduleAnyway',
          labelSelector: { matchLabels: {}, matchExpressions: [] },
          matchLabelKeys: [],
          minDomains: undefined,
          nodeAffinityPolicy: 'Honor',
          nodeTaintsPolicy: 'Ignore',
        },
        {
          maxSkew: 1,
          topologyKey: 'host',
          whenUnsatisfiable: 'DoNotSchedule',
          labelSelector: undefined,
          matchLabelKeys: ['a'],
          minDomains: 3,
          nodeAffinityPolicy: 'Ignore',
          nodeTaintsPolicy: 'Honor',
        },
      ],
    },
  );
  specRow(
    'host ports: only taken ones, TCP and any address unless said otherwise',
    {
      containers: [
        {
          name: 'main',
          ports: [
            { containerPort: 80 },
            { containerPort: 80, hostPort: 8080 },
            { hostPort: 53, protocol: 'UDP', hostIP: '10.0.0.1' },
          ],
        },
      ],
    },
    {
      containers: [
        {
          ...CONTAINER,
          hostPorts: [
            { ip: '0.0.0.0', protocol: 'TCP', port: 8080 },
            { ip: '10.0.0.1', protocol: 'UDP', port: 53 },
          ],
        },
      ],
    },
  );
  specRow(
    'ports of the network of the host that a template leaves out',
    {
      hostNetwork: true,
      containers: [{ name: 'main', ports: [{ containerPort: 80 }] }],
    },
    { hostNetwork: true, containers: [{ ...CONTAINER, hostPorts: [{ ip: '0.0.0.0', protocol: 'TCP', port: 80 }] }] },
  );
  specRow(
    'requests to a thousandth, and limits where no request is given',
    {
      containers: [
        {
          name: 'main',
          resources: { requests: { cpu: '250m', memory: 1000.5 }, limits: { memory: '2Ki', 'nvidia.com/gpu': 1 } },
        },
      ],
    },
    {
      containers: [
        {
          ...CONTAINER,
          requests: { cpu: 250, memory: 1000.5, 'nvidia.com/gpu': 1 },
          limits: { memory: 2048, 'nvidia.com/gpu': 1 },
        },
      ],
    },
  );
  specRow(
    'sidecars and containers that restart all',
    {
      initContainers: [{ name: 'main', restartPolicy: 'Always' }],
      containers: [{ name: 'main', restartPolicyRules: [{ action: 'RestartAllContainers' }] }],
    },
    { initContainers: [{ ...CONTAINER, sidecar: true }], containers: [{ ...CONTAINER, restartsAll: true }] },
  );
  specRow(
    'volumes that a rule reads, and no others',
    {
      volumes: [
        { name: 'config', configMap: { name: 'c' } },
        { name: 'both', hostPath: { path: '/x' }, emptyDir: {} },
        { name: 'nulls', hostPath: null, emptyDir: null, secret: {} },
        { name: 'data', persistentVolumeClaim: { claimName: 'data-0', readOnly: true } },
        { name: 'cache', ephemeral: { volumeClaimTemplate: { spec: { storageClassName: 'fast' } } } },
        { name: 'gce', gcePersistentDisk: { pdName: 'd', readOnly: true } },
        { name: 'aws', awsElasticBlockStore: { volumeID: 'vol-1' } },
        { name: 'iscsi', iscsi: { iqn: 'iqn.x' } },
        { name: 'rbd', rbd: { monitors: ['m1'], image: 'i' } },
        { name: 'model', image: { reference: 'models/a:1' } },
      ],
    },
    {
      volumes: [
        { kind: 'hostPath', name: 'both' },
        { kind: 'claim', name: 'data', claim: 'data-0' },
        { kind: 'ephemeral', name: 'cache', storageClass: 'fast' },
        { kind: 'gce', name: 'gce', disk: 'd', monitors: [], readOnly: true },
        { kind: 'aws', name: 'aws', disk: 'vol-1', monitors: [], readOnly: false },
        { kind: 'iscsi', name: 'iscsi', disk: 'iqn.x', monitors: [], readOnly: false },
        { kind: 'rbd', name: 'rbd', disk: 'rbd/i', monitors: ['m1'], readOnly: false },
        { kind: 'image', name: 'model', image: 'models/a:1' },
      ],
    },
  );
  specRow(
    'a volume without a source as the emptyDir that the API server makes of it',
    {
      volumes: [
        { name: 'bare' },
        { name: 'null', hostPath: null },
        { name: 'nulls', hostPath: null, configMap: null },
        { name: 'odd', persistentVolumeClaim: 'data-0' },
      ],
    },
    { volumes: ['bare', 'null', 'nulls', 'odd'].map((name) => ({ kind: 'emptyDir' as const, name })) },
  );
  specRow(
    'affinity: an empty list of terms is not the same as none',
    {
      affinity: {
        nodeAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [] },
          preferredDuringSchedulingIgnoredDuringExecution: [
            { weight: 5, preference: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }] } },
          ],
        },
        podAntiAffinity: {
          requiredDuringSchedulingIgnoredDuringExecution: [{ topologyKey: 'zone', namespaceSelector: {} }],
        },
      },
    },
    {
      requiredNodeAffinity: [],
      preferredNodeAffinity: [
        { weight: 5, term: { matchExpressions: [{ key: 'a', operator: 'Gt', values: ['1'] }], matchFields: [] } },
      ],
      podAntiAffinity: [
        {
          labelSelector: undefined,
          namespaces: [],
          namespaceSelector: { matchLabels: {}, matchExpressions: [] },
          topologyKey: 'zone',
          matchLabelKeys: [],
          mismatchLabelKeys: [],
        },
      ],
    },
  );
  specRow(
    'resource claims, also where they stood before 1.31',
    {
      resourceClaims: [
        { name: 'a', resourceClaimName: 'x' },
        { name: 'b', source: { resourceClaimTemplateName: 't' } },
      ],
    },
    {
      resourceClaims: [
        { name: 'a', claim: 'x', template: undefined },
        { name: 'b', claim: undefined, template: 't' },
      ],
    },
  );

  statusRow(
    'states of containers',
    {
      phase: 'Failed',
      containerStatuses: [
        {
          name: 'a',
          ready: true,
          restartCount: 3,
          state: { running: {} },
          allocatedResources: { cpu: '1' },
          resources: { requests: { cpu: '500m' } },
        },
        { name: 'b', state: { terminated: { reason: 'OOMKilled', exitCode: 137 } } },
        { name: 'c', state: { waiting: { reason: 'CrashLoopBackOff' } } },
        { name: 'd', state: { terminated: {} } },
      ],
    },
    {
      phase: 'Failed',
      containers: [
        {
          name: 'a',
          ready: true,
          restartCount: 3,
          waitingReason: undefined,
          terminatedReason: undefined,
          exitCode: undefined,
          requests: { cpu: 500 },
          allocated: { cpu: 1000 },
        },
        {
          name: 'b',
          ready: false,
          restartCount: 0,
          waitingReason: undefined,
          terminatedReason: 'OOMKilled',
          exitCode: 137,
          requests: undefined,
          allocated: undefined,
        },
        {
          name: 'c',
          ready: false,
          restartCount: 0,
          waitingReason: 'CrashLoopBackOff',
          terminatedReason: undefined,
          exitCode: undefined,
          requests: undefined,
          allocated: undefined,
        },
        {
          name: 'd',
          ready: false,
          restartCount: 0,
          waitingReason: undefined,
          terminatedReason: undefined,
          exitCode: 0,
          requests: undefined,
          allocated: undefined,
        },
      ],
    },
  );
  statusRow(
    'claims made from templates',
    { resourceClaimStatuses: [{ name: 'gpu', resourceClaimName: 'web-gpu-x' }, { name: 'none' }] },
    { resourceClaims: { gpu: 'web-gpu-x' } },
  );
});

const NAMED = { name: 'x', namespace: 'default', labels: {} };
const NAME_LABEL = { 'kubernetes.io/metadata.name': 'x' };
const CLUSTER = { name: 'x', namespace: '', labels: {} };

describe('decode: other kinds', () => {
  const metadata = { name: 'x' };

  row(
    'a node',
    {
      kind: 'Node',
      metadata: { ...metadata, namespace: 'ignored' },
      spec: {
        unschedulable: true,
        taints: [
          { key: 'a', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' },
          { key: 'b', value: 'c', effect: 'NoSchedule', timeAdded: null },
        ],
      },
      status: {
        allocatable: { cpu: '1900m', pods: '110' },
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'KubeletReady',
            lastHeartbeatTime: '2026-01-01T00:00:05Z',
            lastTransitionTime: '2026-01-01T00:00:00Z',
          },
        ],
        images: [{ names: ['a:1', 'a@sha256:1'], sizeBytes: 5 }],
        declaredFeatures: ['RestartAllContainersOnContainerExits'],
      },
    },
    {
      kind: 'Node',
      name: 'x',
      uid: 'Node/x',
      labels: {},
      annotations: {},
      createdAt: undefined,
      deletedAt: undefined,
      unschedulable: true,
      taints: [
        { key: 'a', value: '', effect: 'NoExecute', timeAdded: '2026-01-01T00:00:00Z' },
        { key: 'b', value: 'c', effect: 'NoSchedule', timeAdded: undefined },
      ],
      capacity: {},
      allocatable: { cpu: 1900, pods: 110 },
      conditions: [
        {
          type: 'Ready',
          status: 'True',
          reason: 'KubeletReady',
          transitionAt: Date.UTC(2026, 0, 1),
          heartbeatAt: Date.UTC(2026, 0, 1, 0, 0, 5),
        },
      ],
      images: [{ names: ['a:1', 'a@sha256:1'], sizeBytes: 5 }],
      declaredFeatures: ['RestartAllContainersOnContainerExits'],
    },
  );

  const budget = {
    kind: 'PodDisruptionBudget',
    ...NAMED,
    uid: 'PodDisruptionBudget/default/x',
    selector: undefined,
    minAvailable: undefined,
    maxUnavailable: undefined,
    unhealthyPodEvictionPolicy: undefined,
    disruptionsAllowed: 0,
    currentHealthy: 0,
    desiredHealthy: 0,
    expectedPods: 0,
    generation: undefined,
    observedGeneration: undefined,
    hasStatus: false,
    disruptedPods: [],
  };
  const everything = { matchLabels: {}, matchExpressions: [] };
  row(
    'a budget with an empty selector',
    { kind: 'PodDisruptionBudget', apiVersion: 'policy/v1', metadata, spec: { selector: {}, maxUnavailable: '50%' } },
    { ...budget, selector: everything, maxUnavailable: '50%' },
  );
  row(
    'a budget of policy/v1beta1, where an empty selector selects nothing',
    { kind: 'PodDisruptionBudget', apiVersion: 'policy/v1beta1', metadata, spec: { selector: {}, minAvailable: 1 } },
    { ...budget, minAvailable: 1 },
  );
  row(
    'a budget with a status',
    {
      kind: 'PodDisruptionBudget',
      metadata: { ...metadata, generation: 2 },
      spec: {},
      status: {
        disruptionsAllowed: 1,
        currentHealthy: 3,
        desiredHealthy: 2,
        expectedPods: 3,
        observedGeneration: 2,
        disruptedPods: { b: '2026-01-01T00:00:00Z', a: '2026-01-01T00:00:00Z' },
      },
    },
    {
      ...budget,
      generation: 2,
      disruptionsAllowed: 1,
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      observedGeneration: 2,
      hasStatus: true,
      disruptedPods: ['a', 'b'],
    },
  );

  const workload = {
    ...NAMED,
    owners: [],
    selector: undefined,
    templateRequests: undefined,
    podReplacementPolicy: undefined,
  };
  row(
    'a Deployment, of which only its owners are read',
    { kind: 'Deployment', metadata, spec: { replicas: 3, template: { spec: { containers: [{ name: 'main' }] } } } },
    { kind: 'Deployment', uid: 'Deployment/default/x', ...workload },
  );
  row(
    'a ReplicaSet of an old version',
    {
      kind: 'ReplicaSet',
      apiVersion: 'extensions/v1beta1',
      metadata,
      spec: {
        template: {
          metadata: { labels: { app: 'web' } },
          spec: {
            containers: [{ name: 'main', resources: { limits: { cpu: '1' } } }],
            initContainers: [{ name: 'init', resources: { requests: { memory: 5 } } }],
          },
        },
      },
    },
    {
      kind: 'ReplicaSet',
      uid: 'ReplicaSet/default/x',
      ...workload,
      selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
      templateRequests: { containers: { main: { cpu: 1000 }, init: { memory: 5 } }, pod: undefined },
    },
  );
  row(
    'a StatefulSet with what its next pods are made of',
    {
      kind: 'StatefulSet',
      metadata,
      spec: {
        template: { metadata: { labels: { app: 'db' } }, spec: { nodeName: 'x', containers: [{ name: 'main' }] } },
        updateStrategy: { rollingUpdate: { partition: 2 } },
        ordinals: { start: 1 },
        volumeClaimTemplates: [{ metadata: { name: 'data' }, spec: {} }],
      },
      status: { updateRevision: 'x-2' },
    },
    {
      kind: 'StatefulSet',
      uid: 'StatefulSet/default/x',
      ...workload,
      selector: { matchLabels: { app: 'db' }, matchExpressions: [] },
      templateRequests: { containers: { main: {} }, pod: undefined },
      update: {
        revision: 'x-2',
        firstOrdinal: 3,
        labels: { app: 'db' },
        spec: { ...PLAIN.spec, containers: [CONTAINER] },
        claimVolumes: ['data'],
      },
    },
  );
  row(
    'a StatefulSet without a template',
    { kind: 'StatefulSet', metadata },
    { kind: 'StatefulSet', uid: 'StatefulSet/default/x', ...workload, update: undefined },
  );
  row(
    'a ReplicationController with its plain selector',
    { kind: 'ReplicationController', metadata, spec: { selector: { app: 'web' } } },
    {
      kind: 'ReplicationController',
      uid: 'ReplicationController/default/x',
      ...workload,
      selector: { matchLabels: { app: 'web' }, matchExpressions: [] },
    },
  );
  row(
    'a Job',
    { kind: 'Job', metadata, spec: { podReplacementPolicy: 'Failed' } },
    { kind: 'Job', uid: 'Job/default/x', ...workload, podReplacementPolicy: 'Failed' },
  );

  row(
    'a Lease with its microseconds',
    {
      kind: 'Lease',
      metadata,
      spec: { holderIdentity: 'n1', leaseDurationSeconds: 40, renewTime: '2026-01-01T00:00:00.123456Z' },
    },
    {
      kind: 'Lease',
      uid: 'Lease/default/x',
      ...NAMED,
      holder: 'n1',
      durationSeconds: 40,
      renewedAt: Date.UTC(2026, 0, 1) + 123,
    },
  );
  row(
    'a Service without selector',
    { kind: 'Service', metadata, spec: { selector: {} } },
    { kind: 'Service', uid: 'Service/default/x', ...NAMED, selector: undefined },
  );
  row(
    'a Namespace',
    { kind: 'Namespace', metadata: { ...metadata, annotations: { 'openshift.io/node-selector': 'a=b', other: 'c' } } },
    {
      kind: 'Namespace',
      uid: 'Namespace/x',
      ...CLUSTER,
      labels: NAME_LABEL,
      annotations: { 'openshift.io/node-selector': 'a=b' },
      terminating: false,
    },
  );
  for (const [what, going] of [
    ['phase', { metadata, status: { phase: 'Terminating' } }],
    ['deletionTimestamp', { metadata: { ...metadata, deletionTimestamp: '2026-01-01T00:00:00Z' } }],
  ] as const) {
    row(
      `a Namespace that is being deleted, by its ${what}`,
      { kind: 'Namespace', ...going },
      { kind: 'Namespace', uid: 'Namespace/x', ...CLUSTER, labels: NAME_LABEL, annotations: {}, terminating: true },
    );
  }
  row(
    'a PriorityClass',
    { kind: 'PriorityClass', apiVersion: 'scheduling.k8s.io/v1beta1', metadata, value: -5 },
    { kind: 'PriorityClass', uid: 'PriorityClass/x', ...CLUSTER, value: -5 },
  );
  row(
    'a StorageClass',
    {
      kind: 'StorageClass',
      metadata: { ...metadata, annotations: { 'storageclass.beta.kubernetes.io/is-default-class': 'true' } },
      provisioner: 'p',
      volumeBindingMode: 'WaitForFirstConsumer',
      allowedTopologies: [{ matchLabelExpressions: [{ key: 'zone', values: ['a'] }] }],
    },
    {
      kind: 'StorageClass',
      uid: 'StorageClass/x',
      ...CLUSTER,
      provisioner: 'p',
      waitsForConsumer: true,
      isDefault: true,
      allowedTopologies: [[{ key: 'zone', values: ['a'] }]],
    },
  );
  row(
    'a CSINode with one limit',
    { kind: 'CSINode', metadata, spec: { drivers: [{ name: 'a', allocatable: { count: 25 } }, { name: 'b' }] } },
    { kind: 'CSINode', uid: 'CSINode/x', ...CLUSTER, limits: { a: 25 } },
  );
  row(
    'a CSIDriver',
    { kind: 'CSIDriver', metadata, spec: { storageCapacity: true } },
    { kind: 'CSIDriver', uid: 'CSIDriver/x', ...CLUSTER, storageCapacity: true },
  );
  row(
    'a CSIStorageCapacity',
    {
      kind: 'CSIStorageCapacity',
      metadata,
      storageClassName: 's',
      capacity: '1Ki',
      nodeTopology: { matchLabels: { a: 'b' } },
    },
    {
      kind: 'CSIStorageCapacity',
      uid: 'CSIStorageCapacity/default/x',
      ...NAMED,
      storageClass: 's',
      nodeTopology: { matchLabels: { a: 'b' }, matchExpressions: [] },
      capacityBytes: 1024,
      maximumVolumeBytes: undefined,
    },
  );
  row(
    'a VolumeAttachment',
    {
      kind: 'VolumeAttachment',
      metadata,
      spec: { attacher: 'a', nodeName: 'n', source: { persistentVolumeName: 'pv' } },
    },
    {
      kind: 'VolumeAttachment',
      uid: 'VolumeAttachment/x',
      ...CLUSTER,
      attacher: 'a',
      nodeName: 'n',
      volumeName: 'pv',
    },
  );
  row(
    'a ResourceClaim as allocated before 1.31',
    {
      kind: 'ResourceClaim',
      metadata,
      status: {
        allocation: {
          availableOnNodes: {
            nodeSelectorTerms: [{ matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
          },
        },
      },
    },
    {
      kind: 'ResourceClaim',
      uid: 'ResourceClaim/default/x',
      ...NAMED,
      allocated: true,
      nodeSelector: [{ matchExpressions: [], matchFields: [{ key: 'metadata.name', operator: 'In', values: ['n'] }] }],
    },
  );
  row(
    'NodeMetrics',
    { kind: 'NodeMetrics', metadata, usage: { cpu: '1500000001n', memory: '1Ki' } },
    { kind: 'NodeMetrics', uid: 'NodeMetrics/x', ...CLUSTER, usage: { cpu: 1501, memory: 1024 } },
  );
  const podMetrics = (...usages: readonly Json[]): Json => ({
    ...{ kind: 'PodMetrics', metadata },
    containers: usages.map((usage) => ({ name: 'a', usage })),
  });
  const measured = (usage: Json | undefined): Json => ({
    ...{ kind: 'PodMetrics', uid: 'PodMetrics/default/x', ...NAMED },
    usage,
  });
  row('PodMetrics', podMetrics({ cpu: '1' }), measured({ cpu: 1000 }));
  row(
    'PodMetrics of several containers: added exactly, then rounded up',
    podMetrics({ cpu: '400001n', memory: '1Ki' }, { cpu: '400001n', memory: '1Ki' }, { cpu: '0.1m', memory: '0' }),
    measured({ cpu: 1, memory: 2048 }),
  );
  row(
    'PodMetrics without what one container lacks',
    podMetrics({ cpu: '1', memory: '2' }, { cpu: '3' }, { cpu: '5', memory: '7' }),
    measured({ cpu: 9000 }),
  );
  row('PodMetrics without containers', podMetrics(), measured(undefined));

  const claim = {
    kind: 'PersistentVolumeClaim',
    uid: 'PersistentVolumeClaim/default/x',
    ...NAMED,
    annotations: {},
    owners: [],
    deletedAt: undefined,
    accessModes: [],
    storageClass: undefined,
    volumeName: '',
    volumeMode: 'Filesystem',
    attributesClass: undefined,
    requestBytes: 0,
    selector: undefined,
    phase: 'Pending',
  };
  row('a claim that has nothing', { kind: 'PersistentVolumeClaim', metadata }, claim);
  row(
    'a claim with an empty class, which is not none',
    {
      kind: 'PersistentVolumeClaim',
      metadata,
      spec: { storageClassName: '', resources: { requests: { storage: '1Gi' } } },
      status: { phase: 'Bound' },
    },
    {
      ...claim,
      storageClass: '',
      requestBytes: 1_073_741_824,
      phase: 'Bound',
    },
  );
  row(
    'a claim whose class is still an annotation',
    {
      kind: 'PersistentVolumeClaim',
      metadata: { ...metadata, annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' } },
    },
    {
      ...claim,
      annotations: { 'volume.beta.kubernetes.io/storage-class': 'old' },
      storageClass: 'old',
    },
  );

  const volume = {
    kind: 'PersistentVolume',
    uid: 'PersistentVolume/x',
    ...CLUSTER,
    deletedAt: undefined,
    accessModes: [],
    storageClass: '',
    volumeMode: 'Filesystem',
    attributesClass: undefined,
    capacityBytes: 0,
    nodeAffinity: undefined,
    claimRef: undefined,
    driver: '',
    handle: '',
    phase: 'Pending',
  };
  const disks: readonly (readonly [string, Json, string, string])[] = [
    ['a CSI volume', { csi: { driver: 'd', volumeHandle: 'h' } }, 'd', 'h'],
    [
      'an EBS volume with its zone in front',
      { awsElasticBlockStore: { volumeID: 'aws://eu-central-1a/vol-1' } },
      'ebs.csi.aws.com',
      'vol-1',
    ],
    ['a GCE disk', { gcePersistentDisk: { pdName: 'disk' } }, 'pd.csi.storage.gke.io', 'disk'],
    ['an Azure disk', { azureDisk: { diskURI: '/subscriptions/x' } }, 'disk.csi.azure.com', '/subscriptions/x'],
    ['an Azure file share', { azureFile: { shareName: 's' } }, 'file.csi.azure.com', 's'],
    ['a Cinder volume', { cinder: { volumeID: 'c' } }, 'cinder.csi.openstack.org', 'c'],
    ['a vSphere volume', { vsphereVolume: { volumePath: '[ds] x.vmdk' } }, 'csi.vsphere.vmware.com', '[ds] x.vmdk'],
    ['a local volume', { local: { path: '/mnt' } }, '', ''],
  ];
  for (const [sentence, source, driver, handle] of disks) {
    row(sentence, { kind: 'PersistentVolume', metadata, spec: source }, { ...volume, driver, handle });
  }
  row(
    'a bound volume',
    {
      kind: 'PersistentVolume',
      metadata,
      status: { phase: 'Bound' },
      spec: {
        capacity: { storage: '2Gi' },
        claimRef: { namespace: 'shop', name: 'data', uid: 'u' },
        nodeAffinity: {
          required: { nodeSelectorTerms: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }] }] },
        },
      },
    },
    {
      ...volume,
      capacityBytes: 2_147_483_648,
      claimRef: { namespace: 'shop', name: 'data', uid: 'u' },
      phase: 'Bound',
      nodeAffinity: [{ matchExpressions: [{ key: 'zone', operator: 'In', values: ['a'] }], matchFields: [] }],
    },
  );

  it('that are not read are none', () => {
    assert.equal(decode({ kind: 'Secret', metadata: { name: 's' } }), undefined);
    assert.equal(decode({ kind: 'constructor', metadata: { name: 's' } }), undefined);
  });
});

describe('decode: any input', () => {
  it('never throws, whatever the JSON', () => {
    fc.assert(
      fc.property(fc.constantFrom(...KINDS), fc.jsonValue(), fc.jsonValue(), (kind, spec, metadata) => {
        new Decoder().decodeObject({ kind, spec, status: spec, metadata });
        new Decoder().decodeObject(spec, kind);
        const decoded = new Decoder().decodeObject({
          kind,
          spec,
          status: spec,
          metadata: { name: 'x', labels: metadata },
        });
        assert.equal(decoded?.object.kind, kind);
      }),
    );
  });

  it('shares one spec between pods that ask the same, and freezes it', () => {
    const decoder = new Decoder();
    const [a, b] = ['a', 'b'].map(
      (name) =>
        decoder.decodeObject(pod({ metadata: { name, labels: { app: 'web' } }, spec: { nodeName: name, priority: 5 } }))
          ?.object as Pod,
    );
    assert.equal(a?.spec, b?.spec);
    assert.equal(a?.labels, b?.labels);
    assert.deepEqual([a?.nodeName, b?.nodeName], ['a', 'b']);
    assert(Object.isFrozen(a?.spec) && Object.isFrozen(a?.spec.tolerations));
  });

  it('remembers the latest time that has passed, not a deadline', () => {
    const decoder = new Decoder();
    decoder.decodeObject(
      pod({
        metadata: { name: 'a', creationTimestamp: '2026-01-01T00:00:00Z', deletionTimestamp: '2026-02-01T00:00:00Z' },
      }),
    );
    decoder.decodeObject(pod({ status: { startTime: '2026-01-01T00:00:09Z' } }));
    assert.equal(decoder.latestTime, Date.UTC(2026, 0, 1, 0, 0, 9));
  });

  for (const [text, expected] of [
    ['2026-01-01T00:00:00Z', Date.UTC(2026, 0, 1)],
    ['2026-01-01T00:00:00.123456Z', Date.UTC(2026, 0, 1) + 123],
    ['2026-01-01T02:00:00+02:00', Date.UTC(2026, 0, 1)],
    ['2026-01-01t00:00:00z', Date.UTC(2026, 0, 1)],
    ['2026-01-01T00:00:00', undefined],
    ['2026-01-01', undefined],
    ['yesterday', undefined],
    ['2026-13-01T00:00:00Z', undefined],
    ['2026-02-30T00:00:00Z', undefined],
    ['2026-02-29T00:00:00Z', undefined],
    ['2028-02-29T00:00:00Z', Date.UTC(2028, 1, 29)],
    ['2026-04-31T00:00:00+02:00', undefined],
    ['2026-01-31T00:00:00Z', Date.UTC(2026, 0, 31)],
    ['2026-01-01T24:00:00Z', undefined],
  ] as const) {
    it(`reads the time ${text} as ${String(expected)}`, () => assert.equal(parseTime(text), expected));
  }
});
