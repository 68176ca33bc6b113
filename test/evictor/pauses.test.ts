import assert from 'node:assert/strict';
import fc from 'fast-check';
import { growthSteps, lastStreak, pauseMs, quietMs } from '../../src/evictor/limits/backoff.ts';
import { formatIntOrPercent, podsOf, type IntOrPercent } from '../../src/evictor/limits/int-or-percent.ts';

const MINUTE = 60_000;
const backoff = { baseMs: 10 * MINUTE, maxMs: 60 * MINUTE };

describe('pauses', () => {
  it('double from base up to max', () => {
    const minutes = [0, 1, 2, 3, 4, 5, 1000].map((count) => pauseMs(backoff, count) / MINUTE);
    assert.deepEqual(minutes, [10, 10, 20, 40, 60, 60, 60]);
  });

  it('stop growing after so many steps', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 1e6 }), fc.integer({ min: 1, max: 1e6 }), (baseMs, factor) => {
        const some = { baseMs, maxMs: baseMs * factor };
        const steps = growthSteps(some);
        assert.equal(pauseMs(some, steps), some.maxMs);
        if (steps > 1) assert.ok(pauseMs(some, steps - 1) < some.maxMs);
      }),
    );
  });

  const rows: readonly [string, readonly number[], readonly number[]][] = [
    ['nothing', [], []],
    ['one moment is a row of its own', [5], [5]],
    ['twice the longest pause apart still belongs together', [0, 120], [0, 120]],
    ['a moment longer and a new row begins', [0, 120 + 1 / MINUTE], [120 + 1 / MINUTE]],
    ['only the last row counts', [0, 10, 200, 210, 240], [200, 210, 240]],
    ['the same moment twice', [7, 7], [7, 7]],
  ];
  const within = (minute: number) => ({ since: minute * MINUTE, at: minute * MINUTE });
  for (const [row, minutes, kept] of rows) {
    it(`last row: ${row}`, () => assert.deepEqual(lastStreak(minutes.map(within), backoff), kept.map(within)));
  }

  it('last row: what counts is when a cycle began, and when the last eviction was over', () => {
    const [first, second] = [within(0), { since: 120 * MINUTE, at: 121 * MINUTE }];
    assert.deepEqual(lastStreak([first, second], backoff), [first, second]);
    const slow = { since: 0, at: 1 * MINUTE };
    assert.deepEqual(lastStreak([slow, within(121)], backoff), [slow, within(121)]);
    assert.deepEqual(lastStreak([slow, within(122)], backoff), [within(122)]);
  });

  it('a quiet time is twice the longest pause', () => {
    assert.equal(quietMs(backoff), 120 * MINUTE);
  });
});

describe('shares', () => {
  const rows: readonly [IntOrPercent, number, number, string][] = [
    [{ pods: 0 }, 10, 0, '0'],
    [{ pods: 3 }, 1, 3, '3'],
    [{ percent: 0 }, 10, 0, '0%'],
    [{ percent: 25 }, 10, 2, '25%'],
    [{ percent: 25 }, 4, 1, '25%'],
    [{ percent: 25 }, 3, 1, '25%'],
    [{ percent: 1 }, 0, 1, '1%'],
    [{ percent: 29 }, 100, 29, '29%'],
    [{ percent: 100 }, 7, 7, '100%'],
  ];
  for (const [share, whole, pods, text] of rows) {
    it(`${text} of ${whole} pods are ${pods}`, () => {
      assert.deepEqual([podsOf(share, () => whole), formatIntOrPercent(share)], [pods, text]);
    });
  }
});
