import assert from 'node:assert/strict';
import type { NodeMetrics, PodMetrics } from '../../src/cluster/objects/kinds.ts';
import type { Resources } from '../../src/cluster/amounts/resources.ts';
import { parseSelector } from '../../src/cluster/rules/selectors.ts';
import type { EvictPod } from '../../src/evictor/carry-out.ts';
import { lowNodeUtilization } from '../../src/strategies/node-utilization/low.ts';
import { removeDuplicates } from '../../src/strategies/remove-duplicates/remove-duplicates.ts';
import { removePodsViolatingNodeTaints } from '../../src/strategies/remove-pods-violating-node-taints.ts';
import type { Strategy } from '../../src/strategies/strategy.ts';
import * as given from '../builders/cluster.ts';
import { cycle, policy, profile } from './policies.ts';

const size = given.sized(2000, 3000, 10);
const dev = given.namespace('dev');
const evict: EvictPod = () => Promise.resolve({ result: 'evicted' });

/** Rows of rule C6; L rows of rule C11 that say the same stand beside them. */
describe('whole cycles', () => {
  it('W-1, framework L1 a taint added before the start', async () => {
    const cluster = given.snapshot(
      given.node('n1', size, given.taint('key=value:NoSchedule'), given.pod('pod_1', given.asks(200, 0))),
      given.node('n2', size),
    );
    const report = await cycle(policy([enabled(removePodsViolatingNodeTaints)]), cluster, { evict });
    assert.deepEqual(
      report.evictions.map(({ pod, reason, result }) => `${pod.name} ${reason}: ${result}`),
      ['pod_1 does not tolerate key=value:NoSchedule on n1: evicted'],
    );
  });

  it('W-2, framework L2 three duplicates on one of two nodes', async () => {
    const pods = ['p1', 'p2', 'p3'].map((name) => given.pod(name, dev, given.asks(100, 0)));
    const cluster = given.snapshot(given.node('n1', size, ...pods), given.node('n2', size));
    const report = await cycle(policy([enabled(removeDuplicates)]), cluster, { evict });
    assert.deepEqual(
      report.evictions.map(({ pod }) => pod.name),
      ['p1'],
    );
  });

  for (const dry of [false, true]) {
    it(`${dry ? 'W-4, framework L8' : 'W-3'}, framework L4 each of two cycles starts with nothing spent, ${dry ? 'dry' : 'real'}`, async () => {
      const cluster = given.snapshot(
        given.node('n1', size, given.taint('key=value:NoSchedule'), given.pod('p1'), given.pod('p2')),
        given.node('n2', size),
      );
      const rules = policy([enabled(removePodsViolatingNodeTaints)], { limits: { total: 2 } });
      const results = async () =>
        (await cycle(rules, cluster, dry ? {} : { evict })).evictions.map(({ pod, result }) => `${pod.name} ${result}`);
      const expected = dry ? ['p1 would-evict', 'p2 would-evict'] : ['p1 evicted', 'p2 evicted'];
      assert.deepEqual([await results(), await results()], [expected, expected]);
    });
  }

  const selectors: readonly [string, string, readonly string[]][] = [
    ['W-8, W-13', 'environment=production', ['n1', 'n2']],
    ['W-9, W-14', 'environment=staging', ['n3', 'n4']],
    ['W-10, W-15', 'zone in (us-east-1a, us-west-1b)', ['n1', 'n4']],
    ['W-11, W-16', 'zone in (us-east-1b, us-west-1a)', ['n2', 'n3']],
    ['W-12, W-17', '', ['n1', 'n2', 'n3', 'n4']],
  ];
  for (const [id, text, nodes] of selectors) {
    for (const dry of [false, true]) {
      it(`${id}, framework L5 policy nodeSelector "${text}", ${dry ? 'dry' : 'real'}`, async () => {
        const cluster = given.snapshot(
          tainted('n1', 'us-east-1a', 'production'),
          tainted('n2', 'us-east-1b', 'production'),
          tainted('n3', 'us-west-1a', 'staging'),
          tainted('n4', 'us-west-1b', 'staging'),
        );
        const nodeSelector = text === '' ? undefined : parseSelector(text);
        const rules = policy([enabled(removePodsViolatingNodeTaints)], { nodeSelector });
        const report = await cycle(rules, cluster, dry ? {} : { evict });
        assert.deepEqual(
          report.evictions.map(({ pod }) => pod.nodeName),
          nodes,
        );
      });
    }
  }

  it('W-18, framework L6 LowNodeUtilization with measured usage: 2 in the reference, ours 1 (strategies 18.2, 9)', async () => {
    const pods = ['p1', 'p2', 'p3', 'p4', 'p5'].map((name) => given.pod(name, given.asks(300, 0)));
    const cluster = given.snapshot(
      given.node('n1', size, given.taint('key=value:NoSchedule'), ...pods),
      given.node('n2', size),
      nodeMetrics('n1', { cpu: 2400, memory: 3000 }),
      nodeMetrics('n2', { cpu: 400, memory: 0 }),
      ...pods.map(({ name }) => podMetrics(name, { cpu: 400, memory: 0 })),
    );
    const args = {
      thresholds: { cpu: 30, pods: 30 },
      targetThresholds: { cpu: 50, pods: 50 },
      metricsUtilization: { source: 'KubernetesMetrics' },
    };
    const report = await cycle(policy([enabled(lowNodeUtilization, args)]), cluster, { evict });
    // n2 has room for 600m below its target of 1000m: one pod of 400m, not two.
    assert.deepEqual(
      [...report.evictions, ...report.refusals].map(({ pod, kind }) => `${pod.name} ${kind}`),
      ['p1 eviction', 'p2 refusal', 'p3 refusal', 'p4 refusal', 'p5 refusal'],
    );
  });
});

function enabled<Args>(strategy: Strategy<Args>, args: object = {}) {
  return profile('main', [strategy, strategy.args.parse(args)])();
}

function tainted(name: string, zone: string, environment: string) {
  const pod = given.pod(`on-${name}`, given.ownedBy('ReplicaSet', name));
  return given.node(name, given.labels({ zone, environment }), given.taint('key=value:NoSchedule'), pod);
}

function nodeMetrics(name: string, usage: Resources): NodeMetrics {
  return given.freeze<NodeMetrics>({ kind: 'NodeMetrics', name, namespace: '', uid: `m-${name}`, labels: {}, usage });
}

function podMetrics(name: string, usage: Resources): PodMetrics {
  const named = { name, namespace: 'default', uid: `m-${name}`, labels: {} };
  return given.freeze<PodMetrics>({ kind: 'PodMetrics', ...named, usage });
}
