import assert from 'node:assert/strict';
import { TaintQueue } from '../../src/node-lifecycle/taint-queue.ts';

const ALWAYS = { kind: 'rate', perSecond: 1_000_000 } as const;
const BLOCKED = { kind: 'blocked' } as const;
const waiting = (name: string, since = 0) => ({ name, since, failedAt: since });

/** Takes whoever's turn it is, one millisecond each, until nobody's is; answers with the names. */
function takeAll(queue: TaintQueue, now: number): readonly string[] {
  const taken: string[] = [];
  for (let time = now; taken.length < 100; time++) {
    const name = queue.ready(time);
    if (name === undefined) break;
    queue.take(name, time);
    taken.push(name);
  }
  return taken;
}

function filled(mode: ConstructorParameters<typeof TaintQueue>[0] = ALWAYS): TaintQueue {
  const queue = new TaintQueue(mode, 0);
  ['first', 'second', 'third'].forEach((name, index) => queue.add(waiting(name, index)));
  return queue;
}

describe('the queue of a zone (6.8)', () => {
  it('node-lifecycle Q1 holds what was added, in order', () => {
    assert.deepEqual(filled().names(), ['first', 'second', 'third']);
  });

  for (const [name, rest] of [
    ['first', ['second', 'third']],
    ['second', ['first', 'third']],
    ['third', ['first', 'second']],
  ] as const) {
    it(`node-lifecycle Q2 without ${name} the others stay in order`, () => {
      const queue = filled();
      assert.equal(queue.remove(name)?.name, name);
      assert.deepEqual(queue.names(), rest);
    });
  }

  it('node-lifecycle Q3 what was removed is not processed', () => {
    const queue = filled();
    queue.remove('second');
    assert.deepEqual(takeAll(queue, 10), ['first', 'third']);
  });

  it('node-lifecycle Q4 one that fails waits, and the next is let through', () => {
    const queue = filled();
    const processed: string[] = [];
    for (let name = queue.ready(10); name !== undefined; name = queue.ready(10)) {
      const taken = queue.take(name, 10);
      if (name === 'second' && taken) queue.retry(taken, 12);
      else processed.push(name);
      queue.giveBack(10);
    }
    assert.deepEqual(processed, ['first', 'third']);
    assert.deepEqual([queue.readyAt(10), queue.ready(11), queue.ready(12)], [12, undefined, 'second']);
  });

  it('node-lifecycle Q5 one that is removed while it is processed and then fails does not come back', () => {
    const queue = filled();
    const taken = queue.take('second', 10);
    assert.equal(queue.remove('second'), undefined);
    assert.equal(taken?.name, 'second');
    // Whoever processes it asks whether it is still wanted before `retry`; nothing else puts it back.
    assert.deepEqual(takeAll(queue, 11), ['first', 'third']);
  });

  it('node-lifecycle Q6 is empty after clear', () => {
    const queue = filled();
    queue.clear();
    assert.deepEqual([queue.size, queue.names(), queue.readyAt(0)], [0, [], Infinity]);
  });

  it('node-lifecycle Q7 says its mode: blocked is blocked, 5.5 is 5.5', () => {
    const queue = filled();
    queue.setMode(BLOCKED, 0);
    const first = queue.mode;
    queue.setMode({ kind: 'rate', perSecond: 5.5 }, 0);
    assert.deepEqual([first, queue.mode], [BLOCKED, { kind: 'rate', perSecond: 5.5 }]);
  });

  it('node-lifecycle Q8 one that was processed can be added again (reference: only after a Remove; its guard is not needed here)', () => {
    const queue = filled();
    assert.deepEqual(takeAll(queue, 10), ['first', 'second', 'third']);
    assert.equal(queue.add(waiting('first', 20)), true);
    assert.deepEqual(takeAll(queue, 30), ['first']);
  });

  it('8 keeps the place of one that is added again', () => {
    const queue = filled();
    assert.equal(queue.add(waiting('first', 100)), false);
    assert.deepEqual(queue.names(), ['first', 'second', 'third']);
  });

  it('8 lets those that failed at once go in the order of their transitions, then of their names', () => {
    const queue = new TaintQueue(ALWAYS, 0);
    queue.add({ name: 'c', since: 5, failedAt: 1 });
    queue.add({ name: 'b', since: 5, failedAt: 3 });
    queue.add({ name: 'a', since: 5, failedAt: 3 });
    assert.deepEqual(queue.names(), ['c', 'a', 'b']);
  });

  it('9 a token that is given back lets the next one through', () => {
    const queue = filled({ kind: 'rate', perSecond: 0.1 });
    queue.take('first', 0);
    assert.equal(queue.ready(0), undefined);
    queue.giveBack(0);
    assert.equal(queue.ready(0), 'second');
  });

  it('starts with one token and gets one every ten seconds at 0.1', () => {
    const queue = filled({ kind: 'rate', perSecond: 0.1 });
    queue.take('first', 0);
    assert.deepEqual([queue.readyAt(0), queue.ready(9_999), queue.ready(10_000)], [10_000, undefined, 'second']);
  });

  it('10, 6.15-13 leaves a blocked phase at a rate of exactly 1, without a token at first', () => {
    const queue = filled({ kind: 'rate', perSecond: 1 });
    queue.setMode(BLOCKED, 0);
    assert.deepEqual([queue.ready(60_000), queue.readyAt(60_000)], [undefined, Infinity]);
    queue.setMode({ kind: 'rate', perSecond: 1 }, 60_000);
    assert.deepEqual([queue.ready(60_000), queue.readyAt(60_000), queue.ready(61_000)], [undefined, 61_000, 'first']);
  });

  it('grants no free token when the rate changes', () => {
    const queue = filled({ kind: 'rate', perSecond: 0.1 });
    queue.take('first', 0);
    queue.setMode({ kind: 'rate', perSecond: 0.01 }, 1_000);
    assert.equal(queue.readyAt(1_000), 101_000);
  });

  it('keeps its token when the same rate is set again', () => {
    const queue = filled({ kind: 'rate', perSecond: 0.1 });
    queue.setMode({ kind: 'rate', perSecond: 0.1 }, 1_000);
    assert.equal(queue.ready(1_000), 'first');
  });
});
