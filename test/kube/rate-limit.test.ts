import assert from 'node:assert/strict';
import { limitRate } from '../../src/kube/http/rate-limit.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import { converse } from './conversation.ts';

describe('a limit of the rate', () => {
  it('lets the burst through, then so many a second, in the order they came', async () => {
    const replies = Array.from({ length: 6 }, () => ({}));
    const { result, heard } = await converse(replies, async ({ call }) => {
      const clock = new VirtualClock(0);
      const limited = limitRate({ qps: 2, burst: 3 }, clock)(call);
      const sentAt: number[] = [];
      const calls = replies.map((_, index) =>
        limited({ method: 'GET', path: `/${index}` }).then(() => sentAt.push(clock.now())),
      );
      await Promise.all(calls.slice(0, 3));
      for (const [index, call] of calls.slice(3).entries()) {
        await clock.advanceTo((index + 1) * 500);
        await call;
      }
      return sentAt;
    });
    assert.deepEqual(result, [0, 0, 0, 500, 1000, 1500]);
    assert.deepEqual(
      heard.slice(3).map(({ path }) => path),
      ['/3', '/4', '/5'],
    );
  });

  it('a call that is given up while it waits is not sent', async () => {
    const { result, heard } = await converse([{}], async ({ call }) => {
      const stop = new AbortController();
      const limited = limitRate({ qps: 1, burst: 1 }, new VirtualClock(0))(call);
      await limited({ method: 'GET', path: '/a' });
      const waiting = limited({ method: 'GET', path: '/b', signal: stop.signal });
      setImmediate(() => stop.abort());
      return waiting;
    });
    assert.equal(result.ok ? '' : result.failure.kind, 'aborted');
    assert.equal(heard.length, 1);
  });
});
