import assert from 'node:assert/strict';
import type { Node } from '../../src/cluster/objects/node.ts';
import { ClusterStore } from '../../src/cluster/store.ts';
import { refused } from '../../src/lib/answer.ts';
import { formatDuration } from '../../src/lib/duration.ts';
import { node, pod, tolerates } from '../builders/cluster.ts';
import { at, boundSince, defaultTolerations, inZone, ready, silentFromBirth, tainted, World } from './world.ts';

// The system's clock is set while things last: nothing that lasts may notice.

const STEPS = ['12s', '1h', '24h', '-12s', '-1h', '-24h'];
const ms = (duration: string) => at(duration) - at('0s');
const up = (name: string): Node => node(name, ready('True'), inZone('r', 'z'), pod(`on-${name}`, defaultTolerations()));
const slow = (seconds: number) => tolerates('k', { tolerationSeconds: seconds });

interface Story {
  readonly things: () => World;
  /** What others do, and when. */
  readonly happens?: Readonly<Record<string, (world: World) => void>>;
  /** When the clock is set. */
  readonly stepsAt: readonly string[];
  readonly until: string;
  readonly kinds: readonly string[];
  readonly expected: readonly string[];
}

const stories: Readonly<Record<string, Story>> = {
  'armed timers': {
    things: () =>
      new World(
        [
          node('n', tainted('k:NoExecute', '-100s'), pod('a', slow(300)), pod('b', slow(300), boundSince('-20s'))),
          node('m', pod('c', slow(60)), pod('d', slow(600))),
        ],
        { lifecycle: 'off' },
      ),
    happens: {
      '50s': (world) => world.node('m', tainted('k:NoExecute', '50s')),
      '150s': (world) => world.pod('b', (before) => ({ ...before, labels: { again: 'yes' } })),
    },
    stepsAt: ['0s', '30s', '50s', '100s', '199s', '200s'],
    until: '20m',
    kinds: ['deleted'],
    expected: [
      '1m50s deleted default/c',
      '3m20s deleted default/a',
      '4m40s deleted default/b',
      '10m50s deleted default/d',
    ],
  },
  'grace periods, turns to be tainted, and the timers that follow': {
    things: () =>
      new World([up('n1'), up('n2'), up('n3'), up('n4'), up('n5'), up('n6')], { unresponsive: ['n1', 'n2', 'n3'] }),
    stepsAt: ['0s', '3s', '49s', '55s', '58s', '66s', '70s', '5m', '5m56s'],
    until: '20m',
    kinds: ['node-not-ready', 'taint', 'deleted'],
    expected: [
      ...['n1', 'n2', 'n3'].map((name) => `55s node-not-ready ${name}`),
      '55s taint n1 node.kubernetes.io/unreachable:NoSchedule',
      '55s taint n1 node.kubernetes.io/unreachable:NoExecute',
      '55s taint n2 node.kubernetes.io/unreachable:NoSchedule',
      '55s taint n3 node.kubernetes.io/unreachable:NoSchedule',
      '1m5s taint n2 node.kubernetes.io/unreachable:NoExecute',
      '1m15s taint n3 node.kubernetes.io/unreachable:NoExecute',
      '5m55s deleted default/on-n1',
      '6m5s deleted default/on-n2',
      '6m15s deleted default/on-n3',
    ],
  },
  'an eviction deadline, the waits between two questions, and a deletion that fails at first': {
    things: () => {
      let failures = 3;
      return new World([node('n', tainted('k:NoExecute', '0s'), pod('a', slow(30)))], {
        lifecycle: 'off',
        eviction: { eviction: 'evict-then-delete', evictionDeadlineMs: 62_000 },
        evictionPorts: (ports) => ({
          evictPod: () => Promise.resolve(refused('too-many-requests', 'its budget is spent', 20_000)),
          deletePod: (victim) =>
            failures-- > 0 ? Promise.resolve(refused('transient', 'down', 40_000)) : ports.deletePod(victim),
        }),
      });
    },
    stepsAt: ['0s', '29s', '30s', '40s', '91s', '100s'],
    until: '20m',
    kinds: ['failed', 'deleted'],
    expected: [
      ...['30s', '50s', '1m10s', '1m30s'].map((when) => `${when} failed default/a: too-many-requests`),
      ...['1m32s', '2m12s', '2m52s'].flatMap((when) => [
        `${when} failed default/a: too-many-requests`,
        `${when} failed default/a: transient`,
      ]),
      '3m32s failed default/a: too-many-requests',
      '3m32s deleted default/a',
    ],
  },
};

describe('a step of the system clock moves nothing', () => {
  for (const [name, story] of Object.entries(stories)) {
    it(name, async () => {
      assert.deepEqual(await told(story, '0s', '0s'), story.expected, 'without a step');
      for (const stepAt of story.stepsAt) {
        for (const by of STEPS) assert.deepEqual(await told(story, stepAt, by), story.expected, `${by} at ${stepAt}`);
      }
    });
  }

  it('start-up: times are counted when nodes and pods are known, by the clock as it is then', async () => {
    for (const by of STEPS) {
      const world = new World([], { lifecycle: 'off' });
      const store = new ClusterStore();
      world.clock.step(-ms(by));
      world.startEviction(store);
      world.clock.step(ms(by));
      const victim = { ...pod('a', slow(300)), nodeName: 'n' };
      world.api.putPod(victim);
      store.replaceAll('Pod', [{ object: victim, resourceVersion: '1' }]);
      const tainting = node('n', tainted('k:NoExecute', '-100s'));
      world.api.putNode(tainting);
      store.replaceAll('Node', [{ object: tainting, resourceVersion: '2' }]);
      world.clock.step(ms(by));
      await world.until('10m');
      assert.deepEqual(world.logged('deleted'), ['3m20s deleted default/a'], by);
    }
  });

  it('a clock that is wrong all the time: what comes while we watch has its full time', async () => {
    for (const by of STEPS) {
      const world = new World([node('n', pod('a', slow(300)))], { lifecycle: 'off' });
      world.clock.step(ms(by));
      await world.start().until('1m');
      world.node('n', tainted('k:NoExecute', '1m'));
      await world.until('2m');
      world.api.putPod({ ...pod('late', slow(300), boundSince('2m')), nodeName: 'n' });
      await world.until('1h');
      assert.deepEqual(world.logged('deleted'), ['6m0s deleted default/a', '7m0s deleted default/late'], by);
    }
  });

  it('a node that is made while we watch has its startup grace, however old our clock takes it for', async () => {
    for (const by of STEPS) {
      const world = new World([up('n1')], { eviction: 'off' });
      await world.start().until('12s');
      world.clock.step(ms(by));
      world.api.putNode(node('new', silentFromBirth, (before) => ({ ...before, createdAt: at('12s') })));
      await world.until('5m');
      // Looks are five seconds apart: it was made after the one at 10 s, and was there in the one at 15 s.
      const when = ms(by) > 0 ? '1m15s' : '1m20s';
      assert.deepEqual(
        world.logged('taint').map((line) => line.split(' ')[0]),
        [when, when],
        by,
      );
    }
  });

  it('what is shown of a deadline is a time of the clock as it is now', async () => {
    const world = new World([node('n', tainted('k:NoExecute', '0s'), pod('a', slow(300)))], { lifecycle: 'off' });
    await world.start().until('1m');
    const before = world.eviction?.pending()[0]?.at;
    world.clock.step(ms('1h'));
    assert.deepEqual([before, world.eviction?.pending()[0]?.at], [at('5m'), at('1h5m')]);
  });
});

/** What happens when the clock is set by so much at that time. */
async function told(
  { things, happens = {}, until, kinds }: Story,
  stepAt: string,
  by: string,
): Promise<readonly string[]> {
  const world = things().start();
  const moments = [...Object.keys(happens), stepAt].map(ms).toSorted((a, b) => a - b);
  for (const moment of new Set(moments)) {
    const duration = formatDuration(moment);
    await world.until(duration);
    if (moment === ms(stepAt)) world.clock.step(ms(by));
    for (const [when, happen] of Object.entries(happens)) if (ms(when) === moment) happen(world);
  }
  await world.until(until);
  return world.logged(...kinds);
}
