import assert from 'node:assert/strict';
import type { Resources } from '../../../src/cluster/resources.ts';
import { smoothed } from '../../../src/strategies/node-utilization/smoothing.ts';

describe('smoothing of measured usage (strategies.md 2.9)', () => {
  it('UC-1 cpu 1400, then 500, then 900', () => {
    const kept: (Resources | undefined)[] = [undefined];
    for (const cpu of [1400, 500, 900]) kept.push(smoothed(kept.at(-1), { cpu, memory: 3_000 }));
    assert.deepEqual(kept.slice(1), [
      { cpu: 1400, memory: 3_000 },
      { cpu: 1310, memory: 3_000 },
      { cpu: 1269, memory: 3_000 },
    ]);
  });

  it('a resource seen for the first time counts as it is', () =>
    assert.deepEqual(smoothed({ cpu: 100 }, { cpu: 100, memory: 7 }), { cpu: 100, memory: 7 }));
});
