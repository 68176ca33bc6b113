import assert from 'node:assert/strict';
import type { Resources } from '../../../src/cluster/amounts/resources.ts';
import {
  average,
  cappedCapacity,
  capacityOf,
  clamp,
  normalize,
  percentages,
  percentOf,
  sum,
  thresholdsFor,
} from '../../../src/strategies/node-utilization/thresholds.ts';
import { allocatable, node } from '../../builders/cluster.ts';

const divide = (value: number, total: number) => value / total;

/** Usage per node against totals per node, in percent; `clamped` as the reference's test helper cuts it to 0..100. */
function percents(used: readonly Resources[], totals: readonly Resources[], clamped = false): readonly Resources[] {
  return used
    .map((entry, index) => percentages(entry, totals[index]))
    .map((entry) => (clamped ? clamp(entry, 0, 100) : entry));
}

describe('percentages of a node (rule T14)', () => {
  const rows: readonly [string, Resources | undefined, Resources | undefined, Resources][] = [
    ['PC-1 cpu 100m of 1000m', { cpu: 100 }, { cpu: 1000 }, { cpu: 10 }],
    ['PC-2 cpu 100m of 0', { cpu: 100 }, { cpu: 0 }, { cpu: 0 }],
    ['PC-3 usage of an unknown resource only', { other: 1 }, { cpu: 1000, memory: 1000 }, {}],
    [
      'PC-4 an unknown resource and cpu 200m of 1000m',
      { other: 1, cpu: 200 },
      { cpu: 1000, memory: 1000 },
      { cpu: 20 },
    ],
    ['PC-5 no usage at all', undefined, { cpu: 1000 }, {}],
    ['PC-6 no capacity at all', { cpu: 100 }, undefined, {}],
  ];
  for (const [name, used, capacity, expected] of rows) {
    it(name, () => assert.deepEqual(percentages(used, capacity), expected));
  }
});

describe('normalize (rule T14)', () => {
  it('NM-1 one float of 1 of 2', () => assert.deepEqual(normalize({ cpu: 1 }, { cpu: 2 }, divide), { cpu: 0.5 }));

  it('NM-2 1 of 2 and 6 of 10', () =>
    assert.deepEqual(normalize({ cpu: 1, mem: 6 }, { cpu: 2, mem: 10 }, divide), { cpu: 0.5, mem: 0.6 }));

  it('NM-3 no total for mem', () => assert.deepEqual(normalize({ cpu: 1, mem: 6 }, { cpu: 2 }, divide), { cpu: 0.5 }));

  it('NM-4 cpu 1 of 2 in percent', () => assert.deepEqual(normalize({ cpu: 1 }, { cpu: 2 }, percentOf), { cpu: 50 }));

  it('NM-5 three resources of two nodes', () =>
    assert.deepEqual(
      percents(
        [
          { cpu: 1, mem: 6, pods: 2 },
          { cpu: 10, mem: 20, pods: 30 },
        ],
        [
          { cpu: 2, mem: 6, pods: 100 },
          { cpu: 100, mem: 100, pods: 100 },
        ],
      ),
      [
        { cpu: 50, mem: 100, pods: 2 },
        { cpu: 10, mem: 20, pods: 30 },
      ],
    ));

  it('NM-6 usage above the total, cut to 100', () => {
    const used = [120, 130, 140, 150, 160, 170].map((cpu) => ({ cpu }));
    const totals = used.map(() => ({ cpu: 100 }));
    assert.deepEqual(
      percents(used, totals, true),
      used.map(() => ({ cpu: 100 })),
    );
  });

  it('NM-7 half, nearly all, and twice the total', () =>
    assert.deepEqual(
      percents(
        [
          { cpu: 2, mem: 2 },
          { cpu: 99, mem: 99 },
          { cpu: 8, mem: 8 },
        ],
        [
          { cpu: 4, mem: 4 },
          { cpu: 100, mem: 100 },
          { cpu: 4, mem: 4 },
        ],
        true,
      ),
      [
        { cpu: 50, mem: 50 },
        { cpu: 99, mem: 99 },
        { cpu: 100, mem: 100 },
      ],
    ));
});

describe('average over nodes (rule T14)', () => {
  const rows: readonly [string, readonly Resources[], Resources][] = [
    ['AV-1 no nodes', [], {}],
    [
      'AV-2 two equal halves',
      percents(
        [
          { cpu: 1, mem: 6 },
          { cpu: 2, mem: 6 },
        ],
        [
          { cpu: 2, mem: 12 },
          { cpu: 4, mem: 12 },
        ],
      ),
      { cpu: 50, mem: 50 },
    ],
    [
      'AV-3 (10, 80, 20) and (20, 60, 20) of (100, 100, 10000)',
      percents(
        [
          { cpu: 10, mem: 80, pods: 20 },
          { cpu: 20, mem: 60, pods: 20 },
        ],
        [
          { cpu: 100, mem: 100, pods: 10000 },
          { cpu: 100, mem: 100, pods: 10000 },
        ],
      ),
      { cpu: 15, mem: 70, pods: 0.2 },
    ],
    [
      'AV-4 nodes of different size, pods of node2 cut to 100',
      percents(
        [
          { cpu: 10, mem: 30, pods: 200 },
          { cpu: 10, mem: 72, pods: 200 },
        ],
        [
          { cpu: 10, mem: 100, pods: 1000 },
          { cpu: 1000, mem: 180, pods: 10 },
        ],
        true,
      ),
      { cpu: 50.5, mem: 35, pods: 60 },
    ],
    [
      'AV-5 resources that some nodes lack',
      percents(
        [
          { everywhere: 9, fewTotals: 10, allUsed: 12, fewUsed: 20, noTotal: 5 },
          { everywhere: 11, fewTotals: 12, allUsed: 14, fewUsed: 20 },
          { everywhere: 10, fewTotals: 99, allUsed: 13 },
        ],
        [
          { everywhere: 100, fewTotals: 100, allUsed: 100, fewUsed: 100, noUsage: 100 },
          { everywhere: 100, fewTotals: 100, allUsed: 100, fewUsed: 100 },
          { everywhere: 100, allUsed: 100, fewUsed: 100 },
        ],
      ),
      { everywhere: 10, fewTotals: 11, allUsed: 13, fewUsed: 20 },
    ],
  ];
  for (const [name, nodes, expected] of rows) {
    it(name, () => {
      const rounded = Object.entries(average(nodes)).map(([key, value]) => [key, Number(value.toFixed(9))]);
      assert.deepEqual(Object.fromEntries(rounded), expected);
    });
  }
});

describe('sum and clamp (rule T14)', () => {
  const fifty = { a: 50, b: 50, c: 50 };

  it('SM-1 50 plus 1, 2 and 3', () =>
    assert.deepEqual(
      [1, 2, 3].map((n) => sum(fifty, { a: n, b: n, c: n })),
      [51, 52, 53].map((n) => ({ a: n, b: n, c: n })),
    ));

  it('SM-2 50 plus -2 to 2', () =>
    assert.deepEqual(sum({ a: 50, b: 50, c: 50, d: 50, e: 50 }, { a: -2, b: -1, c: 0, d: 1, e: 2 }), {
      a: 48,
      b: 49,
      c: 50,
      d: 51,
      e: 52,
    }));

  it('CP-1 all above', () => assert.deepEqual(clamp(fifty, 10, 20), { a: 20, b: 20, c: 20 }));
  it('CP-2 below, below and above', () =>
    assert.deepEqual(clamp({ a: 7, b: 8, c: 88 }, 10, 20), { a: 10, b: 10, c: 20 }));
  it('CP-3 all inside', () => assert.deepEqual(clamp({ a: 15, b: 15, c: 15 }, 10, 20), { a: 15, b: 15, c: 15 }));

  it('a key that only the second has is dropped, one that it lacks counts as 0', () =>
    assert.deepEqual(sum({ a: 1, b: 2 }, { b: 3, c: 4 }), { a: 1, b: 5 }));
});

describe('capacity and its cap (rule T14, 4.4)', () => {
  it('capacity stands in where a node reports no allocatable', () => {
    const bare = { ...node('n1'), allocatable: {}, capacity: { cpu: 2000 } };
    assert.deepEqual(capacityOf(bare), { cpu: 2000, MetricResource: 100 });
  });

  it('allocatable wins over capacity', () => {
    const plain = { ...node('n1', allocatable({ cpu: '3' })), capacity: { cpu: 4000 } };
    assert.equal(capacityOf(plain)['cpu'], 3000);
  });

  const rows: readonly [string, number, number, number][] = [
    ['50% of 9 pods are 4', 50, 9, 4],
    ['29% of 100 are 28, by double noise', 29, 100, 28],
    ['58% of 100 are 57, by double noise', 58, 100, 57],
  ];
  for (const [name, threshold, whole, cap] of rows) {
    it(name, () => assert.deepEqual(cappedCapacity({ pods: whole }, { pods: threshold }, ['pods']), { pods: cap }));
  }

  it('no threshold leaves all of it, an unknown resource nothing', () =>
    assert.deepEqual(cappedCapacity({ cpu: 4000 }, { foo: 50 }, ['cpu', 'foo']), { cpu: 4000, foo: 0 }));
});

describe('thresholds of a run (rule T18)', () => {
  const args = { thresholds: { cpu: 10 }, targetThresholds: { cpu: 20 } };

  it('static thresholds hold as they are', () =>
    assert.deepEqual(thresholdsFor({ ...args, useDeviationThresholds: false }, [{ cpu: 90 }]), {
      lower: { cpu: 10 },
      upper: { cpu: 20 },
    }));

  it('deviations are taken from the average of the nodes that have the resource', () =>
    assert.deepEqual(
      thresholdsFor({ ...args, useDeviationThresholds: true }, [{ cpu: 30 }, { cpu: 50, memory: 7 }, { memory: 9 }]),
      { lower: { cpu: 30 }, upper: { cpu: 60 } },
    ));

  it('deviations stay within 0 and 100', () =>
    assert.deepEqual(thresholdsFor({ ...args, useDeviationThresholds: true }, [{ cpu: 5 }]).lower, { cpu: 0 }));

  it('a resource that no node has drops out', () =>
    assert.deepEqual(thresholdsFor({ ...args, useDeviationThresholds: true }, [{ memory: 5 }]), {
      lower: {},
      upper: {},
    }));
});
