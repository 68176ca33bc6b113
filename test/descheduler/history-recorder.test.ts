import assert from 'node:assert/strict';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { CyclePorts } from '../../src/descheduler/ports.ts';
import { HistoryError } from '../../src/descheduler/history-recorder.ts';
import type { EvictPod } from '../../src/evictor/carry-out.ts';
import {
  changed,
  EMPTY_HISTORY,
  memoryHistory,
  type History,
  type HistoryChange,
  type HistoryEvent,
  type HistoryState,
} from '../../src/evictor/limits/history.ts';
import { refused, replied } from '../../src/lib/answer.ts';
import type { EvictionFailure } from '../../src/outcomes/eviction-result.ts';
import type { Limits } from '../../src/policy/policy.ts';
import * as given from '../builders/cluster.ts';
import { cycle, evictsAll, lines, NOW, policy, profile } from './policies.ts';

const MINUTE = 60_000;
const START = Date.parse(NOW);
const noBudgets = given.budget('unrelated', 'app=other');
const hourly: Partial<Limits> = { windows: [{ per: 'owner', max: { pods: 1 }, windowMs: 60 * MINUTE }] };
const all = profile('main', evictsAll('Test'))();

const web = (name: string) => given.pod(name, given.ownedBy('ReplicaSet', 'web'), given.on('n1'));
const clusterOf = (...pods: readonly Pod[]) => given.snapshot(given.node('n1'), given.node('n2'), noBudgets, ...pods);
const pair = clusterOf(web('a'), web('b'));
const evictAll: EvictPod = () => Promise.resolve({ result: 'evicted' });

/** A cycle so many minutes after the start. */
function later(minutes: number, limits: Partial<Limits>, ports: Partial<CyclePorts>, cluster = pair) {
  const now = new Date(START + minutes * MINUTE).toISOString();
  const source = { kind: 'dump', name: 'test', now, nowFrom: 'flag' } as const;
  const view = () => Promise.resolve({ snapshot: cluster, source, warnings: [] });
  return cycle(policy([all], { limits }), cluster, { cluster: view, ...ports });
}

const fate = async (...input: Parameters<typeof later>) => {
  const { evictions, refusals, warnings } = await later(...input);
  return [
    ...evictions.map(({ pod, result }) => `${pod.name} ${result}`),
    ...refusals.map(({ pod, refusedBy }) => `${pod.name} ${refusedBy}`),
    ...warnings.map((text) => `! ${text}`),
  ];
};

const fails =
  (result: EvictionFailure): EvictPod =>
  () =>
    Promise.resolve({ result, error: 'no' });

const podOf = (id: string) => id.replace(/@.*/u, '');

/** `evicted uid-default-a in 3m` while the end is not known yet. */
function textOf(event: HistoryEvent): string {
  if (event.kind !== 'evicted') return `${event.kind} ${event.kind === 'blocked' ? event.uid : podOf(event.id)}`;
  const ahead = event.at - START;
  return `evicted ${podOf(event.id)}${ahead > 0 ? ` in ${ahead / MINUTE}m` : ''}`;
}

/** A history that takes down what happens to it, and can be told to fail. */
function recorded(failure?: {
  readonly load?: 'forbidden';
  readonly save?: 'forbidden' | 'transient' | 'no-credentials';
}) {
  const events: string[] = [];
  let state: HistoryState = EMPTY_HISTORY;
  const history: History = {
    load: () => {
      events.push('load');
      return failure?.load
        ? Promise.resolve(refused(failure.load, 'may not be read'))
        : replied({ state, warnings: ['a word'] });
    },
    save: (change: HistoryChange) => {
      events.push(`save ${change.events.map(textOf).join(', ')}`);
      if (failure?.save) return Promise.resolve(refused(failure.save, 'may not be written'));
      state = changed(state, change);
      return replied([]);
    },
  };
  return { history, events, state: () => state };
}

describe('cycles with a memory', () => {
  it('a window holds over cycles, and opens again', async () => {
    const ports = { history: memoryHistory(), evict: evictAll };
    assert.deepEqual(await fate(0, hourly, ports), ['a evicted', 'b evictionWindows']);
    assert.deepEqual(await fate(30, hourly, ports), ['a evictionWindows']);
    assert.deepEqual(await fate(60, hourly, ports, clusterOf(web('b'))), ['b evicted']);
    assert.deepEqual(await fate(61, hourly, ports, clusterOf(web('c'))), ['c evictionWindows']);
  });

  it('says in the report when the next may go, once for all pods of the owner', async () => {
    const ports = { history: memoryHistory(), evict: evictAll };
    await later(0, hourly, ports);
    assert.deepEqual(lines(await later(20, hourly, ports)), [
      'main/Test: a [evictionWindows] is kept because ReplicaSet default/web lost 1 pod within 1h, as many as evictionWindows allows; the next can be evicted at 2026-01-02T01:00:00Z',
      'main/Test 1=0+1; saw 2 pods',
    ]);
  });

  it('a pause of an owner grows from eviction to eviction', async () => {
    const cooldown: Partial<Limits> = { cooldown: { baseMs: 10 * MINUTE, maxMs: 60 * MINUTE } };
    const ports = { history: memoryHistory(), evict: evictAll };
    const went: number[] = [];
    for (let minute = 0; minute <= 200; minute += 5) {
      const report = await later(minute, cooldown, ports, clusterOf(web(`a${minute}`), web(`b${minute}`)));
      if (report.evictions.length > 0) went.push(minute);
      assert.ok(report.evictions.length <= 1);
    }
    assert.deepEqual(went, [0, 10, 30, 70, 130, 190]);
  });

  it('a limit per owner in percent holds for one cycle', async () => {
    const crowd = clusterOf(...['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map(web));
    const limits: Partial<Limits> = { owner: { percent: 25 } };
    for (const minute of [0, 1]) {
      assert.deepEqual(await fate(minute, limits, { evict: evictAll }, crowd), [
        'a evicted',
        'b evicted',
        'c maxNoOfPodsToEvictPerOwner',
      ]);
    }
  });

  it('a total window ends the cycle', async () => {
    const limits: Partial<Limits> = { windows: [{ per: 'total', max: { pods: 1 }, windowMs: MINUTE }] };
    const two = policy([profile('main', evictsAll('First'), evictsAll('Second'))()], { limits });
    const report = await cycle(two, pair, { history: memoryHistory() });
    assert.deepEqual(
      report.strategies.map(({ name, notes }) => [name, notes]),
      [
        ['First', ['saw 2 pods']],
        ['Second', ['not run: evictionWindows is reached']],
      ],
    );
  });

  it('a dry run reads what others have left, and leaves nothing', async () => {
    const { history, events } = recorded();
    await later(0, hourly, { history, evict: evictAll });
    const before = events.length;
    const report = await later(1, hourly, { history });
    assert.deepEqual(
      [report.dryRun, report.evictions, report.refusals.map(({ refusedBy }) => refusedBy), report.warnings],
      [true, [], ['evictionWindows'], ['a word']],
    );
    assert.deepEqual(events.slice(before), ['load']);
  });

  it('a plan is what the run then does', async () => {
    const ports = { history: memoryHistory(), evict: evictAll };
    const limits = { ...hourly, cooldown: { baseMs: MINUTE, maxMs: MINUTE } };
    for (const minute of [0, 30, 60, 90]) {
      const cluster = clusterOf(web(`a${minute}`), web(`b${minute}`));
      const plan = lines(await later(minute, limits, { history: ports.history }, cluster));
      const run = lines(await later(minute, limits, ports, cluster));
      assert.deepEqual(
        plan.map((line) => line.replace('would-evict', 'evicted')),
        run,
      );
    }
  });

  it('is not asked where no limit looks back', async () => {
    const { history, events } = recorded();
    await later(0, { owner: { pods: 1 }, total: 5 }, { history, evict: evictAll });
    assert.deepEqual(events, []);
  });

  it('says that nothing is remembered where there is no history', async () => {
    const report = await later(0, { ...hourly, cooldown: { baseMs: 1, maxMs: 1 } }, {});
    assert.deepEqual(report.warnings, [
      'evictionWindows, evictionCooldown: there is no history here, so earlier evictions do not count',
    ]);
  });
});

describe('writing into the history', () => {
  it('comes before the eviction, so that a crash in between forgets nothing', async () => {
    const { history, events } = recorded();
    const evict: EvictPod = ({ pod }) => {
      events.push(`evict ${pod.uid}`);
      return Promise.resolve({ result: 'evicted' });
    };
    await later(0, hourly, { history, evict });
    assert.deepEqual(events, [
      'load',
      'save evicted uid-default-a in 3m',
      'evict uid-default-a',
      'save evicted uid-default-a',
    ]);
  });

  it('joins what comes while a write is under way', async () => {
    const { history, events } = recorded();
    const slow: History = {
      ...history,
      save: async (change) => {
        await nextTurn();
        return history.save(change);
      },
    };
    const crowd = ['a', 'b', 'c', 'd'].map((name) =>
      given.pod(name, given.ownedBy('ReplicaSet', name), given.on('n1')),
    );
    await later(0, hourly, { history: slow, evict: evictAll }, clusterOf(...crowd));
    const saves = events.filter((event) => event.startsWith('save'));
    const each = (suffix: string) =>
      ['a', 'b', 'c', 'd'].map((name) => `evicted uid-default-${name}${suffix}`).join(', ');
    assert.deepEqual(saves, [`save ${each(' in 3m')}`, `save ${each('')}`]);
  });

  const outcomes: Readonly<Record<EvictionFailure, readonly string[]>> = {
    'refused-by-budget': [],
    overloaded: [],
    gone: [],
    rejected: [],
    uncertain: ['uid-default-a'],
    'not-started': [],
  };
  for (const [result, remembered] of Object.entries(outcomes) as [EvictionFailure, readonly string[]][]) {
    it(`an eviction that ends as ${result} ${remembered.length > 0 ? 'counts, since the pod may be gone' : 'does not count'}`, async () => {
      const { history, state } = recorded();
      await later(0, hourly, { history, evict: fails(result) }, clusterOf(web('a')));
      assert.deepEqual(
        state().evictions.map(({ id }) => podOf(id)),
        remembered,
      );
    });
  }

  it('an eviction whose fate is unknown holds up others in the same cycle, too', async () => {
    const two = policy([profile('main', evictsAll('First'), evictsAll('Second'))()], { limits: hourly });
    const report = await cycle(two, pair, { history: memoryHistory(), evict: fails('uncertain') });
    assert.deepEqual(
      report.refusals.map(({ strategy, pod, refusedBy }) => [strategy, pod.name, refusedBy]),
      [['First', 'b', 'evictionWindows']],
    );
    assert.deepEqual(
      report.strategies.map(({ notes }) => notes),
      [['saw 2 pods'], ['saw 1 pods']],
    );
  });

  for (const save of ['forbidden', 'transient', 'no-credentials'] as const) {
    it(`evicts nothing where it fails as ${save}`, async () => {
      const { history } = recorded({ save });
      const asked: string[] = [];
      const evict: EvictPod = ({ pod }) => {
        asked.push(pod.name);
        return Promise.resolve({ result: 'evicted' });
      };
      const report = await later(0, hourly, { history, evict }, clusterOf(web('a')));
      assert.deepEqual(asked, []);
      assert.deepEqual(
        report.evictions.map(({ result, error }) => [result, error]),
        [
          [
            'not-started',
            'not evicted, because limits only hold for what the history knows, and it could not be written: may not be written',
          ],
        ],
      );
    });
  }

  it('is not tried again in a cycle where it is forbidden', async () => {
    const { history, events } = recorded({ save: 'forbidden' });
    const crowd = ['a', 'b', 'c'].map((name) => given.pod(name, given.ownedBy('ReplicaSet', name), given.on('n1')));
    const two = policy([profile('main', evictsAll('First'), evictsAll('Second'))()], { limits: hourly });
    await cycle(two, clusterOf(...crowd), { history, evict: evictAll });
    assert.equal(events.filter((event) => event.startsWith('save')).length, 1);
  });

  it('a history that cannot be read ends the cycle: limits could not hold', async () => {
    const { history } = recorded({ load: 'forbidden' });
    for (const ports of [{ history, evict: evictAll }, { history }]) {
      await assert.rejects(later(0, hourly, ports), new HistoryError('evictionWindows cannot hold: may not be read'));
    }
  });

  it('an abort between the note and the eviction takes the note back', async () => {
    const stop = new AbortController();
    const { history, state, events } = recorded();
    const stopping: History = {
      ...history,
      save: (change) => {
        stop.abort();
        return history.save(change);
      },
    };
    const report = await later(0, hourly, {
      history: stopping,
      evict: evictAll,
      signal: stop.signal,
    } as Partial<CyclePorts>);
    assert.deepEqual([report.evictions[0]?.result, state().evictions], ['not-started', []]);
    assert.deepEqual(events, ['load', 'save evicted uid-default-a in 3m', 'save reverted uid-default-a']);
  });
});

describe('blocked pods', () => {
  const limits: Partial<Limits> = { blockedPods: { baseMs: 10 * MINUTE, maxMs: 60 * MINUTE } };
  const guarded = (disruptionsAllowed: number) => {
    const label = given.labels({ app: 'web' });
    const ready = given.status({ conditions: [given.condition('Ready', 'True')] });
    const pods = ['a', 'b'].map((name) =>
      given.pod(name, given.ownedBy('ReplicaSet', 'web'), label, ready, given.on('n1')),
    );
    return given.snapshot(
      given.node('n1'),
      given.node('n2'),
      ...pods,
      given.budget('web', 'app=web', { disruptionsAllowed }),
    );
  };

  it('are tried less and less often', async () => {
    const ports = { history: memoryHistory(), evict: evictAll };
    const tried: number[] = [];
    for (let minute = 0; minute <= 200; minute += 5) {
      const { refusals } = await later(minute, limits, ports, guarded(0));
      const by = refusals.map(({ pod, refusedBy }) => `${pod.name} ${refusedBy}`);
      if (by.includes('a PodDisruptionBudget')) tried.push(minute);
      else assert.deepEqual(by, ['a blockedPodBackoff', 'b blockedPodBackoff']);
    }
    assert.deepEqual(tried, [0, 10, 30, 70, 130, 190]);
  });

  it('are not those that only wait for others of the same cycle', async () => {
    const ports = { history: memoryHistory(), evict: evictAll };
    assert.deepEqual(await fate(0, limits, ports, guarded(1)), ['a evicted', 'b PodDisruptionBudget']);
    assert.deepEqual(await fate(5, limits, ports, guarded(1)), ['a evicted', 'b PodDisruptionBudget']);
  });

  it('are those, too, that the API server refuses for their budget', async () => {
    const ports = { history: memoryHistory(), evict: fails('refused-by-budget') };
    const fates = [];
    for (const minute of [0, 5, 10, 25, 30]) fates.push(await fate(minute, limits, ports, clusterOf(web('a'))));
    assert.deepEqual(fates, [
      ['a refused-by-budget'],
      ['a blockedPodBackoff'],
      ['a refused-by-budget'],
      ['a blockedPodBackoff'],
      ['a refused-by-budget'],
    ]);
  });

  it('are not those that a fault has kept', async () => {
    const ports = { history: memoryHistory(), evict: fails('overloaded') };
    for (const minute of [0, 1])
      assert.deepEqual(await fate(minute, limits, ports, clusterOf(web('a'))), ['a overloaded']);
  });
});
