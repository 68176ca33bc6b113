import assert from 'node:assert/strict';
import {
  addResources,
  amountOf,
  formatAmount,
  maxResources,
  parseAmounts,
  parseResources,
  roundUp,
  subtractResources,
  type Resources,
} from '../../src/cluster/amounts/resources.ts';

describe('parseResources', () => {
  it('cpu becomes millicores, everything else units, both rounded up; a 0 stays', () => {
    const raw = { cpu: '0.1001', memory: '1.1Ki', pods: 110, 'example.com/gpu': '2', 'ephemeral-storage': '0' };
    const amounts = { cpu: 101, memory: 1127, pods: 110, 'example.com/gpu': 2, 'ephemeral-storage': 0 };
    assert.deepEqual(parseResources(raw), amounts);
  });

  it('a quantity keeps thousandths where it has yet to be added to others; of cpu it has none below a millicore', () => {
    const raw = { cpu: '0.1m', memory: '1500m', 'ephemeral-storage': '0.0001' };
    assert.deepEqual(parseAmounts(raw), { cpu: 1, memory: 1.5, 'ephemeral-storage': 0.001 });
  });

  it('an amount that is none is left out', () => {
    assert.deepEqual(parseResources({ cpu: 'lots', memory: '1Gi' }), { memory: 2 ** 30 });
  });
});

describe('arithmetic of resources', () => {
  const a = { cpu: 100, memory: 5 };
  const b = { cpu: 30, 'example.com/gpu': 1 };

  it('a sum has every name of both', () => {
    assert.deepEqual(addResources(a, b), { cpu: 130, memory: 5, 'example.com/gpu': 1 });
  });

  it('thousandths add up exactly', () => {
    const tenth = { memory: 0.1 };
    const sum = Array.from({ length: 10 }).reduce<Resources>((total) => addResources(total, tenth), {});
    assert.deepEqual(sum, { memory: 1 });
    assert.deepEqual(addResources({ memory: 2 ** 42 }, { memory: 0.7 }), { memory: 2 ** 42 + 0.7 });
  });

  it('rounding goes away from zero and leaves whole lists as they are', () => {
    assert.deepEqual(roundUp({ cpu: 1, memory: 0.001, pods: -0.001 }), { cpu: 1, memory: 1, pods: -1 });
    assert.equal(roundUp(a), a);
  });

  it('a difference is negative where there was nothing', () => {
    assert.deepEqual(subtractResources(a, b), { cpu: 70, memory: 5, 'example.com/gpu': -1 });
  });

  it('a maximum goes name by name', () => {
    assert.deepEqual(maxResources(a, { cpu: 200, memory: 1, pods: -1 }), { cpu: 200, memory: 5, pods: -1 });
  });

  it('an explicit 0 stays in sums', () => {
    assert.deepEqual(addResources({ cpu: 0 }, { memory: 0 }), { cpu: 0, memory: 0 });
  });

  it('the amount of a resource that is not given is 0, whatever its name', () => {
    assert.deepEqual([amountOf(a, 'cpu'), amountOf(a, 'pods'), amountOf(a, 'constructor')], [100, 0, 0]);
  });
});

describe('formatAmount', () => {
  const rows: readonly [name: string, amount: number, text: string][] = [
    ['cpu', 0, '0'],
    ['cpu', 500, '500m'],
    ['cpu', 1500, '1500m'],
    ['cpu', 2000, '2'],
    ['cpu', -250, '-250m'],
    ['memory', 0, '0'],
    ['memory', 2 ** 30, '1Gi'],
    ['memory', 1.5 * 2 ** 30, '1536Mi'],
    ['memory', -(2 ** 20), '-1Mi'],
    ['memory', 1_500_000_000, '1500M'],
    ['memory', 1_001, '1001'],
    ['ephemeral-storage', 10 * 2 ** 40, '10Ti'],
    ['hugepages-2Mi', 2 ** 22, '4Mi'],
    ['storage', 2 ** 60, '1Ei'],
    ['memory', 0.5, '0.5'],
    ['pods', 2048, '2048'],
    ['example.com/gpu', 1024, '1024'],
  ];
  for (const [name, amount, text] of rows) {
    it(`${amount} of ${name} is ${text}`, () => {
      assert.equal(formatAmount(name, amount), text);
    });
  }
});
