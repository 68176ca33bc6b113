import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { DisruptionBudget } from '../../src/cluster/kinds.ts';
import type { Pod } from '../../src/cluster/pod.ts';
import { createCarryOut, dryRunEvict, type EvictionAnswer, type EvictPod } from '../../src/evictor/carry-out.ts';
import type { Eviction } from '../../src/outcomes/outcome.ts';
import * as given from '../builders/cluster.ts';

const owned = (name: string, owner: string) => given.pod(name, given.ownedBy('ReplicaSet', owner));

describe('carry-out', () => {
  const answers: readonly [string, EvictionAnswer, Partial<Eviction>][] = [
    ['V1 the pod is present', { result: 'evicted' }, { result: 'evicted' }],
    [
      'V1 the pod is absent',
      { result: 'failed', failure: 'not-found', error: 'pods "a" not found' },
      { result: 'failed', failure: 'not-found', error: 'pods "a" not found' },
    ],
    [
      'V1 the API answers 429',
      { result: 'failed', failure: 'too-many-requests', error: 'it would violate the budget' },
      { result: 'failed', failure: 'too-many-requests', error: 'it would violate the budget' },
    ],
    ['an external actor takes over', { result: 'requested' }, { result: 'requested' }],
  ];
  for (const [row, answer, expected] of answers) {
    it(row, async () => {
      const { ended } = await carryOut(() => Promise.resolve(answer), [{ pod: owned('a', 'web') }]);
      assert.deepEqual(ended, [
        {
          kind: 'eviction',
          profile: 'main',
          strategy: 'Test',
          pod: owned('a', 'web'),
          reason: 'is in the way',
          destinations: 3,
          likelyNodes: ['n2'],
          ...expected,
        },
      ]);
    });
  }

  it('V5 a dry run asks nobody', async () => {
    const { ended } = await carryOut(dryRunEvict, [{ pod: owned('a', 'web') }]);
    assert.deepEqual(
      ended.map(({ result }) => result),
      ['would-evict'],
    );
  });

  it('hands the port the grace period, the reason and who asked', async () => {
    const requests: unknown[] = [];
    await carryOut(
      (request) => {
        requests.push(request);
        return Promise.resolve({ result: 'evicted' });
      },
      [{ pod: owned('a', 'web') }],
    );
    assert.deepEqual(requests, [
      { profile: 'main', strategy: 'Test', pod: owned('a', 'web'), reason: 'is in the way', gracePeriodSeconds: 7 },
    ]);
  });

  it('a port that throws leaves the fate of the pod unknown', async () => {
    const { ended } = await carryOut(() => Promise.reject(new Error('broken')), [{ pod: owned('a', 'web') }]);
    assert.deepEqual(
      ended.map(({ result, failure, error }) => ({ result, failure, error })),
      [{ result: 'failed', failure: 'unknown', error: 'broken' }],
    );
  });

  it('keeps no more in flight than it may', async () => {
    const pods = Array.from({ length: 9 }, (_, index) => owned(`p${index}`, `rs${index}`));
    const { peak, ended } = await carryOut(
      undefined,
      pods.map((pod) => ({ pod })),
      4,
    );
    assert.deepEqual({ peak, ended: ended.length }, { peak: 4, ended: 9 });
  });

  it('takes one replica of a workload at a time, and others meanwhile', async () => {
    const orders = ['a', 'b', 'c'].map((name) => ({ pod: owned(name, 'web') }));
    const { log, peak } = await carryOut(undefined, [...orders, { pod: owned('d', 'db') }]);
    assert.deepEqual(log, ['+a', '+d', '-a', '+b', '-d', '-b', '+c', '-c']);
    assert.equal(peak, 2);
  });

  it('takes one pod of a budget at a time, whoever owns it', async () => {
    const budget = given.budget('shared', '');
    const { log } = await carryOut(undefined, [
      { pod: owned('a', 'one'), budget },
      { pod: owned('b', 'two'), budget },
      { pod: owned('c', 'two') },
    ]);
    assert.deepEqual(log, ['+a', '+c', '-a', '-c', '+b', '-b']);
  });

  it('takes the workload with most pods waiting first, so that none is left to go one by one at the end', async () => {
    const orders = ['a', 'b', 'c', 'd', 'e'].map((name, i) => ({ pod: owned(name, i < 2 ? `rs${i}` : 'web') }));
    const { log } = await carryOut(undefined, orders, 1);
    assert.deepEqual(
      log.filter((entry) => entry.startsWith('+')),
      ['+a', '+c', '+d', '+b', '+e'],
    );
  });

  it('a pod that only waits holds no place, but still its workload', async () => {
    let wake: () => void = () => undefined;
    const started: string[] = [];
    const evict: EvictPod = async ({ pod }, _signal, standAside) => {
      started.push(pod.name);
      if (pod.name === 'a') await standAside?.(new Promise((resolve) => (wake = resolve)));
      if (pod.name === 'c') wake();
      return { result: 'evicted' };
    };
    const orders = [owned('a', 'web'), owned('b', 'web'), owned('c', 'db')].map((pod) => ({ pod }));
    const { ended } = await carryOut(evict, orders, 1);
    assert.deepEqual([started, ended.length], [['a', 'c', 'b'], 3]);
  });

  it('bare pods hold up nobody', async () => {
    const { peak } = await carryOut(undefined, [
      { pod: given.pod('a', given.noOwner) },
      { pod: given.pod('b', given.noOwner) },
    ]);
    assert.equal(peak, 2);
  });

  it('starts nothing after an abort, and waits for what is in flight', async () => {
    const abort = new AbortController();
    const pods = ['a', 'b', 'c'].map((name) => ({ pod: owned(name, 'web') }));
    const slow: EvictPod = async () => {
      await nextTurn();
      abort.abort();
      return { result: 'evicted' };
    };
    const { ended } = await carryOut(slow, pods, 40, abort.signal);
    assert.deepEqual(
      ended.map(({ pod, result, failure }) => [pod.name, result, failure]),
      [
        ['a', 'evicted', undefined],
        ['b', 'failed', 'aborted'],
        ['c', 'failed', 'aborted'],
      ],
    );
  });

  it('is idle at once when nothing was asked for', async () => {
    await createCarryOut(dryRunEvict, new AbortController().signal).idle();
  });
});

interface Granted {
  readonly pod: Pod;
  readonly budget?: DisruptionBudget;
}

/** Carries orders out; without a port of its own each eviction takes one turn of the event loop. */
async function carryOut(
  evict: EvictPod | undefined,
  orders: readonly Granted[],
  ...[inFlight, signal]: readonly [number?, AbortSignal?]
) {
  const log: string[] = [];
  const ended: Eviction[] = [];
  let running = 0;
  let peak = 0;
  const oneTurn: EvictPod = async ({ pod }) => {
    running += 1;
    peak = Math.max(peak, running);
    log.push(`+${pod.name}`);
    await nextTurn();
    running -= 1;
    log.push(`-${pod.name}`);
    return { result: 'evicted' };
  };
  const pool = createCarryOut(evict ?? oneTurn, signal ?? new AbortController().signal, inFlight);
  for (const order of orders) {
    pool.submit({
      granted: { granted: true, destinations: 3, likelyNodes: ['n2'], ...order },
      request: { profile: 'main', strategy: 'Test', pod: order.pod, reason: 'is in the way', gracePeriodSeconds: 7 },
      done: (eviction) => ended.push(eviction),
    });
  }
  await pool.idle();
  return { log, ended, peak };
}
