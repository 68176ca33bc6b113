import assert from 'node:assert/strict';
import type { Node } from '../../src/cluster/objects/node.ts';
import { NodeIndexes } from '../../src/placement/counts/node-indexes.ts';
import { removePodsViolatingTopologySpreadConstraint } from '../../src/strategies/topology-spread/remove-pods-violating-topology-spread-constraint.ts';
import { spreadRules } from '../../src/strategies/topology-spread/spread-rules.ts';
import { inOrderOfVictims } from '../../src/strategies/topology-spread/victims.ts';
import {
  allocatable,
  annotations,
  asks,
  labels,
  namespace,
  node,
  nodeSelector,
  noOwner,
  on,
  type Part,
  pod,
  prefersNode,
  priority,
  requiresNode,
  sized,
  snapshot,
  spreads,
  taint,
  term,
  terminating,
} from '../builders/cluster.ts';
import { planTable } from './plan-table.ts';
import * as given from './topology-spread/spread-cluster.ts';
import {
  allHold,
  c,
  cluster,
  cn,
  fromAToB,
  heap,
  inZone,
  isOneOf,
  stays,
  zones,
} from './topology-spread/spread-cluster.ts';

const NF = { nodeFit: true };
const both = { constraints: ['DoNotSchedule', 'ScheduleAnyway'] };
const soft = c(1, { whenUnsatisfiable: 'ScheduleAnyway' });

const unequal = [heap(1, 'n1', c(1)), heap(2, 'n1'), heap(1, 'n2')];
const sixAgainstTwo = [heap(1, 'n1', c(2)), heap(1, 'n1'), heap(6, 'n2')];
const onePinned = [heap(1, 'n1', c(1)), heap(1, 'n1', nodeSelector({ zone: 'zoneA' }))];
const twoAgainstNone = [heap(1, 'n1', c(1)), heap(1, 'n1')];

/** Three nodes of Linux and three of Windows, each with a label of its own. */
const split = ['linNodeA', 'linNodeB', 'linNodeC', 'winNodeA', 'winNodeB', 'winNodeC'].map((name, index) =>
  node(`n${index + 1}`, sized(2000, 3000, 10), labels({ os: index < 3 ? 'linux' : 'windows', node: name })),
);
const windows = nodeSelector({ os: 'windows' });
const boston = [1, 2].map((n) => inZone(`n${n}`, n === 1 ? 'zoneA' : 'zoneB', labels({ region: 'boston' })));
const inBoston = nodeSelector({ region: 'boston' });
const tainted = (effect: string) => [inZone('n1', 'zoneA'), inZone('n2', 'zoneB', taint(`taint-test=test:${effect}`))];
const nodeOf = (name: string, zone: string, ...[cpu, memory, slots]: readonly [number, number, number]) =>
  node(name, sized(cpu, memory, slots), labels({ zone }));

const selects = (operator: string, value: string) => ({
  labelSelector: { matchExpressions: [{ key: 'foo', operator, values: [value] }] },
});
const uneven = (text: string) => [`still uneven: foo=bar by ${text}`];
const bare = (place: string) =>
  `ns1/${place} [FailedBarePods] is a bare pod in phase Running: it has no owner that would replace it; only the annotation descheduler.alpha.kubernetes.io/evict would allow its eviction (podProtections.defaultDisabled: [FailedBarePods] frees bare pods that have failed)`;
const noFit = (place: string, why: string) => `ns1/${place} [nodeFit] ${why}`;
const twoInA = isOneOf({ count: 2, at: 'zone=zoneA', least: 0, emptiest: 'zone=zoneB' });
const range = (from: number, to: number) => Array.from({ length: to - from + 1 }, (_, index) => from + index);

/** TS-15: the pods of n3 by name, 19 of which find a slot, by turns in zoneA and zoneB, which has one already. */
const hundred = range(1, 100)
  .map((n) => `pod-${n}`)
  .sort()
  .map((name) => `${name}@n3`);
const turn = (index: number) => ({
  least: Math.ceil(index / 2),
  emptiest: index === 0 || index % 2 === 1 ? 'zone=zoneA' : 'zone=zoneB',
});

describe('RemovePodsViolatingTopologySpreadConstraint', () => {
  describe('rule T28', () => {
    planTable(removePodsViolatingTopologySpreadConstraint, [
      {
        row: 'TS-1 [2,1]',
        cluster: cluster(zones(2), heap(1, 'n1', c(1)), heap(1, 'n1'), heap(1, 'n2')),
        notes: allHold(),
      },
      { row: 'TS-2 [3,1]', cluster: cluster(zones(2), ...unequal), evictions: [fromAToB('pod-0', 3, 1)] },
      ...['TS-3 ScheduleAnyway', 'TS-4 ScheduleAnyway again'].map((row) => ({
        row,
        args: both,
        cluster: cluster(zones(2), heap(1, 'n1', soft), heap(2, 'n1'), heap(1, 'n2')),
        evictions: [fromAToB('pod-0', 3, 1)],
      })),
      {
        row: 'TS-5 bare pods',
        cluster: cluster(zones(2), heap(1, 'n1', c(1), noOwner), heap(2, 'n1', noOwner), heap(1, 'n2', noOwner)),
        refusals: ['pod-0@n1', 'pod-1@n1', 'pod-2@n1'].map(bare),
        notes: uneven('zone in ns1: zoneA has 3, zoneB has 1, maxSkew is 1'),
      },
      {
        row: 'TS-6 nodeFit, kube-system excluded',
        evictor: NF,
        args: { namespaces: { exclude: ['kube-system'] } },
        cluster: cluster(zones(2), ...unequal),
        evictions: [fromAToB('pod-0', 3, 1)],
      },
      {
        row: 'TS-7 [5,2]',
        cluster: cluster(zones(2), heap(1, 'n1', c(1)), heap(4, 'n1'), heap(2, 'n2')),
        evictions: [fromAToB('pod-0', 5, 2)],
      },
      {
        row: 'TS-8 [4,0]',
        cluster: cluster(zones(2), heap(1, 'n1', c(1)), heap(3, 'n1')),
        evictions: [fromAToB('pod-0', 4, 0), fromAToB('pod-1', 3, 1)],
      },
      {
        row: 'TS-10 nodes of another system are no domains',
        cluster: cluster(
          split,
          heap(3, 'n4', cn(1), windows),
          heap(3, 'n5', cn(1), windows),
          heap(2, 'n6', cn(1), windows),
        ),
        notes: allHold(),
      },
      {
        row: 'TS-12 [4,3,1]',
        cluster: cluster(
          split,
          heap(4, 'n4', cn(1), windows),
          heap(3, 'n5', cn(1), windows),
          heap(1, 'n6', cn(1), windows),
        ),
        evictions: [`ns1/pod-0@n4 ${isOneOf({ count: 4, at: 'node=winNodeA', least: 1, emptiest: 'node=winNodeC' })}`],
      },
      {
        row: 'TS-13 nodeFit, the four are pinned: one of the next larger domain goes (18.2, number 7)',
        evictor: NF,
        reference: 0,
        cluster: cluster(
          split,
          heap(4, 'n4', cn(1), nodeSelector({ node: 'winNodeA' })),
          heap(3, 'n5', cn(1), windows),
          heap(1, 'n6', cn(1), windows),
        ),
        evictions: [`ns1/pod-4@n5 ${isOneOf({ count: 3, at: 'node=winNodeB', least: 1, emptiest: 'node=winNodeC' })}`],
        refusals: range(0, 3).map((n) =>
          noFit(
            `pod-${n}@n4`,
            'fits on none of the 5 other ready nodes: 5 node-affinity (on n1: node selector node=winNodeA is not met, the node has linNodeA)',
          ),
        ),
        notes: uneven('node in ns1: winNodeA has 4, winNodeB has 2, maxSkew is 1'),
      },
      {
        row: 'TS-14 the node selector chooses both zones',
        cluster: cluster(boston, heap(1, 'n1', c(1), inBoston), heap(3, 'n1', inBoston)),
        evictions: [fromAToB('pod-0', 4, 0), fromAToB('pod-1', 3, 1)],
      },
      {
        row: 'TS-15 [0,1,100]: no more than there are slots (18.2, number 4)',
        reference: 66,
        cluster: cluster(zones(3), heap(1, 'n2', c(1)), heap(100, 'n3')),
        evictions: hundred.slice(0, 19).map((place, index) => {
          return `ns1/${place} ${isOneOf({ count: 100 - index, at: 'zone=zoneC', ...turn(index) })}`;
        }),
        refusals: hundred.slice(19).map((place) => {
          const reason = isOneOf({ count: 81, at: 'zone=zoneC', least: 10, emptiest: 'zone=zoneA' });
          return stays(place, `${reason}, but no node of zone zoneA, zoneB takes it without breaking another rule`);
        }),
        notes: uneven('zone in ns1: zoneC has 81, zoneA has 10, maxSkew is 1'),
      },
      {
        row: 'TS-17 [2,6] skew 2',
        cluster: cluster(zones(2), ...sixAgainstTwo),
        evictions: [
          `ns1/pod-2@n2 ${isOneOf({ count: 6, at: 'zone=zoneB', least: 2, emptiest: 'zone=zoneA', maxSkew: 2 })}`,
        ],
      },
      {
        row: 'TS-18 nodeFit, tainted',
        evictor: NF,
        cluster: cluster(
          [inZone('n1', 'zoneA', taint('hardware=gpu:NoSchedule')), inZone('n2', 'zoneB')],
          ...sixAgainstTwo,
        ),
        refusals: range(2, 7).map((n) =>
          noFit(
            `pod-${n}@n2`,
            'does not fit on n1, the only other ready node: taint hardware=gpu:NoSchedule is not tolerated',
          ),
        ),
        notes: uneven('zone in ns1: zoneB has 6, zoneA has 2, maxSkew is 2'),
      },
      {
        row: 'TS-19 nodeFit, no cpu left',
        evictor: NF,
        cluster: cluster(
          [inZone('n1', 'zoneA', allocatable({ cpu: '200m' })), inZone('n2', 'zoneB')],
          ...sixAgainstTwo,
        ),
        refusals: range(2, 7).map((n) =>
          noFit(`pod-${n}@n2`, 'does not fit on n1, the only other ready node: needs 100m cpu, 0 of 200m free'),
        ),
        notes: uneven('zone in ns1: zoneB has 6, zoneA has 2, maxSkew is 2'),
      },
      {
        row: 'TS-22 [5,5,5]',
        cluster: cluster(zones(3), heap(5, 'n1', c(1)), heap(5, 'n2', c(1)), heap(5, 'n3', c(1))),
        notes: allHold(),
      },
      {
        row: 'TS-24 a taint that is not tolerated',
        cluster: cluster(tainted('NoSchedule'), ...onePinned),
        refusals: ['pod-0@n1', 'pod-1@n1'].map((place) =>
          stays(place, `${twoInA}, but no node of zone zoneB takes it without breaking another rule`),
        ),
        notes: uneven('zone in ns1: zoneA has 2, zoneB has 0, maxSkew is 1'),
      },
      {
        row: 'TS-25 the same with nodeFit',
        evictor: NF,
        cluster: cluster(tainted('NoSchedule'), ...onePinned),
        refusals: ['pod-0@n1', 'pod-1@n1'].map((place) =>
          noFit(
            place,
            'does not fit on n2, the only other ready node: taint taint-test=test:NoSchedule is not tolerated',
          ),
        ),
        notes: uneven('zone in ns1: zoneA has 2, zoneB has 0, maxSkew is 1'),
      },
      {
        row: 'TS-26 PreferNoSchedule',
        cluster: cluster(tainted('PreferNoSchedule'), ...onePinned),
        evictions: [`ns1/pod-0@n1 ${twoInA}`],
      },
      {
        row: 'TS-27 labelSelector foo in (baz)',
        args: selects('In', 'baz'),
        cluster: cluster(zones(2), ...twoAgainstNone),
        notes: uneven('zone in ns1: zoneA has 2, zoneB has 0, maxSkew is 1'),
      },
      {
        row: 'TS-28 labelSelector foo in (bar) (reference pod-1, ours pod-0: 18.2, number 6)',
        args: selects('In', 'bar'),
        cluster: cluster(zones(2), ...twoAgainstNone),
        evictions: [`ns1/pod-0@n1 ${twoInA}`],
      },
      {
        row: 'TS-29 labelSelector foo notin (baz) (reference pod-1, ours pod-0: 18.2, number 6)',
        args: selects('NotIn', 'baz'),
        cluster: cluster(zones(2), ...twoAgainstNone),
        evictions: [`ns1/pod-0@n1 ${twoInA}`],
      },
      {
        row: 'TS-30 matchLabelKeys (reference pod-1, ours pod-0: 18.2, number 6)',
        args: selects('NotIn', 'baz'),
        cluster: cluster(
          zones(2),
          heap(2, 'n1', labels({ 'pod-template-hash': 'foo' }), c(1, { matchLabelKeys: ['pod-template-hash'] })),
        ),
        evictions: [
          `ns1/pod-0@n1 ${isOneOf({ count: 2, at: 'zone=zoneA', least: 0, emptiest: 'zone=zoneB', selector: 'foo=bar,pod-template-hash=foo' })}`,
        ],
      },
      {
        row: 'TS-32 terminating pods',
        cluster: cluster(zones(2), heap(2, 'n1', c(1)), heap(2, 'n1', c(1), terminating), heap(2, 'n2', c(1))),
        notes: allHold(),
      },
      {
        row: 'TS-33 nodeFit, no cpu in zoneA',
        evictor: NF,
        cluster: cluster(
          [
            nodeOf('n1', 'zoneA', 250, 2000, 9),
            nodeOf('n2', 'zoneB', 1000, 2000, 9),
            nodeOf('n3', 'zoneC', 1000, 2000, 9),
          ],
          heap(2, 'n1', c(1)),
          heap(3, 'n2', c(1)),
          heap(4, 'n3', c(1)),
        ),
        refusals: range(5, 8).map((n) =>
          noFit(
            `pod-${n}@n3`,
            'fits on none of the 2 other ready nodes: 1 cpu (on n1: needs 100m cpu, 50m of 250m free), 1 spread',
          ),
        ),
        notes: uneven('zone in ns1: zoneC has 4, zoneA has 2, maxSkew is 1'),
      },
      {
        row: 'TS-35 nodeFit, two nodes a zone, no cpu in zoneA',
        evictor: NF,
        cluster: cluster(
          [
            nodeOf('A1', 'zoneA', 150, 2000, 9),
            nodeOf('A2', 'zoneA', 50, 2000, 9),
            ...['B1', 'B2'].map((name) => nodeOf(name, 'zoneB', 1000, 2000, 9)),
            ...['C1', 'C2'].map((name) => nodeOf(name, 'zoneC', 1000, 2000, 9)),
          ],
          ...[heap(1, 'A1', c(1)), heap(1, 'B1', c(1)), heap(1, 'B2', c(1))],
          ...[heap(2, 'C1', c(1)), heap(1, 'C2', c(1))],
        ),
        refusals: ['pod-3@C1', 'pod-4@C1', 'pod-5@C2'].map((place) =>
          noFit(
            place,
            'fits on none of the 5 other ready nodes: 3 spread (on B1: spread of foo=bar by zone: zoneB would have 3, the emptiest has 1, maxSkew is 1), 2 cpu',
          ),
        ),
        notes: uneven('zone in ns1: zoneC has 3, zoneA has 1, maxSkew is 1'),
      },
      {
        row: 'TS-37 nodeFit, nodes that the affinity rules out are no domains',
        evictor: NF,
        cluster: snapshot(...infrastructure(), ...range(0, 3).map((n) => service(`pod-${n}`, n < 2 ? 'app1' : 'app2'))),
        notes: allHold(),
      },
    ]);

    it('TS-S1 no domain, nothing to sort', () => assert.deepEqual(victims([]), []));

    it('TS-S2 (reference non-evictable, 10, 15, taken from the end; ours 10, then 15, and the protected is refused)', () => {
      const protectedPod = ['protected', annotations({ evictable: 'false' }), priority(20)] as const;
      const order = victims([protectedPod, ['ten', priority(10)], ['fifteen', priority(15)]]);
      assert.deepEqual(order, ['ten', 'fifteen', 'protected']);
    });

    it('TS-S3 (reference 5, 20, taken from the end; ours 5, then 20)', () => {
      assert.deepEqual(
        victims([
          ['twenty', priority(20)],
          ['five', priority(5)],
        ]),
        ['five', 'twenty'],
      );
    });

    it('TS-S4 pods with affinity go last, whatever their priority', () => {
      const bound = ['bound', priority(10), prefersNode(1, term('a=b'))] as const;
      assert.deepEqual(victims([bound, ['plain', priority(15)]]), ['plain', 'bound']);
    });

    it('TS-I1 equal constraints of two pods are one', () => {
      assert.deepEqual(rulesOf(heap(1, 'n1', c(2)), heap(1, 'n2', c(2))), ['zone 2']);
    });

    it('TS-I2 other skew, other key: two', () => {
      assert.deepEqual(rulesOf(heap(1, 'n1', c(2)), heap(1, 'n2', cn(3))), ['node 3', 'zone 2']);
    });
  });
});

/** Names of the pods in the order in which they would go. */
function victims(pods: readonly (readonly [string, ...(readonly Part<ReturnType<typeof pod>>[])])[]) {
  const built = pods.map(([name, ...parts]) => pod(name, ...parts));
  return inOrderOfVictims(built, () => 0).map(({ name }) => name);
}

function rulesOf(...heaps: readonly given.Heap[]): readonly string[] {
  const nodes = zones(2).map((one) => node(one.name, labels({ ...one.labels, node: one.name })));
  const built = cluster(nodes, ...heaps);
  const view = {
    snapshot: built,
    nodeIndexes: new NodeIndexes(built),
    actions: ['DoNotSchedule'],
    defaultConstraints: [],
  };
  return spreadRules(view).map(({ constraint: { topologyKey, maxSkew } }) => `${topologyKey} ${maxSkew}`);
}

/** TS-37: a control plane and an infrastructure node that are tainted, and two nodes for services. */
function infrastructure(): readonly Node[] {
  const role = (name: string) => taint(`node-role.kubernetes.io/${name}=true:NoSchedule`);
  const host = (name: string, zone: string, hostname: string, ...parts: readonly Part<Node>[]) =>
    inZone(name, zone, labels({ 'kubernetes.io/hostname': hostname }), ...parts);
  const forServices = labels({ app_service: 'true' });
  return [
    host('controlplane1', 'zoneA', 'cp-1', role('controlplane'), role('etcd')),
    host('infraservices1', 'zoneA', 'infra-1', labels({ infra_service: 'true' }), taint('infra_service:NoSchedule')),
    host('app1', 'zoneA', 'app-1', forServices),
    host('app2', 'zoneB', 'app-2', forServices),
  ];
}

function service(name: string, nodeName: string) {
  const label = { 'app.kubernetes.io/name': 'service' };
  const rule = spreads('app.kubernetes.io/name=service', 'kubernetes.io/hostname');
  const place = [namespace('ns1'), on(nodeName), requiresNode(term('app_service'))];
  return pod(name, asks(100, 0), labels(label), rule, ...place);
}
