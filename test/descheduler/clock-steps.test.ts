import assert from 'node:assert/strict';
import { runLoop } from '../../src/descheduler/loop.ts';
import type { ClusterSource } from '../../src/descheduler/ports.ts';
import type { EvictPod } from '../../src/evictor/carry-out.ts';
import { changed, memoryHistory, type History } from '../../src/evictor/limits/history.ts';
import { readHistory, writeHistory } from '../../src/evictor/limits/history-text.ts';
import { replied } from '../../src/lib/answer.ts';
import { steadied } from '../../src/lib/clock.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import type { Limits } from '../../src/policy/policy.ts';
import * as given from '../builders/cluster.ts';
import { cycle, NOW, policy, profile, strategy } from './policies.ts';

const MINUTE = 60_000;
const STEPS = [12_000, 3_600_000, 86_400_000].flatMap((ms) => [ms, -ms]);

/** Chooses what is older than an hour. */
const old = strategy('Old', function* ({ snapshot, now }) {
  for (const pod of snapshot.pods) {
    if (now.getTime() - (pod.createdAt ?? Infinity) > 60 * MINUTE) yield { evict: pod, reason: 'is old' };
  }
  return [];
});

const limits: Readonly<Record<string, Partial<Limits>>> = {
  'a window': { windows: [{ per: 'owner', max: { pods: 1 }, windowMs: 30 * MINUTE }] },
  'a pause that grows': { cooldown: { baseMs: 10 * MINUTE, maxMs: 40 * MINUTE } },
  'a pause of blocked pods': { blockedPods: { baseMs: 10 * MINUTE, maxMs: 40 * MINUTE } },
};

describe('a clock that is set while cycles follow one another', () => {
  for (const [name, limit] of Object.entries(limits)) {
    for (const [place, history] of [
      ['in the process', () => memoryHistory()],
      ['as text', textHistory],
    ] as const) {
      it(`makes nothing old, and ends ${name} remembered ${place} no earlier and no later`, async () => {
        const expected = await story(limit, history(), 0);
        // Nothing is old in the first half hour, and the limit lets through some and holds back others.
        assert.ok(expected.length >= 3 && expected.length < 18, expected.join());
        assert.ok((expected[0] ?? 0) > 30);
        for (const ms of STEPS) assert.deepEqual(await story(limit, history(), ms), expected, `by ${ms} ms`);
      });
    }
  }
});

/** Cycles every five minutes for two hours; the clock is set twice. Answers with the minutes in which an eviction was asked for. */
async function story(limit: Partial<Limits>, history: History, stepMs: number): Promise<readonly number[]> {
  const start = Date.parse(NOW);
  const clock = new VirtualClock(start);
  const steady = steadied(clock);
  const stop = new AbortController();
  const asked: number[] = [];
  const evict: EvictPod = () => {
    asked.push((clock.now() - start) / MINUTE);
    const isBlocked = limit.blockedPods !== undefined;
    return Promise.resolve(isBlocked ? { result: 'refused-by-budget', error: 'no' } : { result: 'evicted' });
  };
  const pods = ['a', 'b', 'c'].map((name) =>
    given.pod(
      name,
      given.ownedBy('ReplicaSet', 'web'),
      given.on('n1'),
      given.createdAt(new Date(start - 29 * MINUTE).toISOString()),
    ),
  );
  const snapshot = given.snapshot(given.node('n1'), given.node('n2'), given.budget('none', 'app=other'), ...pods);
  const cluster: ClusterSource = () => {
    const now = new Date(steady.wall()).toISOString();
    return Promise.resolve({ snapshot, source: { kind: 'cluster', name: 'x', now, nowFrom: 'clock' }, warnings: [] });
  };
  const rules = policy([profile('main', old)()], { limits: limit });
  const once = async () => {
    await cycle(rules, snapshot, { cluster, evict, history, clock });
    return 0;
  };
  const timing = { kind: 'interval', intervalMs: 5 * MINUTE } as const;
  const loop = runLoop(once, { timing, clock, signal: stop.signal });
  for (const minutes of [33, 62]) {
    await clock.advanceTo(start + minutes * MINUTE);
    clock.step(stepMs);
  }
  await clock.advanceTo(start + 120 * MINUTE);
  stop.abort();
  await loop;
  return asked;
}

/** As a ConfigMap holds it. */
function textHistory(): History {
  let text = '';
  return {
    load: () => replied(readHistory(text)),
    save: (change) => {
      text = writeHistory(changed(readHistory(text).state, change), 900_000).text;
      return replied([]);
    },
  };
}
