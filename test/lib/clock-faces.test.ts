import assert from 'node:assert/strict';
import { clockOf } from '../../src/lib/clock.ts';

describe('the clock of a machine', () => {
  it('goes on with the time that has passed, whatever the wall clock does', () => {
    let wall = 1_000_000;
    let elapsed = 500;
    const clock = clockOf({ wall: () => wall, elapsedMs: () => elapsed });
    const seen = [clock.now()];
    elapsed += 100.6;
    wall += 3_600_000;
    seen.push(clock.now());
    elapsed += 100;
    wall -= 7_200_000;
    seen.push(clock.now());
    assert.deepEqual(seen, [500, 600, 700]);
    assert.equal(clock.wall(), wall);
  });
});
