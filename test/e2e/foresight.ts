import { seededRandom, type Random } from '../../src/lib/random.ts';
import { runProgram } from '../../src/cli/program.ts';
import { recorder } from '../cli/recorder.ts';
import { until, type ApiObject, type ControlPlane } from './control-plane.ts';
import { FakePods } from './fake-pods.ts';

/** How well one seeded cluster was foreseen. */
export interface Foresight {
  readonly seed: number;
  readonly evicted: number;
  /** Replacements that landed on a likely node of a victim of their workload. */
  readonly inLikelyNodes: number;
  /** Replacements that a later cycle evicted, or would evict, again. */
  readonly backAgain: number;
}

const NAMESPACE = 'default';

/** Two strategies that move pods and one that removes them, with nodeFit, as most users have it. */
const policyOf = (maxNoOfPodsToEvictTotal: number) => ({
  apiVersion: 'descheduler/v1alpha2',
  kind: 'DeschedulerPolicy',
  maxNoOfPodsToEvictTotal,
  profiles: [
    {
      name: 'foresight',
      pluginConfig: [
        { name: 'DefaultEvictor', args: { nodeFit: true } },
        {
          name: 'LowNodeUtilization',
          args: { thresholds: { cpu: 25, memory: 25 }, targetThresholds: { cpu: 60, memory: 60 } },
        },
      ],
      plugins: {
        deschedule: { enabled: ['RemovePodsViolatingNodeTaints', 'RemovePodsViolatingInterPodAntiAffinity'] },
        balance: { enabled: ['RemoveDuplicates', 'LowNodeUtilization'] },
      },
    },
  ],
});

/** How a seeded cluster is played. */
export interface ForesightOptions {
  readonly seed: number;
  /** Evictions in one cycle: with several, the order in which their replacements reach the scheduler is not known. */
  readonly perCycle: number;
  readonly cycles: number;
  /** Writes the policy somewhere and answers with the path. */
  readonly writePolicy: (text: string) => string;
}

interface Report {
  readonly evictions: readonly {
    readonly pod: string;
    readonly result: string;
    readonly likelyNodes: readonly string[];
  }[];
}

/**
 * Puts a seeded cluster on the control plane and runs cycles for real; after each it waits until the real scheduler has
 * placed the replacements. At the end a dry cycle says what it would do next. The control plane is left empty.
 */
export async function foresee(plane: ControlPlane, options: ForesightOptions): Promise<Foresight> {
  const pods = new FakePods(plane, 1_500);
  try {
    const first = await load(plane, seededRandom(options.seed));
    pods.start();
    await until('all pods to run', () => isQuiet(plane, first.size));
    const policy = options.writePolicy(JSON.stringify(policyOf(options.perCycle)));
    let [evicted, inLikelyNodes, backAgain] = [0, 0, 0];
    const isMoved = ({ pod }: { readonly pod: string }) => !first.has(pod);
    let known = first;
    for (let i = 0; i < options.cycles; i++) {
      const report = await cycle(plane, policy, []);
      const gone = report.evictions.filter(({ result }) => result === 'evicted');
      await until('the replacements to be placed', () => isQuiet(plane, first.size));
      const all = await list(plane);
      inLikelyNodes += matched(
        all.filter((pod) => !known.has(nameOf(pod))),
        gone,
      );
      evicted += gone.length;
      backAgain += gone.filter(isMoved).length;
      known = new Set([...known, ...all.map(nameOf)]);
    }
    backAgain += (await cycle(plane, policy, ['--dry-run'])).evictions.filter(isMoved).length;
    return { seed: options.seed, evicted, inLikelyNodes, backAgain };
  } finally {
    await pods.stop();
    await clear(plane);
  }
}

async function cycle(plane: ControlPlane, policy: string, flags: readonly string[]): Promise<Report> {
  const { terminal, printed, complained } = recorder();
  const argv = ['run', '--kubeconfig', plane.kubeconfig('foresight'), '--policy-config-file', policy, '-o', 'json'];
  const exitCode = await runProgram([...argv, '--secure-port', '0', ...flags], terminal);
  if (exitCode !== 0) throw new Error(`exit code ${exitCode}: ${complained()}`);
  return JSON.parse(printed()) as Report;
}

/** Each victim's likely nodes are good for one replacement of its workload. */
function matched(landed: readonly ApiObject[], evicted: Report['evictions']): number {
  const open = evicted.map(({ pod, likelyNodes }) => ({ workload: workloadOf(pod), likelyNodes }));
  let count = 0;
  for (const pod of landed) {
    const workload = workloadOf(nameOf(pod));
    const node = (pod['spec'] as { nodeName: string }).nodeName;
    const index = open.findIndex((it) => it.workload === workload && it.likelyNodes.includes(node));
    if (index < 0) continue;
    open.splice(index, 1);
    count++;
  }
  return count;
}

function workloadOf(pod: string): string {
  return pod.slice(0, pod.lastIndexOf('-'));
}

/** Nodes of two sizes in three zones, one of them tainted after its pods came; workloads placed without much sense. */
async function load(plane: ControlPlane, random: Random): Promise<ReadonlySet<string>> {
  const int = (n: number) => Math.floor(random() * n);
  const nodes = Array.from({ length: 8 + int(8) }, (_, i) => `node-${i}`);
  await Promise.all(nodes.map((name, i) => plane.create(node(name, i))));
  const names = new Set<string>();
  for (let w = 0; w < 10; w++) {
    const workload = `app-${w}`;
    const spread = 1 + int(4);
    const first = int(nodes.length);
    const replicas = 2 + int(7);
    const template = podTemplate(
      workload,
      { cpu: `${200 + 100 * int(8)}m`, memory: `${256 * (1 + int(6))}Mi` },
      w % 4 === 0,
    );
    for (let r = 0; r < replicas; r++) {
      const name = `${workload}-${r}`;
      names.add(name);
      const nodeName = nodes[(first + (r % spread)) % nodes.length];
      await plane.create({
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { ...template.metadata, name, namespace: NAMESPACE },
        spec: { ...template.spec, nodeName },
      });
    }
    // Pods without an owner that match are adopted, so that a workload can begin anywhere.
    await plane.create({
      apiVersion: 'apps/v1',
      kind: 'ReplicaSet',
      metadata: { name: workload, namespace: NAMESPACE },
      spec: { replicas, selector: { matchLabels: { app: workload } }, template },
    });
  }
  const taint = { spec: { taints: [{ key: 'maintenance', effect: 'NoSchedule' }] } };
  await plane.api('PATCH', `/api/v1/nodes/${nodes[int(nodes.length)] ?? ''}`, taint, 'application/merge-patch+json');
  await until('all pods to be adopted', async () =>
    (await list(plane)).every(
      ({ metadata }) => (metadata as { ownerReferences?: unknown }).ownerReferences !== undefined,
    ),
  );
  return names;
}

function node(name: string, i: number): ApiObject {
  const size = i % 3 === 0 ? { cpu: '8', memory: '32Gi', pods: '110' } : { cpu: '4', memory: '16Gi', pods: '110' };
  const labels = { 'kubernetes.io/hostname': name, 'topology.kubernetes.io/zone': `zone-${i % 3}` };
  const now = new Date().toISOString();
  const conditions = [{ type: 'Ready', status: 'True', lastHeartbeatTime: now, lastTransitionTime: now }];
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels },
    status: { capacity: size, allocatable: size, conditions },
  };
}

function podTemplate(app: string, requests: Record<string, string>, apart: boolean) {
  const rule = { labelSelector: { matchLabels: { app } }, topologyKey: 'kubernetes.io/hostname' };
  const affinity = { podAntiAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [rule] } };
  return {
    metadata: { labels: { app } },
    spec: {
      terminationGracePeriodSeconds: 30,
      ...(apart ? { affinity } : {}),
      containers: [{ name: 'main', image: 'registry.example/app:1', resources: { requests } }],
    },
  };
}

async function list(plane: ControlPlane): Promise<readonly ApiObject[]> {
  const { body } = await plane.api('GET', `/api/v1/namespaces/${NAMESPACE}/pods`);
  return body['items'] as readonly ApiObject[];
}

function nameOf({ metadata }: ApiObject): string {
  return (metadata as { name: string }).name;
}

/** There are as many pods as there should be, every one runs and none is on its way out. */
async function isQuiet(plane: ControlPlane, count: number): Promise<boolean> {
  const pods = await list(plane);
  return (
    pods.length === count &&
    pods.every(
      ({ metadata, status }) =>
        (status as { phase?: string }).phase === 'Running' &&
        (metadata as { deletionTimestamp?: string }).deletionTimestamp === undefined,
    )
  );
}

async function clear(plane: ControlPlane): Promise<void> {
  await plane.api('DELETE', `/apis/apps/v1/namespaces/${NAMESPACE}/replicasets`, { propagationPolicy: 'Orphan' });
  await until('the workloads to be gone', async () => {
    const { body } = await plane.api('GET', `/apis/apps/v1/namespaces/${NAMESPACE}/replicasets`);
    return (body['items'] as readonly unknown[]).length === 0;
  });
  // A controller that lags behind may still make some.
  await until('the pods to be gone', async () => {
    await plane.api('DELETE', `/api/v1/namespaces/${NAMESPACE}/pods`, { gracePeriodSeconds: 0 });
    return (await list(plane)).length === 0;
  });
  await plane.api('DELETE', '/api/v1/nodes');
}
