import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import fc from 'fast-check';
import type { DisruptionBudget } from '../../src/cluster/objects/kinds.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { createCarryOut, dryRunEvict, type CarryOutPorts, type EvictPod } from '../../src/evictor/carry-out.ts';
import type { Reservation } from '../../src/evictor/reservation.ts';
import { sleep } from '../../src/lib/clock.ts';
import { seededRandom } from '../../src/lib/random.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import type { EvictionEnding } from '../../src/outcomes/eviction-result.ts';
import * as given from '../builders/cluster.ts';
import { requestFor } from '../builders/requests.ts';

const owned = (name: string, owner: string) => given.pod(name, given.ownedBy('ReplicaSet', owner));
const crowd = (count: number) => Array.from({ length: count }, (_, i) => reservation(owned(`p${i}`, 'web'), i));

describe('carry-out', () => {
  it('framework V1 hands the port the request, and tells how each eviction ended', async () => {
    const requests: unknown[] = [];
    const endings: readonly EvictionEnding[] = [
      { result: 'evicted' },
      { result: 'gone', error: 'the pod is gone already' },
      { result: 'refused-by-budget', error: 'it would violate the budget' },
      { result: 'requested' },
    ];
    const evict: EvictPod = (request) => {
      requests.push(request);
      return Promise.resolve(endings[requests.length - 1]!);
    };
    const orders = crowd(4);
    const { ended } = await carryOut(orders, { evict });
    assert.deepEqual(
      requests,
      orders.map(({ request }) => request),
    );
    assert.deepEqual(
      ended,
      orders.map(({ request: { pod } }, i) => [pod.name, endings[i]]),
    );
  });

  it('framework V5 a dry run asks nobody', async () => {
    const { ended } = await carryOut(crowd(1), { evict: dryRunEvict });
    assert.deepEqual(ended, [['p0', { result: 'would-evict' }]]);
  });

  it('a port that throws leaves the fate of the pod unknown', async () => {
    const { ended } = await carryOut(crowd(1), { evict: () => Promise.reject(new Error('broken')) });
    assert.deepEqual(ended, [['p0', { result: 'uncertain', error: 'broken' }]]);
  });

  it('keeps no more in flight than it may, and as many as it may', async () => {
    const { peak, ended } = await carryOut(crowd(9), {}, 4);
    assert.deepEqual({ peak, ended: ended.length }, { peak: 4, ended: 9 });
  });

  it('takes several replicas of a workload at a time: budgets and limits protect it', async () => {
    const { log } = await carryOut(crowd(2));
    assert.deepEqual(log, ['+p0', '+p1', '-p0', '-p1']);
  });

  it('takes one pod of a budget at a time, in the order of the plan, and others meanwhile', async () => {
    const budget = given.budget('shared', '');
    const { log } = await carryOut([
      reservation(owned('a', 'one'), 0, budget),
      reservation(owned('b', 'two'), 1, budget),
      reservation(owned('c', 'two'), 2),
      reservation(owned('d', 'one'), 3, budget),
    ]);
    assert.deepEqual(log, ['+a', '+c', '-a', '+b', '-c', '-b', '+d', '-d']);
  });

  it('tells budgets of the same name in two namespaces apart', async () => {
    const { peak } = await carryOut([
      reservation(owned('a', 'one'), 0, given.budget('b', '')),
      reservation(owned('b', 'two'), 1, { ...given.budget('b', ''), namespace: 'shop' }),
    ]);
    assert.equal(peak, 2);
  });

  it('a pod that only waits holds no slot, but still its budget', async () => {
    const budget = given.budget('shared', '');
    let wake: () => void = () => undefined;
    const started: string[] = [];
    const evict: EvictPod = async ({ pod }, _signal, releaseSlot) => {
      started.push(pod.name);
      if (pod.name === 'a') await releaseSlot?.(new Promise((resolve) => (wake = resolve)));
      if (pod.name === 'c') wake();
      return { result: 'evicted' };
    };
    const orders = [
      reservation(owned('a', 'web'), 0, budget),
      reservation(owned('b', 'web'), 1, budget),
      reservation(owned('c', 'db'), 2),
    ];
    const { ended } = await carryOut(orders, { evict }, 1);
    assert.deepEqual([started, ended.length], [['a', 'c', 'b'], 3]);
  });

  it('one that has waited goes on before others start', async () => {
    const log: string[] = [];
    const evict: EvictPod = async ({ pod }, _signal, releaseSlot) => {
      log.push(`+${pod.name}`);
      if (pod.name === 'p0') await releaseSlot?.(Promise.resolve());
      await nextTurn();
      log.push(`-${pod.name}`);
      return { result: 'evicted' };
    };
    await carryOut(crowd(3), { evict }, 1);
    assert.deepEqual(log, ['+p0', '+p1', '-p1', '-p0', '+p2', '-p2']);
  });

  for (const seed of [1, 2, 3]) {
    it(`never has more at the server than it may when all are told to wait for the same time, seed ${seed}`, async () => {
      const clock = new VirtualClock(0);
      const random = seededRandom(seed);
      const atServer = { now: 0, peak: 0, tries: 0 };
      const call = async () => {
        atServer.peak = Math.max(atServer.peak, ++atServer.now);
        atServer.tries += 1;
        await sleep(clock, 20 + Math.floor(60 * random()));
        atServer.now -= 1;
      };
      // Nothing is served in the first three seconds, and then again every other second.
      const isOverloaded = () => clock.now() < 3_000 || Math.floor(clock.now() / 1_000) % 2 === 1;
      const evict: EvictPod = async (_request, _signal, releaseSlot) => {
        await call();
        while (isOverloaded()) {
          await releaseSlot?.(sleep(clock, 1_000));
          await call();
        }
        return { result: 'evicted' };
      };
      const done = carryOut(crowd(100), { evict }, 4);
      await clock.advanceTo(600_000);
      const { ended } = await done;
      assert.deepEqual([ended.length, atServer.now, atServer.peak], [100, 0, 4]);
      assert.ok(atServer.tries > 200, `only ${atServer.tries} tries: nothing was overloaded`);
    });
  }

  it('holds its bounds and ends everything once, whatever waits, fails and is aborted', async () => {
    const task = fc.record({
      budget: fc.constantFrom('', '', 'a', 'b', 'c'),
      announceMs: fc.nat(20),
      /** Calls to the server, with waits in between. */
      calls: fc.array(fc.record({ tookMs: fc.nat(50), waitMs: fc.nat(100) }), { minLength: 1, maxLength: 4 }),
      ends: fc.constantFrom('evicted', 'throws', 'not announced'),
    });
    const story = fc.record({
      tasks: fc.array(task, { maxLength: 30 }),
      inFlight: fc.integer({ min: 1, max: 6 }),
      abortAt: fc.option(fc.nat(500)),
    });
    await fc.assert(
      fc.asyncProperty(story, async ({ tasks, inFlight, abortAt }) => {
        const clock = new VirtualClock(0);
        const abort = new AbortController();
        if (abortAt !== null) clock.schedule(abortAt, () => abort.abort());
        const running = new Map<string, number>();
        const run = async (budget: string, ms: number) => {
          for (const key of ['all', budget]) running.set(key, (running.get(key) ?? 0) + 1);
          assert.ok((running.get('all') ?? 0) <= inFlight, 'more in flight than the bound');
          assert.ok(budget === '' || running.get(budget) === 1, `two of budget ${budget}`);
          await sleep(clock, ms);
          for (const key of ['all', budget]) running.set(key, (running.get(key) ?? 0) - 1);
        };
        const orders = tasks.map(({ budget }, i) =>
          reservation(owned(`p${i}`, 'web'), i, budget === '' ? undefined : given.budget(budget, '')),
        );
        const taskOf = ({ name }: Pod) => tasks[Number(name.slice(1))]!;
        const evict: EvictPod = async ({ pod }, signal, releaseSlot) => {
          const { budget, calls, ends } = taskOf(pod);
          for (const { tookMs, waitMs } of calls) {
            await run(budget, tookMs);
            if (!signal.aborted) await releaseSlot?.(sleep(clock, waitMs, signal));
          }
          if (ends === 'throws') throw new Error('broken');
          return { result: 'evicted' };
        };
        const announce: CarryOutPorts['announce'] = async ({ request: { pod } }) => {
          const { announceMs, ends } = taskOf(pod);
          await sleep(clock, announceMs);
          return ends === 'not announced' ? 'no history' : undefined;
        };
        const done = carryOut(orders, { evict, announce, signal: abort.signal }, inFlight);
        await clock.advanceTo(1_000_000);
        const { ended } = await done;
        assert.deepEqual(ended.map(([name]) => name).sort(), orders.map(({ request }) => request.pod.name).sort());
        assert.equal(running.get('all') ?? 0, 0);
      }),
      { numRuns: 60 },
    );
  });

  it('asks for nothing that could not be announced, and waits for the announcement', async () => {
    const log: string[] = [];
    const announce: CarryOutPorts['announce'] = async ({ request: { pod } }) => {
      await nextTurn();
      log.push(`announced ${pod.name}`);
      return pod.name === 'p0' ? 'the history cannot be written' : undefined;
    };
    const evict: EvictPod = ({ pod }) => {
      log.push(`asked ${pod.name}`);
      return Promise.resolve({ result: 'evicted' });
    };
    const { ended } = await carryOut(crowd(2), { evict, announce }, 1);
    assert.deepEqual(log, ['announced p0', 'announced p1', 'asked p1']);
    assert.deepEqual(ended, [
      ['p0', { result: 'not-started', error: 'the history cannot be written' }],
      ['p1', { result: 'evicted' }],
    ]);
  });

  it('starts nothing after an abort, and waits for what is in flight', async () => {
    const abort = new AbortController();
    const slow: EvictPod = async () => {
      await nextTurn();
      abort.abort();
      return { result: 'evicted' };
    };
    const { ended } = await carryOut(crowd(3), { evict: slow, signal: abort.signal }, 1);
    assert.deepEqual(
      ended.map(([name, { result }]) => [name, result]),
      [
        ['p0', 'evicted'],
        ['p1', 'not-started'],
        ['p2', 'not-started'],
      ],
    );
  });

  it('is idle at once when nothing was asked for', async () => {
    assert.deepEqual((await carryOut([])).ended, []);
  });
});

function reservation(pod: Pod, position: number, budget?: DisruptionBudget): Reservation {
  return {
    ...{ request: requestFor(pod), position, owner: 'ReplicaSet/web', budget, destination: undefined },
    ...{ isCounted: false, scoring: undefined, destinations: 0, likelyNodes: [] },
  };
}

/** Carries reservations out; without a port of its own each eviction takes one turn of the event loop. */
async function carryOut(orders: readonly Reservation[], ports: Partial<CarryOutPorts> = {}, inFlight = 40) {
  const log: string[] = [];
  const ended: (readonly [string, EvictionEnding])[] = [];
  let running = 0;
  let peak = 0;
  const oneTurn: EvictPod = async ({ pod }) => {
    peak = Math.max(peak, ++running);
    log.push(`+${pod.name}`);
    await nextTurn();
    running -= 1;
    log.push(`-${pod.name}`);
    return { result: 'evicted' };
  };
  const pool = createCarryOut(
    {
      evict: oneTurn,
      announce: () => Promise.resolve(undefined),
      finish: ({ request: { pod } }, ending) => ended.push([pod.name, ending]),
      signal: new AbortController().signal,
      ...ports,
    },
    inFlight,
  );
  for (const order of orders) pool.submit(order);
  await pool.idle();
  return { log, ended, peak };
}
