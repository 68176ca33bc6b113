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

  /** Works one key that ends as told, and is added every ms besides; answers with when it was worked on. */
  async function hurried(answers: readonly WorkResult[], random?: () => number): Promise<readonly number[]> {
    const clock = new VirtualClock(0);
    const log: number[] = [];
    const left = [...answers];
    const work = () => {
      log.push(clock.now());
      return Promise.resolve(left.shift() ?? 'done');
    };
    const queue = new WorkQueue({ clock, workers: 2, backoff, random, work });
    for (let at = 0; at <= 1_000 && left.length > 0; at++) {
      queue.add('a');
      await clock.advanceTo(at + 1);
    }
    await queue.stop();
    return log;
  }

  it('a key that failed waits out its back-off, however often it is added', async () => {
    assert.deepEqual(await hurried(['retry', 'retry', 'retry', 'done']), [0, 10, 30, 70]);
  });

  it('what the other side asks for makes a wait longer, never shorter', async () => {
    const asked = [1, 50, 1].map((retryAfterMs) => ({ retryAfterMs }));
    assert.deepEqual(await hurried([...asked, 'done']), [0, 10, 60, 100]);
  });

  it('jitter makes a wait longer', async () => {
    assert.deepEqual(await hurried(['retry', 'retry', 'done'], () => 1), [0, 12.5, 37.5]);
  });

  it('a wait after work that did not fail is cut short', async () => {
    assert.deepEqual(await hurried([{ afterMs: 500 }, 'done']), [0, 1]);
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
