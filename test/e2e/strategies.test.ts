import assert from 'node:assert/strict';
import { join } from 'node:path';
import { until, type ApiObject, type ControlPlane } from './control-plane.ts';
import { cycle, evenkeel, namespace, node, pod, podsIn, policyOf, writePolicy, type Report } from './objects.ts';
import { onControlPlane } from './suite.ts';

const ANTI_AFFINITY = {
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { app: 'rivals' } }, topologyKey: 'kubernetes.io/hostname' },
    ],
  },
};
const SSD = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'disk', operator: 'In', values: ['ssd'] }] }],
    },
  },
};
const SPREAD = [
  {
    maxSkew: 1,
    topologyKey: 'topology.kubernetes.io/zone',
    whenUnsatisfiable: 'DoNotSchedule',
    labelSelector: { matchLabels: { app: 'spread' } },
  },
];
const requests = (cpu: string) => ({ containers: [{ name: 'c', image: 'c', resources: { requests: { cpu } } }] });
const restarts = (count: number) => ({
  containerStatuses: [{ name: 'c', image: 'c', imageID: '', ready: true, restartCount: count, state: { running: {} } }],
});

interface Row {
  readonly strategy: string;
  readonly namespace: string;
  readonly args: object;
  readonly pods: readonly ApiObject[];
  /** Pods that must go, or how many of the same kind. */
  readonly evicts: readonly string[] | number;
}

const only = (name: string) => ({ namespaces: { include: [name] } });
const named = (name: string, count: number, on: readonly string[], parts: object = {}): readonly ApiObject[] =>
  Array.from({ length: count }, (_, i) =>
    pod(`${name}-${i}`, { namespace: name, owner: name, on: on[i % on.length] ?? '', ...parts }),
  );

const OTHERS = ['taints', 'affinity', 'rivals', 'restarts', 'failed', 'old', 'twins', 'spread'];

const rows: readonly Row[] = [
  {
    strategy: 'RemovePodsViolatingNodeTaints',
    namespace: 'taints',
    args: only('taints'),
    pods: [
      ...named('taints', 2, ['tainted']),
      pod('tolerant', {
        namespace: 'taints',
        on: 'tainted',
        spec: { tolerations: [{ key: 'maintenance', operator: 'Exists' }] },
      }),
    ],
    evicts: ['taints-0', 'taints-1'],
  },
  {
    strategy: 'RemovePodsViolatingNodeAffinity',
    namespace: 'affinity',
    args: { ...only('affinity'), nodeAffinityType: ['requiredDuringSchedulingIgnoredDuringExecution'] },
    pods: named('affinity', 2, ['a1', 'b1'], { spec: { affinity: SSD } }),
    evicts: ['affinity-1'],
  },
  {
    strategy: 'RemovePodsViolatingInterPodAntiAffinity',
    namespace: 'rivals',
    args: only('rivals'),
    pods: named('rivals', 3, ['a1', 'a1', 'b1'], { spec: { affinity: ANTI_AFFINITY } }),
    evicts: 1,
  },
  {
    strategy: 'RemovePodsHavingTooManyRestarts',
    namespace: 'restarts',
    args: { ...only('restarts'), podRestartThreshold: 100 },
    pods: [
      pod('often', { namespace: 'restarts', on: 'a1', status: restarts(100) }),
      pod('seldom', { namespace: 'restarts', on: 'a1', status: restarts(99) }),
    ],
    evicts: ['often'],
  },
  {
    strategy: 'RemoveFailedPods',
    namespace: 'failed',
    args: { ...only('failed'), minPodLifetimeSeconds: 0 },
    pods: [
      pod('broken', { namespace: 'failed', on: 'a1', status: { phase: 'Failed', reason: 'OOM' } }),
      ...named('failed', 1, ['a1']),
    ],
    evicts: ['broken'],
  },
  {
    strategy: 'PodLifeTime',
    namespace: 'old',
    args: { ...only('old'), maxPodLifeTimeSeconds: 1, labelSelector: { matchLabels: { app: 'old' } } },
    pods: [...named('old', 2, ['a1', 'b1']), pod('young', { namespace: 'old', on: 'a1' })],
    evicts: ['old-0', 'old-1'],
  },
  {
    strategy: 'RemoveDuplicates',
    namespace: 'twins',
    args: only('twins'),
    pods: named('twins', 2, ['a1']),
    evicts: 1,
  },
  {
    strategy: 'RemovePodsViolatingTopologySpreadConstraint',
    namespace: 'spread',
    args: only('spread'),
    pods: named('spread', 4, ['a1', 'a2'], { spec: { topologySpreadConstraints: SPREAD } }),
    evicts: 2,
  },
  {
    strategy: 'LowNodeUtilization',
    namespace: 'load',
    args: {
      thresholds: { cpu: 20 },
      targetThresholds: { cpu: 60 },
      evictableNamespaces: { exclude: [...OTHERS, 'idle'] },
    },
    pods: named('load', 7, ['b2'], { spec: requests('500m') }),
    evicts: 3,
  },
  {
    strategy: 'HighNodeUtilization',
    namespace: 'idle',
    args: { thresholds: { cpu: 20 }, evictableNamespaces: { exclude: [...OTHERS, 'load'] } },
    pods: named('idle', 1, ['a2'], { spec: requests('100m') }),
    evicts: ['idle-0'],
  },
];

onControlPlane('a real run evicts exactly what the dry run has announced', {}, (plane) => {
  before(async () => {
    await Promise.all(
      [
        node('a1', 'a', { disk: 'ssd' }),
        node('a2', 'a', { disk: 'ssd' }),
        node('b1', 'b'),
        node('b2', 'b'),
        node('tainted', 'b'),
      ].map((object) => plane().create(object)),
    );
    await Promise.all(rows.map((row) => plane().create(namespace(row.namespace))));
    await Promise.all(rows.flatMap(({ pods }) => pods).map((object) => plane().create(object)));
    const madeAt = Date.now();
    const taints = [{ key: 'maintenance', effect: 'NoSchedule' }];
    await until('pods older than a second', () => Promise.resolve(Date.now() > madeAt + 2_000));
    await plane().api('PATCH', '/api/v1/nodes/tainted', { spec: { taints } }, 'application/merge-patch+json');
  });

  it('the plan of a dump is byte for byte that of the live cluster', async () => {
    const strategies = Object.fromEntries(rows.map(({ strategy, args }) => [strategy, args]));
    // Ages pass between the two.
    const policy = policyOf(Object.fromEntries(Object.entries(strategies).filter(([name]) => name !== 'PodLifeTime')));
    const live = await cycle(plane(), policy, '--dry-run');
    const file = join(plane().folder, 'cluster.json');
    const dump = await evenkeel('dump', '--kubeconfig', plane().kubeconfig('admin'), '--output-file', file);
    assert.equal(dump.exitCode, 0, dump.complained);
    const policyFile = writePolicy(plane(), policy);
    const recorded = await evenkeel('run', '--from-dump', file, '--policy-config-file', policyFile, '-o', 'json');
    assert.equal(planOf(JSON.parse(recorded.printed) as Report), planOf(live));
    assert.ok(live.evictions.length > 8);
  });

  for (const { strategy, namespace: name, args, pods, evicts } of rows) {
    it(strategy, async () => {
      const policy = policyOf({ [strategy]: args });
      const dry = await cycle(plane(), policy, '--dry-run');
      assert.deepEqual(await podsIn(plane(), name), pods.map(nameOf).sort(), 'a dry run changes nothing');
      const real = await cycle(plane(), policy);
      const announced = dry.evictions.map(lineOf);
      assert.deepEqual(real.evictions.map(lineOf), announced);
      assert.deepEqual(new Set(real.evictions.map(({ result }) => result)), new Set(['evicted']));
      const victims = real.evictions.map(({ pod: victim }) => victim).sort();
      if (typeof evicts === 'number') assert.equal(victims.length, evicts);
      else assert.deepEqual(victims, evicts);
      assert.deepEqual(
        await podsIn(plane(), name),
        pods
          .map(nameOf)
          .filter((pod) => !victims.includes(pod))
          .sort(),
      );
      assert.deepEqual([dry.exitCode, real.exitCode], [0, 0]);
    });
  }

  it('an eviction leaves an event', async () => {
    const regarding = await eventOn(plane(), 'taints-0');
    assert.deepEqual(regarding, ['Normal', 'RemovePodsViolatingNodeTaints', 'Descheduled', 'evenkeel-descheduler']);
  });
});

onControlPlane('what the API server refuses whatever the budgets say', {}, (plane) => {
  it('is refused beforehand: a pod of a namespace that is being deleted', async () => {
    await Promise.all([node('n1', 'a'), node('n2', 'a'), namespace('going')].map((object) => plane().create(object)));
    await plane().create(pod('web-0', { namespace: 'going', on: 'n1' }));
    await plane().api('DELETE', '/api/v1/namespaces/going');
    const eviction = { apiVersion: 'policy/v1', kind: 'Eviction', metadata: { name: 'web-0', namespace: 'going' } };
    const answer = await plane().api('POST', '/api/v1/namespaces/going/pods/web-0/eviction', eviction);
    assert.deepEqual(
      [answer.status, (answer.body['details'] as { causes: { reason: string }[] }).causes.map(({ reason }) => reason)],
      [403, ['NamespaceTerminating']],
    );
    const taints = [{ key: 'maintenance', effect: 'NoSchedule' }];
    await plane().api('PATCH', '/api/v1/nodes/n1', { spec: { taints } }, 'application/merge-patch+json');
    const real = await cycle(plane(), policyOf({ RemovePodsViolatingNodeTaints: {} }));
    assert.deepEqual(
      [real.evictions, real.refusals.map(({ pod: name, refusedBy }) => [name, refusedBy]), real.exitCode],
      [[], [['web-0', 'NamespaceTerminating']], 0],
    );
  });
});

function planOf({ evictions, refusals, strategies }: Report): string {
  const untimed = strategies.map((run) =>
    Object.fromEntries(Object.entries(run).filter(([key]) => key !== 'durationMs')),
  );
  const plan = JSON.stringify({ evictions, refusals, strategies: untimed }, undefined, 1);
  return ageless(plan);
}

function lineOf({ pod: victim, reason }: Report['evictions'][number]): string {
  return ageless(`${victim} ${reason}`);
}

/** Ages grow between two runs. */
function ageless(text: string): string {
  return text.replace(/\d+s (old|ago)/gu, 'some seconds $1');
}

function nameOf(object: ApiObject): string {
  return (object['metadata'] as { name: string }).name;
}

async function eventOn(plane: ControlPlane, name: string): Promise<readonly (string | undefined)[]> {
  const { body } = await plane.api('GET', '/apis/events.k8s.io/v1/namespaces/taints/events');
  const events = body['items'] as (Record<string, string> & { regarding: { name: string } })[];
  const event = events.find(({ regarding }) => regarding.name === name);
  return [event?.['type'], event?.['reason'], event?.['action'], event?.['reportingController']];
}
