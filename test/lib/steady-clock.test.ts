import assert from 'node:assert/strict';
import { steadyClock } from '../../src/lib/clock.ts';

describe('the steady clock', () => {
  it('begins with the wall clock and goes on with the time that has passed, whatever the wall clock does', () => {
    let wall = 1_000_000;
    let elapsed = 500;
    const clock = steadyClock(
      () => wall,
      () => elapsed,
    );
    const seen = [clock.now()];
    elapsed += 100.6;
    wall += 3_600_000;
    seen.push(clock.now());
    elapsed += 100;
    wall -= 7_200_000;
    seen.push(clock.now());
    assert.deepEqual(seen, [1_000_000, 1_000_100, 1_000_200]);
  });
});
