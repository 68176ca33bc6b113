import assert from 'node:assert/strict';
import type { UsageSource } from '../../../src/descheduler/ports.ts';
import { lowNodeUtilization } from '../../../src/strategies/node-utilization/low.ts';
import { node, sized, snapshot } from '../../builders/cluster.ts';
import type { Node } from '../../../src/cluster/objects/node.ts';
import { runStrategy, type Setting } from '../run-strategy.ts';
import { ownReasons, pods, protectedPods } from './cluster.ts';
import { ROWS, TAINT_ROWS, type Row } from './low-rows.ts';

/** The plan of a row: victims with reason, refusals with the reasons that are the strategy's own, notes. */
type Lines = readonly string[];

const STD_STAY = [
  'keep p6@n1 [DaemonSetPods]',
  'keep p7@n1 [MirrorPod]',
  'keep kube-system/p8@n1 [SystemCriticalPods]',
];
const STD_LEVELS = [
  'CPU 80% of 4 cores (target 50%) and pods 88.9% of 9 (target 50%)',
  'CPU 70% of 4 cores (target 50%) and pods 77.8% of 9 (target 50%)',
  'CPU 60% of 4 cores (target 50%) and pods 66.7% of 9 (target 50%)',
  'pods 55.6% of 9 (target 50%)',
];

/** `evict p1@n1 …` for the first so many of p1 to p5 on std n1, each with what the node is at by then. */
function stdEvictions(count: number): Lines {
  return STD_LEVELS.slice(0, count).map((levels, index) => `evict p${index + 1}@n1 is on node n1 at ${levels}`);
}

const over = (name: string, to: string) =>
  `keep ${name}@n1 [LowNodeUtilization] would lift every node below the thresholds over its target: n2, the closest, to ${to}`;
const stillOver = (levels: string) => `note still above the target: n1 (${levels})`;

const METRICS_CANNOT = ['note nothing is compared: KubernetesMetrics measures cpu and memory, not example.com/foo'];
const BASE = stdEvictions(4);
const BASE_METRICS_REFERENCE = 4;
// The fourth pod of 401m would bring n2 from 1604m to 2005m of its 2000m (rule T19).
const BASE_METRICS = [
  ...stdEvictions(3),
  over('p4', 'CPU 50.1% > 50%'),
  over('p5', 'CPU 50.1% > 50%'),
  ...STD_STAY,
  stillOver('pods 55.6% > 50%'),
];
const ALL_STAY = [...STD_STAY, stillOver('pods 88.9% > 50%, CPU 80% > 50%')];
const INCLUDED = [
  ...stdEvictions(2),
  'keep p6@n1 [DaemonSetPods]',
  'keep p7@n1 [MirrorPod]',
  'keep namespace3/p3@n1 [FailedBarePods]',
  'keep namespace4/p4@n1 [FailedBarePods]',
  'keep namespace5/p5@n1 [FailedBarePods]',
  'keep kube-system/p8@n1 [SystemCriticalPods]',
  stillOver('pods 66.7% > 50%, CPU 60% > 50%'),
];
const MISMATCH = [
  ...stdEvictions(3),
  'keep p4@n1 [nodeFit]',
  'keep p5@n1 [nodeFit]',
  ...STD_STAY,
  stillOver('pods 55.6% > 50%'),
];
const LIMITED = [
  ...stdEvictions(2),
  stillOver('pods 66.7% > 50%, CPU 60% > 50%'),
  'note evictionLimits.node (2) is used up on n1',
];
const CORDONED = [
  'note no node is below the thresholds: the closest is n1, pods 88.9% > 30%, CPU 80% > 30%; below but cordoned: n2',
];

interface Expected {
  /** Evictions of the reference by requests and by metrics. */
  readonly reference: readonly [number, number];
  readonly byRequests: Lines;
  readonly byMetrics: Lines;
}

const EXPECTED: Readonly<Record<string, Expected>> = {
  'LNU-1': {
    reference: [0, 0],
    byRequests: [
      'keep p1@n1 [DaemonSetPods]',
      'keep p2@n1 [DaemonSetPods]',
      'keep p3@n1 [DaemonSetPods]',
      'keep p4@n1 [DaemonSetPods]',
      'keep p5@n1 [MirrorPod]',
      'keep kube-system/p6@n1 [SystemCriticalPods]',
      stillOver('pods 66.7% > 50%, CPU 60% > 50%'),
    ],
    // n2 has 3000 bytes of memory and uses 1714978816.
    byMetrics: [
      stillOver('pods 66.7% > 50%, CPU 60% > 50%'),
      'note stopped: on every node below the thresholds more is in use than there is',
    ],
  },
  'LNU-2': { reference: [4, BASE_METRICS_REFERENCE], byRequests: BASE, byMetrics: BASE_METRICS },
  'LNU-3': { reference: [0, 0], byRequests: ALL_STAY, byMetrics: ALL_STAY },
  'LNU-4': { reference: [2, 2], byRequests: INCLUDED, byMetrics: INCLUDED },
  'LNU-5': { reference: [4, BASE_METRICS_REFERENCE], byRequests: BASE, byMetrics: BASE_METRICS },
  'LNU-8': {
    reference: [3, 0],
    byRequests: [
      'evict p1@n1 is on node n1 at pods 88.9% of 9 (target 50%) and example.com/foo 100% of 8 (target 50%)',
      'evict p2@n1 is on node n1 at pods 77.8% of 9 (target 50%) and example.com/foo 87.5% of 8 (target 50%)',
      'evict p3@n1 is on node n1 at pods 66.7% of 9 (target 50%) and example.com/foo 75% of 8 (target 50%)',
      stillOver('example.com/foo 62.5% > 50%, pods 55.6% > 50%'),
      'note stopped: no node below the thresholds has room left for example.com/foo',
    ],
    byMetrics: METRICS_CANNOT,
  },
  'LNU-9': {
    reference: [0, 0],
    byRequests: ['note no node is above its target: the highest is n1, example.com/foo 12.5% ≤ 50%'],
    byMetrics: METRICS_CANNOT,
  },
  'LNU-10': {
    reference: [1, 0],
    // p2 or p3 in the reference; p2 with its 7 would fill n1 to 8 of 8 (rule T19), and p3, which
    // asks for nothing, is as well off on n2 as on n1, so it could come back (number 10).
    byRequests: [
      'keep p2@n2 [LowNodeUtilization] would lift every node below the thresholds over its target: n1, the closest, to example.com/foo 100% > 60%',
      'keep p3@n2 [nodeFit]',
      'note still above the target: n2 (example.com/foo 87.5% > 60%)',
    ],
    byMetrics: METRICS_CANNOT,
  },
  'LNU-11': { reference: [0, 0], byRequests: CORDONED, byMetrics: CORDONED },
  'LNU-12': { reference: [3, 3], byRequests: MISMATCH, byMetrics: BASE_METRICS },
  'LNU-13': { reference: [3, 3], byRequests: MISMATCH, byMetrics: BASE_METRICS },
  'LNU-17': { reference: [2, 2], byRequests: LIMITED, byMetrics: LIMITED },
};

/** Rows whose count by requests differs from the reference's, by rule T9. */
const NONE_BY_REQUESTS = ['LNU-10'];

/** Rows whose count by metrics differs from the reference's, by rule T19. */
const FEWER_BY_METRICS = ['LNU-2', 'LNU-5'];

async function linesOf(row: Row, setting: Setting): Promise<Lines> {
  const cluster = snapshot(...row.nodes, ...row.metrics);
  return ownReasons(
    'LowNodeUtilization',
    await runStrategy(lowNodeUtilization, cluster, { args: row.args, ...setting }),
  );
}

const evictions = (lines: Lines) => lines.filter((line) => line.startsWith('evict ')).length;

describe('LowNodeUtilization, table of rule T19', () => {
  for (const row of ROWS) {
    const id = row.name.split(' ')[0] ?? '';
    const expected = EXPECTED[id];
    const stays = NONE_BY_REQUESTS.includes(id);
    it(`${row.name}, by requests${stays ? `, reference ${expected?.reference[0] ?? ''}, ours 0` : ''}`, async () => {
      const lines = await linesOf(row, { evictor: { nodeFit: true } });
      assert.deepEqual(lines, expected?.byRequests);
      assert.equal(evictions(lines), stays ? 0 : expected?.reference[0]);
    });
    const deviates = FEWER_BY_METRICS.includes(id);
    const versus = deviates ? `, reference ${expected?.reference[1] ?? ''}, ours 3` : '';
    it(`${row.name}, by metrics${versus}`, async () => {
      const args = { ...row.args, metricsUtilization: { source: 'KubernetesMetrics' } };
      const lines = await linesOf(row, { args, evictor: { nodeFit: true } });
      assert.deepEqual(lines, expected?.byMetrics);
      assert.equal(evictions(lines), deviates ? 3 : expected?.reference[1]);
    });
  }
});

describe('LowNodeUtilization and taints, table of rule T19', () => {
  const rows: readonly [number, Lines][] = [
    [1, ['evict pod_1@n1 is on node n1 at pods 80% of 10 (target 70%)']],
    [0, ['keep pod_1@n1 [maxNoOfPodsToEvictPerNode]', 'note still above the target: n1 (pods 80% > 70%)']],
    [0, ['keep pod_1@n1 [maxNoOfPodsToEvictPerNode]', 'note still above the target: n1 (pods 80% > 70%)']],
  ];
  TAINT_ROWS.forEach((row, index) => {
    const [limit, expected] = rows[index] ?? [];
    it(row.name, async () => {
      assert.deepEqual(await linesOf(row, { evictor: { nodeFit: true }, limits: { node: limit } }), expected);
    });
  });

  it('LNU-T2 without limit and fit: the taint is the reason of each pod', async () => {
    const row = TAINT_ROWS.find(({ name }) => name.startsWith('LNU-T2'))!;
    assert.deepEqual(await linesOf(row, {}), [
      ...[1, 2, 3, 4, 5, 6, 7, 8].map(
        (n) =>
          `keep pod_${n}@n1 [LowNodeUtilization] fits on no node below the thresholds: n3 has the taint key=value:NoSchedule, which it does not tolerate`,
      ),
      'note still above the target: n1 (pods 80% > 70%)',
    ]);
  });

  it('LNU-T4 without limit: the pod that tolerates the taint goes', async () => {
    const row = TAINT_ROWS.find(({ name }) => name.startsWith('LNU-T4'))!;
    const lines = await linesOf(row, {});
    assert.deepEqual(lines[0], 'evict tolerate_pod@n1 is on node n1 at pods 80% of 10 (target 70%)');
    assert.equal(evictions(lines), 1);
  });
});

/** A query's samples, one a node, turned into percent as its reader does. */
function samples(...values: readonly number[]): UsageSource {
  const percent = new Map(values.map((value, index) => [`n${index + 1}`, Math.trunc(value * 100)]));
  return () =>
    Promise.resolve({
      usage: {
        source: 'Prometheus',
        node: (name) => (percent.has(name) ? { MetricResource: percent.get(name) ?? 0 } : undefined),
        pod: () => undefined,
      },
    });
}

function prometheusArgs(low: number, high: number, more: Readonly<Record<string, unknown>> = {}) {
  return {
    thresholds: { MetricResource: low },
    targetThresholds: { MetricResource: high },
    metricsUtilization: { source: 'Prometheus', prometheus: { query: 'instance:node_cpu:rate:sum' } },
    ...more,
  };
}

describe('LowNodeUtilization with a Prometheus query, table of rule T19', () => {
  const busy = [...pods('p1 p2 p3 p4 p5'), ...protectedPods()];
  const nodes = [
    node('n1', sized(4000, 3000, 9), ...busy),
    node('n2', sized(4000, 3000, 10), ...pods('p9')),
    node('n3', sized(4000, 3000, 10)),
  ];
  const uneven = samples(0.5695757575757561, 0.4245454545454522, 0.20381818181818104);
  const run = async (args: Readonly<Record<string, unknown>>, usage: UsageSource, cluster: readonly Node[] = nodes) =>
    ownReasons(
      'LowNodeUtilization',
      await runStrategy(lowNodeUtilization, snapshot(...cluster), { args, usage, evictor: { nodeFit: true } }),
    );
  const at = (percent: number, target: string) => `is on node n1 at MetricResource ${percent}% (target ${target}%)`;

  it('LNU-P1 static thresholds: one pod, since nobody knows what the next would change', async () =>
    assert.deepEqual(await run(prometheusArgs(30, 50), uneven), [
      `evict p1@n1 ${at(56, '50')}`,
      'note still above the target: n1 (MetricResource 56% > 50%)',
    ]));

  it('LNU-P2 with a limit of 3', async () =>
    assert.deepEqual(await run(prometheusArgs(30, 50, { evictionLimits: { node: 3 } }), uneven), [
      `evict p1@n1 ${at(56, '50')}`,
      `evict p2@n1 ${at(56, '50')}`,
      `evict p3@n1 ${at(56, '50')}`,
      'note still above the target: n1 (MetricResource 56% > 50%)',
      'note evictionLimits.node (3) is used up on n1',
    ]));

  it('LNU-P3 deviation 5/5, limit 2', async () => {
    const args = prometheusArgs(5, 5, { useDeviationThresholds: true, evictionLimits: { node: 2 } });
    assert.deepEqual(await run(args, uneven), [
      `evict p1@n1 ${at(56, '44.3')}`,
      `evict p2@n1 ${at(56, '44.3')}`,
      'note still above the target: n1 (MetricResource 56% > 44.3%)',
      'note evictionLimits.node (2) is used up on n1',
    ]);
  });

  it('LNU-P4 deviation 10/10', async () =>
    assert.deepEqual(await run(prometheusArgs(10, 10, { useDeviationThresholds: true }), samples(1, 0.5, 0)), [
      `evict p1@n1 ${at(100, '60')}`,
      'note still above the target: n1 (MetricResource 100% > 60%)',
    ]));

  it('LNU-P5 the client comes with each cycle: first none, then one', async () => {
    const cluster = [
      node('n1', sized(4000, 3000, 9), ...pods('p1 p2 p3 p4 p5')),
      node('n2', sized(4000, 3000, 10), ...pods('p6')),
      node('n3', sized(4000, 3000, 10)),
    ];
    const missing: UsageSource = () => Promise.resolve({ problem: 'cannot be had yet' });
    assert.deepEqual(await run(prometheusArgs(30, 50), missing, cluster), ['note error: usage cannot be had yet']);
    assert.deepEqual(await run(prometheusArgs(30, 50), samples(0.57, 0.42, 0.2), cluster), [
      `evict p1@n1 ${at(56, '50')}`,
      'note still above the target: n1 (MetricResource 56% > 50%)',
    ]);
  });

  it('a node without a sample is left out, and the others go on (rule T13)', async () => {
    assert.deepEqual(await run(prometheusArgs(30, 50), samples(0.57, 0.2)), [
      `evict p1@n1 ${at(56, '50')}`,
      'note still above the target: n1 (MetricResource 56% > 50%)',
      'note no measured usage of node n3: it is left out of LowNodeUtilization in profile test',
    ]);
  });
});
