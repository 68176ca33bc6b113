import assert from 'node:assert/strict';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { readScenario } from '../../src/outage/load-scenario.ts';
import { simulateOutage, type OutageOptions } from '../../src/outage/simulate.ts';
import type { OutageReport } from '../../src/outcomes/outage-report.ts';
import { annotations, node, ownedBy, pod, podsGivenWith, tolerates } from '../builders/cluster.ts';
import { defaultTolerations, inZone, podReady, ready, START, tainted } from '../node-lifecycle/world.ts';

const UR = 'node.kubernetes.io/unreachable';
const a = inZone('eu', 'a');
const b = inZone('eu', 'b');
const web = (name: string) => pod(name, defaultTolerations(), podReady);
const up = (name: string, ...parts: Parameters<typeof node>[1][]): Node => node(name, ready('True'), ...parts);

/** Plays the events, `duration` long, on nodes with the pods given with them. */
function play(
  things: readonly (Node | Pod)[],
  events: string,
  { duration = '30m', ...options }: Partial<OutageOptions> & { readonly duration?: string } = {},
): Promise<OutageReport> {
  const head = `apiVersion: evenkeel.io/v1alpha1\nkind: OutageScenario\nduration: ${duration}\nevents:\n`;
  const scenario = readScenario({ file: 'outage.yaml', text: `${head}${events}` });
  const nodes = things.filter((thing) => thing.kind === 'Node');
  const pods = [...nodes.flatMap(podsGivenWith), ...things.filter((thing) => thing.kind === 'Pod')];
  return simulateOutage({ nodes, pods, others: {} }, scenario, { now: START, ...options });
}

const lines = (report: OutageReport, ...events: readonly string[]): readonly string[] =>
  report.timeline
    .filter(({ event }) => events.length === 0 || events.includes(event))
    .map(({ at, event, node: name, zone, pod: victim, detail }) =>
      [at, event, name, zone, victim, detail].filter((part) => part !== undefined).join(' '),
    );

describe('an outage', () => {
  it('of one node: the whole timeline, who goes and what stays', async () => {
    const mirror = pod('mirror', annotations({ 'kubernetes.io/config.mirror': 'x' }));
    const daemon = pod('daemon', ownedBy('DaemonSet', 'd'), tolerates(`${UR}:NoExecute`));
    const things = [up('n1', a, web('web'), mirror, daemon), up('n2', a), up('n3', a)];
    const report = await play(
      things,
      '- {at: 0s, stopKubelet: {nodes: [n1]}}\n- {at: 20m, startKubelet: {nodes: [n1]}}',
    );
    assert.deepEqual(lines(report), [
      '55s NodeNotReady n1 eu:a Ready is Unknown: NodeStatusUnknown',
      `55s TaintAdded n1 eu:a ${UR}:NoSchedule`,
      `55s TaintAdded n1 eu:a ${UR}:NoExecute`,
      '55s PodMarkedNotReady n1 eu:a default/web its node is not ready',
      `55s EvictionScheduled n1 eu:a default/web tolerates ${UR}:NoExecute for 5m0s only, so it is deleted at 5m55s`,
      `5m55s PodDeleted n1 eu:a default/web tolerates ${UR}:NoExecute for 5m0s only`,
      '20m0s NodeReady n1 eu:a Ready is True',
      `20m0s TaintRemoved n1 eu:a ${UR}:NoSchedule`,
      `20m5s TaintRemoved n1 eu:a ${UR}:NoExecute`,
    ]);
    assert.deepEqual(report.summary, { podsDeleted: 1, nodesTainted: 1, lastDeletionAt: '5m55s' });
    assert.deepEqual(
      report.pods.map(({ pod: name, podResult, at, reason }) => [name, podResult, at, reason]),
      [
        ['default/web', 'deleted', '5m55s', `tolerates ${UR}:NoExecute for 5m0s only`],
        ['default/daemon', 'stays', undefined, `tolerates ${UR}:NoExecute forever`],
        ['default/mirror', 'stays', undefined, 'is the mirror of a static pod, which only its kubelet can remove'],
      ],
    );
    assert.deepEqual(report.zones, [
      {
        zone: 'eu:a',
        nodes: 3,
        samples: [
          { atMs: 0, ready: 3, notReady: 0, tainted: 0, podsDeleted: 0 },
          { atMs: 55_000, ready: 2, notReady: 1, tainted: 1, podsDeleted: 0 },
          { atMs: 355_000, ready: 2, notReady: 1, tainted: 1, podsDeleted: 1 },
          { atMs: 1_200_000, ready: 3, notReady: 0, tainted: 1, podsDeleted: 1 },
          { atMs: 1_205_000, ready: 3, notReady: 0, tainted: 0, podsDeleted: 1 },
        ],
      },
    ]);
  });

  it('of every zone: nothing goes, and the report says why', async () => {
    const things = [up('n1', a, web('w1')), up('n2', b, web('w2'))];
    const report = await play(
      things,
      '- {at: 0s, stopKubelet: {selector: {kubernetes.io/hostname: n1}}}\n- {at: 0s, stopKubelet: {zone: "eu:b"}}',
    );
    assert.deepEqual(lines(report, 'ZoneState', 'PodDeleted'), [
      '55s ZoneState eu:a FullDisruption',
      '55s ZoneState eu:b FullDisruption',
    ]);
    assert.deepEqual(report.summary, { podsDeleted: 0, nodesTainted: 0 });
    assert.deepEqual(
      report.pods.map(({ reason }) => reason),
      Array(2).fill('is on a node that was not tainted NoExecute, since no node of any zone was ready'),
    );
  });

  it('says why a pod of an unresponsive node was never threatened', async () => {
    const things = ['1', '2', '3', '4', '5'].map((name) => up(`n${name}`, a, web(`w${name}`)));
    const report = await play(
      things,
      '- {at: 0s, stopKubelet: {nodes: [n1, n2]}}\n- {at: 1m1s, startKubelet: {nodes: [n2]}}',
      { duration: '2m' },
    );
    assert.deepEqual(
      report.pods.map(({ pod: name, reason }) => [name, reason]),
      [
        [
          'default/w1',
          `tolerates ${UR}:NoExecute for 5m0s only and would be deleted at 5m55s, after the end of the scenario`,
        ],
        ['default/w2', 'is on a node that was not ready for too short a time to be tainted NoExecute'],
      ],
    );
  });

  it('with other rates goes otherwise', async () => {
    const things = ['1', '2', '3'].map((name) => up(`n${name}`, a, web(`w${name}`)));
    const events = '- {at: 0s, stopKubelet: {nodes: [n1, n2, n3]}}';
    const all = [...things, up('m', b)];
    const usual = await play(all, events);
    const fast = await play(all, events, { lifecycle: { evictionRate: 1 } });
    const stopped = await play(all, events, { lifecycle: { fullDisruption: 'stop' } });
    assert.deepEqual(
      [usual, fast, stopped].map(({ summary }) => summary),
      [
        { podsDeleted: 3, nodesTainted: 3, lastDeletionAt: '6m15s' },
        { podsDeleted: 3, nodesTainted: 3, lastDeletionAt: '5m57s' },
        { podsDeleted: 0, nodesTainted: 0 },
      ],
    );
  });

  it('gives the same report for the same input in any order', async () => {
    const things = ['1', '2', '3', '4'].map((name) =>
      up(`n${name}`, name < '3' ? a : b, web(`w${name}`), web(`v${name}`)),
    );
    const events = '- {at: 0s, stopKubelet: {zone: a}}\n- {at: 2m, restartController: {downFor: 1m}}';
    assert.deepEqual(await play(things, events), await play(things.toReversed(), events));
  });

  it('moves no deadline by a restart in its middle', async () => {
    const things = [up('n1', a, web('w')), up('n2', a)];
    const report = await play(
      things,
      '- {at: 0s, stopKubelet: {nodes: [n1]}}\n- {at: 3m, restartController: {downFor: 1m}}',
    );
    assert.deepEqual(
      lines(report, 'EvictionScheduled', 'PodDeleted', 'NodeNotReady').map((line) => line.split(' ').slice(0, 2)),
      [
        ['55s', 'NodeNotReady'],
        ['55s', 'EvictionScheduled'],
        ['4m0s', 'EvictionScheduled'],
        ['5m55s', 'PodDeleted'],
      ],
    );
  });

  it('keeps a deleted pod terminating while its kubelet does not respond, and a new one of its name apart', async () => {
    const events = `- {at: 0s, stopKubelet: {nodes: [n1]}}
- {at: 7m, createPod: {metadata: {name: w}, spec: {nodeName: n2}}}
- {at: 8m, addTaint: {nodes: [n2], taint: {key: x, effect: NoExecute}}}
- {at: 20m, startKubelet: {nodes: [n1]}}`;
    const report = await play([up('n1', a, web('w')), up('n2', a)], events);
    assert.deepEqual(lines(report, 'PodDeleted'), [
      `5m55s PodDeleted n1 eu:a default/w tolerates ${UR}:NoExecute for 5m0s only`,
      '8m0s PodDeleted n2 eu:a default/w does not tolerate x:NoExecute',
    ]);
  });

  it('gives a pod that is created the tolerations of admission, and a binding no earlier than its creation', async () => {
    const events = `- {at: 0s, stopKubelet: {nodes: [n1]}}
- {at: 3m, createPod: {metadata: {name: late, creationTimestamp: "2020-01-01T00:00:00Z"}, spec: {nodeName: n1}}}`;
    const report = await play([up('n1', a), up('n2', a)], events);
    assert.deepEqual(lines(report, 'PodDeleted'), [
      `8m0s PodDeleted n1 eu:a default/late tolerates ${UR}:NoExecute for 5m0s only`,
    ]);
  });

  it('lets a condition be set, a node be made and be deleted', async () => {
    const events = `- {at: 1m, setCondition: {nodes: [n1], condition: {type: Ready, status: "False", reason: Broken}}}
- {at: 1m, setCondition: {nodes: [n2], condition: {type: DiskPressure, status: "True"}}}
- {at: 2m, createNode: {metadata: {name: n9, labels: {topology.kubernetes.io/zone: z9}}}}
- {at: 3m, deleteNode: n1}`;
    const report = await play([up('n1', a, web('w')), up('n2', a)], events);
    assert.deepEqual(lines(report, 'NodeNotReady', 'TaintAdded', 'EvictionCancelled', 'PodDeleted'), [
      '1m0s NodeNotReady n1 eu:a Ready is False: Broken',
      '1m0s TaintAdded n1 eu:a node.kubernetes.io/not-ready:NoSchedule',
      '1m0s TaintAdded n2 eu:a node.kubernetes.io/disk-pressure:NoSchedule',
      '1m5s TaintAdded n1 eu:a node.kubernetes.io/not-ready:NoExecute',
      '3m0s EvictionCancelled n1 default/w was on a node that is gone',
    ]);
    assert.deepEqual(
      report.zones.map(({ zone, nodes }) => [zone, nodes]),
      [
        [':z9', 1],
        ['eu:a', 2],
      ],
    );
  });

  it('22 a time of a taint that lies before it was seen to appear is the mistake of a clock', async () => {
    const events = `- {at: 1m, addTaint: {nodes: [n1], taint: {key: x, effect: NoExecute, timeAdded: "2026-01-01T23:59:00Z"}}}
- {at: 1m, addTaint: {nodes: [n2], taint: {key: x, effect: NoExecute}}}
- {at: 2m, removeTaint: {nodes: [n3], taint: {key: y}}}`;
    const patient = (name: string) => pod(name, tolerates('x', { tolerationSeconds: 300 }));
    const things = [up('n1', patient('p1')), up('n2', patient('p2')), up('n3', tainted('y=z:NoExecute', '-1h'))];
    const report = await play(things, events);
    assert.deepEqual(
      lines(report, 'PodDeleted', 'TaintRemoved').map((line) => line.split(' ').slice(0, 3).join(' ')),
      ['2m0s TaintRemoved n3', '6m0s PodDeleted n1', '6m0s PodDeleted n2'],
    );
  });

  it('21 a taint that is put on again is another one, with another start', async () => {
    const events = `- {at: 1m, addTaint: {nodes: [n1], taint: {key: x, effect: NoExecute}}}
- {at: 3m, addTaint: {nodes: [n1], taint: {key: x, effect: NoExecute}}}`;
    const report = await play([up('n1', pod('p', tolerates('x', { tolerationSeconds: 300 })))], events);
    assert.deepEqual(lines(report), [
      '1m0s TaintAdded n1  x:NoExecute',
      '1m0s EvictionScheduled n1  default/p tolerates x:NoExecute for 5m0s only, so it is deleted at 6m0s',
      '3m0s TaintAdded n1  x:NoExecute',
      '3m0s TaintRemoved n1  x:NoExecute',
      '3m0s EvictionScheduled n1  default/p tolerates x:NoExecute for 5m0s only, so it is deleted at 8m0s',
      '8m0s PodDeleted n1  default/p tolerates x:NoExecute for 5m0s only',
    ]);
  });

  it('22 a taint that is there at our first look is as old as it says', async () => {
    const events = `- {at: 30s, restartController: {downFor: 1m}}
- {at: 1m, addTaint: {nodes: [n1], taint: {key: x, effect: NoExecute, timeAdded: "2026-01-01T23:59:00Z"}}}`;
    const report = await play([up('n1', pod('p', tolerates('x', { tolerationSeconds: 300 })))], events);
    assert.deepEqual(
      lines(report, 'PodDeleted').map((line) => line.split(' ')[0]),
      ['4m0s'],
    );
  });

  it('begins with every kubelet alive: one whose node was given up reports itself ready, one that says False goes on saying so', async () => {
    const things = [
      node('lost', ready('Unknown'), tainted(`${UR}:NoExecute`, '-4m'), web('w1')),
      node('ill', ready('False'), tainted('node.kubernetes.io/not-ready:NoExecute', '-4m'), web('w2')),
      up('well'),
    ];
    const report = await play(things, '- {at: 29m, deletePod: default/w1}');
    assert.deepEqual(
      lines(report, 'NodeReady', 'PodDeleted', 'TaintRemoved').map((line) => line.split(' ').slice(0, 3)),
      [
        ['0s', 'NodeReady', 'lost'],
        ['0s', 'TaintRemoved', 'lost'],
        ['1m0s', 'PodDeleted', 'ill'],
      ],
    );
  });

  it('warns of what cannot be done', async () => {
    const events = `- {at: 0s, stopKubelet: {nodes: [ghost]}}
- {at: 0s, stopKubelet: {zone: nowhere}}
- {at: 0s, removeTaint: {nodes: [n1], taint: {key: y}}}
- {at: 0s, deletePod: default/ghost}
- {at: 0s, deleteNode: ghost}
- {at: 0s, updatePod: {metadata: {name: fresh}}}
- {at: 1h, deleteNode: n1}`;
    const report = await play([up('n1')], events);
    assert.deepEqual(report.warnings, [
      'deleteNode at 1h0m0s comes after the end of the scenario',
      'stopKubelet: there is no node ghost at that time',
      'stopKubelet: no node is in zone nowhere at that time',
      'removeTaint: node n1 has no taint y at that time',
      'deletePod: there is no pod default/ghost at that time',
      'deleteNode: there is no node ghost at that time',
      'updatePod: there is no pod default/fresh; it is created',
    ]);
  });

  it('mirrors old labels once', async () => {
    const linux = (before: Node): Node => ({ ...before, labels: { ...before.labels, 'kubernetes.io/os': 'linux' } });
    const report = await play([up('n1', linux)], '- {at: 1h, deleteNode: n1}');
    assert.deepEqual(lines(report), ['0s LabelsReconciled n1  beta.kubernetes.io/os=linux']);
  });

  it('plays nothing on an empty cluster', async () => {
    const report = await play([], '- {at: 0s, restartController: {}}');
    assert.deepEqual([report.timeline, report.zones, report.pods], [[], [], []]);
  });
});
