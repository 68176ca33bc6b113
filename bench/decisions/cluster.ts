import { Decoder, type Objects } from '../../src/cluster/decode/decode.ts';
import type { ReadKind } from '../../src/cluster/decode/decode-table.ts';
import { Snapshot, type ClusterContents } from '../../src/cluster/snapshot.ts';
import { seededRandom, type Random } from '../../src/lib/random.ts';

const CREATED = '2026-01-01T00:00:00Z';
const PODS_PER_NODE = 30;

/** Nodes of one block. */
export const BLOCK = 250;

/**
 * Blocks of 250 nodes with 30 pods a node, uneven load, rules of every kind, and a few placements that break them. All blocks
 * are alike but for their names, so that a cluster of twice the size is twice the work: as many nodes of each hundred are
 * underutilized, and as many pods break a rule.
 */
export function clusterOf(blocks: number): Snapshot {
  const decoder = new Decoder();
  const pods: Objects['Pod'][] = [];
  const nodes: Objects['Node'][] = [];
  const others: Partial<Record<ReadKind, unknown[]>> = { ReplicaSet: [], PodDisruptionBudget: [] };
  const put = (object: object) => {
    const decoded = decoder.decodeObject(object)?.object;
    if (decoded?.kind === 'Pod') pods.push(decoded);
    else if (decoded?.kind === 'Node') nodes.push(decoded);
    else if (decoded) others[decoded.kind]?.push(decoded);
  };
  for (let block = 0; block < blocks; block += 1) {
    const making = { block, random: seededRandom(1), put };
    for (let i = 0; i < BLOCK; i += 1) put(node(i, making));
    const full = pods.length + BLOCK * PODS_PER_NODE;
    for (let w = 0; pods.length < full; w += 1) workload(w, making);
  }
  return new Snapshot({ nodes, pods, others: others as ClusterContents['others'] });
}

interface Making {
  readonly block: number;
  readonly random: Random;
  readonly put: (object: object) => void;
}

function node(i: number, { block, random }: Making): object {
  const name = nameOf(i, block);
  const pool = i % 10 < 3 ? 'mem' : 'gen';
  const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `zone-${i % 3}`, pool };
  const taints = random() < 0.02 ? [{ key: 'maintenance', effect: 'NoSchedule' }] : [];
  const allocatable = { cpu: '31500m', memory: '126Gi', pods: '110' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, uid: name, labels },
    spec: { taints },
    status: { allocatable },
  };
}

function workload(w: number, { block, random, put }: Making): void {
  const int = (n: number) => Math.floor(random() * n);
  const [namespace, name] = [`team-${block}-${w % 10}`, `app-${block}-${w}`];
  const replicas = 1 + int(30);
  const [labels, uid] = [{ app: name, 'pod-template-hash': '5f6c7d' }, `rs-${name}`];
  const owner = { apiVersion: 'apps/v1', kind: 'ReplicaSet', name, uid, controller: true };
  put({ apiVersion: 'apps/v1', kind: 'ReplicaSet', metadata: { name, namespace, uid }, spec: { replicas } });
  if (w % 7 === 0) put(budget(namespace, name, replicas));
  const cpu = [100, 250, 500, 1000, 2000][int(5)] ?? 100;
  const requests = { cpu: `${cpu}m`, memory: `${[128, 512, 1024, 4096][int(4)] ?? 128}Mi` };
  const rules = rulesOf(w, name);
  for (let r = 0; r < replicas; r++) {
    // One in fifty breaks the workload's rule.
    const nodeName = nameOf(random() < 0.02 ? int(BLOCK) : place(w, r, random), block);
    put({
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: `${name}-${r}`,
        namespace,
        uid: `${name}-${r}`,
        labels,
        creationTimestamp: CREATED,
        ownerReferences: [owner],
      },
      spec: {
        nodeName,
        priority: 1000 * int(3),
        ...rules,
        containers: [{ name: 'main', image: `app:${w % 50}`, resources: { requests } }],
      },
      status: {
        phase: random() < 0.01 ? 'Failed' : 'Running',
        startTime: CREATED,
        conditions: [{ type: 'Ready', status: 'True' }],
        containerStatuses: [{ name: 'main', restartCount: random() < 0.003 ? 120 : 0 }],
      },
    });
  }
}

/** Powers of a random number pack the first nodes, so that some are full and some are empty. Rules are kept. */
function place(w: number, r: number, random: Random): number {
  const at = Math.floor(0.9 * BLOCK * random() ** 1.3);
  switch (w % 12) {
    case 1:
      return (w * 7 + r) % BLOCK;
    case 2:
      return Math.min(BLOCK - 1, at - (at % 3) + (r % 3));
    case 4:
      return Math.min(BLOCK - 1, at - (at % 10) + 3 + (r % 7));
    case 6:
      return Math.min(BLOCK - 1 - ((BLOCK - 1) % 3) - 3 + (w % 3), at - (at % 3) + (w % 3));
    default:
      return at;
  }
}

function nameOf(node: number, block: number): string {
  return `node-${block}-${String(node).padStart(3, '0')}`;
}

function budget(namespace: string, name: string, replicas: number): object {
  return {
    apiVersion: 'policy/v1',
    kind: 'PodDisruptionBudget',
    metadata: { name, namespace, uid: `pdb-${name}` },
    spec: { maxUnavailable: 1, selector: { matchLabels: { app: name } } },
    status: { disruptionsAllowed: 1, currentHealthy: replicas, desiredHealthy: replicas - 1, expectedPods: replicas },
  };
}

function rulesOf(w: number, app: string): object {
  const labelSelector = { matchLabels: { app } };
  switch (w % 12) {
    case 1:
      return required('podAntiAffinity', [{ labelSelector, topologyKey: 'kubernetes.io/hostname' }]);
    case 2:
      return spread('topology.kubernetes.io/zone', 'DoNotSchedule', labelSelector);
    case 4:
      return required('nodeAffinity', {
        nodeSelectorTerms: [{ matchExpressions: [{ key: 'pool', operator: 'In', values: ['gen'] }] }],
      });
    case 5:
      return spread('kubernetes.io/hostname', 'ScheduleAnyway', labelSelector);
    case 6:
      return { nodeSelector: { 'topology.kubernetes.io/zone': `zone-${w % 3}` } };
    default:
      return {};
  }
}

function required(kind: 'podAntiAffinity' | 'nodeAffinity', rule: unknown): object {
  return { affinity: { [kind]: { requiredDuringSchedulingIgnoredDuringExecution: rule } } };
}

function spread(topologyKey: string, whenUnsatisfiable: string, labelSelector: object): object {
  return { topologySpreadConstraints: [{ maxSkew: 1, topologyKey, whenUnsatisfiable, labelSelector }] };
}
