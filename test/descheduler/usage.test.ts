import assert from 'node:assert/strict';
import type { NodeMetrics, PodMetrics } from '../../src/cluster/kinds.ts';
import type { Resources } from '../../src/cluster/resources.ts';
import { recordedUsage } from '../../src/descheduler/recorded-usage.ts';
import type { Context } from '../../src/strategies/strategy.ts';
import * as given from '../builders/cluster.ts';
import { cycle, lines, policy, profile, strategy } from './policies.ts';

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
      podMetrics('a', { cpu: 100, memory: 10 }, { cpu: 50, memory: 5 }),
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

describe('recorded usage', () => {
  const signal = new AbortController().signal;
  const usageOf = async (...containers: readonly Resources[]) => {
    const cluster = given.snapshot(nodeMetrics('n1', {}), podMetrics('a', ...containers));
    const answer = await recordedUsage(KUBERNETES, cluster, signal);
    return 'usage' in answer ? answer.usage.pod(a) : answer.problem;
  };

  it('of a pod is the sum over its containers', async () =>
    assert.deepEqual(await usageOf({ cpu: 1, memory: 2 }, { cpu: 3, memory: 4 }), { cpu: 4, memory: 6 }));
  it('leaves out a resource that one container lacks', async () =>
    assert.deepEqual(await usageOf({ cpu: 1, memory: 2 }, { cpu: 3 }, { cpu: 5, memory: 7 }), { cpu: 9 }));
  it('of a pod without containers is not known', async () => assert.equal(await usageOf(), undefined));
  it('cannot answer queries', async () => {
    const answer = await recordedUsage({ source: 'Prometheus', query: 'x' }, given.snapshot(), signal);
    assert.deepEqual(answer, {
      problem: 'from Prometheus cannot be had: a recorded cluster holds no query results',
    });
  });
});

function nodeMetrics(name: string, usage: Resources): NodeMetrics {
  return given.freeze<NodeMetrics>({ kind: 'NodeMetrics', name, namespace: '', uid: `m-${name}`, labels: {}, usage });
}

function podMetrics(name: string, ...containers: readonly Resources[]): PodMetrics {
  const named = { name, namespace: 'default', uid: `m-${name}`, labels: {} };
  return given.freeze<PodMetrics>({ kind: 'PodMetrics', ...named, containers });
}
