import assert from 'node:assert/strict';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { ClusterStore } from '../../src/cluster/store.ts';
import { refused, type Reply } from '../../src/lib/answer.ts';
import { formatDuration } from '../../src/lib/duration.ts';
import { observingPorts } from '../../src/taint-eviction/ports.ts';
import {
  annotations,
  budget,
  node,
  on,
  ownedBy,
  phase,
  pod,
  taint,
  terminating,
  tolerates,
  uid,
} from '../builders/cluster.ts';
import { SimulatedApi } from '../../src/outage/simulated-api.ts';
import { at, stamp, tainted, untainted, World, type WorldOptions } from '../node-lifecycle/world.ts';

const t1 = 'testTaint1=test1:NoExecute';
const t2 = 'testTaint2=test2:NoExecute';
const tol1 = (tolerationSeconds?: number) => tolerates(t1, { tolerationSeconds });
const tol2 = (tolerationSeconds?: number) => tolerates(t2, { tolerationSeconds });
const alone: WorldOptions = { lifecycle: 'off' };
const withTaint1 = tainted(t1, '0s');

/** What happened to pods, without the zones. */
const story = (world: World) => world.logged('scheduled', 'cancelled', 'deleted', 'evicted', 'failed', 'would-delete');

/** Patches of pod status and deletions, as the API saw them. */
function calling(calls: string[]): WorldOptions {
  return {
    ...alone,
    evictionPorts: (ports) => ({
      patchPodStatus: (request) => {
        const { type, status, reason = '', message = '', observedGeneration } = request.condition;
        calls.push(`patch ${request.pod.name} ${type}=${status} ${reason} "${message}" ${observedGeneration ?? ''}`);
        return ports.patchPodStatus(request);
      },
      deletePod: (victim) => {
        calls.push(`delete ${victim.name} ${victim.uid}`);
        return ports.deletePod(victim);
      },
    }),
  };
}

const PATCH =
  'patch pod1 DisruptionTarget=True DeletionByTaintManager "Taint manager: deleting due to NoExecute taint" 1';
const GONE = [PATCH, 'delete pod1 uid-default-pod1'];

describe('pods (6.9)', () => {
  const rows: Readonly<
    Record<string, { readonly pod: Pod; readonly taints: boolean; readonly calls: readonly string[] }>
  > = {
    'node-lifecycle T1 not bound': { pod: pod('pod1'), taints: true, calls: [] },
    'node-lifecycle T2 bound to a node without taints': { pod: pod('pod1', on('node1')), taints: false, calls: [] },
    'node-lifecycle T3 bound to a tainted node': { pod: pod('pod1', on('node1')), taints: true, calls: GONE },
    'node-lifecycle T4 tolerated for 100 s': { pod: pod('pod1', on('node1'), tol1(100)), taints: true, calls: [] },
    'node-lifecycle T5 tolerated forever': { pod: pod('pod1', on('node1'), tol1()), taints: true, calls: [] },
  };
  for (const [name, { pod: added, taints, calls: wanted }] of Object.entries(rows)) {
    it(name, async () => {
      const calls: string[] = [];
      const world = new World([node('node1', ...(taints ? [withTaint1] : []))], calling(calls));
      await world.start().until('1s');
      world.api.putPod(added);
      await world.until('50s');
      assert.deepEqual(calls, wanted);
    });
  }

  it('node-lifecycle T7 a deletion of a pod that was never there', async () => {
    const world = new World([node('node1', withTaint1)], alone);
    await world.start().until('1s');
    world.store?.apply({ type: 'delete', object: pod('pod1', on('node1')), resourceVersion: '1' });
    await world.until('10s');
    assert.deepEqual(world.log, []);
  });

  it('node-lifecycle U1 gets its node later', async () => {
    const calls: string[] = [];
    const world = new World([node('node1', withTaint1), pod('pod1')], calling(calls));
    await world.start().until('1s');
    world.pod('pod1', on('node1'));
    await world.until('2s');
    assert.deepEqual(calls, GONE);
  });

  it('node-lifecycle U2 gets its node later and tolerates its taint', async () => {
    const calls: string[] = [];
    const world = new World([node('node1', withTaint1), pod('pod1', tol1())], calling(calls));
    await world.start().until('1s');
    world.pod('pod1', on('node1'));
    await world.until('10m');
    assert.deepEqual(calls, []);
  });
});

describe('nodes (6.10)', () => {
  interface Row {
    readonly pod: Pod;
    readonly before?: readonly string[] | undefined;
    readonly after?: readonly string[];
    readonly gone: boolean;
  }
  const rows: Readonly<Record<string, Row>> = {
    'node-lifecycle N1 made without taints': { pod: pod('pod1'), after: [], gone: false },
    'node-lifecycle N2 made with a taint': { pod: pod('pod1'), after: [t1], gone: true },
    'node-lifecycle N3 made with a taint, tolerated': { pod: pod('pod1', tol1()), after: [t1], gone: false },
    'node-lifecycle N5 gets a taint': { pod: pod('pod1'), before: [], after: [t1], gone: true },
    'node-lifecycle N6 gets a taint, tolerated for 100 s': {
      pod: pod('pod1', tol1(100)),
      before: [],
      after: [t1],
      gone: false,
    },
    'node-lifecycle N7 gets two, one tolerated': {
      pod: pod('pod1', tol1(100)),
      before: [],
      after: [t1, t2],
      gone: true,
    },
  };
  const made = (taints: readonly string[]): Node => node('node1', ...taints.map((text) => tainted(text, '1s')));
  for (const [name, { pod: only, before, after = [], gone }] of Object.entries(rows)) {
    it(name, async () => {
      const things = [{ ...only, nodeName: 'node1' }, ...(before ? [made(before)] : [])];
      const world = new World(things, alone);
      await world.start().until('1s');
      world.api.putNode(made(after));
      await world.until('50s');
      assert.deepEqual(world.logged('deleted'), gone ? ['1s deleted default/pod1'] : []);
    });
  }

  it('node-lifecycle N4, 6, 6.15-6 a node that is deleted takes its timers along (reference: they fire)', async () => {
    const world = new World([node('node1', withTaint1, pod('pod1', tol1(100)))], alone);
    await world.start().until('10s');
    world.api.removeNode('node1');
    await world.until('10m');
    assert.deepEqual(story(world), [
      '0s scheduled default/pod1 for 1m40s',
      '10s cancelled default/pod1: was on a node that is gone',
    ]);
  });

  it('node-lifecycle N12 several pods, two taints: all at once', async () => {
    const pods = [pod('pod1'), pod('pod2', tol1(1)), pod('pod3', tol1())];
    const world = new World([node('node1', ...pods)], alone);
    await world.start().until('1s');
    world.node('node1', tainted(t1, '1s'), tainted(t2, '1s'));
    await world.until('10m');
    assert.deepEqual(story(world), ['1s deleted default/pod1', '1s deleted default/pod2', '1s deleted default/pod3']);
  });

  for (const known of [true, false]) {
    for (const tolerated of [true, false]) {
      it(`node-lifecycle N13 pod2 comes late: ${known ? 'known, not bound' : 'unknown'}, ${tolerated ? '100 s' : 'not tolerated'}`, async () => {
        const late = pod('pod2', ...(tolerated ? [tol1(100)] : []));
        const world = new World([node('node1', pod('pod1')), ...(known ? [late] : [])], alone);
        await world.start().until('1s');
        world.node('node1', tainted(t1, '1s'));
        await world.until('2s');
        world.api.putPod({
          ...late,
          nodeName: 'node1',
          createdAt: at('2s'),
          status: { ...late.status, startedAt: at('2s') },
        });
        await world.until('3s');
        const fate = tolerated ? '2s scheduled default/pod2 for 1m42s' : '2s deleted default/pod2';
        assert.deepEqual(story(world), ['1s deleted default/pod1', fate]);
      });
    }
  }

  it('ignores NoSchedule taints (6.12), and heartbeats of a tainted node', async () => {
    const world = new World([node('node1', taint('a:NoSchedule'), pod('pod1'), pod('pod2'))], alone);
    await world.start().until('1s');
    world.node('node1', taint('b:NoSchedule'), (before) => ({ ...before, labels: { a: 'b' } }));
    await world.until('10s');
    assert.deepEqual(story(world), []);
  });
});

describe('the table of timers (6.13)', () => {
  const five = [1, 2, 3, 4, 5].map((index) => pod(`p${index}`, tol1(10)));

  it('node-lifecycle W1 five whose time has come', async () => {
    const world = new World([node('n', withTaint1, ...five.map((each) => ({ ...each, spec: pod('x').spec })))], alone);
    await world.start().until('0s');
    assert.equal(world.logged('deleted').length, 5);
  });

  it('node-lifecycle W2 five in ten seconds, told of twice each', async () => {
    const world = new World([node('n', withTaint1, ...five)], alone);
    await world.start().until('1s');
    for (const { name } of five) world.pod(name, (before) => ({ ...before, labels: { again: 'yes' } }));
    await world.until('9s');
    assert.deepEqual([world.logged('deleted').length, world.eviction?.counts], [0, { armed: 5, due: 0 }]);
    await world.until('11s');
    assert.equal(world.logged('deleted').length, 5);
  });

  it('node-lifecycle W3 and W4 two of them are cancelled, one of these comes back', async () => {
    const world = new World([node('n', withTaint1, ...five)], alone);
    await world.start().until('1s');
    world.pod('p2', (before) => ({ ...before, spec: pod('x', tol1()).spec }));
    world.pod('p4', (before) => ({ ...before, spec: pod('x', tol1()).spec }));
    await world.until('11s');
    assert.deepEqual(world.logged('deleted'), [
      '10s deleted default/p1',
      '10s deleted default/p3',
      '10s deleted default/p5',
    ]);
    world.pod('p2', (before) => ({ ...before, spec: pod('x', tol1(20)).spec }));
    await world.until('1m');
    assert.deepEqual(world.logged('deleted').slice(3), ['20s deleted default/p2']);
  });

  it('node-lifecycle W5 a replacement that comes while the old one is being deleted has its own timer', async () => {
    let answer: () => void = () => undefined;
    const world: World = new World([node('n', withTaint1, pod('p1'))], {
      ...alone,
      evictionPorts: (ports) => ({
        deletePod: (victim) =>
          new Promise((resolve) => {
            answer = () => resolve(ports.deletePod(victim));
          }),
      }),
    });
    await world.start().until('1s');
    const old = world.api.podNamed('default', 'p1');
    if (old) world.api.removePod(old);
    world.api.putPod(
      pod('p1', uid('new'), on('n'), tol1(10), (before) => ({
        ...before,
        createdAt: at('1s'),
        status: { ...before.status, startedAt: at('1s') },
      })),
    );
    await world.until('2s');
    answer();
    await world.until('3s');
    assert.deepEqual(
      world.eviction?.pending().map(({ pod: { uid: id }, at: end }) => [id, end]),
      [['new', at('11s')]],
    );
  });
});

describe('changes while a timer runs (4.5.2, 6.15)', () => {
  const retolerate = (seconds?: number) => (before: Pod) => ({ ...before, spec: pod('x', tol1(seconds)).spec });
  const started = async () => {
    const world = new World([node('n', withTaint1, pod('p', tol1(300)))], alone);
    await world.start().until('1m');
    return world;
  };

  it('2 lengthened: it goes later (reference: ignored)', async () => {
    const world = await started();
    world.pod('p', retolerate(600));
    await world.until('1h');
    assert.deepEqual(story(world), [
      '0s scheduled default/p for 5m0s',
      '1m0s scheduled default/p for 10m0s',
      '10m0s deleted default/p',
    ]);
  });

  it('2, 6.15-1 shortened: it goes earlier (reference: ignored)', async () => {
    const world = await started();
    world.pod('p', retolerate(120));
    await world.until('1h');
    assert.deepEqual(story(world).slice(1), ['1m0s scheduled default/p for 2m0s', '2m0s deleted default/p']);
  });

  for (const [name, seconds] of [
    ['6.15-1 to less than has passed', 30],
    ['6.15-1 to zero', 0],
  ] as const) {
    it(name, async () => {
      const world = await started();
      world.pod('p', retolerate(seconds));
      await world.until('1h');
      assert.deepEqual(story(world).slice(1), ['1m0s deleted default/p']);
    });
  }

  it('6.15-2 a second taint that is tolerated for less (reference: ignored)', async () => {
    const world = new World([node('n', withTaint1, pod('p', tol1(300), tol2(30)))], alone);
    await world.start().until('1m');
    world.node('n', tainted(t2, '1m'));
    await world.until('1h');
    assert.deepEqual(story(world).slice(1), ['1m0s scheduled default/p for 1m30s', '1m30s deleted default/p']);
  });

  it('the taint that was due first goes: the later one decides (reference: the old timer stays)', async () => {
    const world = new World([node('n', withTaint1, tainted(t2, '0s'), pod('p', tol1(300), tol2(100)))], alone);
    await world.start().until('1m');
    world.node('n', untainted('testTaint2'));
    await world.until('1h');
    assert.deepEqual(story(world).slice(1), ['1m0s scheduled default/p for 5m0s', '5m0s deleted default/p']);
  });

  it('becomes infinite: cancelled, with an event', async () => {
    const world = await started();
    world.pod('p', retolerate());
    await world.until('1h');
    assert.deepEqual(story(world).slice(1), [`1m0s cancelled default/p: tolerates ${t1} forever`]);
    assert.deepEqual(world.events, [
      'Normal TaintManagerEviction Pod uid-default-p: Cancelling deletion of Pod default/p',
    ]);
  });

  it('the toleration is taken away: at once', async () => {
    const world = await started();
    world.pod('p', (before) => ({ ...before, spec: pod('x').spec }));
    await world.until('1h');
    assert.deepEqual(story(world).slice(1), ['1m0s deleted default/p']);
  });

  it('the finite taint goes while another is tolerated forever: cancelled', async () => {
    const world = new World([node('n', withTaint1, tainted(t2, '0s'), pod('p', tol1(300), tol2()))], alone);
    await world.start().until('1m');
    world.node('n', untainted('testTaint1'));
    await world.until('1h');
    assert.deepEqual(story(world).slice(1), [`1m0s cancelled default/p: tolerates ${t2} forever`]);
  });

  it('taken off and put on again: a fresh full time', async () => {
    const world = await started();
    world.node('n', untainted('testTaint1'));
    await world.until('2m');
    world.node('n', tainted(t1, '2m'));
    await world.until('1h');
    assert.deepEqual(story(world).slice(1), [
      '1m0s cancelled default/p: is on a node without NoExecute taints now',
      '2m0s scheduled default/p for 7m0s',
      '7m0s deleted default/p',
    ]);
  });

  it('its value is rewritten, still tolerated: nothing changes', async () => {
    const world = new World(
      [node('n', tainted('k=a:NoExecute', '0s'), pod('p', tolerates('k', { tolerationSeconds: 300 })))],
      alone,
    );
    await world.start().until('1m');
    world.node('n', untainted('k'), tainted('k=b:NoExecute', '0s'));
    await world.until('1h');
    assert.deepEqual(story(world), ['0s scheduled default/p for 5m0s', '5m0s deleted default/p']);
  });

  it('21 it has another time: it is another taint, taken off and put on again between two looks', async () => {
    const world = new World(
      [node('n', tainted('k=a:NoExecute', '0s'), pod('p', tolerates('k', { tolerationSeconds: 300 })))],
      alone,
    );
    await world.start().until('1m');
    world.node('n', untainted('k'), tainted('k=b:NoExecute', '1m'));
    await world.until('1h');
    assert.deepEqual(story(world), [
      '0s scheduled default/p for 5m0s',
      '1m0s scheduled default/p for 6m0s',
      '6m0s deleted default/p',
    ]);
  });

  it('a value that sinks below what a toleration compares with: at once', async () => {
    const compares = tolerates('k=900:NoExecute', { operator: 'Gt' });
    const world = new World([node('n', tainted('k=950:NoExecute', '0s'), pod('p', compares))], alone);
    await world.start().until('1m');
    world.node('n', untainted('k'), tainted('k=800:NoExecute', '1m'));
    await world.until('2m');
    assert.deepEqual(story(world), ['1m0s deleted default/p']);
  });

  it('1, 6.15-4 a restart 200 s after the taint leaves 100 s of 300 (reference: 300 again)', async () => {
    const world = new World([node('n', tainted(t1, '-200s'), pod('p', tol1(300)))], alone);
    await world.start().until('50s');
    await world.restart('20s');
    await world.until('1h');
    assert.deepEqual(story(world), [
      '0s scheduled default/p for 1m40s',
      '1m10s scheduled default/p for 1m40s',
      '1m40s deleted default/p',
    ]);
  });

  it('1 what fell due while nobody ran goes at once afterwards', async () => {
    const world = await started();
    await world.restart('10m');
    await world.until('1h');
    assert.deepEqual(story(world).slice(1), ['11m0s deleted default/p']);
  });

  it('a taint without a time is stamped with our first sight of it, so that a restart moves nothing', async () => {
    const world = new World([node('n', tainted('other:NoSchedule'), pod('p', tol1(300)))], alone);
    await world.start().until('10s');
    world.node('n', tainted(t1));
    await world.until('1m');
    assert.deepEqual(
      world.api.node('n')?.taints.map(({ timeAdded }) => timeAdded),
      [undefined, stamp('10s')],
    );
    await world.restart('1m');
    await world.until('1h');
    assert.deepEqual(world.logged('deleted'), ['5m10s deleted default/p']);
  });

  it('a stamp that fails is tried again, on the list as it is then', async () => {
    let isFirst = true;
    const world: World = new World([node('n', tainted(t1), pod('p', tol1(300)))], {
      ...alone,
      evictionPorts: (ports) => ({
        stampTaints: (request) => {
          if (isFirst) world.api.putNode(node('n', tainted('front:NoSchedule'), tainted(t1)));
          isFirst = false;
          return ports.stampTaints(request);
        },
      }),
    });
    await world.start().until('10s');
    assert.deepEqual(
      world.api.node('n')?.taints.map(({ key, timeAdded }) => [key, timeAdded]),
      [
        ['front', undefined],
        ['testTaint1', stamp('0s')],
      ],
    );
  });
});

describe('who is spared', () => {
  const rows: Readonly<Record<string, readonly [Pod, string]>> = {
    'a mirror pod': [
      pod('p', annotations({ 'kubernetes.io/config.mirror': 'x' })),
      'is the mirror of a static pod, which only its kubelet can remove',
    ],
    'a static pod': [
      pod('p', annotations({ 'kubernetes.io/config.source': 'file' })),
      'is a static pod, which only its kubelet can remove',
    ],
    'one that has succeeded': [pod('p', phase('Succeeded')), 'has ended and runs nothing'],
    'one that has failed': [pod('p', phase('Failed')), 'has ended and runs nothing'],
    'one that is terminating': [pod('p', terminating), 'is terminating already'],
    'one whose toleration cannot be judged': [
      pod('p', tolerates(t1, { operator: 'Matches' })),
      `has a toleration for ${t1} with the unknown operator "Matches", which cannot be judged`,
    ],
  };
  for (const [name, [spared, reason]] of Object.entries(rows)) {
    it(`15, 6.15-10 ${name} (reference: deleted)`, async () => {
      const world = new World([node('n', withTaint1, spared, pod('beside'))], alone);
      await world.start().until('1h');
      assert.deepEqual(world.log, [`0s kept default/p: ${reason}`, '0s deleted default/beside']);
    });
  }

  it('a DaemonSet pod only by its tolerations', async () => {
    const unreachable = 'node.kubernetes.io/unreachable:NoExecute';
    const daemon = pod('d', ownedBy('DaemonSet', 'agent'), tolerates(unreachable));
    const world = new World([node('n', tainted(unreachable, '0s'), daemon)], alone);
    await world.start().until('1m');
    assert.deepEqual(story(world), []);
    world.node('n', tainted('node.kubernetes.io/out-of-service=nodeshutdown:NoExecute', '1m'));
    await world.until('2m');
    assert.deepEqual(story(world), ['1m0s deleted default/d']);
  });

  it('one that ends while its timer runs', async () => {
    const world = new World([node('n', withTaint1, pod('p', tol1(300)))], alone);
    await world.start().until('1m');
    world.pod('p', phase('Succeeded'));
    await world.until('1h');
    assert.deepEqual(story(world).slice(1), ['1m0s cancelled default/p: has ended and runs nothing']);
  });
});

describe('pods of the same name (3, 6.15-5)', () => {
  const replacement = (nodeName: string) =>
    pod('p', uid('new'), on(nodeName), tol1(300), (before) => ({
      ...before,
      createdAt: at('1m'),
      status: { ...before.status, startedAt: at('1m') },
    }));

  it('a) made again on a tainted node: a timer of its own', async () => {
    const world = new World([node('n', withTaint1, pod('p', tol1(300)))], alone);
    await world.start().until('1m');
    const old = world.api.podNamed('default', 'p');
    if (old) world.api.removePod(old);
    world.api.putPod(replacement('n'));
    await world.until('1h');
    assert.deepEqual(story(world).slice(1), [
      '1m0s cancelled default/p: is gone',
      '1m0s scheduled default/p for 6m0s',
      '6m0s deleted default/p',
    ]);
  });

  it('b) made again on an untainted node: it lives (reference: it inherits the timer)', async () => {
    const world = new World([node('n', withTaint1, pod('p', tol1(300))), node('other')], alone);
    await world.start().until('1m');
    const old = world.api.podNamed('default', 'p');
    if (old) world.api.removePod(old);
    world.api.putPod(replacement('other'));
    await world.until('1h');
    assert.deepEqual(story(world).slice(1), ['1m0s cancelled default/p: is gone']);
  });

  it('made again unseen, before the deletion: the UID saves it', async () => {
    const world: World = new World([node('n', withTaint1, pod('p', tol1(60))), node('other')], {
      ...alone,
      evictionPorts: (ports) => ({
        getPod: () => Promise.resolve({ ok: true, value: pod('p', on('n'), tol1(60)) }),
        patchPodStatus: (request) => {
          const old = world.api.podNamed('default', 'p');
          if (old?.uid === 'uid-default-p') world.api.removePod(old);
          world.api.putPod(replacement('other'));
          return ports.patchPodStatus(request);
        },
      }),
    });
    await world.start().until('1h');
    assert.deepEqual([world.logged('deleted'), world.api.podNamed('default', 'p')?.uid], [[], 'new']);
  });
});

describe('deletions that fail (4, 5, 6.15-7)', () => {
  type Script = (times: number) => Reply<undefined> | undefined;
  async function scripted(script: Script, until: string, options: WorldOptions = alone): Promise<World> {
    let times = 0;
    const world = new World([node('n', withTaint1, pod('p'))], {
      ...options,
      evictionPorts: (ports) => ({ deletePod: (victim) => script(++times) ?? ports.deletePod(victim) }),
    });
    return world.start().until(until);
  }

  for (const kind of ['forbidden', 'transient', 'timeout', 'invalid', 'unauthorized'] as const) {
    it(`4 ${kind}: again and again until it works, with growing waits`, async () => {
      const world = await scripted((times) => (times < 9 ? Promise.resolve(refused(kind, 'no')) : undefined), '10m');
      const times = story(world).map((line) => line.split(' ')[0]);
      assert.deepEqual(times, ['0s', '250ms', '750ms', '1.75s', '3.75s', '7.75s', '15.75s', '31.75s', '1m3.75s']);
      assert.equal(story(world).at(-1), '1m3.75s deleted default/p');
    });
  }

  it('4 429: after as long as the server asks for', async () => {
    const world = await scripted(
      (times) => (times === 1 ? Promise.resolve(refused('too-many-requests', 'slow', 7_000)) : undefined),
      '1m',
    );
    assert.deepEqual(story(world), ['0s failed default/p: too-many-requests', '7s deleted default/p']);
  });

  it('5 404: it is gone, and nothing is left to do', async () => {
    const world: World = await scripted(() => Promise.resolve(refused('not-found', 'gone')), '10m');
    assert.deepEqual([story(world), world.eviction?.counts], [[], { armed: 0, due: 0 }]);
  });

  it('5 409: another pod has the name by now; a live read makes sure, and it is not deleted', async () => {
    let deletions = 0;
    const world = new World([node('n', withTaint1, pod('p'))], {
      ...alone,
      evictionPorts: () => ({
        deletePod: () => {
          deletions++;
          return Promise.resolve(refused('conflict', 'the UID is another'));
        },
        getPod: () => Promise.resolve({ ok: true, value: pod('p', uid('another'), on('n')) }),
      }),
    });
    await world.start().until('10m');
    assert.deepEqual([deletions, story(world), world.eviction?.counts], [1, [], { armed: 0, due: 0 }]);
  });

  it('4 gives up when the reason is gone, between two tries', async () => {
    const world = await scripted(() => Promise.resolve(refused('forbidden', 'a webhook says no')), '1m');
    world.node('n', untainted('testTaint1'));
    await world.until('1h');
    const lines = story(world);
    assert.equal(lines.at(-1), '1m0s cancelled default/p: is on a node without NoExecute taints now');
    assert.equal(lines.filter((line) => line.startsWith('1m')).length, 1);
  });

  it('a port that throws is a failure like any other', async () => {
    let times = 0;
    const world = new World([node('n', withTaint1, pod('p'))], {
      ...alone,
      evictionPorts: (ports) => ({
        deletePod: (victim) => {
          if (++times === 1) throw new Error('a defect');
          return ports.deletePod(victim);
        },
      }),
    });
    await world.start().until('1m');
    assert.deepEqual(story(world), ['0s failed default/p: unknown', '250ms deleted default/p']);
  });

  it('the condition cannot be written: it is not deleted without', async () => {
    let times = 0;
    const world = new World([node('n', withTaint1, pod('p'))], {
      ...alone,
      evictionPorts: (ports) => ({
        patchPodStatus: (request) =>
          ++times < 3 ? Promise.resolve(refused('transient', 'down')) : ports.patchPodStatus(request),
      }),
    });
    await world.start().until('1m');
    assert.deepEqual(story(world), [
      '0s failed default/p: transient',
      '250ms failed default/p: transient',
      '750ms deleted default/p',
    ]);
  });

  it('records "Marking" once, however often it is tried', async () => {
    const world = await scripted((times) => (times < 4 ? Promise.resolve(refused('transient', 'x')) : undefined), '1m');
    assert.deepEqual(world.events, [
      'Normal TaintManagerEviction Pod uid-default-p: Marking for deletion Pod default/p',
    ]);
  });
});

describe('a last look before the deletion', () => {
  it('a taint that is gone, though the cache does not know: the pod stays', async () => {
    const world: World = new World([node('n', withTaint1, pod('p', tol1(60)))], {
      ...alone,
      evictionPorts: () => ({
        getNode: () => Promise.resolve({ ok: true, value: { object: node('n'), resourceVersion: '99' } }),
      }),
    });
    await world.start().until('5m');
    assert.deepEqual(story(world), ['0s scheduled default/p for 1m0s']);
    world.node('n', untainted('testTaint1'));
    await world.until('6m');
    assert.equal(story(world).at(-1), '5m0s cancelled default/p: is on a node without NoExecute taints now');
  });

  it('a toleration that was lengthened, though the cache does not know: the pod stays', async () => {
    const world: World = new World([node('n', withTaint1, pod('p', tol1(60)))], {
      ...alone,
      evictionPorts: () => ({
        getPod: () => Promise.resolve({ ok: true, value: pod('p', on('n'), tol1(600)) }),
      }),
    });
    await world.start().until('5m');
    assert.deepEqual(story(world), ['0s scheduled default/p for 1m0s']);
  });

  it('one read of a node serves all its pods; pods that go at once cost no read', async () => {
    const reads: string[] = [];
    const pods = Array.from({ length: 20 }, (_, index) => pod(`p${index}`, ...(index < 10 ? [] : [tol1(60)])));
    const world = new World([node('n', withTaint1, ...pods)], {
      ...alone,
      evictionPorts: (ports) => ({
        getNode: (name) => {
          reads.push(name);
          return ports.getNode(name);
        },
        getPod: (namespace, name) => {
          reads.push(name);
          return ports.getPod(namespace, name);
        },
      }),
    });
    await world.start().until('30s');
    assert.deepEqual(reads, []);
    await world.until('5m');
    assert.deepEqual([reads.filter((name) => name === 'n').length, reads.length], [1, 11]);
  });

  it('a patch that shows a pod that need not go any more', async () => {
    const world: World = new World([node('n', withTaint1, pod('p'))], {
      ...alone,
      evictionPorts: () => ({
        patchPodStatus: () => Promise.resolve({ ok: true, value: pod('p', on('n'), tol1()) }),
      }),
    });
    await world.start().until('1m');
    assert.deepEqual(world.logged('deleted'), []);
  });
});

describe('14 eviction first, then deletion', () => {
  const eviction = { eviction: 'evict-then-delete', evictionDeadlineMs: 120_000 } as const;

  it('asks the Eviction API', async () => {
    const world = new World([node('n', withTaint1, pod('p', tol1(30)))], { ...alone, eviction });
    await world.start().until('5m');
    assert.deepEqual(story(world), ['0s scheduled default/p for 30s', '30s evicted default/p']);
  });

  it('a budget holds the pod until the deadline, then it is asked once more, and the pod is deleted', async () => {
    let asked = 0;
    const world = new World([node('n', withTaint1, pod('p'))], {
      ...alone,
      eviction,
      evictionPorts: () => ({
        evictPod: () => {
          asked++;
          return Promise.resolve(refused('too-many-requests', 'its budget is spent'));
        },
      }),
    });
    await world.start().until('5m');
    assert.deepEqual([asked, story(world).at(-1)], [25, '2m0s deleted default/p']);
  });

  /** A pod that its budget holds, and when the Eviction API is asked for it. */
  function held(...parts: Parameters<typeof pod>[1][]): { readonly world: World; readonly asked: string[] } {
    const asked: string[] = [];
    const world: World = new World([node('n', tainted(t1, '-1h'), pod('p', ...parts))], {
      ...alone,
      eviction,
      evictionPorts: () => ({
        evictPod: () => {
          asked.push(formatDuration(world.clock.now()));
          return Promise.resolve(refused('too-many-requests', 'its budget is spent', 70_000));
        },
      }),
    });
    return { world, asked };
  }

  it('24 a pod that fell due long before we came: the deadline runs from the first question, in each life', async () => {
    const { world, asked } = held();
    await world.start().until('1m');
    await world.restart('1h');
    await world.until('2h');
    assert.deepEqual(asked, ['0s', '1h1m0s', '1h2m10s', '1h3m0s']);
    assert.deepEqual(world.logged('deleted'), ['1h3m0s deleted default/p']);
  });

  it('24 a pod that might stay in between is asked for anew, with another event', async () => {
    const { world, asked } = held();
    await world.start().until('1m');
    world.pod('p', (before) => ({ ...before, spec: pod('x', tol1()).spec }));
    await world.until('10m');
    world.pod('p', (before) => ({ ...before, spec: pod('x').spec }));
    await world.until('1h');
    assert.deepEqual(asked, ['0s', '10m0s', '11m10s', '12m0s']);
    assert.deepEqual(world.logged('deleted'), ['12m0s deleted default/p']);
    assert.deepEqual(
      world.events.map((event) => event.split(': ')[1]),
      Array(2).fill('Marking for deletion Pod default/p'),
    );
  });

  it('24 a deadline of nothing: asked once, then deleted', async () => {
    let asked = 0;
    const world = new World([node('n', withTaint1, pod('p'))], {
      ...alone,
      eviction: { ...eviction, evictionDeadlineMs: 0 },
      evictionPorts: () => ({
        evictPod: () => Promise.resolve(refused('too-many-requests', `asked ${++asked} times`)),
      }),
    });
    await world.start().until('5m');
    assert.deepEqual([asked, story(world).at(-1)], [1, '0s deleted default/p']);
  });

  it('a simulated budget allows what the dump says, and no more', async () => {
    const clock = new World([], alone).clock;
    const api = new SimulatedApi(
      {
        nodes: [node('n')],
        pods: [pod('p1', on('n')), pod('p2', on('n'))],
        others: { PodDisruptionBudget: [budget('b', '', { disruptionsAllowed: 1 })] },
      },
      clock,
      () => undefined,
    );
    const answers = [];
    for (const victim of api.pods()) answers.push(await api.evictionPorts().evictPod(victim));
    assert.deepEqual(
      answers.map((answer) => (answer.ok ? 'evicted' : answer.failure.kind)),
      ['evicted', 'too-many-requests'],
    );
  });
});

describe('how much at once, and when it may begin', () => {
  it('19 no more deletions in flight than it may have', async () => {
    let inFlight = 0;
    let most = 0;
    const pods = Array.from({ length: 100 }, (_, index) => pod(`p${index}`));
    const world = new World([node('n', withTaint1, ...pods)], {
      ...alone,
      eviction: { concurrency: 7 },
      evictionPorts: (ports) => ({
        deletePod: async (victim) => {
          most = Math.max(most, ++inFlight);
          await new Promise((resolve) => setImmediate(resolve));
          inFlight--;
          return ports.deletePod(victim);
        },
      }),
    });
    world.start();
    while (world.logged('deleted').length < 100) await world.until('1s');
    assert.equal(most, 7);
  });

  it('nothing before both caches are synced', async () => {
    const world = new World([], alone);
    const store = new ClusterStore();
    world.startEviction(store);
    store.replaceAll('Pod', [{ object: pod('p', on('n')), resourceVersion: '1' }]);
    await world.until('1m');
    assert.deepEqual(world.log, []);
    world.api.putPod(pod('p', on('n')));
    store.replaceAll('Node', [{ object: node('n', tainted(t1, '0s')), resourceVersion: '2' }]);
    await world.until('2m');
    assert.deepEqual(story(world), ['1m0s deleted default/p']);
  });

  it('20 counts what is pending and says how late each deletion was, in milliseconds', async () => {
    const world: World = new World([node('n', withTaint1, pod('a', tol1(60)), pod('b', tol1(90)), pod('c'))], {
      ...alone,
      evictionPorts: (ports) => ({
        deletePod: (victim) =>
          victim.name === 'c' && world.clock.wall() < at('10s')
            ? Promise.resolve(refused('transient', 'x', 10_000))
            : ports.deletePod(victim),
      }),
    });
    await world.start().until('5s');
    assert.deepEqual(world.eviction?.counts, { armed: 2, due: 1 });
    await world.until('5m');
    const late = world.outcomes.flatMap((it) => (it.kind === 'pod-deleted' ? [[it.pod.name, it.lateMs]] : []));
    assert.deepEqual(
      [world.eviction.counts, late],
      [
        { armed: 0, due: 0 },
        [
          ['c', 10_000],
          ['a', 0],
          ['b', 0],
        ],
      ],
    );
  });

  it('observe: says would-delete where it would ask the Eviction API, too', async () => {
    const world: World = new World([node('n', withTaint1, pod('p'))], {
      ...alone,
      eviction: { mode: 'observe', eviction: 'evict-then-delete' },
      evictionPorts: (ports) => observingPorts(ports),
    });
    await world.start().until('1m');
    assert.deepEqual(story(world), ['0s would-delete default/p']);
  });

  it('observe: the same decisions, said and not done', async () => {
    const world: World = new World([node('n', tainted(t1), pod('p', tol1(60)), pod('q'))], {
      ...alone,
      eviction: { mode: 'observe' },
      evictionPorts: (ports) => observingPorts(ports),
    });
    await world.start().until('1h');
    assert.deepEqual(story(world), [
      '0s scheduled default/p for 1m0s',
      '0s would-delete default/q',
      '1m0s would-delete default/p',
    ]);
    assert.deepEqual(
      world.api.pods().map(({ name }) => name),
      ['p', 'q'],
    );
    const scheduled = world.outcomes.find(({ kind }) => kind === 'eviction-scheduled');
    assert.equal(scheduled?.kind === 'eviction-scheduled' && scheduled.isStartKnown, false);
    assert.deepEqual([world.events, world.api.node('n')?.taints[0]?.timeAdded], [[], undefined]);
  });

  it('ends at once: nothing goes after stop', async () => {
    const world = new World([node('n', withTaint1, pod('p', tol1(60)))], alone);
    await world.start().until('59s');
    await world.eviction?.stop();
    await world.until('1h');
    assert.deepEqual(world.logged('deleted'), []);
  });
});
