import assert from 'node:assert/strict';
import type { Node } from '../../../src/cluster/objects/node.ts';
import type { SpreadConstraint } from '../../../src/cluster/objects/pod.ts';
import type { Snapshot } from '../../../src/cluster/snapshot.ts';
import { createPlacement } from '../../../src/placement/fit.ts';
import type { RemovePodsViolatingTopologySpreadConstraintArgs } from '../../../src/strategies/topology-spread/args.ts';
import { removePodsViolatingTopologySpreadConstraint } from '../../../src/strategies/topology-spread/remove-pods-violating-topology-spread-constraint.ts';
import type { Context } from '../../../src/strategies/strategy.ts';
import {
  budget,
  condition,
  cordoned,
  labels,
  namespace,
  node,
  nodeSelector,
  notReady,
  on,
  ownedBy,
  phase,
  pod,
  priority,
  selector,
  snapshot,
  spreads,
  status,
  taint,
  terminating,
  tolerates,
} from '../../builders/cluster.ts';
import { planTable } from '../plan-table.ts';
import { daemonSetPod, limited } from '../refusals.ts';
import { allHold, c, cluster, fromAToB, heap, inZone, isOneOf, podsOf, stays, zones } from './spread-cluster.ts';

const HOST = 'kubernetes.io/hostname';
const both = { constraints: ['DoNotSchedule', 'ScheduleAnyway'] };
const soft = c(1, { whenUnsatisfiable: 'ScheduleAnyway' });
const pool = (name: string) => labels({ pool: name });
const inPool = (name: string) => nodeSelector({ pool: name });
const ready = status({ conditions: [condition('Ready', 'True')] });
const daemon = ownedBy('DaemonSet', 'ds');
const uneven = (text: string) => [`still uneven: foo=bar by ${text}`];
const threeToOne = [heap(3, 'n1', c(1)), heap(1, 'n2', c(1))];
const minDomains = c(1, { minDomains: 3 });
const atMost = (count: number, at: string) =>
  `is one of ${count} pods matching foo=bar in zone=${at}, where at most 1 may be: minDomains is 3, and there are 2`;

/** Nodes with hostnames in zones: `a1` is in zone a. */
const hosts = (...names: readonly string[]) => names.map((name) => node(name, labels({ zone: name.charAt(0) })));
const zoneRule = spreads('foo=bar', 'zone');
const hostRule = spreads('foo=bar', HOST);

describe('topology spread: decisions', () => {
  describe('what counts', () => {
    planTable(removePodsViolatingTopologySpreadConstraint, [
      {
        row: 'pods that may not be evicted count, and are asked for in their turn',
        cluster: cluster(zones(2), heap(2, 'n1', c(1), daemon), heap(2, 'n1', c(1)), heap(1, 'n2', c(1))),
        evictions: [fromAToB('pod-2', 4, 1)],
        refusals: [daemonSetPod('ns1/pod-0@n1'), daemonSetPod('ns1/pod-1@n1')],
      },
      {
        row: 'a constraint that only protected pods carry counts, too',
        cluster: cluster(zones(2), heap(1, 'n2', c(1), daemon), heap(3, 'n1')),
        evictions: [fromAToB('pod-1', 3, 1)],
      },
      {
        row: 'pods outside of labelSelector count, but stay',
        args: { labelSelector: { matchLabels: { may: 'go' } } },
        cluster: cluster(
          zones(2),
          heap(2, 'n1', c(1)),
          heap(1, 'n1', c(1), labels({ may: 'go' })),
          heap(1, 'n2', c(1)),
        ),
        evictions: [fromAToB('pod-2', 3, 1)],
      },
      {
        row: 'pods that have ended or are terminating do not count and are no victims',
        cluster: cluster(
          zones(2),
          ...[heap(1, 'n1', c(1), phase('Succeeded')), heap(1, 'n1', c(1), terminating)],
          ...[heap(3, 'n1', c(1)), heap(1, 'n2', c(1))],
        ),
        evictions: [fromAToB('pod-2', 3, 1)],
      },
      {
        row: 'the same labels in another namespace are not added up',
        cluster: cluster(
          zones(2),
          heap(2, 'n1', c(1)),
          heap(2, 'n1', c(1), namespace('ns2')),
          heap(1, 'n2', c(1)),
          heap(1, 'n2', c(1), namespace('ns2')),
        ),
        notes: allHold(2),
      },
      {
        row: 'pods on nodes that their affinity rules out are not counted',
        cluster: cluster(
          [inZone('n1', 'zoneA', pool('x')), inZone('n2', 'zoneB', pool('x')), inZone('n3', 'zoneA')],
          ...[heap(1, 'n1', c(1), inPool('x')), heap(1, 'n2', c(1), inPool('x')), heap(3, 'n3')],
        ),
        notes: allHold(),
      },
      {
        row: 'with nodeAffinityPolicy Ignore they are',
        cluster: cluster(
          [inZone('n1', 'zoneA', pool('x')), inZone('n2', 'zoneB', pool('x')), inZone('n3', 'zoneA')],
          heap(1, 'n1', c(1, { nodeAffinityPolicy: 'Ignore' }), inPool('x')),
          heap(1, 'n2', c(1, { nodeAffinityPolicy: 'Ignore' }), inPool('x')),
          heap(3, 'n3'),
        ),
        evictions: [`ns1/pod-2@n3 ${isOneOf({ count: 4, at: 'zone=zoneA', least: 1, emptiest: 'zone=zoneB' })}`],
      },
      {
        row: 'with nodeTaintsPolicy Honor a zone of tainted nodes is a domain for those who tolerate it',
        cluster: cluster(
          [...zones(2), inZone('n3', 'zoneC', taint('gpu:NoSchedule'))],
          heap(2, 'n1', c(1, { nodeTaintsPolicy: 'Honor' }), tolerates('gpu')),
          heap(1, 'n2', c(1, { nodeTaintsPolicy: 'Honor' }), tolerates('gpu')),
        ),
        evictions: [`ns1/pod-0@n1 ${isOneOf({ count: 2, at: 'zone=zoneA', least: 0, emptiest: 'zone=zoneC' })}`],
      },
      {
        row: 'a node without the key of another constraint of the pod is no domain of this one',
        cluster: cluster(
          [...hosts('a1', 'b1'), inZone('c1', 'c')],
          heap(1, 'a1', zoneRule, hostRule),
          heap(1, 'b1', zoneRule, hostRule),
        ),
        notes: allHold(2),
      },
      {
        row: 'without that other constraint it is one, and it counts at 0',
        cluster: cluster([...hosts('a1', 'b1'), inZone('c1', 'c')], heap(2, 'a1', zoneRule), heap(1, 'b1', zoneRule)),
        evictions: [`ns1/pod-0@a1 ${isOneOf({ count: 2, at: 'zone=a', least: 0, emptiest: 'zone=c' })}`],
      },
      {
        row: 'revisions are counted apart, and the merged selector of a newer API server changes nothing',
        cluster: cluster(
          zones(2),
          heap(
            2,
            'n1',
            labels({ hash: '1' }),
            c(1, { matchLabelKeys: ['hash'], labelSelector: selector('foo=bar,hash in (1)') }),
          ),
          heap(1, 'n1', labels({ hash: '2' }), c(1, { matchLabelKeys: ['hash'] })),
          heap(1, 'n2', labels({ hash: '2' }), c(1, { matchLabelKeys: ['hash'] })),
        ),
        evictions: [
          `ns1/pod-0@n1 ${isOneOf({ count: 2, at: 'zone=zoneA', least: 0, emptiest: 'zone=zoneB', selector: 'foo=bar,hash=1,hash=1' })}`,
        ],
      },
      {
        row: 'no selector counts nobody',
        cluster: cluster(zones(2), heap(3, 'n1', c(1, { labelSelector: undefined }))),
        notes: allHold(),
      },
      {
        row: 'labelSelector {} is not acted on (rule S15), and the notes say so',
        cluster: cluster(zones(2), heap(3, 'n1', c(1, { labelSelector: selector('') }))),
        notes: [
          ...allHold(0),
          'not acted on, since kube-scheduler up to 1.36 counts no pods for labelSelector {}: {} by zone in ns1',
        ],
      },
      {
        row: 'ScheduleAnyway compares only domains that the pod may run in: the tainted zone is none',
        args: both,
        cluster: cluster([...zones(2), inZone('n3', 'zoneC', taint('gpu:NoSchedule'))], heap(5, 'n1', soft)),
        evictions: [fromAToB('pod-0', 5, 0), fromAToB('pod-1', 4, 1)],
      },
      {
        row: 'DoNotSchedule compares all, and takes none that the scheduler would not place: the tainted zone stays at 0',
        cluster: cluster([...zones(2), inZone('n3', 'zoneC', taint('gpu:NoSchedule'))], heap(3, 'n1', c(1))),
        evictions: [fromAToB('pod-0', 3, 0)],
        refusals: ['pod-1@n1', 'pod-2@n1'].map((place) =>
          stays(
            place,
            `${isOneOf({ count: 2, at: 'zone=zoneA', least: 0, emptiest: 'zone=zoneC' })}, but no node of zone zoneC takes it without breaking another rule`,
          ),
        ),
        notes: uneven('zone in ns1: zoneA has 2, zoneC has 0, maxSkew is 1'),
      },
      {
        row: 'ScheduleAnyway is left alone unless the arguments name it',
        cluster: cluster(zones(2), heap(3, 'n1', soft)),
        notes: allHold(0),
      },
    ]);
  });

  describe('who goes', () => {
    planTable(removePodsViolatingTopologySpreadConstraint, [
      {
        row: 'lowest priority first, unset lowest, then by name (18.2, number 6)',
        cluster: cluster(
          zones(2),
          ...[heap(1, 'n1', c(1), priority(5)), heap(1, 'n1', c(1), priority(-5)), heap(3, 'n1', c(1))],
        ),
        evictions: [fromAToB('pod-2', 5, 0), fromAToB('pod-3', 4, 1)],
      },
      {
        row: 'pods with a selector go last, whatever their priority',
        cluster: cluster(
          [inZone('n1', 'zoneA', pool('x')), inZone('n2', 'zoneB', pool('x'))],
          ...[heap(1, 'n1', c(1), inPool('x')), heap(1, 'n1', c(1), priority(9))],
        ),
        evictions: [`ns1/pod-1@n1 ${isOneOf({ count: 2, at: 'zone=zoneA', least: 0, emptiest: 'zone=zoneB' })}`],
      },
      {
        row: 'a pod that fits nowhere does not count as moved: the next one goes (18.2, number 7)',
        cluster: cluster(
          [inZone('n1', 'zoneA', pool('x')), inZone('n2', 'zoneB')],
          ...[heap(2, 'n1', inPool('x')), heap(1, 'n1', priority(9), c(1)), heap(1, 'n1', inPool('y'))],
        ),
        evictions: [fromAToB('pod-2', 4, 0)],
        refusals: [0, 1, 3].map((n) =>
          stays(
            `pod-${n}@n1`,
            `${isOneOf({ count: 3, at: 'zone=zoneA', least: 1, emptiest: 'zone=zoneB' })}, but no node of zone zoneB takes it without breaking another rule`,
          ),
        ),
        notes: uneven('zone in ns1: zoneA has 3, zoneB has 1, maxSkew is 1'),
      },
      {
        row: 'nobody goes in vain: as long as zoneA has three that stay, one less in zoneB helps nobody',
        cluster: cluster(
          zones(4),
          ...[heap(3, 'n1', c(1), daemon), heap(3, 'n2', c(1)), heap(1, 'n3', c(1)), heap(1, 'n4', c(1))],
        ),
        refusals: [
          ...[0, 1, 2].map((n) => daemonSetPod(`ns1/pod-${n}@n1`)),
          ...[3, 4, 5].map((n) =>
            stays(
              `pod-${n}@n2`,
              `${isOneOf({ count: 3, at: 'zone=zoneB', least: 1, emptiest: 'zone=zoneC' })}, but the spread would be no better without it`,
            ),
          ),
        ],
        notes: uneven('zone in ns1: zoneA has 3, zoneC has 1, maxSkew is 1'),
      },
      {
        row: 'a budget holds one back, the next one goes instead',
        cluster: snapshot(
          ...zones(2),
          ...podsOf(heap(1, 'n1', c(1), labels({ app: 'guarded' }), ready), heap(2, 'n1', c(1)), heap(1, 'n2', c(1))),
          budget('guard', 'app=guarded', { namespace: 'ns1', disruptionsAllowed: 0 }),
        ),
        evictions: [fromAToB('pod-1', 3, 1)],
        refusals: [
          'ns1/pod-0@n1 [PodDisruptionBudget] is guarded by PodDisruptionBudget guard, which allows no disruption now: 2 of its pods are healthy and 1 must be',
        ],
      },
      {
        row: 'a limit of the node ends it there, with one notice',
        limits: { node: 1 },
        cluster: cluster(zones(2), heap(6, 'n1', c(1))),
        evictions: [fromAToB('pod-0', 6, 0)],
        refusals: [`ns1/${limited('pod-1@n1', 'PerNode', '1 eviction')}`],
        notes: uneven('zone in ns1: zoneA has 5, zoneB has 1, maxSkew is 1'),
      },
      {
        row: 'victims are taken from the nodes that the policy selects; all others count, and may be destinations',
        nodeSelector: [{ key: 'pool', operator: 'In', values: ['x'] }],
        cluster: cluster(
          [
            inZone('n1', 'zoneA', pool('x')),
            inZone('n2', 'zoneB', pool('x')),
            inZone('n3', 'zoneC'),
            inZone('n4', 'zoneD'),
          ],
          ...[heap(2, 'n1', c(1)), heap(1, 'n2', c(1)), heap(3, 'n3', c(1))],
        ),
        evictions: [`ns1/pod-0@n1 ${isOneOf({ count: 2, at: 'zone=zoneA', least: 0, emptiest: 'zone=zoneD' })}`],
        notes: uneven('zone in ns1: zoneC has 3, zoneA has 1, maxSkew is 1'),
      },
    ]);
  });

  describe('nobody is left pending', () => {
    planTable(removePodsViolatingTopologySpreadConstraint, [
      {
        row: 'minDomains not reached: as many as one zone may take',
        cluster: cluster(zones(2), heap(3, 'n1', minDomains)),
        evictions: [`ns1/pod-0@n1 ${atMost(3, 'zoneA')}`],
        refusals: ['pod-1@n1', 'pod-2@n1'].map((place) =>
          stays(place, `${atMost(2, 'zoneA')}, but the constraint leaves no domain open to which it could move`),
        ),
        notes: uneven('zone in ns1: zoneA has 2, zoneB has 1, minDomains is 3, maxSkew is 1'),
      },
      {
        row: 'minDomains reached: as without',
        cluster: cluster(zones(3), heap(3, 'n1', minDomains)),
        evictions: ['pod-0', 'pod-1'].map((name, index) => {
          const emptiest = index === 0 ? 'zone=zoneB' : 'zone=zoneC';
          return `ns1/${name}@n1 ${isOneOf({ count: 3 - index, at: 'zone=zoneA', least: 0, emptiest })}`;
        }),
      },
      {
        row: 'a zone whose node is cordoned, or not ready, counts but takes nobody',
        cluster: cluster(
          [
            inZone('n1', 'zoneA'),
            inZone('n2', 'zoneA'),
            inZone('n3', 'zoneB', cordoned),
            inZone('n4', 'zoneC', notReady),
          ],
          heap(2, 'n1', c(1)),
        ),
        refusals: ['pod-0@n1', 'pod-1@n1'].map((place) =>
          stays(
            place,
            `${isOneOf({ count: 2, at: 'zone=zoneA', least: 0, emptiest: 'zone=zoneB' })}, but no node of zone zoneB, zoneC takes it without breaking another rule`,
          ),
        ),
        notes: uneven('zone in ns1: zoneA has 2, zoneB has 0, maxSkew is 1'),
      },
      {
        row: 'topologyBalanceNodeFit false does not ask for room',
        args: { topologyBalanceNodeFit: false },
        cluster: cluster([inZone('n1', 'zoneA'), inZone('n2', 'zoneB', taint('gpu:NoSchedule'))], heap(2, 'n1', c(1))),
        evictions: [fromAToB('pod-0', 2, 0)],
      },
      {
        row: 'with nodeFit, a pod that does not carry the constraint stays if the scheduler would put it into the same zone',
        evictor: { nodeFit: true },
        cluster: cluster(
          [...hosts('a1', 'a2'), node('b1', labels({ zone: 'b' }), taint('soft:PreferNoSchedule'))],
          ...[heap(2, 'a1'), heap(1, 'a1', zoneRule, priority(1))],
        ),
        evictions: [`ns1/pod-2@a1 ${isOneOf({ count: 3, at: 'zone=a', least: 0, emptiest: 'zone=b' })}`],
      },
    ]);
  });

  describe('several constraints', () => {
    planTable(removePodsViolatingTopologySpreadConstraint, [
      {
        row: 'zones first; of equal pods the one whose leaving eases the node rule goes, and to a node that suits it',
        cluster: cluster(
          hosts('a1', 'a2', 'b1', 'b2'),
          ...[heap(1, 'a1', zoneRule, hostRule), heap(3, 'a2', zoneRule, hostRule), heap(1, 'b1', zoneRule, hostRule)],
        ),
        evictions: [`ns1/pod-1@a2 ${isOneOf({ count: 4, at: 'zone=a', least: 1, emptiest: 'zone=b' })}`],
      },
      {
        row: 'no move makes the constraint of another pod worse, even where none of its own forbids it',
        cluster: cluster(
          hosts('a1', 'b1'),
          heap(2, 'a1', labels({ app: 'web' }), zoneRule),
          heap(2, 'b1', labels({ foo: 'no', app: 'web' }), spreads('app=web', HOST)),
        ),
        refusals: ['pod-0@a1', 'pod-1@a1'].map((place) =>
          stays(
            place,
            `${isOneOf({ count: 2, at: 'zone=a', least: 0, emptiest: 'zone=b' })}, but no node of zone b takes it without breaking another rule`,
          ),
        ),
        notes: uneven('zone in ns1: a has 2, b has 0, maxSkew is 1'),
      },
      {
        row: 'two that cannot both hold: nobody goes',
        cluster: cluster(
          hosts('a1', 'b1', 'b2', 'b3'),
          ...[heap(3, 'a1', zoneRule, hostRule), heap(1, 'b1', zoneRule, hostRule)],
          ...[heap(1, 'b2', zoneRule, hostRule), heap(1, 'b3', zoneRule, hostRule)],
        ),
        refusals: [0, 1, 2].map((n) =>
          stays(
            `pod-${n}@a1`,
            `${isOneOf({ count: 3, at: `${HOST}=a1`, least: 1, emptiest: `${HOST}=b1` })}, but no node of ${HOST} b1, b2, b3 takes it without breaking another rule`,
          ),
        ),
        notes: [`still uneven: foo=bar by ${HOST} in ns1: a1 has 3, b1 has 1, maxSkew is 1`],
      },
      {
        row: 'both kinds, if the arguments name them',
        args: both,
        cluster: cluster(
          hosts('a1', 'a2', 'b1'),
          heap(1, 'a1', spreads('foo=bar', HOST, { whenUnsatisfiable: 'ScheduleAnyway' })),
          heap(2, 'a1'),
        ),
        evictions: ['pod-0', 'pod-1'].map((name, index) => {
          const emptiest = `${HOST}=${index === 0 ? 'a2' : 'b1'}`;
          return `ns1/${name}@a1 ${isOneOf({ count: 3 - index, at: `${HOST}=a1`, least: 0, emptiest })}`;
        }),
      },
    ]);
  });

  describe('rule T7', () => {
    planTable(removePodsViolatingTopologySpreadConstraint, [
      { row: 'E-18 topology hard', cluster: scenario({}), evictions: [scenarioEviction()] },
      {
        row: 'E-19 topology soft',
        args: { constraints: ['ScheduleAnyway'] },
        cluster: scenario({ whenUnsatisfiable: 'ScheduleAnyway' }),
        evictions: [scenarioEviction()],
      },
      {
        row: 'E-20 nodeTaintsPolicy Honor',
        cluster: scenario({ nodeTaintsPolicy: 'Honor' }),
        evictions: [scenarioEviction()],
      },
      {
        row: 'E-21 nodeAffinityPolicy Ignore',
        cluster: scenario({ nodeAffinityPolicy: 'Ignore' }),
        evictions: [scenarioEviction()],
      },
      {
        row: 'E-22 matchLabelKeys: the two Deployments are counted apart',
        cluster: scenario({ matchLabelKeys: ['pod-template-hash'] }),
        notes: allHold(1),
      },
    ]);
  });

  describe('what the context says', () => {
    it('a replacement that is on its way to a zone counts there', () => {
      const built = cluster(zones(2), ...threeToOne);
      const [first] = podsOf(heap(1, 'n2', c(1)));
      assert.ok(first);
      const gone = { ...first, name: 'gone', uid: 'gone' };
      const assumed = { ...gone, uid: 'new', nodeName: 'n2', replaces: gone };
      assert.deepEqual(proposals(built.after({ gone: [], assumed: [assumed] }), {}), []);
      assert.equal(proposals(built, {}).length, 1);
    });

    it('constraints of the scheduler’s profile hold for pods without any, by the selector of their owner', () => {
      const plain = (name: string) => pod(name, labels({ app: 'web' }), on('n1'), ownedBy('ReplicaSet', 'web'));
      const set = {
        ...({ kind: 'ReplicaSet', name: 'web', namespace: 'default', uid: 'uid-ReplicaSet-web', labels: {} } as const),
        ...{ owners: [], selector: selector('app=web'), annotations: {} },
        ...{ templateRequests: undefined, podReplacementPolicy: undefined },
      };
      const built = snapshot(...zones(2), ...['p1', 'p2', 'p3'].map(plain), set);
      const [constraint] = pod('x', spreads('', 'zone', { labelSelector: undefined })).spec.spreadConstraints;
      assert.ok(constraint);
      const found = proposals(built, { defaultConstraints: [constraint] });
      assert.deepEqual(found, [
        `p1 ${isOneOf({ count: 3, at: 'zone=zoneA', least: 0, emptiest: 'zone=zoneB', selector: 'app=web' })}`,
      ]);
      assert.deepEqual(proposals(built, {}), []);
    });
  });
});

/** A Deployment of four that stands evenly, and a second one of two that its selector keeps in the first zone. */
function scenario(over: Partial<SpreadConstraint>): Snapshot {
  const control = node('control-plane', taint('node-role.kubernetes.io/control-plane:NoSchedule'));
  const workers = ['a', 'b'].map((zone) => node(`worker-${zone}`, labels({ zone: `local-${zone}` })));
  const spread = [labels({ 'pod-template-hash': '1' }), c(1, over)];
  const violator = [labels({ 'pod-template-hash': '2' }), nodeSelector({ zone: 'local-a' })];
  return cluster(
    [control, ...workers],
    ...[heap(2, 'worker-a', ...spread), heap(2, 'worker-b', ...spread), heap(2, 'worker-a', ...violator)],
  );
}

function scenarioEviction(): string {
  return `ns1/pod-0@worker-a ${isOneOf({ count: 4, at: 'zone=local-a', least: 2, emptiest: 'zone=local-b' })}`;
}

type Args = RemovePodsViolatingTopologySpreadConstraintArgs;

/** Talks to the strategy itself, which is granted everything, and answers with what it wants evicted and why. */
function proposals(built: Snapshot, over: Partial<Context<Args>>): readonly string[] {
  const placement = createPlacement(built, { defaultConstraints: over.defaultConstraints ?? [] });
  const found: string[] = [];
  const conversation = removePodsViolatingTopologySpreadConstraint.propose({
    snapshot: built,
    nodes: built.readyNodes,
    args: removePodsViolatingTopologySpreadConstraint.args.parse({}),
    now: new Date(0),
    inScope: () => true,
    check: () => ({ granted: true }),
    fits: (victim, nodes: readonly Node[]) => placement.fitting(victim, nodes),
    replacementOf: (pod) => pod,
    ...over,
  });
  for (let step = conversation.next(); !step.done; step = conversation.next({ granted: true })) {
    if ('evict' in step.value) found.push(`${step.value.evict.name} ${step.value.reason}`);
  }
  return found;
}
