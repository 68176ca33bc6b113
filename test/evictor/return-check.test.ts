import assert from 'node:assert/strict';
import type { Workload } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { createPipeline } from '../../src/evictor/check.ts';
import { CycleState } from '../../src/evictor/cycle-state.ts';
import type { Granted, Refused } from '../../src/evictor/verdict.ts';
import { defaultEvictorArgs } from '../../src/evictor/constraints/args.ts';
import { DEFAULT_SCORING, type Scoring } from '../../src/placement/fit.ts';
import { labelSelector } from '../../src/strategies/arg-fragments.ts';
import * as given from '../builders/cluster.ts';
import { requestFor } from '../builders/requests.ts';

const NOW = new Date(given.CREATED + 3_600_000);
const HALF = given.requests({ cpu: '500m', memory: '512Mi' });
const app = given.image('app:1');
const hasApp = (mib: number): given.Part<Node> => {
  return (before) => ({ ...before, images: [{ names: ['app:1'], sizeBytes: mib * 2 ** 20 }] });
};
const assignedPod = given.pod('r', given.requests({ cpu: 1, memory: '1Gi' }));
const victim = (...parts: readonly given.Part<Pod>[]) => given.pod('p1', HALF, app, ...parts);

/** As in SS-32: n1 has an image of so many MiB, a resident and the victim; n2 and n3 are empty. */
const pingPong = (mib: number, pod: Pod): readonly Node[] => [
  given.node('n1', hasApp(mib), assignedPod, pod),
  given.node('n2'),
  given.node('n3'),
];

const job: Workload = {
  kind: 'Job',
  name: 'job',
  namespace: 'default',
  uid: 'uid-Job-job',
  labels: {},
  owners: [],
  selector: undefined,
  templateRequests: undefined,
  podReplacementPolicy: 'Failed',
};

interface ReturnRow {
  readonly row: string;
  readonly cluster: readonly (Node | Pod | Workload)[];
  readonly args?: object;
  /** Undefined: a strategy that does not balance. */
  readonly scoring?: Scoring;
  readonly answer: string;
}

const rows: readonly ReturnRow[] = [
  {
    row: 'SS-33 another node is better: goes',
    cluster: pingPong(100, victim()),
    scoring: DEFAULT_SCORING,
    answer: 'goes, likely to n2, n3',
  },
  {
    row: 'SS-32 the node it leaves is as good as the others: stays',
    cluster: pingPong(900, victim()),
    scoring: DEFAULT_SCORING,
    answer: 'nodeFit: could be put back on n1: the scheduler gives it 463 points, as many as n2, the best other node',
  },
  {
    row: 'SS-27 the replacement of a StatefulSet comes when the pod is gone, and n1 is best then: stays',
    cluster: pingPong(900, victim(given.ownedBy('StatefulSet', 'db'))),
    scoring: DEFAULT_SCORING,
    answer:
      'nodeFit: would likely be put back on n1: the scheduler gives it 472 points, and 463 to n2, the best other node',
  },
  {
    row: 'a Job that replaces failed pods only waits as well',
    cluster: [...pingPong(900, victim(given.ownedBy('Job', 'job', 'batch/v1'))), job],
    scoring: DEFAULT_SCORING,
    answer:
      'nodeFit: would likely be put back on n1: the scheduler gives it 472 points, and 463 to n2, the best other node',
  },
  {
    row: 'a strategy that does not balance asks for fit only, and says where the pod is likely to be',
    cluster: pingPong(900, victim(given.ownedBy('StatefulSet', 'db'))),
    answer: 'goes, likely to n1',
  },
  {
    row: 'without nodeFit the pod goes',
    cluster: pingPong(900, victim()),
    args: { nodeFit: false },
    scoring: DEFAULT_SCORING,
    answer: 'goes, likely to n1, n2, n3',
  },
  {
    row: 'a pod that has ended goes',
    cluster: [given.node('n1', victim(given.phase('Failed'))), given.node('n2', assignedPod)],
    scoring: DEFAULT_SCORING,
    answer: 'goes, likely to n1',
  },
  {
    row: 'nobody knows what another scheduler will do: fit decides alone',
    cluster: pingPong(900, victim(given.spec({ schedulerName: 'packer' }))),
    scoring: DEFAULT_SCORING,
    answer: 'goes, likely to nobody knows',
  },
  {
    row: 'a soft taint on the target outweighs its room (SS-28): stays',
    cluster: [given.node('n1', assignedPod, victim()), given.node('n2', given.taint('spot:PreferNoSchedule'))],
    scoring: DEFAULT_SCORING,
    answer:
      'nodeFit: would likely be put back on n1: the scheduler gives it 435 points, and 163 to n2, the best other node',
  },
  {
    row: 'judged as a scheduler that packs would place it',
    cluster: [given.node('n1', victim()), given.node('n2', assignedPod)],
    scoring: { ...DEFAULT_SCORING, type: 'MostAllocated' },
    answer: 'goes, likely to n2',
  },
  {
    row: 'the same by the default scores: stays',
    cluster: [given.node('n1', victim()), given.node('n2', assignedPod)],
    scoring: DEFAULT_SCORING,
    answer:
      'nodeFit: would likely be put back on n1: the scheduler gives it 454 points, and 444 to n2, the best other node',
  },
  {
    row: 'a pod that has to be near to itself finds only its own node while it terminates',
    cluster: [
      given.node('n1', victim(given.labels({ app: 'x' }), given.near('app=x', 'kubernetes.io/hostname'))),
      given.node('n2'),
    ],
    scoring: DEFAULT_SCORING,
    answer: 'nodeFit: would be put back on n1, the only node that takes it while it terminates',
  },
  {
    row: 'fit comes first',
    cluster: [given.node('n1', victim()), given.node('n2', given.cordoned)],
    scoring: DEFAULT_SCORING,
    answer: 'nodeFit: does not fit on n2, the only other ready node: is cordoned',
  },
];

describe('pipeline: pods that the scheduler would put back (rule T9)', () => {
  for (const { row, cluster, args, scoring, answer } of rows) {
    it(row, () => {
      const snapshot = given.snapshot(...cluster);
      const pod = snapshot.pods.find(({ name }) => name === 'p1')!;
      const pipeline = open(snapshot, { nodeFit: true, ...args });
      const balancing = scoring ? pipeline.balancing(scoring) : pipeline;
      const checked = balancing.check(pod);
      const granted = balancing.grant(requestFor(pod));
      assert.equal(say(granted), answer);
      assert.equal(checked.granted, granted.granted, 'check and grant agree');
    });
  }

  it('a place promised to an earlier victim makes the node it leaves the better one', () => {
    const pods = ['a', 'b', 'c'].map((name) => given.pod(name, HALF));
    const snapshot = given.snapshot(given.node('n1', ...pods), given.node('n2', given.pod('r', HALF)));
    const pipeline = open(snapshot, { nodeFit: true }).balancing();
    assert.deepEqual(
      snapshot.podsOn('n1').map((pod) => say(pipeline.grant(requestFor(pod)))),
      [
        'goes, likely to n2',
        'goes, likely to n2',
        'nodeFit: could be put back on n1: the scheduler gives it 435 points, as many as n2, the best other node',
      ],
    );
  });

  it('promises the best of the offered nodes, and says on how many of all it fits and which are likely', () => {
    const snapshot = given.snapshot(
      given.node('n1', victim(), assignedPod),
      given.node('n2'),
      given.node('n3', given.pod('r3', HALF)),
      given.node('n4', given.pod('r4', given.requests({ cpu: 2, memory: '2Gi' }))),
    );
    const pod = snapshot.pods.find(({ name }) => name === 'p1')!;
    const offered = snapshot.nodes.filter(({ name }) => name === 'n3' || name === 'n4');
    const pipeline = open(snapshot, { nodeFit: true }).balancing();
    assert.deepEqual(pipeline.check(pod, offered), { granted: true, destination: snapshot.node('n3') });
    const answer = pipeline.grant(requestFor(pod), offered);
    assert.ok(answer.granted);
    const { destination, destinations, likelyNodes } = answer.reservation;
    assert.deepEqual([destination?.name, destinations, likelyNodes], ['n3', 3, ['n2']]);
  });
});

function open(snapshot: ReturnType<typeof given.snapshot>, raw: object) {
  const limits = { total: undefined, node: undefined, namespace: undefined };
  return createPipeline(defaultEvictorArgs(labelSelector).parse(raw), new CycleState({ snapshot, now: NOW, limits }));
}

function say(answer: Granted | Refused): string {
  if (!answer.granted) return `${answer.by}: ${answer.reason}`;
  return `goes, likely to ${answer.reservation.likelyNodes.join(', ') || 'nobody knows'}`;
}
