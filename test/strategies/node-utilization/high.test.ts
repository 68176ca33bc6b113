import assert from 'node:assert/strict';
import type { Node } from '../../../src/cluster/objects/node.ts';
import { DEFAULT_SCORING } from '../../../src/placement/fit.ts';
import { highNodeUtilization } from '../../../src/strategies/node-utilization/high.ts';
import {
  allocatable,
  asks,
  cordoned,
  namespace,
  node,
  nodeSelector,
  ownedBy,
  pod,
  requests,
  sized,
  snapshot,
  taint,
} from '../../builders/cluster.ts';
import { runStrategy, type Setting } from '../run-strategy.ts';
import { critical, daemon, foos, mirrored, ownReasons, pods, wantsFoo } from './cluster.ts';

const cpuAndMemory = (name: string) => pod(name, requests({ cpu: 1, memory: '1Gi' }));

interface Row {
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly thresholds: Readonly<Record<string, number>>;
  readonly more?: Readonly<Record<string, unknown>>;
  readonly expected: readonly string[];
}

const run = async (nodes: readonly Node[], args: Readonly<Record<string, unknown>>, more: Setting = {}) =>
  ownReasons('HighNodeUtilization', await runStrategy(highNodeUtilization, snapshot(...nodes), { args, ...more }));

const n = (name: string, pods = 10) => sized(4000, 3000, name === 'n1' ? pods : 10);
const foo = 'example.com/foo';
const onNode = (name: string, levels: string) => `is on node ${name} at ${levels}`;

const ROWS: readonly Row[] = [
  {
    name: 'HNU-1 none below',
    nodes: [
      node('n1', n('n1'), ...pods('p1 p2 p3')),
      node('n2', n('n2'), ...pods('p4 p5 p6')),
      node('n3', n('n3'), ...pods('p7 p8 p9')),
    ],
    thresholds: { cpu: 20, pods: 20 },
    expected: ['note no node is below the thresholds: the closest is n1, CPU 30% > 20%, pods 30% > 20%'],
  },
  {
    name: 'HNU-2 nothing evictable: all three are low, the third one exactly at 40%',
    nodes: [
      node('n1', n('n1', 9), ...pods('p1', mirrored), ...pods('p2', critical)),
      node('n2', n('n2'), ...pods('p3 p4', daemon)),
      node('n3', n('n3'), ...pods('p5 p6 p7 p8')),
    ],
    thresholds: { cpu: 40, pods: 40 },
    expected: ['note all 3 nodes are below the thresholds: none would be kept'],
  },
  {
    name: 'HNU-3 no destination',
    nodes: [
      node('n1', n('n1'), ...pods('p1')),
      node('n2', n('n2'), ...pods('p2')),
      node('n3', n('n3'), cordoned, ...pods('p3 p4 p5')),
    ],
    thresholds: { cpu: 20, pods: 20 },
    expected: ['note no node can take pods: those above the thresholds are cordoned (n3)'],
  },
  {
    name: 'HNU-4 base case, a cordoned node is emptied as well',
    nodes: [
      node('n1', n('n1'), ...pods('p1'), ...pods('p2', critical)),
      node('n2', n('n2'), ...pods('p3 p4 p5 p6')),
      node('n3', n('n3'), cordoned, ...pods('p7')),
    ],
    thresholds: { cpu: 30, pods: 30 },
    expected: [
      `evict p7@n3 ${onNode('n3', 'CPU 10% of 4 cores (threshold 30%) and pods 10% of 10 (threshold 30%)')}`,
      `evict p1@n1 ${onNode('n1', 'CPU 20% of 4 cores (threshold 30%) and pods 20% of 10 (threshold 30%)')}`,
      'keep kube-system/p2@n1 [SystemCriticalPods]',
    ],
  },
  {
    name: 'HNU-5 capacity used up',
    nodes: [
      node('n1', sized(2000, 3000, 10), ...pods('p1')),
      node('n2', sized(2000, 3000, 10), ...pods('p2 p3 p4 p5')),
      node('n3', sized(2000, 3000, 10), cordoned, ...pods('p6')),
    ],
    thresholds: { cpu: 30, pods: 30 },
    expected: [
      `evict p1@n1 ${onNode('n1', 'CPU 20% of 2 cores (threshold 30%) and pods 10% of 10 (threshold 30%)')}`,
      'note stopped: no node above the thresholds has room left for cpu',
    ],
  },
  {
    name: 'HNU-8 extended resource',
    nodes: [
      node('n1', n('n1'), foos(8), ...['p1', 'p2'].map((name) => pod(name, asks(100, 0), wantsFoo(1)))),
      node('n2', n('n2'), foos(8), ...['p3', 'p4', 'p5', 'p6'].map((name) => pod(name, asks(500, 0), wantsFoo(1)))),
      node('n3', n('n3'), cordoned),
    ],
    thresholds: { cpu: 20, [foo]: 40 },
    expected: [
      `evict p1@n1 ${onNode('n1', `CPU 5% of 4 cores (threshold 20%) and ${foo} 25% of 8 (threshold 40%)`)}`,
      `evict p2@n1 ${onNode('n1', `CPU 2.5% of 4 cores (threshold 20%) and ${foo} 12.5% of 8 (threshold 40%)`)}`,
    ],
  },
  {
    name: 'HNU-11 selector does not fit',
    nodes: [
      node('n1', n('n1', 9), ...pods('p1 p2 p3'), ...pods('p4', daemon)),
      node('n2', n('n2'), ...pods('p5', nodeSelector({ datacenter: 'west' }))),
    ],
    thresholds: { cpu: 30, pods: 30 },
    expected: ['keep p5@n2 [nodeFit]'],
  },
  ...['HNU-12', 'HNU-13'].map((id): Row => ({
    name: `${id} memory missing`,
    nodes: [
      node(
        'n1',
        sized(4000, 200, 9),
        ...['p1', 'p2', 'p3'].map((name) => pod(name, asks(400, 50))),
        pod('p4', asks(400, 50), daemon),
      ),
      node('n2', n('n2'), pod('p5', asks(400, 100))),
    ],
    thresholds: { cpu: 30, pods: 30 },
    expected: ['note stopped: no node above the thresholds has room left for memory'],
  })),
  {
    name: 'HNU-14 mode OnlyThresholdingResources',
    nodes: [
      node('n1', n('n1'), foos(10), ...['p1', 'p2'].map((name) => pod(name, asks(100, 0), wantsFoo(3)))),
      node('n2', n('n2'), foos(10), ...['p3', 'p4', 'p5', 'p6'].map((name) => pod(name, asks(500, 0)))),
      node('n3', n('n3'), foos(10)),
    ],
    thresholds: { [foo]: 40 },
    more: { evictionModes: ['OnlyThresholdingResources'] },
    expected: [],
  },
];

describe('HighNodeUtilization, table of rule T20', () => {
  for (const row of ROWS) {
    it(row.name, async () => {
      const args = { thresholds: row.thresholds, ...row.more };
      assert.deepEqual(await run(row.nodes, args, { evictor: { nodeFit: true } }), row.expected);
    });
  }

  const light = (names: string) => names.split(' ').map((name) => pod(name, asks(200, 0)));

  it('HNU-T1 no taints', async () =>
    assert.deepEqual(
      await run(
        [
          node('n1', sized(1000, 3000, 10), ...light('pod_1 pod_2 pod_3')),
          node('n2', sized(1000, 3000, 10), ...light('pod_4')),
          node('n3', sized(1000, 3000, 10)),
        ],
        { thresholds: { cpu: 40 } },
        { limits: { node: 1 } },
      ),
      ['evict pod_4@n2 is on node n2 at CPU 20% of 1 core (threshold 40%)'],
    ));

  it('HNU-T2 both nodes are low', async () =>
    assert.deepEqual(
      await run(
        [
          node('n1', sized(1000, 3000, 10), ...light('pod_1')),
          node('n3', sized(1000, 3000, 10), taint('key=value:NoSchedule'), ...light('pod_2')),
        ],
        { thresholds: { cpu: 40 } },
        { limits: { node: 0 } },
      ),
      ['note all 2 nodes are below the thresholds: none would be kept'],
    ));
});

describe('HighNodeUtilization, our decisions', () => {
  const CPU = { thresholds: { cpu: 30 } };
  const cpu = (name: string, amount: string, ...parts: Parameters<typeof pod>[1][]) =>
    pod(name, requests({ cpu: amount }), ...parts);

  it('each destination is counted by itself: 1 + 1 free cpu are no room for a pod of 1.2', async () => {
    const busy = ['n2', 'n3'].map((name) => node(name, cpu(`${name}-a`, '3')));
    assert.deepEqual(await run([node('n1', cpu('big', '1200m')), ...busy], CPU), [
      'keep big@n1 [HighNodeUtilization] has no room on any node above the thresholds: n2, the closest, would be at CPU 105%',
    ]);
  });

  it('room promised to one pod is gone for the next', async () => {
    const nodes = [
      node('n1', allocatable({ cpu: 8 }), cpu('a', '900m'), cpu('b', '900m')),
      node('n2', cpu('n2-a', '3')),
    ];
    assert.deepEqual(await run(nodes, CPU), [
      'evict a@n1 is on node n1 at CPU 22.5% of 8 cores (threshold 30%)',
      'keep b@n1 [HighNodeUtilization] has no room on any node above the thresholds: n2, the closest, would be at CPU 120%',
    ]);
  });

  it('a tainted destination takes only pods that tolerate it', async () => {
    const nodes = [node('n1', cpu('a', '500m')), node('n2', taint('gpu=yes:NoSchedule'), cpu('n2-a', '2'))];
    assert.deepEqual(await run(nodes, CPU), [
      'keep a@n1 [HighNodeUtilization] fits on no node above the thresholds: n2 has the taint gpu=yes:NoSchedule, which it does not tolerate',
    ]);
  });

  it('with nodeFit, a pod that the scheduler would rather put on another low node stays', async () => {
    const busy = node('n3', taint('spot=yes:PreferNoSchedule'), cpu('n3-a', '2'));
    const nodes = [node('n1', cpu('n1-a', '500m')), node('n2', cpu('n2-a', '1')), busy];
    assert.deepEqual(await run(nodes, CPU, { evictor: { nodeFit: true } }), [
      'keep n1-a@n1 [HighNodeUtilization] would likely be placed on n2, which is to be emptied, too',
      'keep n2-a@n2 [nodeFit]',
    ]);
    assert.deepEqual(await run(nodes, CPU), [
      'evict n1-a@n1 is on node n1 at CPU 12.5% of 4 cores (threshold 30%)',
      'evict n2-a@n2 is on node n2 at CPU 25% of 4 cores (threshold 30%)',
    ]);
  });

  it('excluded namespaces stay without a word', async () => {
    const nodes = [node('n1', cpu('a', '100m', namespace('keep')), cpu('b', '100m')), node('n2', cpu('n2-a', '2'))];
    assert.deepEqual(await run(nodes, { ...CPU, evictableNamespaces: { exclude: ['keep'] } }), [
      'evict b@n1 is on node n1 at CPU 5% of 4 cores (threshold 30%)',
    ]);
  });

  describe('with nodeFit, the scheduler that is taken for granted packs by the resources of the thresholds', () => {
    const asksFor = (name: string, amount: number) => pod(name, requests({ cpu: 1, memory: '1Gi', [foo]: amount }));
    const nodes = [node('n1', foos(8), asksFor('p1', 1)), node('n2', foos(8), asksFor('r', 4))];
    const fit = { evictor: { nodeFit: true } };
    const goes = 'evict p1@n1 is on node n1 at example.com/foo 12.5% of 8 (threshold 40%)';

    it('a pod goes to the node with more of its device in use, though cpu and memory tie', async () =>
      assert.deepEqual(await run(nodes, { thresholds: { [foo]: 40 } }, fit), [goes]));

    it('pods cannot be scored, the others of the thresholds are', async () =>
      assert.deepEqual(await run(nodes, { thresholds: { [foo]: 40, pods: 40 } }, fit), [
        `${goes} and pods 0.9% of 110 (threshold 40%)`,
      ]));

    it('cpu and memory are scored where nothing else is left, and here they tie', async () => {
      const more = ['a', 'b', 'c', 'd'].map((name) => pod(name, requests({ cpu: 0, memory: 0 })));
      const full = [
        node('n1', sized(4000, 8 * 2 ** 30, 10), cpuAndMemory('p1')),
        node('n2', sized(4000, 8 * 2 ** 30, 10), cpuAndMemory('r'), ...more),
      ];
      assert.deepEqual(await run(full, { thresholds: { pods: 40 } }, fit), ['keep p1@n1 [nodeFit]']);
    });

    it('scoringStrategy of the policy says otherwise', async () => {
      const scoringStrategy = { ...DEFAULT_SCORING, type: 'MostAllocated' } as const;
      assert.deepEqual(await run(nodes, { thresholds: { [foo]: 40 } }, { ...fit, scheduler: { scoringStrategy } }), [
        'keep p1@n1 [nodeFit]',
      ]);
    });
  });

  it('OnlyThresholdingResources: a request of 0 counts, and so does one of an init container', async () => {
    const plain = ownedBy('ReplicaSet', 'r');
    const nodes = [
      node(
        'n1',
        pod('none', plain),
        pod('zero', requests({ cpu: 0 })),
        pod('early', (before) => ({
          ...before,
          spec: {
            ...before.spec,
            initContainers: before.spec.containers.map((container) => ({ ...container, requests: { cpu: 100 } })),
          },
        })),
      ),
      node('n2', cpu('n2-a', '2')),
    ];
    assert.deepEqual(await run(nodes, { ...CPU, evictionModes: ['OnlyThresholdingResources'] }), [
      'evict zero@n1 is on node n1 at CPU 2.5% of 4 cores (threshold 30%)',
      'evict early@n1 is on node n1 at CPU 2.5% of 4 cores (threshold 30%)',
    ]);
  });

  it('fewer low nodes than numberOfNodes asks for', async () =>
    assert.deepEqual(await run([node('n1'), node('n2', cpu('n2-a', '2'))], { ...CPU, numberOfNodes: 1 }), [
      'note 1 node below the thresholds (n1), but numberOfNodes wants more than 1',
    ]));
});
