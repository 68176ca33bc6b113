import assert from 'node:assert/strict';
import type { OtherKind, OtherKinds } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import { podName, type Pod } from '../../src/cluster/objects/pod.ts';
import type { EvictionEnding } from '../../src/outcomes/eviction-result.ts';
import { strategies } from '../../src/strategies/registry.ts';
import type { Verdict } from '../../src/strategies/strategy.ts';
import * as given from '../builders/cluster.ts';
import { cycle, evicts, policy, profile, strategy } from './policies.ts';

const ZONE = 'topology.kubernetes.io/zone';
const zone = (name: string) => given.labels({ [ZONE]: name });
const web: given.Part<Pod> = (before) => given.labels({ app: 'web' })(given.ownedBy('ReplicaSet', 'web')(before));
const even = given.spreads('app=web', ZONE);
const cpu = (amount: number | string) => given.requests({ cpu: amount });
const TAINTS = { RemovePodsViolatingNodeTaints: {} };
const tainted = given.taint('maintenance:NoSchedule');

interface Row {
  readonly row: string;
  readonly things: readonly (Node | Pod | OtherKinds[OtherKind])[];
  /** Strategies with their arguments, in order. */
  readonly run: Readonly<Record<string, unknown>>;
  readonly evictor?: object;
  /** `RemovePodsViolatingNodeTaints a`, in the order of the plan. */
  readonly evicted: readonly string[];
}

/** Four pods whose replacements will fill the idle node n2 to its target, and eight on n1, which is above it. */
const balanced = (...parts: readonly given.Part<Pod>[]) => [
  given.node('n1', given.allocatable({ cpu: 10, pods: 110 }), ...heap('over', 8, cpu(1))),
  given.node('n2', given.allocatable({ cpu: 10, pods: 110 }), ...heap('low', 1, cpu(1))),
  given.node('n3', given.allocatable({ cpu: 10, pods: 110 }), tainted, ...heap('taint', 4, cpu(1), ...parts)),
];
const LOW = { LowNodeUtilization: { thresholds: { cpu: 20 }, targetThresholds: { cpu: 50 } } };
const FOUR = ['taint-0', 'taint-1', 'taint-2', 'taint-3'].map((pod) => `RemovePodsViolatingNodeTaints ${pod}`);
const THREE = ['over-0', 'over-1', 'over-2'].map((pod) => `LowNodeUtilization ${pod}`);

const rows: readonly Row[] = [
  {
    row: 'LowNodeUtilization sends no more to a node that earlier victims will fill to its target',
    things: balanced(),
    run: { ...TAINTS, ...LOW },
    evicted: FOUR,
  },
  {
    row: 'without nodeFit nobody knows where they will be, so they count nowhere',
    things: balanced(),
    run: { ...TAINTS, ...LOW },
    evictor: { nodeFit: false },
    evicted: [...FOUR, ...THREE],
  },
  {
    row: 'a pod that nothing replaces comes nowhere',
    things: balanced(given.noOwner, given.annotations({ 'descheduler.alpha.kubernetes.io/evict': '' })),
    run: { ...TAINTS, ...LOW },
    evicted: [...FOUR, ...THREE],
  },
  {
    row: 'a pod that has failed was replaced when it did',
    things: balanced(given.phase('Failed')),
    run: { RemoveFailedPods: {}, ...LOW },
    evicted: [...FOUR.map((line) => line.replace(/^\w+/u, 'RemoveFailedPods')), ...THREE],
  },
  {
    row: 'HighNodeUtilization does not empty a node that earlier victims will lift over the threshold',
    things: [
      given.node('n1', ...heap('busy', 3, cpu(1))),
      given.node('n2', ...heap('idle', 1, cpu('500m'))),
      given.node('n3', tainted, ...heap('taint', 1, cpu(2))),
    ],
    run: { ...TAINTS, HighNodeUtilization: { thresholds: { cpu: 40 } } },
    evicted: ['RemovePodsViolatingNodeTaints taint-0'],
  },
  {
    row: 'RemoveDuplicates counts the replicas that will be on the other node',
    things: [
      given.node('n1', ...heap('stay', 3, web)),
      given.node('n2'),
      given.node('n3', tainted, ...heap('taint', 2, web)),
    ],
    run: { ...TAINTS, RemoveDuplicates: {} },
    evicted: ['RemovePodsViolatingNodeTaints taint-0', 'RemovePodsViolatingNodeTaints taint-1'],
  },
  {
    row: 'RemoveDuplicates takes one of those that are there, for one too many with those that will be',
    things: [
      given.node('n1'),
      given.node('n2', given.labels({ disk: 'ssd' }), ...heap('stay', 3, web)),
      given.node('n3', tainted, ...heap('taint', 1, web, given.nodeSelector({ disk: 'ssd' }))),
    ],
    run: { ...TAINTS, RemoveDuplicates: {} },
    evicted: ['RemovePodsViolatingNodeTaints taint-0', 'RemoveDuplicates stay-0', 'RemoveDuplicates stay-1'],
  },
  {
    row: 'topology spread counts the domain in which they will be',
    things: [
      given.node('n1', zone('a'), ...heap('stay', 3, web, even)),
      given.node('n2', zone('b')),
      given.node('n3', zone('b'), tainted, ...heap('taint', 2, web, even)),
    ],
    run: { ...TAINTS, RemovePodsViolatingTopologySpreadConstraint: {} },
    evicted: ['RemovePodsViolatingNodeTaints taint-0', 'RemovePodsViolatingNodeTaints taint-1'],
  },
  {
    row: 'a node that a pod prefers has no room left for it',
    things: [
      given.node('n1', given.pod('drawn', cpu(3), given.prefersNode(10, given.term('disk=ssd')))),
      given.node('n2', given.labels({ disk: 'ssd' })),
      given.node(
        'n3',
        given.allocatable({ cpu: 2, pods: 110 }),
        tainted,
        given.pod('taint-0', cpu(2), given.nodeSelector({ disk: 'ssd' })),
      ),
    ],
    run: {
      ...TAINTS,
      RemovePodsViolatingNodeAffinity: { nodeAffinityType: ['preferredDuringSchedulingIgnoredDuringExecution'] },
    },
    evicted: ['RemovePodsViolatingNodeTaints taint-0'],
  },
  {
    row: 'for minReplicas a replacement is not there yet',
    things: [
      given.node('n1', given.pod('a', web)),
      given.node('n2', given.pod('b', web)),
      given.node('n3', tainted, given.pod('c', web)),
    ],
    run: { ...TAINTS, PodLifeTime: { maxPodLifeTimeSeconds: 1 } },
    evictor: { nodeFit: true, minReplicas: 2 },
    evicted: ['RemovePodsViolatingNodeTaints c', 'PodLifeTime a'],
  },
];

/** Pods `name-0`, `name-1`, … each of an owner of its own. */
function heap(name: string, count: number, ...parts: readonly given.Part<Pod>[]): readonly Pod[] {
  const names = Array.from({ length: count }, (_, index) => `${name}-${index}`);
  return names.map((each) => given.pod(each, given.ownedBy('ReplicaSet', each), ...parts));
}

function enable(name: string, args: unknown) {
  const found = strategies.find((one) => one.name === name);
  assert.ok(found, name);
  return [found, found.args.parse(args)] as const;
}

describe('what earlier strategies of a cycle promise, later ones count', () => {
  for (const { row, things, run, evictor = { nodeFit: true }, evicted } of rows) {
    it(row, async () => {
      const enabled = Object.entries(run).map(([name, args]) => enable(name, args));
      const report = await cycle(policy([profile('main', ...enabled)(evictor)]), given.snapshot(...things));
      assert.deepEqual(
        report.evictions.map(({ strategy: by, pod }) => `${by} ${pod.name}`),
        evicted,
      );
    });
  }

  it('balance strategies say what they count that nobody can see yet', async () => {
    const enabled = Object.entries({ ...TAINTS, ...LOW }).map(([name, args]) => enable(name, args));
    const report = await cycle(policy([profile('main', ...enabled)({ nodeFit: true })]), given.snapshot(...balanced()));
    assert.deepEqual(
      report.strategies.map(({ notes }) => notes),
      [
        [],
        [
          'still above the target: n1 (CPU 80% > 50%)',
          'counts replacements of earlier evictions where they are expected: 4 on n2',
        ],
      ],
    );
  });

  it('an eviction that fails leaves the victim where it is, and nothing elsewhere', async () => {
    const seen: string[] = [];
    const [stays, goes] = [given.pod('stays'), given.pod('goes')];
    const cluster = given.snapshot(given.node('n1', stays, goes), given.node('n2'));
    const [first, second] = cluster.podsOn('n1');
    assert.ok(first && second);
    const look = strategy('Look', function* ({ snapshot }) {
      seen.push(...snapshot.pods.map((pod) => `${podName(pod)}@${pod.nodeName}`));
      yield* [];
      return [];
    });
    const evict = ({ pod }: { readonly pod: Pod }): Promise<EvictionEnding> =>
      Promise.resolve(pod.name === 'goes' ? { result: 'evicted' } : { result: 'rejected', error: 'no' });
    const main = profile('main', evicts('First', [first, second]), look)({ nodeFit: true });
    await cycle(policy([main]), cluster, { evict });
    assert.deepEqual(seen, ['the replacement of default/goes@n2', 'default/stays@n1']);
  });

  it('asked for an assumed pod, the pipeline answers for its victim', async () => {
    const cluster = given.snapshot(given.node('n1', given.pod('a')), given.node('n2'));
    const verdicts: Verdict[] = [];
    const greedy = strategy('Greedy', function* ({ snapshot }) {
      for (const pod of snapshot.pods) verdicts.push(yield { evict: pod, reason: 'is there' });
      return [];
    });
    const report = await cycle(
      policy([profile('main', evicts('First', cluster.pods), greedy)({ nodeFit: true })]),
      cluster,
    );
    const reason = 'is on its way out since earlier in this cycle';
    assert.deepEqual(verdicts, [{ granted: false, scope: 'pod', by: 'AlreadyEvicted', reason }]);
    assert.equal(report.evictions.length, 1);
  });
});
