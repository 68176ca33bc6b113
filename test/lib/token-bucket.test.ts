import assert from 'node:assert/strict';
import { backoffDelay, retryDelay } from '../../src/lib/retry.ts';
import { TokenBucket } from '../../src/lib/token-bucket.ts';

describe('TokenBucket', () => {
  it('gives its burst at once, then one token per interval', () => {
    const bucket = new TokenBucket(0.1, 1, { now: 0 });
    assert.equal(bucket.take(0), true);
    assert.equal(bucket.take(9_999), false);
    assert.equal(bucket.nextAt(0), 10_000);
    assert.equal(bucket.take(10_000), true);
    assert.equal(bucket.take(10_000), false);
  });

  it('never holds more than its burst and never refills at rate 0', () => {
    const bucket = new TokenBucket(1, 2, { now: 0 });
    assert.deepEqual(
      [1, 2, 3].map(() => bucket.take(60_000)),
      [true, true, false],
    );
    const never = new TokenBucket(0, 1, { now: 0, empty: true });
    assert.equal(never.take(1e12), false);
    assert.equal(never.nextAt(0), Infinity);
  });

  it('a clock that steps back takes nothing away and adds nothing', () => {
    const bucket = new TokenBucket(1, 1, { now: 10_000, empty: true });
    assert.equal(bucket.take(0), false);
    assert.equal(bucket.take(10_500), false);
    assert.equal(bucket.take(11_000), true);
  });
});

describe('backoffDelay', () => {
  it('doubles up to the cap', () => {
    const backoff = { baseMs: 10, capMs: 1000 };
    assert.deepEqual(
      [0, 1, 2, 7, 99].map((n) => backoffDelay(backoff, n)),
      [10, 20, 40, 1000, 1000],
    );
  });

  it('is the least of a wait, which jitter and the word of the other side make longer', () => {
    const backoff = { baseMs: 100, capMs: 1000 };
    const wait = (random: number, retryAfterMs?: number) =>
      retryDelay(backoff, 1, { random: () => random, retryAfterMs });
    assert.deepEqual([wait(0), wait(0.5), wait(1)], [200, 225, 250]);
    assert.deepEqual([wait(0, 0), wait(0, 199), wait(0, 3_000), wait(1, 3_000)], [200, 200, 3_000, 3_750]);
  });
});
