import assert from 'node:assert/strict';
import type { Resources } from '../../../src/cluster/amounts/resources.ts';
import { smoothed } from '../../../src/strategies/node-utilization/smoothing.ts';

describe('smoothing of measured usage (rule T13)', () => {
  it('UC-1, MC-1 cpu 1400, then 500, then 900', () => {
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

  it('MC-2 300 samples bring cpu and memory to within 5 units of what is measured', () => {
    const sample = { cpu: 900, memory: 1_614_978_816 };
    let kept: Resources = { cpu: 1400, memory: 1_714_978_816 };
    for (let i = 0; i < 300; i++) kept = smoothed(kept, sample);
    for (const [name, measured] of Object.entries(sample)) {
      assert.ok(Math.abs((kept[name] ?? 0) - measured) <= 5, `${name}: ${kept[name] ?? 'none'}`);
    }
  });
});
