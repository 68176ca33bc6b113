import assert from 'node:assert/strict';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { sleep } from '../../src/lib/clock.ts';
import { WorkQueue, type WorkResult } from '../../src/lib/work-queue.ts';

const backoff = { baseMs: 10, capMs: 100 };

describe('WorkQueue', () => {
  it('works a key once however often it is added, and again if it is added while at work', async () => {
    const clock = new VirtualClock(0);
    const log: string[] = [];
    const queue = new WorkQueue({
      clock,
      workers: 1,
      backoff,
      work: async (key) => {
        log.push(`${key}@${clock.now()}`);
        await sleep(clock, 5);
        return 'done';
      },
    });
    queue.add('a');
    queue.add('b');
    queue.add('b');
    await clock.advanceTo(1);
    queue.add('a');
    await clock.advanceTo(100);
    assert.deepEqual(log, ['a@0', 'b@5', 'a@10']);
    assert.equal(queue.size, 0);
  });

  it('never works one key twice at the same time and never more keys than it has workers', async () => {
    const clock = new VirtualClock(0);
    const working = new Set<string>();
    let most = 0;
    const queue = new WorkQueue({
      clock,
      workers: 3,
      backoff,
      work: async (key) => {
        assert.ok(!working.has(key));
        working.add(key);
        most = Math.max(most, working.size);
        await sleep(clock, 7);
        working.delete(key);
        return 'done';
      },
    });
    for (let i = 0; i < 30; i++) queue.add(`k${i % 10}`);
    await clock.advanceTo(3);
    for (let i = 0; i < 10; i++) queue.add(`k${i}`);
    await clock.advanceTo(1000);
    assert.equal(most, 3);
  });

  it('waits longer after each failure in a row, forgets them on success, and obeys a given wait', async () => {
    const clock = new VirtualClock(0);
    const answers: WorkResult[] = ['retry', 'retry', { retryAfterMs: 500 }, 'done', 'retry', 'done'];
    const log: number[] = [];
    const queue = new WorkQueue({
      clock,
      workers: 2,
      backoff,
      work: () => {
        log.push(clock.now());
        return Promise.resolve(answers.shift() ?? 'done');
      },
    });
    queue.add('a');
    await clock.advanceTo(2000);
    queue.add('a');
    await clock.advanceTo(4000);
    assert.deepEqual(log, [0, 10, 30, 530, 2000, 2010]);
  });

  it('a rejection is reported and retried; stop waits for what is at work', async () => {
    const clock = new VirtualClock(0);
    const errors: string[] = [];
    let tries = 0;
    const queue = new WorkQueue({
      clock,
      workers: 1,
      backoff,
      work: async () => {
        tries++;
        if (tries === 1) throw new Error('boom');
        await sleep(clock, 50);
        return 'done';
      },
      onError: (key, error) => errors.push(`${key}: ${String(error)}`),
    });
    queue.add('a');
    await clock.advanceTo(20);
    let stopped = false;
    const stop = queue.stop().then(() => (stopped = true));
    await clock.advanceTo(30);
    assert.equal(stopped, false);
    await clock.advanceTo(70);
    await stop;
    assert.deepEqual(errors, ['a: Error: boom']);
    assert.equal(tries, 2);
  });
});
