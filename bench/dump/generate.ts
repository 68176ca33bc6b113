import { once } from 'node:events';
import { createWriteStream } from 'node:fs';
import { finished } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import { seededRandom, type Random } from '../../src/lib/random.ts';

/** How a dump is laid out: one object a line inside a List, indented as kubectl prints it, all on one line, JSON lines. */
export type Layout = 'lines' | 'indented' | 'minified' | 'jsonl';

/** What to generate. The same numbers and seed give the same bytes. */
export interface DumpShape {
  readonly nodes: number;
  readonly pods: number;
  readonly seed?: number;
  /** Pods of one workload, which ask for the same. */
  readonly replicas?: number;
  readonly layout: Layout;
  readonly gzip?: boolean;
}

type Json = Readonly<Record<string, unknown>>;

/** Writes a synthetic dump of nodes, pods of some 7 KB, and what belongs to them. Streams: memory stays small. */
export async function generateDump(path: string, shape: DumpShape): Promise<void> {
  const file = createWriteStream(path);
  const out = shape.gzip ? createGzip({ level: 6 }) : file;
  if (out !== file) out.pipe(file);
  let chunk = '';
  for (const piece of piecesOf(shape)) {
    chunk += piece;
    if (chunk.length < 1 << 20) continue;
    if (!out.write(chunk)) await once(out, 'drain');
    chunk = '';
  }
  out.end(chunk);
  await finished(file);
}

/** The objects of the dump, one by one. */
export function* objectsOf({ nodes, pods, seed = 1, replicas = 15 }: DumpShape): Generator<Json> {
  const random = seededRandom(seed);
  for (let n = 0; n < nodes; n++) yield nodeOf(n, random);
  for (let p = 0; p < pods; p++) {
    const workload = Math.floor(p / replicas);
    if (p % replicas === 0) yield replicaSetOf(workload, replicas);
    yield podOf(p, workload, { nodes, random });
  }
}

function* piecesOf(shape: DumpShape): Generator<string> {
  const { layout } = shape;
  if (layout === 'jsonl') {
    for (const object of objectsOf(shape)) yield `${JSON.stringify(object)}\n`;
    return;
  }
  const [newline, indent] = { lines: ['\n', ''], indented: ['\n', '    '], minified: ['', ''] }[layout];
  const space = layout === 'indented' ? ' ' : '';
  yield `{${newline}${indent}"apiVersion":${space}"v1",${newline}${indent}"items":${space}[`;
  let separator = newline;
  for (const object of objectsOf(shape)) {
    yield `${separator}${layout === 'indented' ? indented(object) : JSON.stringify(object)}`;
    separator = `,${newline}`;
  }
  yield `${newline}${indent}],${newline}${indent}"kind":${space}"List",${newline}${indent}"metadata":${space}{"resourceVersion":${space}""}${newline}}\n`;
}

function indented(object: Json): string {
  return `        ${JSON.stringify(object, undefined, 4).replaceAll('\n', '\n        ')}`;
}

const START = Date.UTC(2026, 0, 1);

function at(seconds: number): string {
  return `${new Date(START + Math.floor(seconds) * 1000).toISOString().slice(0, 19)}Z`;
}

function hex(random: Random, length: number): string {
  let text = '';
  while (text.length < length)
    text += Math.floor(random() * 0x1000000)
      .toString(16)
      .padStart(6, '0');
  return text.slice(0, length);
}

function uid(random: Random): string {
  const text = hex(random, 32);
  return [text.slice(0, 8), text.slice(8, 12), text.slice(12, 16), text.slice(16, 20), text.slice(20)].join('-');
}

function nodeOf(n: number, random: Random): Json {
  const name = `node-${String(n).padStart(4, '0')}.eu-central-1.compute.internal`;
  const resources = { cpu: '32', 'ephemeral-storage': '200Gi', memory: '131072Mi', pods: '110' };
  const condition = (type: string, status: string) => ({
    lastHeartbeatTime: at(1_000_000 + random() * 300),
    lastTransitionTime: at(random() * 900_000),
    message: `kubelet reports on ${type}`,
    reason: `Kubelet${type}`,
    status,
    type,
  });
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      annotations: {
        'node.alpha.kubernetes.io/ttl': '0',
        'volumes.kubernetes.io/controller-managed-attach-detach': 'true',
      },
      creationTimestamp: at(random() * 1000),
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'node.kubernetes.io/instance-type': 'm6i.8xlarge',
        'topology.kubernetes.io/region': 'eu-central-1',
        'topology.kubernetes.io/zone': `eu-central-1${'abc'.charAt(n % 3)}`,
      },
      name,
      resourceVersion: String(9_000_000 + n),
      uid: uid(random),
    },
    spec: { podCIDR: `10.${n >> 8}.${n & 255}.0/24`, providerID: `aws:///eu-central-1a/i-${hex(random, 17)}` },
    status: {
      addresses: [{ address: `172.16.${n >> 8}.${n & 255}`, type: 'InternalIP' }],
      allocatable: resources,
      capacity: resources,
      conditions: [
        condition('MemoryPressure', 'False'),
        condition('DiskPressure', 'False'),
        condition('PIDPressure', 'False'),
        condition('Ready', 'True'),
      ],
      images: Array.from({ length: 30 }, (_, i) => ({
        names: [
          `registry.example.com/team-${i}/service-${(n + i) % 200}@sha256:${hashOf((n + i) % 200).repeat(8)}`,
          imageOf((n + i) % 200),
        ],
        sizeBytes: 50_000_000 + i * 1_234_567,
      })),
      nodeInfo: { architecture: 'amd64', kernelVersion: '6.1.0', kubeletVersion: 'v1.33.1', operatingSystem: 'linux' },
    },
  };
}

function imageOf(workload: number): string {
  return `registry.example.com/team-${workload % 30}/service-${workload}:v1.${workload % 17}.${workload % 5}`;
}

function namespaceOf(workload: number): string {
  return `team-${workload % 30}`;
}

function hashOf(workload: number): string {
  return (0x50000000 + workload * 7919).toString(16);
}

function ownerUid(workload: number): string {
  return `5e700000-0000-4000-8000-${String(workload).padStart(12, '0')}`;
}

function replicaSetOf(workload: number, replicas: number): Json {
  const labels = labelsOf(workload);
  const container = { image: imageOf(workload), name: 'main', resources: resourcesOf(workload) };
  return {
    apiVersion: 'apps/v1',
    kind: 'ReplicaSet',
    metadata: {
      creationTimestamp: at(workload),
      labels,
      name: `service-${workload}-${hashOf(workload)}`,
      namespace: namespaceOf(workload),
      resourceVersion: String(8_000_000 + workload),
      uid: ownerUid(workload),
    },
    spec: {
      replicas,
      selector: { matchLabels: labels },
      template: { metadata: { labels }, spec: { containers: [container] } },
    },
    status: { availableReplicas: replicas, readyReplicas: replicas, replicas },
  };
}

function labelsOf(workload: number): Json {
  return {
    'app.kubernetes.io/component': 'server',
    'app.kubernetes.io/instance': `service-${workload}`,
    'app.kubernetes.io/managed-by': 'Helm',
    'app.kubernetes.io/name': `service-${workload}`,
    'app.kubernetes.io/part-of': `product-${workload % 12}`,
    'pod-template-hash': hashOf(workload),
  };
}

function resourcesOf(workload: number): Json {
  const cpu = 100 + (workload % 9) * 150;
  return {
    limits: { memory: `${256 + (workload % 7) * 256}Mi` },
    requests: { cpu: `${cpu}m`, memory: `${128 + (workload % 7) * 128}Mi` },
  };
}

function podOf(p: number, workload: number, { nodes, random }: { nodes: number; random: Random }): Json {
  const suffix = hex(random, 5);
  const name = `service-${workload}-${hashOf(workload)}-${suffix}`;
  const volume = `kube-api-access-${hex(random, 5)}`;
  const created = random() * 900_000;
  const sidecar = workload % 3 === 0 ? [containerOf(workload, 'proxy', volume)] : [];
  const containers = [containerOf(workload, 'main', volume), ...sidecar];
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      annotations: {
        'checksum/config': hashOf(workload).repeat(8),
        'kubectl.kubernetes.io/restartedAt': at(workload),
        'prometheus.io/port': '9090',
        'prometheus.io/scrape': 'true',
      },
      creationTimestamp: at(created),
      generateName: `service-${workload}-${hashOf(workload)}-`,
      labels: labelsOf(workload),
      name,
      namespace: namespaceOf(workload),
      ownerReferences: [
        {
          apiVersion: 'apps/v1',
          blockOwnerDeletion: true,
          controller: true,
          kind: 'ReplicaSet',
          name: `service-${workload}-${hashOf(workload)}`,
          uid: ownerUid(workload),
        },
      ],
      resourceVersion: String(10_000_000 + p),
      uid: uid(random),
    },
    spec: podSpecOf(workload, { containers, volume, node: Math.floor(random() * nodes) }),
    status: podStatusOf(workload, { containers, created, random }),
  };
}

function containerOf(workload: number, name: string, volume: string): Json {
  const probe = {
    failureThreshold: 3,
    httpGet: { path: '/healthz', port: 'http', scheme: 'HTTP' },
    periodSeconds: 10,
    successThreshold: 1,
    timeoutSeconds: 1,
  };
  return {
    args: [
      '--listen=:8080',
      '--metrics=:9090',
      `--database=postgres://service-${workload}.team-${workload % 30}.svc:5432/main`,
    ],
    command: ['/usr/local/bin/server'],
    env: Array.from({ length: 11 }, (_, i) => ({
      name: `SERVICE_SETTING_NUMBER_${i}`,
      value: `value-of-setting-${i}-for-workload-${workload}-in-the-main-region`,
    })),
    envFrom: [{ configMapRef: { name: `service-${workload}` } }],
    image: imageOf(workload),
    imagePullPolicy: 'IfNotPresent',
    livenessProbe: probe,
    name,
    ports: [
      { containerPort: 8080, name: 'http', protocol: 'TCP' },
      { containerPort: 9090, name: 'metrics', protocol: 'TCP' },
    ],
    readinessProbe: probe,
    resources: resourcesOf(workload),
    securityContext: { allowPrivilegeEscalation: false, capabilities: { drop: ['ALL'] }, readOnlyRootFilesystem: true },
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    volumeMounts: [
      { mountPath: '/etc/service', name: 'config', readOnly: true },
      { mountPath: '/tmp', name: 'scratch' },
      { mountPath: '/var/run/secrets/kubernetes.io/serviceaccount', name: volume, readOnly: true },
    ],
  };
}

function podSpecOf(workload: number, given: { containers: readonly Json[]; volume: string; node: number }): Json {
  const term = {
    labelSelector: { matchLabels: { 'app.kubernetes.io/instance': `service-${workload}` } },
    topologyKey: 'kubernetes.io/hostname',
  };
  const tolerate = (key: string) => ({ effect: 'NoExecute', key, operator: 'Exists', tolerationSeconds: 300 });
  return {
    affinity: {
      podAntiAffinity: { preferredDuringSchedulingIgnoredDuringExecution: [{ podAffinityTerm: term, weight: 100 }] },
    },
    containers: given.containers,
    dnsPolicy: 'ClusterFirst',
    enableServiceLinks: true,
    nodeName: `node-${String(given.node).padStart(4, '0')}.eu-central-1.compute.internal`,
    preemptionPolicy: 'PreemptLowerPriority',
    priority: 0,
    restartPolicy: 'Always',
    schedulerName: 'default-scheduler',
    securityContext: { fsGroup: 2000, runAsNonRoot: true, runAsUser: 1000, seccompProfile: { type: 'RuntimeDefault' } },
    serviceAccount: `service-${workload}`,
    serviceAccountName: `service-${workload}`,
    terminationGracePeriodSeconds: 30,
    tolerations: [tolerate('node.kubernetes.io/not-ready'), tolerate('node.kubernetes.io/unreachable')],
    topologySpreadConstraints: [
      {
        labelSelector: term.labelSelector,
        maxSkew: 1,
        topologyKey: 'topology.kubernetes.io/zone',
        whenUnsatisfiable: 'ScheduleAnyway',
      },
    ],
    volumes: [
      { configMap: { defaultMode: 420, name: `service-${workload}` }, name: 'config' },
      { emptyDir: {}, name: 'scratch' },
      {
        name: given.volume,
        projected: {
          defaultMode: 420,
          sources: [
            { serviceAccountToken: { expirationSeconds: 3607, path: 'token' } },
            { configMap: { items: [{ key: 'ca.crt', path: 'ca.crt' }], name: 'kube-root-ca.crt' } },
            {
              downwardAPI: {
                items: [{ fieldRef: { apiVersion: 'v1', fieldPath: 'metadata.namespace' }, path: 'namespace' }],
              },
            },
          ],
        },
      },
    ],
  };
}

function podStatusOf(workload: number, given: { containers: readonly Json[]; created: number; random: Random }): Json {
  const { created, random } = given;
  const condition = (type: string, delay: number) => ({
    lastProbeTime: null,
    lastTransitionTime: at(created + delay),
    status: 'True',
    type,
  });
  const delay = 5 + random() * 30;
  const ip = `10.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`;
  return {
    conditions: [
      condition('PodReadyToStartContainers', delay - 3),
      condition('Initialized', 0),
      condition('Ready', delay),
      condition('ContainersReady', delay),
      condition('PodScheduled', 0),
    ],
    containerStatuses: given.containers.map((container) => ({
      containerID: `containerd://${hex(random, 64)}`,
      image: imageOf(workload),
      imageID: `registry.example.com/team-${workload % 30}/service-${workload}@sha256:${hashOf(workload).repeat(8)}`,
      lastState: {},
      name: container.name,
      ready: true,
      restartCount: random() < 0.1 ? Math.floor(random() * 20) : 0,
      started: true,
      state: { running: { startedAt: at(created + delay) } },
    })),
    hostIP: '172.16.0.1',
    hostIPs: [{ ip: '172.16.0.1' }],
    phase: 'Running',
    podIP: ip,
    podIPs: [{ ip }],
    qosClass: 'Burstable',
    startTime: at(created),
  };
}
