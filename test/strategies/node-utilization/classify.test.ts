import assert from 'node:assert/strict';
import type { Resources } from '../../../src/cluster/amounts/resources.ts';
import {
  classify,
  everyKey,
  isLow,
  isOver,
  type Classifier,
} from '../../../src/strategies/node-utilization/classify.ts';
import { byRawUsage } from '../../../src/strategies/node-utilization/high.ts';
import { byExcess } from '../../../src/strategies/node-utilization/groups.ts';
import { percentages } from '../../../src/strategies/node-utilization/thresholds.ts';
import type { NodeUsage } from '../../../src/strategies/node-utilization/usage.ts';
import { node } from '../../builders/cluster.ts';

const GI = 2 ** 30;

type Values<T> = Readonly<Record<string, T>>;

/** Every value against the same limits. */
function sorted<V, L>(values: Values<V>, limits: readonly L[], classifiers: readonly Classifier<V, L>[]) {
  return classify(
    Object.entries(values).map(([key, value]) => ({ key, value, limits })),
    classifiers,
  );
}

const less: Classifier<number, number> = (_key, value, limit) => value < limit;
const more: Classifier<number, number> = (_key, value, limit) => value > limit;
const allLess: Classifier<Resources, Resources> = (_key, used, limit) => everyKey(used, limit, (a, b) => a < b);
const allMore: Classifier<Resources, Resources> = (_key, used, limit) => everyKey(used, limit, (a, b) => a > b);
const both = (amount: number): Resources => ({ cpu: amount, memory: amount * GI });
const numbered = (...values: readonly number[]): Values<number> =>
  Object.fromEntries(values.map((value, index) => [`node${index + 1}`, value]));

describe('classify (rule T14)', () => {
  it('NC-1 two nodes of four between 20 and 80', () => {
    const used = {
      node1: { cpu: 10, memory: 10 },
      node2: { cpu: 90, memory: 90 },
      node3: { cpu: 50, memory: 50 },
      node4: { cpu: 10, memory: 90 },
    };
    const groups = sorted(
      used,
      [
        { cpu: 20, memory: 20 },
        { cpu: 80, memory: 80 },
      ],
      [allLess, allMore],
    );
    assert.deepEqual(groups, [['node1'], ['node2']]);
  });

  it('NC-2 three limits', () => {
    const used = {
      node1: { cpu: 10, memory: 10 },
      node2: { cpu: 90, memory: 90 },
      node3: { cpu: 40, memory: 40 },
      node4: { cpu: 10, memory: 90 },
      node5: { cpu: 11, memory: 18 },
    };
    const limits = [20, 50, 80].map((limit) => ({ cpu: limit, memory: limit }));
    assert.deepEqual(sorted(used, limits, [allLess, allLess, allMore]), [['node1', 'node5'], ['node3'], ['node2']]);
  });

  it('CL-1 no numbers', () => assert.deepEqual(sorted({}, [4, 6], []), []));

  it('CL-2 two numbers', () => assert.deepEqual(sorted(numbered(2, 8), [4, 6], [less, more]), [['node1'], ['node2']]));

  it('CL-3 nine numbers', () =>
    assert.deepEqual(sorted(numbered(2, 8, 2, 8, 8, 2, 2, 8, 8), [4, 6], [less, more]), [
      ['node1', 'node3', 'node6', 'node7'],
      ['node2', 'node4', 'node5', 'node8', 'node9'],
    ]));

  it('CL-4 no amounts', () => assert.deepEqual(sorted<Resources, Resources>({}, [both(4)], []), []));

  it('CL-5 one node, one limit', () => assert.deepEqual(sorted({ node1: both(2) }, [both(4)], [allLess]), [['node1']]));

  const three = { node1: both(2), node2: both(5), node3: both(8) };

  it('CL-6 three nodes between 4 and 16', () =>
    assert.deepEqual(sorted(three, [both(4), both(16)], [allLess, allMore]), [['node1'], []]));

  it('CL-7 nothing and no classifier', () => assert.deepEqual(sorted<number, number>({}, [], []), []));

  it('CL-8 a single one below', () => assert.deepEqual(sorted({ node1: both(2) }, [both(4)], [allLess]), [['node1']]));

  it('CL-9 fewer classifiers than limits', () =>
    assert.deepEqual(sorted(three, [both(4), both(16)], [allLess]), [['node1']]));

  it('CL-10 more classifiers than limits', () =>
    assert.deepEqual(sorted({ node1: both(20), node2: both(50), node3: both(80) }, [both(30)], [allLess, allMore]), [
      ['node1'],
      [],
    ]));

  it('CL-11 as CL-6', () => assert.deepEqual(sorted(three, [both(4), both(16)], [allLess, allMore]), [['node1'], []]));

  const mixed = [
    { cpu: 4, memory: 4 * GI },
    { cpu: 6, memory: 6 * GI },
  ];

  it('CL-13 cpu low, memory high', () => {
    const used = { cpu: 1, memory: 8 * GI };
    assert.deepEqual(sorted({ node1: used, node2: used }, mixed, [allLess, allMore]), [[], []]);
  });

  it('CL-14 cpu between, memory high', () => {
    const used = { cpu: 5, memory: 8 * GI };
    assert.deepEqual(sorted({ node1: used, node2: used }, mixed, [allLess, allMore]), [[], []]);
  });

  it('CL-15 cpu only', () => {
    const used = Object.fromEntries([8, 2, 8, 2, 8, 8, 8, 2, 5].map((cpu, index) => [`node${index + 1}`, { cpu }]));
    assert.deepEqual(sorted(used, mixed, [allLess, allMore]), [
      ['node2', 'node4', 'node8'],
      ['node1', 'node3', 'node5', 'node6', 'node7'],
    ]);
  });
});

describe('low and over (rule T18)', () => {
  it('exactly at the lower bound is low', () => assert.equal(isLow({ cpu: 20 }, { cpu: 20 }), true));
  it('exactly at the upper bound is not over', () => assert.equal(isOver({ cpu: 50 }, { cpu: 50 }), false));
  it('one resource above is over', () => assert.equal(isOver({ cpu: 1, memory: 51 }, { cpu: 50, memory: 50 }), true));
  it('one resource above is not low', () =>
    assert.equal(isLow({ cpu: 1, memory: 21 }, { cpu: 20, memory: 20 }), false));
  it('a resource that the node lacks counts as none of it', () =>
    assert.equal(isLow({ cpu: 1 }, { cpu: 9, foo: 9 }), true));
});

describe('order of the nodes (rule T14)', () => {
  const usage = (name: string, used: Resources, capacity: Resources): NodeUsage => ({
    node: node(name),
    pods: [],
    used,
    capacity,
    percent: percentages(used, capacity),
  });
  const names = (nodes: readonly NodeUsage[]) => nodes.map((entry) => entry.node.name);
  const small: Resources = { cpu: 2000, memory: 8 * GI, pods: 110 };
  const big: Resources = { cpu: 16000, memory: 64 * GI, pods: 110 };

  const sn1 = [
    usage('node1', { cpu: 1730, memory: 3038982964, pods: 25 }, small),
    usage('node2', { cpu: 1220, memory: 3038982964, pods: 11 }, small),
    usage('node3', { cpu: 1530, memory: 5038982964, pods: 20 }, big),
  ];
  const upper = { cpu: 50, memory: 50, pods: 50 };

  it('SN-1 ascending by raw usage, where memory outweighs all (HighNodeUtilization)', () =>
    assert.deepEqual(names(byRawUsage(sn1)), ['node2', 'node1', 'node3']));

  it('SN-1 descending: reference by raw usage, ours by the excess over the target', () => {
    const reference = ['node3', 'node1', 'node2'];
    const ours = ['node1', 'node2', 'node3'];
    assert.deepEqual(names(byRawUsage(sn1).toReversed()), reference);
    assert.deepEqual(names(byExcess(sn1, upper)), ours);
  });

  const sn2 = [
    usage('node1', { memory: 3038982964 }, { memory: 4 * GI }),
    usage('node2', { memory: 2038982964 }, { memory: 2 * GI }),
    usage('node3', { memory: 5038982964 }, { memory: 16 * GI }),
  ];

  it('SN-2 ascending by memory (HighNodeUtilization)', () =>
    assert.deepEqual(names(byRawUsage(sn2)), ['node2', 'node1', 'node3']));

  it('SN-2 descending: reference by raw usage, ours by the excess over the target', () => {
    const reference = ['node3', 'node1', 'node2'];
    const ours = ['node2', 'node1', 'node3'];
    assert.deepEqual(names(byRawUsage(sn2).toReversed()), reference);
    assert.deepEqual(names(byExcess(sn2, { memory: 20 })), ours);
  });

  it('equal nodes go by name', () => {
    const equal = ['b', 'a', 'c'].map((name) => usage(name, { cpu: 1500 }, small));
    assert.deepEqual(names(byExcess(equal, upper)), ['a', 'b', 'c']);
    assert.deepEqual(names(byRawUsage(equal)), ['a', 'b', 'c']);
  });
});
