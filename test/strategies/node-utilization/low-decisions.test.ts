import assert from 'node:assert/strict';
import type { Snapshot } from '../../../src/cluster/snapshot.ts';
import { lowNodeUtilization } from '../../../src/strategies/node-utilization/low.ts';
import {
  allocatable,
  annotations,
  asks,
  cordoned,
  lacks,
  namespace,
  node,
  noOwner,
  ownedBy,
  pod,
  priority,
  requests,
  sized,
  snapshot,
  spec,
  taint,
  tolerates,
  type Amounts,
  type Part,
} from '../../builders/cluster.ts';
import type { Pod } from '../../../src/cluster/objects/pod.ts';
import { workload } from '../../builders/workload.ts';
import { runStrategy, type Setting } from '../run-strategy.ts';
import { foos, nodeMetrics, ownReasons, podMetrics, pods, wantsFoo } from './cluster.ts';

const GI = 2 ** 30;
const CPU = { thresholds: { cpu: 20 }, targetThresholds: { cpu: 50 } };

const run = async (cluster: Snapshot, args: Readonly<Record<string, unknown>> = CPU, more: Setting = {}) =>
  ownReasons('LowNodeUtilization', await runStrategy(lowNodeUtilization, cluster, { args, ...more }));

/** Pods of 1 cpu, so that four of them fill a node of 4. */
const ones = (names: string, ...parts: readonly Part<Pod>[]) =>
  names.split(' ').map((name) => pod(name, requests({ cpu: 1 }), ...parts));
const cpuPod = (name: string, cpu: Amounts[string], ...parts: readonly Part<Pod>[]) =>
  pod(name, requests({ cpu }), ...parts);

const at = (percent: number, amount = 4) => `is on node n1 at CPU ${percent}% of ${amount} cores (target 50%)`;

describe('LowNodeUtilization: which node gives first (rule T7)', () => {
  const small = node('a', allocatable({ cpu: 4, memory: '64Gi' }), ...ones('a-1 a-2 a-3', requests({ memory: '1Gi' })));
  const big = node('b', allocatable({ cpu: 16, memory: '64Gi' }), pod('b-1', requests({ cpu: 1, memory: '36Gi' })));
  const empty = node('c', allocatable({ cpu: 64, memory: '256Gi' }));
  const args = { thresholds: { cpu: 20, memory: 20 }, targetThresholds: { cpu: 50, memory: 50 } };

  it('the one with the largest excess in percent, however large the others are', async () =>
    assert.deepEqual(await run(snapshot(small, big, empty), args), [
      'evict a-1@a is on node a at CPU 75% of 4 cores (target 50%)',
      'evict b-1@b is on node b at memory 56.3% of 64Gi (target 50%)',
    ]));

  it('equal ones by name, and a total limit of 1 is spent on the first', async () => {
    const twins = ['n2', 'n1'].map((name) => node(name, ...ones(`${name}-a ${name}-b ${name}-c`)));
    assert.deepEqual(await run(snapshot(...twins, node('n3')), CPU, { limits: { total: 1 } }), [
      'evict n1-a@n1 is on node n1 at CPU 75% of 4 cores (target 50%)',
      'keep n2-a@n2 [maxNoOfPodsToEvictTotal]',
      'note still above the target: n2 (CPU 75% > 50%)',
    ]);
  });

  it('a cordoned node gives, too', async () =>
    assert.deepEqual(await run(snapshot(node('n1', cordoned, ...ones('p1 p2 p3')), node('n2'))), [
      `evict p1@n1 ${at(75)}`,
    ]));
});

describe('LowNodeUtilization: which pod goes (rule T3)', () => {
  it('unset priority, then negative, then zero, then by name', async () => {
    const args = { thresholds: { cpu: 20 }, targetThresholds: { cpu: 20 } };
    const n1 = node(
      'n1',
      allocatable({ cpu: 5 }),
      ...ones('zero', priority(0)),
      ...ones('unset'),
      ...ones('below', priority(-5)),
      ...ones('also-zero', priority(0)),
      ...ones('high', priority(10)),
    );
    const lines = await run(snapshot(n1, node('n2', allocatable({ cpu: 64 }))), args);
    assert.deepEqual(
      lines.map((line) => line.split('@')[0]),
      ['evict unset', 'evict below', 'evict also-zero', 'evict zero'],
    );
  });
});

describe('LowNodeUtilization: a pod that no destination can take (rules T19 and T7.3)', () => {
  it('a pod that would lift the only destination over its target stays, the next one goes', async () => {
    const n1 = node('n1', cpuPod('big', '2500m'), cpuPod('fair', '500m', priority(1)));
    assert.deepEqual(await run(snapshot(n1, node('n2'))), [
      `evict fair@n1 ${at(75)}`,
      'keep big@n1 [LowNodeUtilization] would lift every node below the thresholds over its target: n2, the closest, to CPU 62.5% > 50%',
      'note still above the target: n1 (CPU 62.5% > 50%)',
    ]);
  });

  it('what counts there is the replacement, which starts without a resize', async () => {
    const resized = (before: Pod): Pod => ({ ...before, generation: 2 });
    const owner = {
      ...workload('ReplicaSet', 'replicaset-1'),
      templateRequests: { containers: { main: { cpu: 500 } }, pod: undefined },
    };
    const n1 = node('n1', cpuPod('big', '2500m', resized), cpuPod('fair', '500m', priority(1)));
    assert.deepEqual(await run(snapshot(n1, node('n2'), owner)), [`evict big@n1 ${at(75)}`]);
  });

  it('the destination that comes closest is named', async () => {
    const n1 = node('n1', cpuPod('big', '2500m'));
    const lines = await run(snapshot(n1, node('n2', ...ones('x', requests({ cpu: '100m' }))), node('n3')));
    assert.deepEqual(lines, [
      'keep big@n1 [LowNodeUtilization] would lift every node below the thresholds over its target: n3, the closest, to CPU 62.5% > 50%',
      'note still above the target: n1 (CPU 62.5% > 50%)',
    ]);
  });

  it('exactly up to the target is no lift over it', async () =>
    assert.deepEqual(await run(snapshot(node('n1', cpuPod('p1', '2000m'), cpuPod('p2', '500m')), node('n2'))), [
      `evict p1@n1 ${at(62.5)}`,
    ]));

  it('one free place justifies one eviction, also for the next node, without fit', async () => {
    const givers = ['n1', 'n2'].map((name) => node(name, cpuPod(`${name}-a`, '1500m'), cpuPod(`${name}-b`, '1500m')));
    assert.deepEqual(await run(snapshot(...givers, node('n3'))), [
      'evict n1-a@n1 is on node n1 at CPU 75% of 4 cores (target 50%)',
      'keep n2-a@n2 [LowNodeUtilization] would lift every node below the thresholds over its target: n3, the closest, to CPU 75% > 50%',
      'keep n2-b@n2 [LowNodeUtilization] would lift every node below the thresholds over its target: n3, the closest, to CPU 75% > 50%',
      'note still above the target: n2 (CPU 75% > 50%)',
    ]);
  });

  it('two destinations take one each', async () => {
    const givers = ['n1', 'n2'].map((name) => node(name, cpuPod(`${name}-a`, '1500m'), cpuPod(`${name}-b`, '1500m')));
    assert.deepEqual(await run(snapshot(...givers, node('n3'), node('n4'))), [
      'evict n1-a@n1 is on node n1 at CPU 75% of 4 cores (target 50%)',
      'evict n2-a@n2 is on node n2 at CPU 75% of 4 cores (target 50%)',
    ]);
  });

  it('a node without the extended resource is no destination for pods that ask for it', async () => {
    const n1 = node('n1', foos(8), pod('device', requests({ cpu: 1 }), wantsFoo(1)), ...ones('plain-1 plain-2'));
    assert.deepEqual(await run(snapshot(n1, node('n2'), node('n3'))), [
      `evict plain-1@n1 ${at(75)}`,
      'keep device@n1 [LowNodeUtilization] fits on no node below the thresholds: n2 has no example.com/foo, as one of 2',
    ]);
  });

  it('a node with more memory requested than it has takes nothing, whatever the pod asks for', async () => {
    const full = node('n2', allocatable({ memory: '1Gi' }), pod('fat', requests({ memory: '2Gi' })));
    assert.deepEqual(await run(snapshot(node('n1', ...ones('p1 p2 p3')), full)), [
      'note still above the target: n1 (CPU 75% > 50%)',
      'note stopped: on every node below the thresholds more is in use than there is',
    ]);
  });

  it('and beside a node with room it does not take away from that', async () => {
    const full = node('n2', allocatable({ memory: '1Gi' }), pod('fat', requests({ memory: '16Gi' })));
    const lines = await run(
      snapshot(node('n1', ...ones('p1 p2 p3')), full, node('n3', allocatable({ memory: '4Gi' }))),
    );
    assert.deepEqual(lines, [`evict p1@n1 ${at(75)}`]);
  });

  it('memory has no threshold, but no more of it goes than there is', async () => {
    const n1 = node('n1', ...ones('p1 p2 p3', requests({ memory: '2Gi' })));
    assert.deepEqual(await run(snapshot(n1, node('n2', allocatable({ memory: '1Gi' })))), [
      ...['p1', 'p2', 'p3'].map(
        (name) =>
          `keep ${name}@n1 [LowNodeUtilization] has no room on any node below the thresholds: n2, the closest, would be at memory 200%`,
      ),
      'note still above the target: n1 (CPU 75% > 50%)',
    ]);
  });

  it('a node that reports no pod slots takes nothing', async () =>
    assert.deepEqual(await run(snapshot(node('n1', ...ones('p1 p2 p3')), node('n2', lacks('pods')))), [
      'note still above the target: n1 (CPU 75% > 50%)',
      'note stopped: no node below the thresholds has room left for pods',
    ]));
});

describe('LowNodeUtilization: taints of a destination (rule T7, rule E19)', () => {
  const n1 = (...parts: readonly Part<Pod>[]) => node('n1', ...ones('p1 p2 p3', ...parts));

  it('PreferNoSchedule never blocks', async () =>
    assert.deepEqual(await run(snapshot(n1(), node('n2', taint('spot=true:PreferNoSchedule')))), [
      `evict p1@n1 ${at(75)}`,
    ]));

  it('one wildcard toleration is enough for two taints', async () =>
    assert.deepEqual(
      await run(snapshot(n1(tolerates('')), node('n2', taint('a=1:NoSchedule'), taint('b=2:NoExecute')))),
      [`evict p1@n1 ${at(75)}`],
    ));

  it('one of two taints not tolerated blocks', async () => {
    const lines = await run(snapshot(n1(tolerates('a')), node('n2', taint('a=1:NoSchedule'), taint('b=2:NoExecute'))));
    assert.equal(
      lines[0],
      'keep p1@n1 [LowNodeUtilization] fits on no node below the thresholds: n2 has the taint b=2:NoExecute, which it does not tolerate',
    );
  });
});

describe('LowNodeUtilization: fit and destinations (rule T19)', () => {
  it('with nodeFit only the low nodes count: reference evicts, since n3 has room; ours does not', async () => {
    const picky = ones('p1 p2 p3', spec({ nodeSelector: { 'kubernetes.io/hostname': 'n3' } }));
    const cluster = snapshot(node('n1', ...picky), node('n2'), node('n3', ...ones('q1')));
    assert.deepEqual(await run(cluster, CPU, { evictor: { nodeFit: true } }), [
      'keep p1@n1 [nodeFit]',
      'keep p2@n1 [nodeFit]',
      'keep p3@n1 [nodeFit]',
      'note still above the target: n1 (CPU 75% > 50%)',
    ]);
  });
});

describe('LowNodeUtilization: a pod that nobody replaces', () => {
  it('takes no room on a destination', async () => {
    const bare = pod('a', requests({ cpu: 1 }), noOwner, annotations({ 'descheduler.alpha.kubernetes.io/evict': '' }));
    const n2 = node('n2', pod('q1', requests({ cpu: '500m' })));
    assert.deepEqual(await run(snapshot(node('n1', bare, ...ones('p1 p2 p3')), n2)), [
      `evict a@n1 ${at(100)}`,
      `evict p1@n1 ${at(75)}`,
    ]);
  });
});

describe('LowNodeUtilization: a node that the scheduler prefers', () => {
  const n1 = node('n1', ...ones('p1 p2 p3'));
  const n2 = node('n2', taint('spot=yes:PreferNoSchedule'));
  const fit = { evictor: { nodeFit: true } };

  it('would be lifted over its target: the pod stays', async () => {
    const n3 = node('n3', pod('q1', requests({ cpu: '1500m' })));
    const stays = '[LowNodeUtilization] would likely be placed on n3, and lift it over its target: CPU 62.5% > 50%';
    assert.deepEqual(await run(snapshot(n1, n2, n3), CPU, fit), [
      ...['p1', 'p2', 'p3'].map((name) => `keep ${name}@n1 ${stays}`),
      'note still above the target: n1 (CPU 75% > 50%)',
    ]);
  });

  it('stays within its target: the pod goes', async () => {
    const n3 = node('n3', pod('q1', requests({ cpu: '1' })));
    assert.deepEqual(await run(snapshot(n1, n2, n3), CPU, fit), [`evict p1@n1 ${at(75)}`]);
  });

  it('is unknown for the pods of another scheduler', async () => {
    const n3 = node('n3', pod('q1', requests({ cpu: '1500m' })));
    const foreign = node('n1', ...ones('p1 p2 p3', spec({ schedulerName: 'packer' })));
    assert.deepEqual(await run(snapshot(foreign, n2, n3), CPU, fit), [`evict p1@n1 ${at(75)}`]);
  });
});

describe('LowNodeUtilization: limits and refusals', () => {
  it('a namespace limit is met once, further pods of that namespace are passed over', async () => {
    const n1 = node(
      'n1',
      allocatable({ cpu: 6 }),
      ...ones('a b c d', namespace('first')),
      ...ones('e', namespace('second')),
      ...ones('f'),
    );
    const big = node('n2', allocatable({ cpu: 64 }));
    assert.deepEqual(await run(snapshot(n1, big), CPU, { limits: { namespace: 1 } }), [
      `evict f@n1 ${at(100, 6)}`,
      `evict first/a@n1 ${at(83.3, 6)}`,
      `evict second/e@n1 ${at(66.7, 6)}`,
      'keep first/b@n1 [maxNoOfPodsToEvictPerNamespace]',
    ]);
  });

  it('a node limit leaves the node, the next one is still checked', async () => {
    const givers = ['n1', 'n2'].map((name) => node(name, ...ones(`${name}-a ${name}-b ${name}-c ${name}-d`)));
    const lines = await run(snapshot(...givers, node('n3', allocatable({ cpu: 64 }))), CPU, { limits: { node: 1 } });
    assert.deepEqual(lines, [
      'evict n1-a@n1 is on node n1 at CPU 100% of 4 cores (target 50%)',
      'evict n2-a@n2 is on node n2 at CPU 100% of 4 cores (target 50%)',
      'keep n1-b@n1 [maxNoOfPodsToEvictPerNode]',
      'keep n2-b@n2 [maxNoOfPodsToEvictPerNode]',
      'note still above the target: n1 (CPU 75% > 50%), n2 (CPU 75% > 50%)',
    ]);
  });

  it('a mended node is left alone: its protected pods are not asked about', async () => {
    const n1 = node('n1', ...ones('p1'), ...ones('p2 p3', ownedBy('DaemonSet', 'd'), priority(5)));
    assert.deepEqual(await run(snapshot(n1, node('n2'))), [`evict p1@n1 ${at(75)}`]);
  });

  it('a protected pod that no destination could take is refused by its protection', async () => {
    const n1 = node('n1', cpuPod('big', 3, ownedBy('DaemonSet', 'd')));
    assert.deepEqual(await run(snapshot(n1, node('n2'))), [
      'keep big@n1 [DaemonSetPods]',
      'note still above the target: n1 (CPU 75% > 50%)',
    ]);
  });

  it('a finished pod uses nothing', async () =>
    assert.deepEqual(
      await run(
        snapshot(
          node(
            'n1',
            ...ones('p1 p2 p3', (before) => ({ ...before, status: { ...before.status, phase: 'Succeeded' } })),
          ),
          node('n2'),
        ),
      ),
      ['note no node is above its target: the highest is n1, CPU 0% ≤ 50%'],
    ));
});

describe('LowNodeUtilization: why there is nothing to do', () => {
  const busy = node('n1', ...ones('p1 p2 p3'));

  it('no node is low', async () =>
    assert.deepEqual(await run(snapshot(busy, node('n2', cpuPod('q', '1360m')), node('n3', ...ones('r s')))), [
      'note no node is below the thresholds: the closest is n2, CPU 34% > 20%',
    ]));

  it('a miss by a hair is told with enough digits', async () =>
    assert.deepEqual(await run(snapshot(busy, node('n2', allocatable({ cpu: 100 }), cpuPod('q', '20010m')))), [
      'note no node is below the thresholds: the closest is n2, CPU 20.01% > 20%',
    ]));

  it('fewer low nodes than numberOfNodes asks for', async () =>
    assert.deepEqual(await run(snapshot(busy, node('n2'), node('n3')), { ...CPU, numberOfNodes: 2 }), [
      'note 2 nodes below the thresholds (n2, n3), but numberOfNodes wants more than 2',
    ]));

  it('more low nodes than numberOfNodes', async () =>
    assert.deepEqual(await run(snapshot(busy, node('n2'), node('n3')), { ...CPU, numberOfNodes: 1 }), [
      `evict p1@n1 ${at(75)}`,
    ]));

  it('all nodes are low', async () =>
    assert.deepEqual(await run(snapshot(node('n1'), node('n2', cpuPod('q', '400m')))), [
      'note no node is above its target: the highest is n2, CPU 10% ≤ 50%',
    ]));

  it('no node is above its target: the highest one and its closest resource', async () => {
    const args = { thresholds: { cpu: 20, memory: 20 }, targetThresholds: { cpu: 50, memory: 80 } };
    const n1 = node('n1', cpuPod('p', '1800m', requests({ memory: '4Gi' })));
    assert.deepEqual(await run(snapshot(n1, node('n2')), args), [
      'note no node is above its target: the highest is n1, CPU 45% ≤ 50%',
    ]);
  });

  it('all nodes are cordoned', async () =>
    assert.deepEqual(await run(snapshot(node('n1', cordoned, ...ones('p1 p2 p3')), node('n2', cordoned))), [
      'note no node is below the thresholds: there is none that could be; below but cordoned: n2',
    ]));
});

describe('LowNodeUtilization by measured usage (rule T13)', () => {
  const args = { ...CPU, metricsUtilization: { source: 'KubernetesMetrics' } };
  const n1 = node('n1', ...pods('p1 p2'));

  it('W-18 reference 2, ours 1: the second pod would lift n2 to 1200m of its 1000m', async () => {
    const w18 = {
      thresholds: { cpu: 30, pods: 30 },
      targetThresholds: { cpu: 50, pods: 50 },
      metricsUtilization: { source: 'KubernetesMetrics' },
    };
    const names = ['p1', 'p2', 'p3', 'p4', 'p5'];
    const cluster = snapshot(
      node('n1', sized(2000, 3000, 10), taint('key=value:NoSchedule'), ...names.map((name) => pod(name, asks(300, 0)))),
      node('n2', sized(2000, 3000, 10)),
      nodeMetrics('n1', 2400, 3000),
      nodeMetrics('n2', 400, 0),
      ...names.map((name) => podMetrics(name, 'default', { cpu: 400, memory: 0 })),
    );
    const ours = [
      'evict p1@n1 is on node n1 at CPU 120% of 2 cores (target 50%)',
      ...names
        .slice(1)
        .map(
          (name) =>
            `keep ${name}@n1 [LowNodeUtilization] would lift every node below the thresholds over its target: n2, the closest, to CPU 60% > 50%`,
        ),
      'note still above the target: n1 (CPU 100% > 50%)',
    ];
    assert.deepEqual(await run(cluster, w18), ours);
  });

  it('containers add up, and a pod without a complete measure stays', async () => {
    const cluster = snapshot(
      n1,
      node('n2'),
      nodeMetrics('n1', 3000, GI),
      nodeMetrics('n2', 100, GI),
      podMetrics('p1', 'default', { cpu: 1700 }),
      podMetrics('p2', 'default', { cpu: 1300, memory: 2 }),
    );
    assert.deepEqual(await run(cluster, args), [
      `evict p2@n1 ${at(75)}`,
      'keep p1@n1 [LowNodeUtilization] is kept because its own usage is not measured',
    ]);
  });

  it('the old name metricsServer means the same', async () => {
    const cluster = snapshot(n1, node('n2'), nodeMetrics('n1', 3000), nodeMetrics('n2', 0));
    const plan = await run(cluster, { ...CPU, metricsUtilization: { metricsServer: true } });
    assert.deepEqual(plan.slice(0, 2), [
      'keep p1@n1 [LowNodeUtilization] is kept because its own usage is not measured',
      'keep p2@n1 [LowNodeUtilization] is kept because its own usage is not measured',
    ]);
  });

  it('a node without a sample is left out (rule T13)', async () => {
    const cluster = snapshot(
      n1,
      node('n2'),
      node('n3'),
      nodeMetrics('n1', 3000),
      nodeMetrics('n3', 0),
      podMetrics('p1', 'default', { cpu: 1500, memory: 0 }),
    );
    assert.deepEqual(await run(cluster, args), [
      `evict p1@n1 ${at(75)}`,
      'note no measured usage of node n2: it is left out of LowNodeUtilization in profile test',
    ]);
  });

  it('E-9 without any measure nothing is done', async () =>
    assert.deepEqual(await run(snapshot(n1, node('n2')), args), [
      'note error: usage is not known: the recorded cluster holds no NodeMetrics',
    ]));
});
