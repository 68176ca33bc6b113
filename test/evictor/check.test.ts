import assert from 'node:assert/strict';
import type { OtherKind, OtherKinds } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { defaultEvictorArgs } from '../../src/evictor/constraints/args.ts';
import { createPipeline } from '../../src/evictor/check.ts';
import { CycleState } from '../../src/evictor/cycle-state.ts';
import type { Allowed, Granted, Refused } from '../../src/evictor/verdict.ts';
import type { EvictionLimits } from '../../src/evictor/limits/limits.ts';
import { labelSelector } from '../../src/strategies/arg-fragments.ts';
import * as given from '../builders/cluster.ts';
import { requestFor } from '../builders/requests.ts';

const NOW = new Date(given.CREATED + 3_600_000);
const UNLIMITED: EvictionLimits = { total: undefined, node: undefined, namespace: undefined };
const ready = given.status({ conditions: [given.condition('Ready', 'True')] });

type Things = readonly (Node | Pod | OtherKinds[OtherKind])[];

interface FitRow {
  readonly row: string;
  readonly others: readonly Node[];
  readonly pod?: Pod;
  readonly args?: object;
  readonly cluster?: Things;
  readonly offered?: readonly string[];
  readonly answer: string;
}

const HOST = 'kubernetes.io/hostname';
const tainted = given.taint('dedicated=gpu:NoSchedule');
const p1 = (...parts: readonly given.Part<Pod>[]) => given.pod('p1', ...parts, given.on('n1'));

const fitRows: readonly FitRow[] = [
  {
    row: 'framework E1 nodeFit, others tainted, no toleration',
    others: [given.node('n2', tainted), given.node('n3', tainted)],
    answer:
      'nodeFit: fits on none of the 2 other ready nodes: 2 taint (on n2: taint dedicated=gpu:NoSchedule is not tolerated)',
  },
  {
    row: 'framework E2 matching toleration',
    others: [given.node('n2', tainted), given.node('n3', tainted)],
    pod: p1(given.tolerates('dedicated=gpu:NoSchedule')),
    answer: 'goes to n2',
  },
  {
    row: 'framework E3 node selector value not offered',
    others: [given.node('n2'), given.node('n3')],
    pod: p1(given.nodeSelector({ disk: 'ssd' })),
    answer:
      'nodeFit: fits on none of the 2 other ready nodes: 2 node-affinity (on n2: node selector disk=ssd is not met, the node has no such label)',
  },
  {
    row: 'room that is kept for a pending pod is told, though another reason is more frequent',
    others: [given.node('n2', tainted), given.node('n3', tainted), given.node('n4')],
    pod: p1(given.requests({ cpu: 2 })),
    cluster: [given.pod('q', given.phase('Pending'), given.requests({ cpu: 3 }), given.nodeSelector({ [HOST]: 'n4' }))],
    answer:
      'nodeFit: fits on none of the 3 other ready nodes: 2 taint (on n2: taint dedicated=gpu:NoSchedule is not tolerated), 1 cpu (on n4: needs 2 cpu, 1 of 4 free, 3 kept for default/q (pending))',
  },
  {
    row: 'framework E4 selector offered',
    others: [given.node('n2'), given.node('n3', given.labels({ disk: 'ssd' }))],
    pod: p1(given.nodeSelector({ disk: 'ssd' })),
    answer: 'goes to n3',
  },
  {
    row: 'framework E5 cpu 12 asked, nodes have 10',
    others: [given.node('n2', given.allocatable({ cpu: 10 })), given.node('n3', given.allocatable({ cpu: 10 }))],
    pod: p1(given.requests({ cpu: 12 })),
    answer: 'nodeFit: fits on none of the 2 other ready nodes: 2 cpu (on n2: needs 12 cpu, 10 of 10 free)',
  },
  {
    row: 'framework E7 memory 8, both have 16-10',
    others: ['n2', 'n3'].map((name) =>
      given.node(
        name,
        given.allocatable({ memory: '16Gi' }),
        given.pod(`on-${name}`, given.requests({ memory: '10Gi' })),
      ),
    ),
    pod: p1(given.requests({ memory: '8Gi' })),
    answer: 'nodeFit: fits on none of the 2 other ready nodes: 2 memory (on n2: needs 8Gi memory, 6Gi of 16Gi free)',
  },
  {
    row: 'framework E8 nothing fits, nodeFit off',
    others: [given.node('n2', tainted)],
    args: { nodeFit: false },
    answer: 'goes anywhere',
  },
  {
    row: 'framework E9 namespace selector matches, nodeFit fits',
    others: [given.node('n2')],
    args: { namespaceLabelSelector: { matchLabels: { team: 'a' } } },
    cluster: [given.namespaceObject('default', { team: 'a' })],
    answer: 'goes to n2',
  },
  {
    row: 'framework E10 namespace selector does not match, and no fit: the selector is asked first',
    others: [given.node('n2', tainted)],
    args: { namespaceLabelSelector: { matchLabels: { team: 'a' } } },
    cluster: [given.namespaceObject('default', { team: 'b' })],
    answer:
      'namespaceLabelSelector: is in namespace default, which has labels team=b, while namespaceLabelSelector asks for team=a',
  },
  {
    row: 'its own node does not count',
    others: [],
    answer: 'nodeFit: has no other ready nodes to move to',
  },
  {
    row: 'a node that is not ready does not count',
    others: [given.node('n2', given.notReady), given.node('n3', tainted)],
    answer: 'nodeFit: does not fit on n3, the only other ready node: taint dedicated=gpu:NoSchedule is not tolerated',
  },
  {
    row: "nodes count that DefaultEvictor's own nodeSelector chooses",
    others: [given.node('n2'), given.node('n3', given.labels({ pool: 'b' }), tainted)],
    args: { nodeSelector: 'pool=b' },
    answer:
      "nodeFit: does not fit on n3, the only other ready node that DefaultEvictor's nodeSelector chooses: taint dedicated=gpu:NoSchedule is not tolerated",
  },
  {
    row: 'only offered nodes count',
    others: [given.node('n2', tainted), given.node('n3')],
    offered: ['n1', 'n2'],
    answer:
      'nodeFit: does not fit on n2, the only other suitable node: taint dedicated=gpu:NoSchedule is not tolerated',
  },
  {
    row: 'without nodeFit the scheduler looks beyond the offered nodes',
    others: [given.node('n2', tainted), given.node('n3')],
    args: { nodeFit: false },
    offered: ['n2'],
    answer: 'goes to n3',
  },
  {
    row: 'RF-19 a failed pod goes though it fits nowhere (strategies 18.2, 5)',
    others: [given.node('n2', tainted)],
    pod: p1(given.phase('Failed')),
    answer: 'goes anywhere',
  },
  {
    row: 'different obstacles are counted, the most frequent first',
    others: [
      given.node('n2', given.cordoned),
      given.node('n3', tainted),
      given.node('n4', tainted),
      given.node('n5', given.allocatable({ cpu: 0 })),
    ],
    pod: p1(given.requests({ cpu: 1 })),
    answer:
      'nodeFit: fits on none of the 4 other ready nodes: 2 taint (on n3: taint dedicated=gpu:NoSchedule is not tolerated), 1 cordon, 1 cpu',
  },
];

describe('pipeline: fit', () => {
  for (const { row, others, pod = p1(), args, cluster = [], offered, answer } of fitRows) {
    it(row, () => {
      const snapshot = given.snapshot(given.node('n1'), pod, ...others, ...cluster);
      const nodes = offered && snapshot.nodes.filter(({ name }) => offered.includes(name));
      const { pipeline } = open(snapshot, { nodeFit: true, ...args });
      const checked = pipeline.check(pod, nodes);
      const granted = pipeline.grant(requestFor(pod), nodes);
      assert.equal(say(granted), answer);
      assert.equal(checked.granted, granted.granted, 'check and grant agree');
    });
  }

  it('a place promised to one victim is taken for the next', () => {
    const pods = ['a', 'b', 'c'].map((name) => given.pod(name, given.on('n1'), given.requests({ cpu: 2 })));
    const snapshot = given.snapshot(
      given.node('n1'),
      given.node('n2', given.allocatable({ cpu: 3 })),
      given.node('n3', given.allocatable({ cpu: 2 })),
      ...pods,
    );
    const { pipeline } = open(snapshot, { nodeFit: true });
    const answers = pods.map((pod) => pipeline.grant(requestFor(pod)));
    assert.deepEqual(answers.map(placed), ['n2, fits on 2, likely n2', 'n3, fits on 1, likely n3', 'stays']);
  });

  it('without nodeFit a place is promised all the same, as long as there is one', () => {
    const pods = ['a', 'b'].map((name) => given.pod(name, given.on('n1'), given.requests({ cpu: 3 })));
    const snapshot = given.snapshot(given.node('n1'), given.node('n2'), ...pods);
    const { pipeline } = open(snapshot, {});
    assert.deepEqual(
      pods.map((pod) => placed(pipeline.grant(requestFor(pod)))),
      ['n2, fits on 1, likely n2', 'nowhere, fits on 0, likely '],
    );
  });

  it('lists ten likely nodes at most', () => {
    const nodes = Array.from({ length: 12 }, (_, index) => given.node(`t${String(index).padStart(2, '0')}`));
    const snapshot = given.snapshot(given.node('n1'), p1(), ...nodes);
    const answer = open(snapshot, { nodeFit: true }).pipeline.grant(requestFor(p1()));
    assert.equal(placed(answer), `t00, fits on 12, likely t00, t01, t02, t03, t04, t05, t06, t07, t08, t09`);
  });
});

describe('pipeline: order and reservations', () => {
  const web = given.labels({ app: 'web' });
  const pods = ['a', 'b', 'c'].map((name) => given.pod(name, web, ready, given.on('n1')));
  const [a, b, c] = pods as [Pod, Pod, Pod];
  const cluster = (...more: Things) => given.snapshot(given.node('n1'), given.node('n2'), ...pods, ...more);

  it('asks filters, then limits, then budgets, then fit', () => {
    const nowhere = given.snapshot(given.node('n1'), a, given.budget('web', 'app=web', { disruptionsAllowed: 0 }));
    const refusedBy = (args: object, limits: Partial<EvictionLimits>, snapshot: Snapshot) => {
      const answer = open(snapshot, args, limits).pipeline.check(a);
      return answer.granted ? undefined : `${answer.scope} ${answer.by}`;
    };
    const strict = { nodeFit: true, minPodAge: '9h' };
    assert.equal(refusedBy(strict, { total: 0 }, nowhere), 'pod minPodAge');
    assert.equal(refusedBy({ nodeFit: true }, { total: 0 }, nowhere), 'total maxNoOfPodsToEvictTotal');
    assert.equal(refusedBy({ nodeFit: true }, { node: 0 }, nowhere), 'node maxNoOfPodsToEvictPerNode');
    assert.equal(refusedBy({ nodeFit: true }, { namespace: 0 }, nowhere), 'namespace maxNoOfPodsToEvictPerNamespace');
    assert.equal(refusedBy({ nodeFit: true }, {}, nowhere), 'pod PodDisruptionBudget');
    assert.equal(refusedBy({ nodeFit: true }, {}, given.snapshot(given.node('n1'), a)), 'pod nodeFit');
    assert.equal(refusedBy({}, {}, nowhere), 'pod PodDisruptionBudget');
  });

  it('check reserves nothing, grant does', () => {
    const { pipeline } = open(cluster(), {}, { total: 1 });
    for (const pod of [a, a, b]) assert.deepEqual(pipeline.check(pod), { granted: true });
    assert.equal(pipeline.grant(requestFor(a)).granted, true);
    assert.equal(say(pipeline.check(b)).split(':')[0], 'maxNoOfPodsToEvictTotal');
  });

  it('check names a destination among the nodes that are offered', () => {
    const snapshot = cluster();
    const answer = open(snapshot, {}).pipeline.check(a, snapshot.nodes);
    assert.deepEqual(answer, { granted: true, destination: snapshot.node('n2') });
  });

  it('grants a pod once', () => {
    const { pipeline } = open(cluster(), {});
    pipeline.grant(requestFor(a));
    assert.equal(say(pipeline.grant(requestFor(a))), 'AlreadyEvicted: is on its way out since earlier in this cycle');
  });

  it('takes each eviction from the budget', () => {
    const { pipeline } = open(cluster(given.budget('web', 'app=web', { disruptionsAllowed: 2 })), {});
    assert.deepEqual(
      pods.map((pod) => say(pipeline.grant(requestFor(pod)))),
      [
        'goes to n2',
        'goes to n2',
        'PodDisruptionBudget: is guarded by PodDisruptionBudget web, which allowed 2 disruptions, taken by earlier evictions of this cycle',
      ],
    );
  });

  it('counts replicas without those that go, with minReplicas 2', () => {
    const { pipeline } = open(cluster(), { minReplicas: 2 });
    assert.deepEqual(
      pods.map((pod) => say(pipeline.grant(requestFor(pod))).split(':')[0]),
      ['goes to n2', 'goes to n2', 'minReplicas'],
    );
  });

  it('frees what a failed eviction had reserved, and does not try that pod again', () => {
    const { pipeline, state } = open(cluster(given.budget('web', 'app=web')), { nodeFit: true }, { total: 1 });
    const granted = pipeline.grant(requestFor(a));
    assert.ok(granted.granted);
    state.finish(granted.reservation, { result: 'rejected', error: 'the API server has a fault' });
    assert.equal(say(pipeline.grant(requestFor(b))), 'goes to n2');
    assert.equal(
      say(pipeline.grant(requestFor(a))),
      'EvictionFailed: could not be evicted earlier in this cycle: the API server has a fault',
    );
  });

  it('grants several pods only together', () => {
    const snapshot = cluster(given.budget('web', 'app=web', { disruptionsAllowed: 2 }));
    const { pipeline } = open(snapshot, {});
    const refused = pipeline.grantAll(pods.map((pod) => requestFor(pod)));
    assert.deepEqual('refused' in refused && [refused.pod.name, refused.refused.by], ['c', 'PodDisruptionBudget']);
    const granted = pipeline.grantAll([requestFor(b), requestFor(c)]);
    assert.deepEqual(Array.isArray(granted) && granted.map(say), ['goes to n2', 'goes to n2']);
  });

  it('asks the limits of other profiles on the same state', () => {
    const snapshot = cluster();
    const state = new CycleState({ snapshot, now: NOW, limits: { ...UNLIMITED, node: 1 } });
    const args = defaultEvictorArgs(labelSelector).parse({});
    assert.equal(createPipeline(args, state).grant(requestFor(a)).granted, true);
    assert.equal(say(createPipeline(args, state).grant(requestFor(b))).split(':')[0], 'maxNoOfPodsToEvictPerNode');
  });
});

function open(snapshot: Snapshot, raw: object, limits: Partial<EvictionLimits> = {}) {
  const state = new CycleState({ snapshot, now: NOW, limits: { ...UNLIMITED, ...limits } });
  return { state, pipeline: createPipeline(defaultEvictorArgs(labelSelector).parse(raw), state) };
}

function say(answer: Allowed | Refused): string {
  if (!answer.granted) return `${answer.by}: ${answer.reason}`;
  return answer.destination ? `goes to ${answer.destination.name}` : 'goes anywhere';
}

/** Where the replacement is assumed, and what the report says of nodes. */
function placed(answer: Granted | Refused): string {
  if (!answer.granted) return 'stays';
  const { destination, destinations, likelyNodes } = answer.reservation;
  return `${destination?.name ?? 'nowhere'}, fits on ${destinations}, likely ${likelyNodes.join(', ')}`;
}
