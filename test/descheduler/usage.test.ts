import assert from 'node:assert/strict';
import type { NodeMetrics, PodMetrics } from '../../src/cluster/objects/kinds.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { Resources } from '../../src/cluster/amounts/resources.ts';
import { expectedUsage } from '../../src/descheduler/expected-usage.ts';
import { measuredUsage } from '../../src/descheduler/measured-usage.ts';
import { recordedUsage } from '../../src/descheduler/recorded-usage.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import type { Context } from '../../src/strategies/strategy.ts';
import * as given from '../builders/cluster.ts';
import { cycle, evicts, lines, policy, profile, strategy } from './policies.ts';

const KUBERNETES = { source: 'KubernetesMetrics' } as const;
const budget = given.budget('unrelated', 'app=other');
const a = given.pod('a', given.on('n1'));
const nodes = ['n1', 'n2', 'n3'].map((name) => given.node(name));

function* tell({ nodes: seen, usage }: Context<unknown>) {
  const notes = seen.map(({ name }) => `${name} ${JSON.stringify(usage?.node(name))}`);
  yield* [];
  return [...notes, `a ${JSON.stringify(usage?.pod(a))}`];
}

describe('measured usage in a cycle', () => {
  it('is read from the dump; a node without a sample is left out with a warning (framework 7.2, 17)', async () => {
    const cluster = given.snapshot(
      ...nodes,
      budget,
      a,
      nodeMetrics('n1', { cpu: 2400, memory: 3000 }),
      nodeMetrics('n3', { cpu: 400, memory: 0 }),
      podMetrics('a', { cpu: 150, memory: 15 }),
    );
    const report = await cycle(policy([profile('main', strategy('Test', tell, { needs: KUBERNETES }))()]), cluster);
    assert.deepEqual(lines(report), [
      'main/Test 0=0+0; n1 {"cpu":2400,"memory":3000}; n3 {"cpu":400,"memory":0}; a {"cpu":150,"memory":15}',
      'warning: no measured usage of node n2: it is left out of Test in profile main',
    ]);
  });

  it('a strategy that needs none sees all nodes and no usage', async () => {
    const cluster = given.snapshot(...nodes, budget, a, nodeMetrics('n1', { cpu: 1, memory: 1 }));
    const report = await cycle(policy([profile('main', strategy('Test', tell))()]), cluster);
    assert.deepEqual(lines(report), ['main/Test 0=0+0; n1 undefined; n2 undefined; n3 undefined; a undefined']);
  });

  it('without any measurement only that strategy fails', async () => {
    const needing = strategy('Test', tell, { needs: KUBERNETES });
    const report = await cycle(
      policy([profile('main', needing, strategy('Next', tell))()]),
      given.snapshot(...nodes, budget),
    );
    assert.deepEqual(lines(report), [
      'main/Test 0=0+0 failed: usage is not known: the recorded cluster holds no NodeMetrics',
      'main/Next 0=0+0; n1 undefined; n2 undefined; n3 undefined; a undefined',
    ]);
  });
});

describe('measured usage after the evictions of earlier strategies', () => {
  const told = async (first: Pod, evictor: object, ...metrics: readonly PodMetrics[]) => {
    const samples = [nodeMetrics('n1', { cpu: 2400, memory: 3000 }), nodeMetrics('n2', { cpu: 400, memory: 0 })];
    const cluster = given.snapshot(...nodes.slice(0, 2), budget, first, ...samples, ...metrics);
    const main = profile('main', evicts('First', [first]), strategy('Test', tell, { needs: KUBERNETES }));
    const report = await cycle(policy([main(evictor)]), cluster);
    return report.strategies[1]?.notes.slice(0, 2);
  };
  const asking = given.pod('a', given.on('n1'), given.requests({ cpu: 1, memory: 7 }));
  const small = podMetrics('a', { cpu: 150, memory: 15 });
  const large = podMetrics('a', { cpu: 2500, memory: 10 });

  it('the victim’s own measure moves with it', async () =>
    assert.deepEqual(await told(asking, { nodeFit: true }, small), [
      'n1 {"cpu":2250,"memory":2985}',
      'n2 {"cpu":550,"memory":15}',
    ]));
  it('what it requests moves if it is not measured', async () =>
    assert.deepEqual(await told(asking, { nodeFit: true }), [
      'n1 {"cpu":1400,"memory":2993}',
      'n2 {"cpu":1400,"memory":7}',
    ]));
  it('what is left of a node is never less than nothing', async () =>
    assert.deepEqual(await told(asking, { nodeFit: true }, large), [
      'n1 {"cpu":0,"memory":2990}',
      'n2 {"cpu":2900,"memory":10}',
    ]));
  it('without nodeFit it leaves, and arrives nowhere', async () =>
    assert.deepEqual(await told(asking, {}, small), ['n1 {"cpu":2250,"memory":2985}', 'n2 {"cpu":400,"memory":0}']));
  it('a pod that has failed uses nothing', async () => {
    const failed = given.pod('a', given.on('n1'), given.requests({ cpu: 1 }), given.phase('Failed'));
    assert.deepEqual(await told(failed, { nodeFit: true }), [
      'n1 {"cpu":2400,"memory":3000}',
      'n2 {"cpu":400,"memory":0}',
    ]);
  });
  it('the percentages of a query stay as they are', () => {
    const usage = { source: 'Prometheus', node: () => ({ MetricResource: 40 }), pod: () => undefined } as const;
    assert.equal(expectedUsage(usage, { gone: [asking], assumed: [] }), usage);
  });
});

describe('recorded usage', () => {
  const signal = new AbortController().signal;
  it('of a pod is that of its PodMetrics', async () => {
    const answer = await recordedUsage(
      KUBERNETES,
      given.snapshot(nodeMetrics('n1', {}), podMetrics('a', { cpu: 4 })),
      signal,
    );
    assert.deepEqual('usage' in answer && answer.usage.pod(a), { cpu: 4 });
  });
  it('cannot answer queries', async () => {
    const answer = await recordedUsage({ source: 'Prometheus', query: 'x' }, given.snapshot(), signal);
    assert.deepEqual(answer, {
      problem: 'from Prometheus cannot be had: a recorded cluster holds no query results',
    });
  });
});

describe('measured usage of a live cluster', () => {
  const signal = new AbortController().signal;
  const cluster = (...samples: readonly (readonly [string, Resources])[]) =>
    given.snapshot(...samples.map(([name, usage]) => nodeMetrics(name, usage)));
  const nodesOf = async ({ usage }: ReturnType<typeof measuredUsage>, snapshot: ReturnType<typeof cluster>) => {
    const answer = await usage(KUBERNETES, snapshot, signal);
    return 'usage' in answer ? ['n1', 'n2'].map((name) => answer.usage.node(name)) : answer.problem;
  };

  it('is smoothed from cycle to cycle, node by node; a node that was away starts anew', async () => {
    const clock = new VirtualClock(0);
    const usage = measuredUsage(clock);
    const after = async (seconds: number, snapshot: ReturnType<typeof cluster>) => {
      await clock.advanceTo(clock.now() + seconds * 1000);
      return nodesOf(usage, snapshot);
    };
    const seen = [
      await after(0, cluster(['n1', { cpu: 1000 }], ['n2', { cpu: 500 }])),
      await after(5, cluster(['n1', { cpu: 2000 }])),
      await after(5, cluster(['n1', { cpu: 2000 }], ['n2', { cpu: 900 }])),
      await after(33, cluster(['n1', { cpu: 3000 }])),
      await after(3600, cluster(['n1', { cpu: 500 }])),
    ];
    assert.deepEqual(seen, [
      [{ cpu: 1000 }, { cpu: 500 }],
      [{ cpu: 1100 }, undefined],
      [{ cpu: 1190 }, { cpu: 900 }],
      [{ cpu: 2097 }, undefined],
      [{ cpu: 500 }, undefined],
    ]);
  });

  it('takes samples beside the cycles, too', async () => {
    const clock = new VirtualClock(0);
    const usage = measuredUsage(clock);
    usage.sample([nodeMetrics('n1', { cpu: 1000 })]);
    await clock.advanceTo(5_000);
    assert.deepEqual(await nodesOf(usage, cluster(['n1', { cpu: 2000 }])), [{ cpu: 1100 }, undefined]);
  });

  it('is one sample a cycle, however many strategies ask', async () => {
    const clock = new VirtualClock(0);
    const usage = measuredUsage(clock);
    await nodesOf(usage, cluster(['n1', { cpu: 1000 }]));
    await clock.advanceTo(5_000);
    const second = cluster(['n1', { cpu: 2000 }]);
    await nodesOf(usage, second);
    assert.deepEqual(await nodesOf(usage, second), [{ cpu: 1100 }, undefined]);
  });

  it('says what to do where it cannot be had', async () => {
    const none = given.snapshot();
    const missing = await nodesOf(measuredUsage(new VirtualClock(0)), none);
    assert.match(
      typeof missing === 'string' ? missing : '',
      /^cannot be had: the metrics API .* Install metrics-server/,
    );
  });
});

function nodeMetrics(name: string, usage: Resources): NodeMetrics {
  return given.freeze<NodeMetrics>({ kind: 'NodeMetrics', name, namespace: '', uid: `m-${name}`, labels: {}, usage });
}

function podMetrics(name: string, usage: Resources): PodMetrics {
  const named = { name, namespace: 'default', uid: `m-${name}`, labels: {} };
  return given.freeze<PodMetrics>({ kind: 'PodMetrics', ...named, usage });
}
