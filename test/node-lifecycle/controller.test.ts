import assert from 'node:assert/strict';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { refused } from '../../src/lib/answer.ts';
import { formatDuration } from '../../src/lib/duration.ts';
import { observingLifecyclePorts } from '../../src/node-lifecycle/ports.ts';
import { condition, conditions, labels, node, on, pod, tolerates, uid, type Part } from '../builders/cluster.ts';
import {
  at,
  defaultTolerations,
  inZone,
  podReady,
  ready,
  set,
  silentFromBirth,
  tainted,
  untainted,
  World,
  type WorldOptions,
} from './world.ts';

const NR = 'node.kubernetes.io/not-ready';
const UR = 'node.kubernetes.io/unreachable';
const fast = { evictionRate: 100_000 };
const off: WorldOptions = { eviction: 'off', lifecycle: fast };
const z = inZone('r1', 'z1');
const old = (name: string, ...parts: readonly (Part<Node> | Pod)[]): Node => node(name, ready('True'), ...parts);
const noExecute = (world: World, name: string) => world.taints(name).filter((taint) => taint.endsWith(':NoExecute'));

describe('marking pods not ready (6.4)', () => {
  it('node-lifecycle M1 a new node without a status: nothing', async () => {
    const world = new World([node('n1', silentFromBirth, created('0s'), pod('p', podReady))], {
      ...off,
      unresponsive: ['n1'],
    });
    await world.start().until('59s');
    assert.deepEqual(world.logged('marked'), []);
  });

  it('node-lifecycle M2 an old node that posts: nothing', async () => {
    const world = new World([old('n1', pod('p', podReady))], off);
    await world.start().until('1m');
    assert.deepEqual(world.logged('marked'), []);
  });

  it('node-lifecycle M4 fifty unresponsive nodes with a hundred pods each: exactly 5000 writes', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `n${index}`);
    const pods = (name: string) => Array.from({ length: 100 }, (_, index) => pod(`${name}-${index}`, podReady));
    const world = new World(
      names.map((name) => old(name, ...pods(name))),
      { ...off, unresponsive: names },
    );
    await world.start().until('2m');
    assert.equal(world.logged('marked').length, 5000);
  });

  it('node-lifecycle M5 True, unresponsive, then False: the pod is written once', async () => {
    const world = new World([old('n1', pod('p', podReady))], { ...off, unresponsive: ['n1'] });
    await world.start().until('56s');
    world.node('n1', ready('False', '0s', '2s'));
    await world.until('3m');
    assert.deepEqual(world.logged('marked'), ['55s marked default/p']);
  });

  it('node-lifecycle M6 the first write fails: it is written again', async () => {
    let calls = 0;
    const world = new World([old('n1', pod('p', podReady))], {
      ...off,
      unresponsive: ['n1'],
      lifecyclePorts: (ports) => ({
        patchPodStatus: (request) =>
          ++calls === 1 ? Promise.resolve(refused('transient', 'down')) : ports.patchPodStatus(request),
      }),
    });
    await world.start().until('2m');
    assert.deepEqual(world.logged('marked', 'call-failed'), [
      '55s call-failed n1: could not mark pod default/p not ready',
      '55.1s marked default/p',
    ]);
  });

  it('node-lifecycle M7 (a listing that fails) has no counterpart: pods come from the store; they are marked after the pass that knows them', async () => {
    const world = new World([old('n1')], { ...off, unresponsive: ['n1'] });
    await world.start().until('56s');
    world.api.putPod(pod('late', podReady, on('n1')));
    await world.until('57s');
    assert.deepEqual(world.logged('marked'), ['56s marked default/late']);
  });

  it('node-lifecycle P1 a late pod on a node that is not ready, before any pass: nothing', () => {
    const world = new World([node('n1', ready('False'), pod('p', podReady))], off);
    world.start();
    assert.deepEqual(world.logged('marked'), []);
  });

  it('node-lifecycle P2 a late pod on a ready node: nothing', async () => {
    const world = new World([old('n1')], off);
    await world.start().until('10s');
    world.api.putPod(pod('late', podReady, on('n1')));
    await world.until('20s');
    assert.deepEqual(world.logged('marked'), []);
  });

  it('a late pod on a node that says False is marked', async () => {
    const world = new World([node('n1', ready('False'))], off);
    await world.start().until('10s');
    world.api.putPod(pod('late', podReady, on('n1')));
    await world.until('20s');
    assert.deepEqual(world.logged('marked'), ['10s marked default/late']);
  });

  it('leaves reason and message of the condition, pods without one, and pods that are not ready already', async () => {
    const world = new World([old('n1', pod('a', podReady), pod('b'))], { ...off, unresponsive: ['n1'] });
    await world.start().until('1m');
    assert.deepEqual(world.logged('marked'), ['55s marked default/a']);
    const [condition] = world.api.podNamed('default', 'a')?.status.conditions ?? [];
    assert.deepEqual([condition?.status, condition?.reason, condition?.transitionAt], ['False', 'r', at('55s')]);
  });

  it('17, 6.15-18 True, then False, then silence marks the pods (reference: never)', async () => {
    const world = new World([old('n1', pod('p', podReady))], off);
    await world.start().until('10s');
    world.node('n1', ready('False', '10s'));
    world.api.kubelets.stop('n1', world.clock.now());
    await world.until('2m');
    assert.deepEqual(world.logged('marked'), ['1m10s marked default/p']);
  });
});

describe('NoExecute taints (6.5)', () => {
  it('node-lifecycle E1 applies by condition, removes on recovery, and does nothing for a wiped status', async () => {
    const things = [node('n0', ready('Unknown'), z), old('n1', z), node('n2', ready('False'), z), old('n3', z)];
    const world = new World(things, off);
    await world.start().until('1s');
    assert.deepEqual([noExecute(world, 'n0'), noExecute(world, 'n2')], [[`${UR}:NoExecute`], [`${NR}:NoExecute`]]);
    world.node('n2', ready('True', '1s', '10m'));
    await world.until('6s');
    assert.deepEqual(world.taints('n2'), []);
    world.node('n3', conditions(condition('MemoryPressure', 'Unknown')));
    await world.until('30s');
    assert.deepEqual(world.taints('n3'), []);
  });

  it('node-lifecycle E3 a node that has recovered while it waited does not hold up the others', async () => {
    const things = [
      old('n1', z),
      node('n0', ready('Unknown'), z),
      node('n2', ready('False'), z),
      old('n4', z),
      old('n6', z),
    ];
    const world = new World(things, { ...off, lifecycle: { evictionRate: 0.1 } });
    await world.start().until('1s');
    assert.deepEqual(noExecute(world, 'n0'), [`${UR}:NoExecute`]);
    world.node('n2', ready('True', '1s'));
    world.api.putNode(node('n3', ready('Unknown'), z));
    world.api.putNode(node('n5', ready('False'), z));
    world.api.kubelets.start('n5', world.clock.now());
    await world.until('21s');
    assert.deepEqual([noExecute(world, 'n3'), noExecute(world, 'n5')], [[`${UR}:NoExecute`], [`${NR}:NoExecute`]]);
    assert.deepEqual(world.taints('n2'), []);
  });

  it('node-lifecycle E4 exchanges one taint for the other at once, outside of the rate, keeping its start', async () => {
    const world = new World([node('n0', ready('Unknown'), z), old('n1', z)], { ...off, lifecycle: {} });
    await world.start().until('1s');
    world.node('n0', ready('False', '2s'));
    await world.until('6s');
    assert.deepEqual(noExecute(world, 'n0'), [`${NR}:NoExecute`]);
    const starts = world.api.node('n0')?.taints.map(({ effect, timeAdded }) => `${effect} ${timeAdded ?? ''}`);
    assert.deepEqual(starts, ['NoSchedule 2026-01-02T00:00:01Z', 'NoExecute 2026-01-02T00:00:00Z']);
  });

  it('puts a taint back that somebody has taken off, when its turn has come', async () => {
    const world = new World([node('n0', ready('Unknown'), z), old('n1', z)], { ...off, lifecycle: {} });
    await world.start().until('2s');
    world.node('n0', untainted(UR));
    await world.until('30s');
    assert.deepEqual(
      world.logged('taint', 'untaint').filter((line) => line.endsWith('NoExecute')),
      [`0s taint n0 ${UR}:NoExecute`, `2s untaint n0 ${UR}:NoExecute`, `10s taint n0 ${UR}:NoExecute`],
    );
  });

  it('writes one patch a node for all of its taints and labels', async () => {
    const patches: string[] = [];
    const world = new World([node('n0', ready('Unknown'), labels({ 'kubernetes.io/os': 'linux' }), z), old('n1', z)], {
      ...off,
      lifecyclePorts: (ports) => ({
        patchNode: (request) => {
          const { taints = [], labels: set = {} } = request.change;
          patches.push(`${request.node.name} ${taints.length} taints ${Object.keys(set).length} labels`);
          return ports.patchNode(request);
        },
      }),
    });
    await world.start().until('30s');
    assert.deepEqual(patches, ['n0 2 taints 1 labels']);
  });

  it('9 spends a token for a real write only: one that became ready while it waited costs nothing', async () => {
    const things = [1, 2, 3, 4, 5, 6, 7].map((index) => node(`n${index}`, ready(index < 4 ? 'False' : 'True'), z));
    const world = new World(things, { ...off, lifecycle: {} });
    await world.start().until('8s');
    world.node('n2', ready('True', '8s'));
    await world.until('30s');
    assert.deepEqual(
      world.logged('taint').filter((line) => line.endsWith('NoExecute')),
      [`0s taint n1 ${NR}:NoExecute`, `10s taint n3 ${NR}:NoExecute`],
    );
  });

  it('8 taints the oldest failure first (reference: in the order of the last shuffle)', async () => {
    const things = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((name) => old(name, z));
    const world = new World(things, { ...off, lifecycle: {} });
    await world.start().until('1s');
    world.node('c', ready('False', '1s'));
    await world.until('6s');
    world.node('b', ready('False', '6s'));
    await world.until('11s');
    world.node('a', ready('False', '11s'));
    await world.until('1m');
    assert.deepEqual(
      world.logged('taint').filter((line) => line.endsWith('NoExecute')),
      [`5s taint c ${NR}:NoExecute`, `15s taint b ${NR}:NoExecute`, `25s taint a ${NR}:NoExecute`],
    );
  });

  it('7 adopts the taints that are there at its start (reference: strips them)', async () => {
    const things = [node('n0', ready('Unknown'), tainted(`${UR}:NoExecute`, '-200s'), z), old('n1', z)];
    const world = new World(things, off);
    await world.start().until('10s');
    assert.deepEqual(world.logged('untaint'), []);
    assert.equal(world.api.node('n0')?.taints[0]?.timeAdded, '2026-01-01T23:56:40Z');
  });

  it('6.15-17 computes a patch again on fresh data when the node has changed', async () => {
    let isFirst = true;
    const world: World = new World([node('n0', ready('Unknown'), z), old('n1', z)], {
      ...off,
      lifecyclePorts: (ports) => ({
        patchNode: (request) => {
          if (isFirst && request.node.name === 'n0') world.node('n0', tainted('other:NoSchedule', '-1h'));
          isFirst = false;
          return ports.patchNode(request);
        },
      }),
    });
    await world.start().until('1s');
    assert.deepEqual(world.taints('n0'), ['other:NoSchedule', `${UR}:NoSchedule`, `${UR}:NoExecute`]);
    assert.equal(world.api.node('n0')?.taints[0]?.timeAdded, '2026-01-01T23:00:00Z');
  });

  it('does not taint a node that turns out to be ready when it is read again', async () => {
    let isFirst = true;
    const world: World = new World([node('n0', ready('Unknown'), z), old('n1', z)], {
      ...off,
      lifecyclePorts: (ports) => ({
        patchNode: (request) => {
          if (isFirst) world.node('n0', ready('True', '0s'));
          isFirst = false;
          return ports.patchNode(request);
        },
      }),
    });
    await world.start().until('10s');
    assert.deepEqual(world.logged('taint'), []);
  });

  it('gives the turn to the next node when a write fails, and comes back', async () => {
    const failing = new Set(['n1']);
    const things = [1, 2, 3, 4, 5].map((index) => node(`n${index}`, ready(index < 3 ? 'False' : 'True'), z));
    const world = new World(things, {
      ...off,
      lifecycle: {},
      lifecyclePorts: (ports) => ({
        patchNode: (request) =>
          failing.has(request.node.name) ? Promise.resolve(refused('forbidden', 'no')) : ports.patchNode(request),
      }),
    });
    await world.start().until('4s');
    failing.clear();
    await world.until('30s');
    assert.deepEqual(
      world.logged('taint').filter((line) => line.endsWith('NoExecute')),
      [`0s taint n2 ${NR}:NoExecute`, `10s taint n1 ${NR}:NoExecute`],
    );
  });

  it('6.15-12 a node that moves to another zone while it waits keeps its place there', async () => {
    const other = inZone('r1', 'z2');
    const things = [
      ...[1, 2, 3, 4, 5, 6, 7].map((index) => node(`a${index}`, ready(index < 4 ? 'False' : 'True'), z)),
      old('b1', other),
      old('b2', other),
    ];
    const world = new World(things, { ...off, lifecycle: {} });
    await world.start().until('7s');
    world.node('a3', other);
    await world.until('40s');
    assert.deepEqual(
      world.logged('taint').filter((line) => line.endsWith('NoExecute')),
      [`0s taint a1 ${NR}:NoExecute`, `10s taint a2 ${NR}:NoExecute`, `10s taint a3 ${NR}:NoExecute`],
    );
  });
});

describe('zones at work (3.4 to 3.7)', () => {
  const zoneNodes = (zone: string, count: number, ...parts: readonly Part<Node>[]) =>
    Array.from({ length: count }, (_, index) => old(`${zone}${index + 1}`, inZone('r1', zone), ...parts));
  const lines = (world: World) => world.log.filter((line) => !line.includes('NoSchedule'));

  it('a zone without a ready node beside a healthy one is tainted node by node', async () => {
    const world = new World([...zoneNodes('a', 3), ...zoneNodes('b', 1)], {
      ...off,
      lifecycle: {},
      unresponsive: ['a1', 'a2', 'a3'],
    });
    await world.start().until('2m');
    assert.deepEqual(lines(world), [
      '0s zone r1:a Normal 3/0',
      '0s zone r1:b Normal 1/0',
      '55s zone r1:a FullDisruption 0/3',
      '55s node-not-ready a1',
      '55s node-not-ready a2',
      '55s node-not-ready a3',
      `55s taint a1 ${UR}:NoExecute`,
      `1m5s taint a2 ${UR}:NoExecute`,
      `1m15s taint a3 ${UR}:NoExecute`,
    ]);
  });

  it('6.15-11 no node ready at the start: nothing is tainted, and what was is untainted', async () => {
    const things = [
      node('a1', ready('Unknown'), inZone('r1', 'a'), tainted(`${UR}:NoExecute`, '-1h')),
      node('b1', ready('Unknown'), inZone('r1', 'b')),
    ];
    const world = new World(things, { ...off, unresponsive: ['a1', 'b1'] });
    await world.start().until('10m');
    assert.deepEqual(
      world.logged('full-disruption', 'recovered', 'taint', 'untaint').filter((line) => !line.includes('NoSchedule')),
      ['0s full-disruption', `0s untaint a1 ${UR}:NoExecute`],
    );
  });

  it('6.15-11 all fail, then one comes back: the others are tainted again, after a tenth of a second at 10 a second', async () => {
    const world = new World([...zoneNodes('a', 1), ...zoneNodes('b', 1)], {
      ...off,
      lifecycle: {},
      unresponsive: ['a1', 'b1'],
    });
    await world.start().until('3m1s');
    world.api.kubelets.start('b1', world.clock.now());
    world.node('b1', ready('True', '3m1s'));
    await world.until('4m');
    assert.deepEqual(
      world.logged('full-disruption', 'recovered', 'taint').filter((line) => !line.includes('NoSchedule')),
      ['55s full-disruption', '3m5s recovered', `3m15s taint a1 ${UR}:NoExecute`],
    );
  });

  it('leaving: nobody is seenWhenMarked for the silence of the time when all was full-disruption', async () => {
    const world = new World([...zoneNodes('a', 2)], { ...off, lifecycle: {}, unresponsive: ['a1'] });
    await world.start().until('10s');
    // a1 says False and stops responding, a2 falls ill and recovers: without the fresh grace a1 would be Unknown at 1m10s.
    world.node('a1', ready('False', '10s'));
    world.node('a2', ready('False', '10s'));
    await world.until('21s');
    world.node('a2', ready('True', '21s'));
    await world.until('1m30s');
    const lines = world.logged('full-disruption', 'recovered', 'taint').filter((line) => !line.includes('not-ready'));
    assert.deepEqual(lines, [
      '15s full-disruption',
      '25s recovered',
      `1m20s taint a1 ${UR}:NoSchedule`,
      `1m20s taint a1 ${UR}:NoExecute`,
    ]);
  });

  it('6.15-11 one zone only: it is all there is', async () => {
    const world = new World(zoneNodes('a', 2), { ...off, unresponsive: ['a1', 'a2'] });
    await world.start().until('5m');
    assert.deepEqual(
      world.logged('full-disruption', 'taint').filter((line) => !line.includes('NoSchedule')),
      ['55s full-disruption'],
    );
  });

  it('6.15-11 a new zone, dark itself, while all is full-disruption', async () => {
    const world = new World(zoneNodes('a', 1), { ...off, unresponsive: ['a1'] });
    await world.start().until('1m1s');
    world.api.putNode(node('b1', ready('Unknown'), inZone('r1', 'b'), tainted(`${UR}:NoExecute`, '0s')));
    await world.until('5m');
    assert.deepEqual(
      world.logged('full-disruption', 'taint', 'untaint').filter((line) => !line.includes('NoSchedule')),
      ['55s full-disruption', '1m5s full-disruption', `1m5s untaint b1 ${UR}:NoExecute`],
    );
  });

  it('11 blocks before it untaints: a turn that comes in between is not taken', async () => {
    const things = [...zoneNodes('a', 1), ...zoneNodes('b', 2)];
    const world = new World(things, { ...off, unresponsive: ['a1', 'b1'] });
    await world.start().until('56s');
    assert.deepEqual([noExecute(world, 'a1'), noExecute(world, 'b1')], [[`${UR}:NoExecute`], [`${UR}:NoExecute`]]);
    world.node('b2', ready('False', '56s'));
    await world.until('3m');
    assert.deepEqual(
      world
        .logged('full-disruption', 'taint', 'untaint')
        .filter((line) => line.startsWith('1m0s '))
        .filter((line) => !line.includes('NoSchedule')),
      ['1m0s full-disruption', `1m0s untaint a1 ${UR}:NoExecute`, `1m0s untaint b1 ${UR}:NoExecute`],
    );
  });

  it('6.15-15 a zone of excluded nodes is watched and tainted at the normal rate, and does not count', async () => {
    const excluded = labels({ 'node.kubernetes.io/exclude-disruption': '' });
    const world = new World([...zoneNodes('a', 3, excluded), ...zoneNodes('b', 1)], {
      ...off,
      lifecycle: {},
      unresponsive: ['a1', 'a2', 'a3'],
    });
    await world.start().until('2m');
    assert.deepEqual(
      world.logged('zone', 'full-disruption', 'taint').filter((line) => !line.includes('NoSchedule')),
      [
        '0s zone r1:b Normal 1/0',
        `55s taint a1 ${UR}:NoExecute`,
        `1m5s taint a2 ${UR}:NoExecute`,
        `1m15s taint a3 ${UR}:NoExecute`,
      ],
    );
  });

  it('when every node is excluded there is no full disruption', async () => {
    const excluded = labels({ 'node.kubernetes.io/exclude-disruption': '' });
    const world = new World(zoneNodes('a', 2, excluded), { ...off, lifecycle: {}, unresponsive: ['a1', 'a2'] });
    await world.start().until('1m');
    assert.deepEqual(
      world.logged('full-disruption', 'taint').filter((line) => !line.includes('NoSchedule')),
      [`55s taint a1 ${UR}:NoExecute`],
    );
  });

  it('a zone that is partly down stops tainting; at 55% of more than 50 nodes it goes on slowly', async () => {
    const small = new World(zoneNodes('a', 4), { ...off, lifecycle: {}, unresponsive: ['a1', 'a2', 'a3'] });
    await small.start().until('10m');
    assert.deepEqual(
      small.logged('taint').filter((line) => line.includes('NoExecute')),
      [],
    );
    const unresponsive = Array.from({ length: 40 }, (_, index) => `a${index + 1}`);
    const large = new World(zoneNodes('a', 51), { ...off, lifecycle: {}, unresponsive });
    await large.start().until('5m');
    assert.deepEqual(
      large.logged('taint').filter((line) => line.includes('NoExecute')),
      [`55s taint a1 ${UR}:NoExecute`, `2m35s taint a10 ${UR}:NoExecute`, `4m15s taint a11 ${UR}:NoExecute`],
    );
  });

  it('12 partial disruption untaints: what was tainted before is spared', async () => {
    const world = new World(zoneNodes('a', 4), {
      ...off,
      lifecycle: { partialDisruption: 'untaint' },
      unresponsive: ['a1'],
    });
    await world.start().until('1m1s');
    world.api.kubelets.stop('a2', world.clock.now());
    world.api.kubelets.stop('a3', world.clock.now());
    await world.until('5m');
    assert.deepEqual(
      world.logged('taint', 'untaint', 'zone').filter((line) => !line.includes('NoSchedule')),
      [
        '0s zone r1:a Normal 4/0',
        `55s taint a1 ${UR}:NoExecute`,
        '1m55s zone r1:a PartialDisruption 1/3',
        `1m55s untaint a1 ${UR}:NoExecute`,
      ],
    );
  });

  for (const [name, partialDisruption, deleted] of [
    ['12 partial disruption keeps: old taints stay at work', 'keep', ['5m55s deleted default/p']],
    ['12 partial disruption pauses: pods whose time is over wait', 'pause', []],
  ] as const) {
    it(name, async () => {
      const [first, ...others] = zoneNodes('a', 4);
      const victim = { ...pod('p', defaultTolerations()), nodeName: first?.name ?? '' };
      const world = new World([...(first ? [first] : []), ...others, victim], {
        lifecycle: { partialDisruption },
        unresponsive: ['a1'],
      });
      await world.start().until('1m1s');
      world.api.kubelets.stop('a2', world.clock.now());
      world.api.kubelets.stop('a3', world.clock.now());
      await world.until('10m');
      assert.deepEqual(world.logged('deleted'), deleted);
      for (const name of ['a2', 'a3']) {
        world.api.kubelets.start(name, world.clock.now());
        world.node(name, ready('True', '10m'));
      }
      await world.until('11m');
      assert.equal(world.logged('deleted').length, 1, 'once the zone lives again, it goes');
    });
  }

  it('12 a pod that has to go because of another taint, too, does not wait for its zone', async () => {
    const victim = { ...pod('p', defaultTolerations(30), tolerates('own', { tolerationSeconds: 60 })), nodeName: 'a1' };
    const world = new World([...zoneNodes('a', 4), victim], {
      lifecycle: { partialDisruption: 'pause' },
      unresponsive: ['a1', 'a2', 'a3'],
    });
    await world.start().until('50s');
    world.node('a1', tainted('node.kubernetes.io/unreachable:NoExecute', '50s'));
    await world.until('3m');
    assert.deepEqual(world.logged('deleted'), []);
    world.node('a1', tainted('own:NoExecute', '3m'));
    await world.until('10m');
    assert.deepEqual(world.logged('deleted'), ['4m0s deleted default/p']);
  });

  it('24 after a pause the Eviction API is asked first, for as long as the deadline says', async () => {
    const victim = { ...pod('p', defaultTolerations()), nodeName: 'a1' };
    const asked: string[] = [];
    const world: World = new World([...zoneNodes('a', 4), victim], {
      lifecycle: { partialDisruption: 'pause' },
      eviction: { eviction: 'evict-then-delete', evictionDeadlineMs: 60_000 },
      evictionPorts: () => ({
        evictPod: () => {
          asked.push(formatDuration(world.clock.now()));
          return Promise.resolve(refused('too-many-requests', 'its budget is spent', 50_000));
        },
      }),
      unresponsive: ['a1'],
    });
    await world.start().until('1m1s');
    for (const name of ['a2', 'a3']) world.api.kubelets.stop(name, world.clock.now());
    await world.until('20m');
    assert.deepEqual(asked, []);
    for (const name of ['a2', 'a3']) {
      world.api.kubelets.start(name, world.clock.now());
      world.node(name, ready('True', '20m'));
    }
    await world.until('30m');
    assert.deepEqual([asked, world.logged('deleted')], [['20m10s', '21m0s', '21m10s'], ['21m10s deleted default/p']]);
  });

  for (const [fullDisruption, tainted] of [
    ['normal', ['55s a1', '1m5s a2']],
    ['secondary', ['55s a1']],
    ['stop', []],
  ] as const) {
    it(`13 full disruption, ${fullDisruption}`, async () => {
      const world = new World([...zoneNodes('a', 2), ...zoneNodes('b', 1)], {
        ...off,
        lifecycle: { fullDisruption },
        unresponsive: ['a1', 'a2'],
      });
      await world.start().until('2m');
      const lines = world.logged('taint').filter((line) => line.includes('NoExecute'));
      assert.deepEqual(
        lines,
        tainted.map((line) => `${line.replace(' ', ' taint ')} ${UR}:NoExecute`),
      );
    });
  }
});

describe('nodes, events and what can go wrong', () => {
  it('records an event for a node once (6.7), and says when it goes', async () => {
    const world = new World([node('node0', ready('Unknown'), uid('1234567890'))], off);
    await world.start().until('1s');
    assert.deepEqual(world.events, [
      'Normal RegisteredNode Node 1234567890: Node node0 event: Registered Node node0 in Controller',
    ]);
    world.api.removeNode('node0');
    await world.until('10s');
    assert.deepEqual(world.events.slice(1), [
      'Normal RemovingNode Node 1234567890: Node node0 event: Removing Node node0 from Controller',
    ]);
  });

  it('records that a node is not ready once, and the marking of its pods', async () => {
    const world = new World([old('n1', pod('p', podReady)), old('n2')], { ...off, unresponsive: ['n1'] });
    await world.start().until('5m');
    assert.deepEqual(
      world.events.filter((event) => event.includes('NodeNotReady')),
      [
        'Normal NodeNotReady Node uid-n1: Node n1 status is now: NodeNotReady',
        'Warning NodeNotReady Pod uid-default-p: Node is not ready',
      ],
    );
  });

  it('16 a node deleted and made again is as new: its silence begins afresh', async () => {
    const world = new World([old('n1'), old('n2')], { ...off, unresponsive: ['n1'] });
    await world.start().until('40s');
    world.api.removeNode('n1');
    world.api.putNode(old('n1', uid('another')));
    await world.until('2m');
    assert.deepEqual(world.logged('node-not-ready'), ['1m40s node-not-ready n1']);
  });

  it('18, 6.15-16 a cache that is behind marks no node in that whole pass, and the living not at all', async () => {
    const world = new World([old('n1'), old('n2'), old('n3')], {
      ...off,
      unresponsive: ['n1'],
      // The watch of Leases has stopped; live reads show the renewals.
      leaseOf: (name, api) => api.kubelets.lease(name, api.kubelets.isRunning(name) ? at('0s') : 0),
    });
    await world.start().until('59s');
    assert.deepEqual(world.logged('stale', 'node-not-ready', 'taint'), ['55s stale n2']);
    await world.until('10m');
    assert.deepEqual(world.logged('node-not-ready'), ['1m0s node-not-ready n1']);
  });

  it('an API server that was away for minutes: no node is judged by the time in which none could renew', async () => {
    const away = { value: false };
    const seen = { until: at('30s') };
    const world: World = new World([old('n1'), old('n2'), old('n3')], {
      ...off,
      // From 30 s to 5 min nothing can be read or renewed; n1 and n2 renew again only at 5m20s, n3 never.
      leaseOf: (name, api) => api.kubelets.lease(name, Math.min(world.clock.now(), seen.until)),
      lifecyclePorts: (ports) => ({
        getLease: (name) => {
          if (away.value) return Promise.resolve(refused('transient', 'connection refused'));
          const lease = world.api.kubelets.lease(name, Math.min(world.clock.now(), seen.until));
          return lease ? Promise.resolve({ ok: true, value: lease }) : ports.getLease(name);
        },
      }),
    });
    await world.start().until('30s');
    world.api.kubelets.stop('n3', world.clock.now());
    away.value = true;
    await world.until('5m');
    away.value = false;
    await world.until('5m20s');
    seen.until = Infinity;
    await world.until('10m');
    assert.deepEqual(world.logged('node-not-ready', 'stale'), ['6m0s node-not-ready n3']);
    assert.equal(
      world.logged('call-failed').every((line) => line.endsWith('could not read its Lease')),
      true,
    );
  });

  for (const kind of ['transient', 'no-credentials', 'too-many-requests'] as const) {
    it(`an API server that stays away (${kind}) is asked for one Lease a pass, each time another node's`, async () => {
      const reads: string[] = [];
      const names = ['n1', 'n2', 'n3', 'n4', 'n5'];
      const world = new World(
        names.map((name) => old(name)),
        {
          ...off,
          unresponsive: names,
          lifecyclePorts: () => ({
            getLease: (name) => {
              reads.push(name);
              return Promise.resolve(refused(kind, 'away'));
            },
          }),
        },
      );
      await world.start().until('1m15s');
      assert.deepEqual(reads, [...names, 'n2', 'n3', 'n4', 'n5']);
      assert.deepEqual(world.logged('node-not-ready'), []);
    });
  }

  it('a single Lease that cannot be read keeps no other node from being judged', async () => {
    const world = new World([old('n1'), old('n2'), old('n3')], {
      ...off,
      unresponsive: ['n1', 'n2'],
      lifecyclePorts: (ports) => ({
        getLease: (name) => (name === 'n1' ? Promise.resolve(refused('transient', 'broken')) : ports.getLease(name)),
      }),
    });
    await world.start().until('2m');
    assert.deepEqual(world.logged('node-not-ready'), ['55s node-not-ready n2']);
  });

  it('a Lease that may not be read keeps nobody from being judged', async () => {
    const world = new World([old('n1'), old('n2')], {
      ...off,
      unresponsive: ['n1'],
      lifecyclePorts: () => ({ getLease: () => Promise.resolve(refused('forbidden', 'no')) }),
    });
    await world.start().until('2m');
    assert.deepEqual(world.logged('node-not-ready'), ['55s node-not-ready n1']);
  });

  it('18 reads a Lease live only when a node is to be marked', async () => {
    const reads: string[] = [];
    const world = new World([old('n1'), old('n2')], {
      ...off,
      unresponsive: ['n1'],
      lifecyclePorts: (ports) => ({
        getLease: (name) => {
          reads.push(name);
          return ports.getLease(name);
        },
      }),
    });
    await world.start().until('10m');
    assert.deepEqual(reads, ['n1']);
  });

  it('passes over a node whose status cannot be written, and does not count it', async () => {
    const world = new World([old('n1', z), old('n2', z)], {
      ...off,
      unresponsive: ['n1'],
      lifecyclePorts: () => ({ patchNodeStatus: () => Promise.resolve(refused('forbidden', 'no')) }),
    });
    await world.start().until('1m1s');
    assert.deepEqual(world.logged('call-failed', 'taint', 'zone'), [
      '0s zone r1:z1 Normal 2/0',
      '55s call-failed n1: could not mark it Unknown',
      '1m0s call-failed n1: could not mark it Unknown',
    ]);
  });

  it('a kubelet that posts at the last moment wins over the verdict', async () => {
    let isFirst = true;
    const world: World = new World([old('n1', pod('p', podReady)), old('n2')], {
      ...off,
      unresponsive: ['n1'],
      lifecyclePorts: (ports) => ({
        patchNodeStatus: (request) => {
          if (isFirst) world.node('n1', ready('True', '-24h', '55s'));
          isFirst = false;
          return ports.patchNodeStatus(request);
        },
      }),
    });
    await world.start().until('1m30s');
    assert.deepEqual(world.logged('marked', 'node-not-ready', 'taint'), []);
  });

  it('a process that stood still for an hour takes no node for dead because of that', async () => {
    const world = new World([old('n1'), old('n2')], off);
    await world.start().until('30s');
    // The clock jumps: nothing ran meanwhile, and the cache still has the Leases of before.
    const seen = world.clock.now();
    const jumped = new World([old('n1'), old('n2')], {
      ...off,
      leaseOf: (name, api) => api.kubelets.lease(name, seen),
    });
    await jumped.start().until('30s');
    const clock = jumped.clock;
    const now = clock.now.bind(clock);
    clock.now = () => now() + 3_600_000;
    await jumped.until('45s');
    assert.deepEqual(jumped.logged('node-not-ready', 'stale'), []);
  });

  it('a node without labels, conditions or Lease is not tainted, counts as not ready, and is marked Unknown in the end', async () => {
    const bare = node('bare', silentFromBirth, created('0s'), (before: Node) => ({ ...before, labels: {} }));
    const world = new World([bare, old('n2')], { ...off, unresponsive: ['bare'] });
    await world.start().until('1m1s');
    assert.deepEqual(world.logged('taint', 'zone'), ['0s zone - Normal 1/1']);
    await world.until('1m6s');
    assert.deepEqual(world.taints('bare'), [`${UR}:NoSchedule`, `${UR}:NoExecute`]);
  });

  it('brings taints and labels of a node that changes to what they should be, without waiting for a pass', async () => {
    const world = new World([old('n1'), old('n2')], off);
    await world.start().until('1s');
    world.node('n1', set({ type: 'DiskPressure', status: 'True', reason: '', transitionAt: 0, heartbeatAt: 0 }));
    world.node('n2', labels({ 'kubernetes.io/os': 'linux' }));
    await world.until('2s');
    assert.deepEqual(world.taints('n1'), ['node.kubernetes.io/disk-pressure:NoSchedule']);
    assert.equal(world.api.node('n2')?.labels['beta.kubernetes.io/os'], 'linux');
    assert.equal(
      world.log.some((line) => line.startsWith('1s taint n1')),
      true,
    );
  });

  it('writes nothing when nothing changes', async () => {
    let calls = 0;
    const world = new World([old('n1'), old('n2', silentFromBirth, tainted('x:NoExecute', '-1h'))], {
      ...off,
      lifecyclePorts: (ports) => ({
        patchNode: (request) => {
          calls++;
          return ports.patchNode(request);
        },
      }),
    });
    await world.start().until('30m');
    assert.equal(calls, 0);
  });

  it('observe: says once what it would do, and changes nothing', async () => {
    const world = new World([old('n1', pod('p', podReady)), old('n2')], {
      ...off,
      unresponsive: ['n1'],
      lifecyclePorts: (ports) => observingLifecyclePorts(ports),
    });
    await world.start().until('30m');
    const said = world.outcomes.flatMap((it) => (it.kind === 'taint-added' ? [`${it.node} ${it.taint}`] : [it.kind]));
    assert.deepEqual(said, ['zone-state', 'node-not-ready', 'pod-marked-not-ready', `n1 ${UR}:NoExecute`]);
    assert.deepEqual([world.taints('n1'), world.events], [[], []]);
    assert.equal(world.api.podNamed('default', 'p')?.status.conditions[0]?.status, 'True');
  });

  it('ends: no pass, no turn and no write after stop', async () => {
    const world = new World([old('n1'), old('n2')], { ...off, unresponsive: ['n1'] });
    await world.start().until('54s');
    await world.lifecycle?.stop();
    await world.until('10m');
    assert.deepEqual(world.logged('node-not-ready', 'taint'), []);
  });
});

function created(since: string): Part<Node> {
  return (before) => ({ ...before, createdAt: Date.parse('2026-01-02T00:00:00Z') + (since === '0s' ? 0 : Number.NaN) });
}
