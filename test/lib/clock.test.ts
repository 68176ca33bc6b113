import assert from 'node:assert/strict';
import sinon from 'sinon';
import { sleep, systemClock } from '../../src/lib/clock.ts';
import { seededRandom } from '../../src/lib/random.ts';

describe('systemClock', () => {
  afterEach(() => sinon.restore());

  it('a moment further away than the longest timeout of Node.js is reached in several steps', () => {
    const fake = sinon.useFakeTimers({ now: 0 });
    const fired: number[] = [];
    const far = 3 * 2 ** 31;
    systemClock.schedule(far, () => fired.push(Date.now()));
    fake.tick(far - 1);
    assert.deepEqual(fired, []);
    fake.tick(1);
    assert.deepEqual(fired, [far]);
  });

  it('what is cancelled does not run, not even between two steps', () => {
    const fake = sinon.useFakeTimers({ now: 0 });
    const cancel = systemClock.schedule(3 * 2 ** 31, () => assert.fail('ran'));
    fake.tick(2 ** 31);
    cancel();
    fake.tick(2 ** 33);
    assert.equal(fake.countTimers(), 0);
  });

  it('sleep ends early when its signal aborts and leaves no timer behind', async () => {
    const fake = sinon.useFakeTimers({ now: 0 });
    const abort = new AbortController();
    const slept = sleep(systemClock, 60_000, abort.signal);
    abort.abort();
    await slept;
    assert.equal(fake.countTimers(), 0);
    await sleep(systemClock, 60_000, abort.signal);
  });
});

describe('seededRandom', () => {
  it('the same seed gives the same numbers, all in [0, 1)', () => {
    const [a, b] = [seededRandom(7), seededRandom(7)];
    const numbers = Array.from({ length: 1000 }, () => a());
    assert.deepEqual(
      numbers,
      Array.from({ length: 1000 }, () => b()),
    );
    assert.ok(numbers.every((n) => n >= 0 && n < 1));
    assert.notEqual(numbers[0], seededRandom(8)());
  });
});
