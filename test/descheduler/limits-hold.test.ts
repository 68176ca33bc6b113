import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { EvictPod } from '../../src/evictor/carry-out.ts';
import { changed, type History } from '../../src/evictor/limits/history.ts';
import { readHistory, writeHistory } from '../../src/evictor/limits/history-text.ts';
import { retentionOf, type EvictionWindow, type Per } from '../../src/evictor/limits/limits.ts';
import type { Backoff } from '../../src/evictor/limits/backoff.ts';
import type { Clock } from '../../src/lib/clock.ts';
import { replied } from '../../src/lib/answer.ts';
import type { Limits, Policy } from '../../src/policy/policy.ts';
import * as given from '../builders/cluster.ts';
import { cycle, evictsAll, NOW, policy, profile } from './policies.ts';

/** Minutes, so that edges of windows are met often. */
const MINUTE = 60_000;

/** What really happened to a pod, and when. */
interface Fact {
  readonly at: number;
  readonly pod: Pod;
}

/** One cycle of the story: how long after the last one, how its evictions go, and whether the process dies in it. */
const turn = fc.record({
  waitMinutes: fc.integer({ min: 0, max: 6 }),
  /** For each eviction: how long it takes, and how it ends. */
  evictions: fc.array(
    fc.record({
      tookMs: fc.constantFrom(0, 1, 500, 15_000),
      ends: fc.constantFrom('evicted', 'evicted', 'evicted', 'failed', 'lost'),
    }),
    { maxLength: 6 },
  ),
  diesAfter: fc.option(fc.integer({ min: 0, max: 4 })),
});

const window: fc.Arbitrary<EvictionWindow> = fc.record({
  per: fc.constantFrom<Per>('total', 'namespace', 'node', 'owner'),
  max: fc.integer({ min: 0, max: 4 }).map((pods) => ({ pods })),
  windowMs: fc.integer({ min: 1, max: 15 }).map((minutes) => minutes * MINUTE),
});

const pausing: fc.Arbitrary<Backoff> = fc
  .tuple(fc.integer({ min: 1, max: 4 }), fc.integer({ min: 1, max: 5 }))
  .map(([base, factor]) => ({ baseMs: base * MINUTE, maxMs: base * factor * MINUTE }));

type Turn = typeof turn extends fc.Arbitrary<infer T> ? T : never;

describe('limits with a memory hold', () => {
  it('no window is ever exceeded, in whatever process an eviction was', async () => {
    const limits = fc.array(window, { minLength: 1, maxLength: 3 });
    await fc.assert(
      fc.asyncProperty(limits, fc.array(turn, { minLength: 1, maxLength: 8 }), async (windows, turns) => {
        const facts = await story({ windows }, turns);
        for (const one of windows) for (const fact of facts) checkWindow(one, fact, facts);
      }),
      { numRuns: 80 },
    );
  });

  it('no owner is touched in its pause, which grows', async () => {
    const surviving = turn.map((one) => ({ ...one, diesAfter: null }));
    await fc.assert(
      fc.asyncProperty(pausing, fc.array(surviving, { minLength: 1, maxLength: 10 }), async (cooldown, turns) => {
        for (const moments of byOwner(await story({ cooldown }, turns))) {
          for (const [i, at] of moments.entries()) {
            const last = moments[i - 1];
            if (last !== undefined)
              assert.ok(at >= last + pauseAfter(moments.slice(0, i), cooldown), `${moments.join()} at ${i}`);
          }
        }
      }),
      { numRuns: 80 },
    );
  });

  it('no owner is touched within the first pause, whenever a process dies', async () => {
    await fc.assert(
      fc.asyncProperty(pausing, fc.array(turn, { minLength: 1, maxLength: 10 }), async (cooldown, turns) => {
        for (const moments of byOwner(await story({ cooldown }, turns))) {
          for (const [i, at] of moments.entries()) assert.ok(at - (moments[i - 1] ?? 0) >= cooldown.baseMs);
        }
      }),
      { numRuns: 80 },
    );
  });

  it('and the story does evict', async () => {
    const evictions = Array.from({ length: 2 }, () => ({ tookMs: 0, ends: 'evicted' }) as const);
    const turns = Array.from({ length: 4 }, () => ({ waitMinutes: 5, evictions, diesAfter: null }));
    const facts = await story({ windows: [{ per: 'owner', max: { pods: 1 }, windowMs: 10 * MINUTE }] }, turns);
    assert.deepEqual(
      facts.map(({ at, pod }) => [(at - Date.parse(NOW)) / MINUTE, ownerOf(pod)]),
      [
        [5, 'web'],
        [5, 'api'],
        [15, 'web'],
        [15, 'api'],
      ],
    );
  });
});

/** Runs cycle after cycle, each as a new process that has nothing but the text of the history. */
async function story(limits: Partial<Limits>, turns: readonly Turn[]): Promise<readonly Fact[]> {
  const world = new World(policy([profile('main', evictsAll('Test'))()], { limits }));
  for (const [i, one] of turns.entries()) await world.run(one, i);
  return world.facts;
}

class World {
  readonly facts: Fact[] = [];
  readonly #rules: Policy;
  #text = '';
  #now = Date.parse(NOW);

  constructor(rules: Policy) {
    this.#rules = rules;
  }

  async run({ waitMinutes, evictions, diesAfter }: Turn, index: number): Promise<void> {
    this.#now += waitMinutes * MINUTE;
    const life = { isOver: false };
    const queue = [...evictions];
    let left = diesAfter ?? Infinity;
    await new Promise<void>((resolve, reject) => {
      const evict: EvictPod = ({ pod }) => {
        if (left-- <= 0) {
          life.isOver = true;
          resolve();
        }
        if (life.isOver) return new Promise(() => undefined);
        return Promise.resolve(this.#evict(pod, queue.shift()));
      };
      const source = { kind: 'dump', name: 'test', now: new Date(this.#now).toISOString(), nowFrom: 'flag' } as const;
      const snapshot = clusterOf(index);
      const cluster = () => Promise.resolve({ snapshot, source, warnings: [] });
      const ports = { cluster, evict, history: this.#history(life), clock: this.#clock() };
      cycle(this.#rules, snapshot, ports).then(() => resolve(), reject);
    });
  }

  #evict(pod: Pod, how: Turn['evictions'][number] = { tookMs: 1, ends: 'evicted' }) {
    this.#now += how.tookMs;
    if (how.ends !== 'failed') this.facts.push({ at: this.#now, pod });
    this.#now += how.tookMs;
    if (how.ends === 'evicted') return { result: 'evicted' } as const;
    return { result: how.ends === 'lost' ? 'uncertain' : 'rejected', error: 'no answer' } as const;
  }

  /** A dead process writes nothing any more. */
  #history(life: { readonly isOver: boolean }): History {
    return {
      load: () => replied(readHistory(this.#text)),
      save: (change) => {
        if (life.isOver) return new Promise(() => undefined);
        assert.deepEqual(change.retention, retentionOf(this.#rules.limits));
        this.#text = writeHistory(changed(readHistory(this.#text).state, change), 900_000).text;
        return replied([]);
      },
    };
  }

  #clock(): Clock {
    return { wall: () => this.#now, now: () => this.#now, schedule: () => () => undefined };
  }
}

/** Two owners with two pods each, on two nodes, in two namespaces; pods made anew for every cycle. */
function clusterOf(cycleIndex: number) {
  const pods = ['api', 'web'].flatMap((owner) =>
    ['x', 'y'].map((name, i) =>
      given.pod(
        `${owner}-${name}-${cycleIndex}`,
        given.ownedBy('StatefulSet', owner),
        given.namespace(owner === 'api' ? 'shop' : 'default'),
        given.on(`n${i + 1}`),
      ),
    ),
  );
  return given.snapshot(given.node('n1'), given.node('n2'), given.budget('none', 'app=other'), ...pods);
}

function byOwner(facts: readonly Fact[]): readonly (readonly number[])[] {
  return ['web', 'api'].map((owner) => facts.filter(({ pod }) => ownerOf(pod) === owner).map(({ at }) => at));
}

function ownerOf(pod: Pod): string {
  return pod.owners[0]?.name ?? '';
}

/** The first pause is the base, each next one twice as long up to the longest, until twice the longest passed quietly. */
function pauseAfter(moments: readonly number[], { baseMs, maxMs }: Backoff): number {
  let pause = baseMs;
  for (const [i, at] of moments.entries()) {
    const last = moments[i - 1];
    if (last !== undefined) pause = at - last > 2 * maxMs ? baseMs : Math.min(maxMs, 2 * pause);
  }
  return pause;
}

function checkWindow({ per, max, windowMs }: EvictionWindow, { at, pod }: Fact, facts: readonly Fact[]): void {
  const place = (one: Pod) => {
    return { total: '', namespace: one.namespace, node: one.nodeName, owner: ownerOf(one) }[per];
  };
  const inWindow = facts.filter((fact) => fact.at > at - windowMs && fact.at <= at && place(fact.pod) === place(pod));
  const allowed = 'pods' in max ? max.pods : 0;
  assert.ok(inWindow.length <= allowed, `${inWindow.length} of ${allowed} per ${per} in ${windowMs / MINUTE} minutes`);
}
