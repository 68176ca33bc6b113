import assert from 'node:assert/strict';
import fc from 'fast-check';
import { TimerQueue } from '../../src/lib/timer-queue.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';

type Step = { set: string; at: number } | { drop: string };

const key = fc.constantFrom('a', 'b', 'c', 'd', 'e');
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.record({ set: key, at: fc.integer({ min: 0, max: 50 }) }),
  fc.record({ drop: key }),
);

describe('TimerQueue', () => {
  it('fires each key once, at its last deadline, in order, whatever was moved or dropped', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 40 }), async (steps) => {
        const clock = new VirtualClock(0);
        const fired: string[] = [];
        const queue = new TimerQueue<undefined>(clock, (name, _, at) => fired.push(`${name}@${at}=${clock.now()}`));
        const plain = new Map<string, { at: number; order: number }>();
        for (const [order, it] of steps.entries()) {
          if ('set' in it) {
            queue.set(it.set, it.at, undefined);
            plain.set(it.set, { at: it.at, order });
          } else {
            assert.equal(queue.delete(it.drop), plain.delete(it.drop));
          }
        }
        assert.equal(queue.size, plain.size);
        await clock.advanceTo(100);
        const expected = [...plain]
          .sort(([, a], [, b]) => a.at - b.at || a.order - b.order)
          .map(([name, { at }]) => `${name}@${at}=${at}`);
        assert.deepEqual(fired, expected);
        assert.equal(queue.size, 0);
      }),
    );
  });

  it('keeps one timer of the clock, and none when it is empty', () => {
    let armed = 0;
    const clock = {
      wall: () => 0,
      now: () => 0,
      schedule: () => {
        armed++;
        return () => {
          armed--;
        };
      },
    };
    const queue = new TimerQueue<undefined>(clock, () => undefined);
    for (let i = 0; i < 100; i++) queue.set(`k${i}`, 1000 - i, undefined);
    assert.equal(armed, 1);
    queue.clear();
    assert.equal(armed, 0);
  });

  it('a deadline of Infinity is none; one in the past fires at once', async () => {
    const clock = new VirtualClock(1000);
    const fired: string[] = [];
    const queue = new TimerQueue<undefined>(clock, (name) => fired.push(name));
    queue.set('never', Infinity, undefined);
    queue.set('late', 1, undefined);
    assert.equal(queue.size, 1);
    await clock.advanceTo(1000);
    assert.deepEqual(fired, ['late']);
  });
});
