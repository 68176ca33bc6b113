import assert from 'node:assert/strict';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { isTolerated } from '../../src/cluster/rules/taints.ts';
import { removePodsViolatingNodeTaints } from '../../src/strategies/remove-pods-violating-node-taints.ts';
import {
  annotations,
  asks,
  cordoned,
  labels,
  namespace,
  node,
  noOwner,
  nodeSelector,
  on,
  ownedBy,
  parseTaint,
  parseToleration,
  type Part,
  pod,
  priority,
  sized,
  snapshot,
  spec,
  taint,
  tolerates,
} from '../builders/cluster.ts';
import { planTable, SPARE } from './plan-table.ts';
import { criticalPod, daemonSetPod, limited, localStoragePod, mirrorPod, noFit } from './refusals.ts';

const T1 = taint('testTaint1=test1:NoSchedule');
const tolT = tolerates('testTaint1=test1:NoSchedule');
const tolX = tolerates('testTaintX1=testX1:NoSchedule');
const tolG = tolerates('testingTaint1=testing1:NoSchedule');
const sizedNode = (name: string, ...parts: readonly (Part<Node> | Pod)[]) =>
  node(name, sized(2000, 3000, 10), ...parts);
const small = (name: string, ...parts: readonly Part<Pod>[]) => pod(name, asks(100, 0), ownedBy('Pod', ''), ...parts);

const p1 = small('p1', tolT);
const p2 = small('p2');
const p3 = small('p3', tolT);
const p7 = small('p7', namespace('kube-system'), priority(2_000_000_000));
const p8 = small('p8', ownedBy('DaemonSet', 'ds'));
const p9 = small('p9', spec({ volumes: [{ kind: 'emptyDir', name: 'scratch' }] }));
const p10 = small(
  'p10',
  noOwner,
  annotations({ 'kubernetes.io/config.mirror': 'mirror', 'kubernetes.io/config.source': 'api' }),
);
const p11 = small('p11');

const violates = (name: string, nodeName: string) =>
  `${name}@${nodeName} does not tolerate testTaint1=test1:NoSchedule on ${nodeName}`;
const nothingTainted = ['no taint to check on 2 nodes'];
const allTolerate = ['every pod checked tolerates the taints of its node: 1 tainted node'];
describe('RemovePodsViolatingNodeTaints', () => {
  describe('rule T25', () => {
    planTable(removePodsViolatingNodeTaints, [
      {
        row: 'NT-1 one without toleration',
        cluster: snapshot(sizedNode('n1', T1, p1, p2, p3), SPARE),
        evictions: [violates('p2', 'n1')],
      },
      {
        row: 'NT-2 wrong toleration',
        cluster: snapshot(sizedNode('n1', T1, p1, p3, small('p4', tolX)), SPARE),
        evictions: [violates('p4', 'n1')],
      },
      {
        row: 'NT-4 mN=1',
        cluster: snapshot(sizedNode('n1', T1, p1, small('p5'), small('p6')), SPARE),
        limits: { node: 1 },
        evictions: [violates('p5', 'n1')],
        refusals: [limited('p6@n1', 'PerNode', '1 eviction')],
      },
      ...['NT-5', 'NT-6'].map((id) => ({
        row: `${id} mNs=1`,
        cluster: snapshot(sizedNode('n1', T1, p1, small('p5'), small('p6')), SPARE),
        limits: { namespace: 1 },
        evictions: [violates('p5', 'n1')],
        refusals: [limited('p6@n1', 'PerNamespace', '1 eviction')],
      })),
      {
        row: 'NT-7 protected',
        cluster: snapshot(sizedNode('n2', T1, p7, p8, p9, p10), SPARE),
        refusals: [
          mirrorPod('p10@n2'),
          daemonSetPod('p8@n2'),
          localStoragePod('p9@n2'),
          criticalPod('kube-system/p7@n2'),
        ],
      },
      {
        row: 'NT-8 evictLocalStoragePods',
        cluster: snapshot(sizedNode('n2', T1, p7, p8, p9, p10), SPARE),
        evictor: { evictLocalStoragePods: true },
        evictions: [violates('p9', 'n2')],
        refusals: [
          mirrorPod('p10@n2'),
          daemonSetPod('p8@n2', 'evictDaemonSetPods: true would allow its eviction'),
          criticalPod('kube-system/p7@n2', 'evictSystemCriticalPods: true would allow its eviction'),
        ],
      },
      {
        row: 'NT-9 plus plain pod',
        cluster: snapshot(sizedNode('n2', T1, p7, p8, p10, p11), SPARE),
        evictions: [violates('p11', 'n2')],
        refusals: [mirrorPod('p10@n2'), daemonSetPod('p8@n2'), criticalPod('kube-system/p7@n2')],
      },
      {
        row: 'NT-11 NF, other node equally tainted',
        cluster: snapshot(sizedNode('n1', T1, p1, p2, p3), sizedNode('n2', T1)),
        evictor: { nodeFit: true },
        refusals: [noFit('p2@n1', { node: 'n2', why: 'taint testTaint1=test1:NoSchedule is not tolerated' })],
      },
      {
        row: 'NT-12 NF, selector, the third pod on a node that is gone',
        cluster: snapshot(
          sizedNode('n1', T1, p1, p3),
          sizedNode('n3', labels({ datacenter: 'east' })),
          small('p11', nodeSelector({ datacenter: 'west' }), on('n2')),
        ),
        evictor: { nodeFit: true },
        notes: allTolerate,
      },
      {
        row: 'NT-13 NF, other cordoned',
        cluster: snapshot(sizedNode('n1', T1, p1, p2, p3), sizedNode('n4', cordoned)),
        evictor: { nodeFit: true },
        refusals: [noFit('p2@n1', { node: 'n4', why: 'is cordoned' })],
      },
      {
        row: 'NT-14 PreferNoSchedule off',
        cluster: snapshot(
          sizedNode(
            'n5',
            taint('testTaint1=test1:PreferNoSchedule'),
            small('p13', tolerates('testTaint0=test0:PreferNoSchedule')),
          ),
          SPARE,
        ),
        notes: nothingTainted,
      },
      {
        row: 'NT-16 excluded by key',
        cluster: snapshot(sizedNode('n1', T1, p2), SPARE),
        args: { excludedTaints: ['excludedTaint1', 'testTaint1'] },
        notes: nothingTainted,
      },
      {
        row: 'NT-17 excluded by key=value',
        cluster: snapshot(sizedNode('n1', T1, p2), SPARE),
        args: { excludedTaints: ['testTaint1=test1'] },
        notes: nothingTainted,
      },
      {
        row: 'NT-19 NF, evictSystemCriticalPods, no room',
        cluster: snapshot(
          sizedNode('n1', T1, p2),
          node('n6', sized(1, 1, 1), taint('testTaint1=test1:PreferNoSchedule')),
          ...[p7, p9, p10].map((each) => ({ ...each, nodeName: 'n2' })),
        ),
        evictor: { nodeFit: true, evictSystemCriticalPods: true },
        refusals: [noFit('p2@n1', { node: 'n6', why: 'needs 100m cpu, 1m of 1m free' })],
      },
      {
        row: 'NT-20 included, other taint present, the pod on a node that is gone',
        cluster: snapshot(sizedNode('n7', T1, T1), SPARE, { ...p1, nodeName: 'n1' }),
        args: { includedTaints: ['testTaint1=test1'] },
        notes: allTolerate,
      },
      {
        row: 'NT-21 not included',
        cluster: snapshot(sizedNode('n1', T1, p1, p2, small('p4', tolX)), SPARE),
        args: { includedTaints: ['testTaint2=test2'] },
        notes: nothingTainted,
      },
      {
        row: 'NT-23 included unset: p15, whose toleration is another one',
        cluster: snapshot(sizedNode('n7', T1, T1, small('p14', tolT), small('p15', tolG)), SPARE),
        evictions: [violates('p15', 'n7')],
      },
    ]);

    const single = [
      ['NT-T1 Exists foo, taint foo', 'foo:NoSchedule', 'foo:NoSchedule', true],
      ['NT-T2 Exists foo, taint foo=bar', 'foo:NoSchedule', 'foo=bar:NoSchedule', true],
      ['NT-T3 Exists without key, taint foo=bar', ':NoSchedule', 'foo=bar:NoSchedule', true],
      ['NT-T4 Equal foo=bar, taint foo=bar', 'foo=bar:NoSchedule', 'foo=bar:NoSchedule', true],
      ['NT-T5 Equal foo=value1, taint foo=value2', 'foo=value1:NoSchedule', 'foo=value2:NoSchedule', false],
      ['NT-T6 Equal foo=bar:NoSchedule, taint foo=bar:NoExecute', 'foo=bar:NoSchedule', 'foo=bar:NoExecute', false],
    ] as const;
    for (const [row, toleration, tainted, expected] of single) {
      it(row, () => assert.equal(isTolerated([parseToleration(toleration)], parseTaint(tainted)), expected));
    }
  });

  describe('rules T25 and T7', () => {
    planTable(removePodsViolatingNodeTaints, [
      {
        row: 'an explicitly empty includedTaints includes nothing',
        cluster: snapshot(sizedNode('n1', T1, p2), SPARE),
        args: { includedTaints: [] },
        notes: ['includedTaints is an empty list, so no taint is checked'],
      },
      {
        row: 'NoExecute is left to the lifecycle half, which the notes say',
        cluster: snapshot(sizedNode('n1', taint('broken:NoExecute'), p2), SPARE),
        notes: [...nothingTainted, 'NoExecute taints are left to the node lifecycle controllers: n1'],
      },
      {
        row: 'PreferNoSchedule on request, the included key only, with or without value',
        cluster: snapshot(
          sizedNode('n1', taint('maint=disk:PreferNoSchedule'), p2),
          sizedNode('n2', taint('other:PreferNoSchedule'), p11),
          sizedNode('n3', taint('maint=net:NoSchedule'), p3),
        ),
        args: { includePreferNoSchedule: true, includedTaints: ['maint'] },
        evictions: [
          'p2@n1 does not tolerate maint=disk:PreferNoSchedule on n1',
          'p3@n3 does not tolerate maint=net:NoSchedule on n3',
        ],
      },
      {
        row: 'one wildcard toleration for two taints',
        cluster: snapshot(sizedNode('n1', T1, taint('x:NoSchedule'), small('p', tolerates(''))), SPARE),
        notes: allTolerate,
      },
      {
        row: 'the first taint that is not tolerated is named, least important pod first',
        cluster: snapshot(
          sizedNode('n1', T1, taint('x:NoSchedule'), small('a', tolT, priority(2)), small('b', priority(1))),
          SPARE,
        ),
        evictions: [violates('b', 'n1'), 'a@n1 does not tolerate x:NoSchedule on n1'],
      },
      {
        row: 'Gt and Lt compare whole numbers',
        cluster: snapshot(
          sizedNode(
            'n1',
            taint('level=950:NoSchedule'),
            small('gt900', tolerates('level=900:NoSchedule', { operator: 'Gt' })),
            small('gt950', tolerates('level=950:NoSchedule', { operator: 'Gt' })),
            small('lt1000', tolerates('level=1000:NoSchedule', { operator: 'Lt' })),
            small('lt-zero', tolerates('level=01000:NoSchedule', { operator: 'Lt' })),
          ),
          SPARE,
        ),
        evictions: ['gt950', 'lt-zero'].map((name) => `${name}@n1 does not tolerate level=950:NoSchedule on n1`),
      },
      {
        row: 'with NF one free place justifies one eviction',
        cluster: snapshot(
          sizedNode('n1', T1, ...['a', 'b', 'c'].map((name) => small(name))),
          node('n2', sized(150, 3000, 10)),
        ),
        evictor: { nodeFit: true },
        evictions: [violates('a', 'n1')],
        refusals: ['b@n1', 'c@n1'].map((place) =>
          noFit(place, {
            node: 'n2',
            why: 'needs 100m cpu, 50m of 150m free, 100m kept for the replacement of default/a',
          }),
        ),
      },
    ]);
  });
});
