import type { Labels, PodAffinityTerm } from '../../src/cluster/objects/terms.ts';
import assert from 'node:assert/strict';
import type { Service, Workload } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import {
  allocatable,
  apart,
  container,
  image,
  labels,
  namespace,
  namespaceObject,
  near,
  node,
  noLabels,
  noOwner,
  ownedBy,
  pod,
  podTerm,
  prefersNode,
  requests,
  selector,
  snapshot,
  spec,
  spreads,
  status,
  taint,
  term,
  terminating,
  tolerates,
  type Part,
} from '../builders/cluster.ts';
import { createPlacement } from '../../src/placement/fit.ts';
import { DEFAULT_SCORING, type Scoring } from '../../src/placement/scores/scorer.ts';
import { hasImage, scoreRows } from './score-rows.ts';
import { HOSTNAME, room, ZONE, zoned } from './filter-rows.ts';

const x = labels({ app: 'x' });
/** The pod to place has no owner unless a row says so. */
const plain = (...parts: readonly Part<Pod>[]) => pod('p', noOwner, ...parts);
const FOO = 'example.com/foo';
const by = (
  type: Scoring['type'],
  weights: Readonly<Record<string, number>>,
  corners?: readonly (readonly [utilization: number, score: number])[],
): Scoring => ({
  type,
  resources: Object.entries(weights).map(([name, weight]) => ({ name, weight })),
  ...(corners && { shape: corners.map(([utilization, score]) => ({ utilization, score })) }),
});
const soft = { whenUnsatisfiable: 'ScheduleAnyway' };
const CPU_1 = { cpu: 1, memory: '1Gi' };
const HALF = { cpu: '500m', memory: '512Mi' };

function service(name: string, wanted: Labels): Service {
  return { kind: 'Service', name, namespace: 'default', uid: `uid-${name}`, labels: {}, selector: wanted };
}

function replicaSet(name: string, text: string): Workload {
  return {
    kind: 'ReplicaSet',
    name,
    namespace: 'default',
    uid: `uid-${name}`,
    labels: {},
    owners: [],
    selector: selector(text),
    templateRequests: undefined,
    podReplacementPolicy: undefined,
  };
}

function prefersPods(weight: number, term: PodAffinityTerm): Part<Pod> {
  return (before) => spec({ preferredPodAffinity: [...before.spec.preferredPodAffinity, { weight, term }] })(before);
}

function avoidsPods(weight: number, term: PodAffinityTerm): Part<Pod> {
  return (before) =>
    spec({ preferredPodAntiAffinity: [...before.spec.preferredPodAntiAffinity, { weight, term }] })(before);
}

/** So many pods app=x on a node of the zone that its name begins with. */
function withX(name: string, count: number, ...parts: readonly Part<Pod>[]): Node {
  return zoned(name, ...Array.from({ length: count }, (_, index) => pod(`${name}-${index}`, noOwner, x, ...parts)));
}

/** Status of the main container as the kubelet reports it after a resize. */
function given(cpu: number) {
  const main = {
    name: 'main',
    ready: true,
    restartCount: 0,
    waitingReason: undefined,
    terminatedReason: undefined,
    exitCode: undefined,
    requests: { cpu: cpu * 1000, memory: 2 ** 30 },
    allocated: { cpu: cpu * 1000, memory: 2 ** 30 },
  };
  return status({ containers: [main] });
}

describe('placement: scores (rule S20)', () => {
  describe('NodeResourcesFit', () => {
    scoreRows([
      {
        id: 'SS-1 the emptier node, memory counted with the default',
        cluster: [room('n1', pod('r', requests({ cpu: '500m' }))), room('n2')],
        pod: plain(requests({ cpu: 1 })),
        plugins: { NodeResourcesFit: { n1: 78, n2: 86 } },
      },
      {
        id: 'SS-2 pods without requests count with the defaults',
        cluster: [room('n1', pod('r1'), pod('r2'), pod('r3')), room('n2')],
        pod: plain(),
        plugins: { NodeResourcesFit: { n1: 90, n2: 97 } },
      },
      {
        id: 'SS-3 an explicit 0 stays 0',
        cluster: [room('n1', pod('r', requests({ cpu: 0, memory: 0 }))), room('n2', pod('r2'))],
        pod: plain(requests(CPU_1)),
        plugins: { NodeResourcesFit: { n1: 81, n2: 78 } },
      },
      {
        id: 'SS-4 every container without a request counts the default',
        cluster: [room('n1'), room('n2', allocatable({ cpu: 2 }))],
        pod: plain(requests({ cpu: '300m' }), container('second')),
        plugins: { NodeResourcesFit: { n1: 92, n2: 87 } },
      },
      {
        id: 'SS-5 a terminating pod counts',
        cluster: [room('n1', pod('r', requests({ cpu: 2 }), terminating)), room('n2')],
        pod: plain(requests({ cpu: 1 })),
        plugins: { NodeResourcesFit: { n1: 60, n2: 86 } },
      },
      {
        id: 'SS-6 pod-level requests of the pod to place are not seen (D4)',
        cluster: [room('n1'), room('n2', allocatable({ cpu: 8 }))],
        pod: plain(requests(HALF), spec({ podRequests: { cpu: 2000, memory: 2 * 2 ** 30 } })),
        plugins: { NodeResourcesFit: { n1: 90, n2: 93 } },
      },
      {
        id: 'SS-30 a resident that shrinks counts with what it still has',
        cluster: [room('n1', pod('r', requests(CPU_1), given(3))), room('n2')],
        pod: plain(requests(HALF)),
        plugins: { NodeResourcesFit: { n1: 46, n2: 90 } },
      },
      {
        id: 'pod-level requests of a resident are seen, without defaults for what a container leaves open',
        cluster: [room('n1', pod('r', spec({ podRequests: { cpu: 2000 } }))), room('n2')],
        pod: plain(requests({ cpu: 1, memory: 0 })),
        // cpu (4000 - 3000)/4000 = 25, memory (8192 - 200)/8192 = 97.
        plugins: { NodeResourcesFit: { n1: 61, n2: 87 } },
      },
      {
        id: 'a node that offers no memory is judged by cpu alone, one that offers neither scores 0',
        cluster: [room('n1', allocatable({ memory: 0 })), room('n2', allocatable({ cpu: 0, memory: 0 }))],
        pod: plain(requests({ cpu: 1, memory: 0 })),
        plugins: { NodeResourcesFit: { n1: 75, n2: 0 } },
      },
      {
        id: 'an over-committed resource scores 0',
        cluster: [room('n1', pod('r', requests({ cpu: 5, memory: '4Gi' })))],
        pod: plain(requests({ cpu: 0, memory: 0 })),
        plugins: { NodeResourcesFit: { n1: 25 } },
      },
      {
        id: 'MostAllocated: the fuller node, an over-committed resource counts as full',
        cluster: [room('n1', pod('r', requests({ cpu: 5, memory: '4Gi' }))), room('n2')],
        pod: plain(requests({ cpu: 1, memory: '2Gi' })),
        scoring: { ...DEFAULT_SCORING, type: 'MostAllocated' },
        plugins: { NodeResourcesFit: { n1: 87, n2: 25 } },
      },
      {
        id: 'MostAllocated by a device: only the device counts, and only where the node has it',
        cluster: [
          room('n1', allocatable({ [FOO]: 4 }), pod('r', requests({ [FOO]: 2, cpu: 3 }))),
          room('n2', allocatable({ [FOO]: 8 }), pod('s', requests({ [FOO]: 3 }))),
          room('n3', pod('t', requests({ cpu: 3 }))),
        ],
        pod: plain(requests({ [FOO]: 1, cpu: 1 })),
        scoring: by('MostAllocated', { [FOO]: 1 }),
        plugins: { NodeResourcesFit: { n1: 75, n2: 50, n3: 0 } },
      },
      {
        id: 'a device that the pod does not ask for takes no part; pods and unknown names never do',
        cluster: [room('n1', allocatable({ [FOO]: 4 }), pod('r', requests({ [FOO]: 4, cpu: 1 }))), room('n2')],
        pod: plain(requests({ cpu: 1, memory: 0 })),
        scoring: by('MostAllocated', { [FOO]: 9, cpu: 1, pods: 9, colour: 9 }),
        plugins: { NodeResourcesFit: { n1: 50, n2: 25 } },
      },
      {
        id: 'weights: cpu three times as much as memory; ephemeral-storage counts though nobody asks for it',
        cluster: [room('n1', pod('r', requests({ cpu: 1, memory: 0, 'ephemeral-storage': '10Gi' }))), room('n2')],
        pod: plain(requests({ cpu: 1, memory: '4Gi' })),
        scoring: by('LeastAllocated', { cpu: 3, memory: 1, 'ephemeral-storage': 1 }),
        plugins: { NodeResourcesFit: { n1: 50, n2: 75 } },
      },
      {
        id: 'RequestedToCapacityRatio: the first example of its documentation, in percent',
        cluster: [
          node(
            'n1',
            allocatable({ cpu: 8, memory: '1Gi', [FOO]: 4 }),
            pod('r', requests({ cpu: 1, memory: '256Mi', [FOO]: 1 })),
          ),
        ],
        pod: plain(requests({ cpu: 2, memory: '256Mi', [FOO]: 2 })),
        // (5 x 75 + 1 x 50 + 3 x 37) / 9
        scoring: by('RequestedToCapacityRatio', { [FOO]: 5, memory: 1, cpu: 3 }, [
          [0, 0],
          [100, 10],
        ]),
        plugins: { NodeResourcesFit: { n1: 60 } },
      },
      {
        id: 'RequestedToCapacityRatio: flat outside of the corners, falling between them, without what scores 0',
        cluster: [
          room('n1'),
          room('n2', pod('r', requests({ cpu: 1, memory: 0 }))),
          room('n3', pod('s', requests({ cpu: 2, memory: 0 }))),
        ],
        pod: plain(requests({ cpu: 1, memory: 0 })),
        // 25%, 50%, 75% of cpu; none of memory
        scoring: by('RequestedToCapacityRatio', { cpu: 1, memory: 1 }, [
          [30, 7],
          [70, 2],
        ]),
        plugins: { NodeResourcesFit: { n1: 70, n2: 58, n3: 45 } },
      },
    ]);
  });

  it('pods that ask as much of different devices share no scores', () => {
    const BAR = 'example.com/bar';
    const cluster = snapshot(
      node('n1', allocatable({ [FOO]: 4, [BAR]: 4 }), pod('r', requests({ [FOO]: 3 }))),
      node('n2', allocatable({ [FOO]: 4, [BAR]: 4 }), pod('s', requests({ [BAR]: 3 }))),
    );
    const placement = createPlacement(cluster, { scoringStrategy: by('MostAllocated', { [FOO]: 1, [BAR]: 1 }) });
    const likely = [FOO, BAR].map((device) => placement.predict(plain(requests({ [device]: 1 }))).likely);
    assert.deepEqual(
      likely.map(([first, ...more]) => [first?.name, more.length]),
      [
        ['n1', 0],
        ['n2', 0],
      ],
    );
  });

  describe('NodeResourcesBalancedAllocation', () => {
    scoreRows([
      {
        id: 'SS-7 without the defaults',
        cluster: [room('n1', pod('r', requests({ cpu: '500m' }))), room('n2')],
        pod: plain(requests({ cpu: 1 })),
        plugins: { NodeResourcesBalancedAllocation: { n1: 69, n2: 68 } },
      },
      {
        id: 'SS-8 the pod evens n1 out',
        cluster: [room('n1', pod('r', requests({ memory: '4Gi' }))), room('n2', pod('r2', requests({ cpu: 2 })))],
        pod: plain(requests({ cpu: 1 })),
        plugins: { NodeResourcesBalancedAllocation: { n1: 81, n2: 68 } },
      },
      {
        id: 'SS-9 a pod that asks for nothing',
        cluster: [room('n1', pod('r', requests({ cpu: 2 }))), room('n2')],
        pod: plain(),
        plugins: { NodeResourcesBalancedAllocation: 'left out' },
      },
      {
        id: 'SS-10 shapes of nodes',
        cluster: [room('n1'), room('n2', allocatable({ cpu: 8 }))],
        pod: plain(requests({ cpu: 2, memory: '4Gi' })),
        plugins: { NodeResourcesBalancedAllocation: { n1: 75, n2: 68 } },
      },
      {
        id: 'one resource alone is always balanced; more than all there is counts as all',
        cluster: [
          room('n1', allocatable({ memory: 0 })),
          room('n2', pod('r', requests({ cpu: 5, memory: '8Gi' }), terminating)),
        ],
        pod: plain(requests({ cpu: 1 })),
        plugins: { NodeResourcesBalancedAllocation: { n1: 75, n2: 75 } },
      },
    ]);
  });

  describe('TaintToleration', () => {
    const soft = ['a:PreferNoSchedule', 'b:PreferNoSchedule', 'c:PreferNoSchedule'].map(taint);
    scoreRows([
      {
        id: 'SS-11 by the number of taints',
        cluster: [room('n1'), room('n2', ...soft.slice(0, 1)), room('n3', ...soft)],
        pod: plain(),
        plugins: { TaintToleration: { n1: 100, n2: 67, n3: 0 } },
      },
      {
        id: 'SS-12 only tolerations that can mean the effect',
        cluster: [room('n1', taint('a:PreferNoSchedule')), room('n2', taint('b:PreferNoSchedule'))],
        pod: plain(tolerates('a:NoSchedule'), tolerates('b')),
        plugins: { TaintToleration: { n1: 0, n2: 100 } },
      },
      {
        id: 'without such taints everybody is equal',
        cluster: [room('n1'), room('n2', taint('a:NoSchedule'))],
        pod: plain(tolerates('a')),
        plugins: { TaintToleration: { n1: 100, n2: 100 } },
      },
    ]);
  });

  describe('NodeAffinity', () => {
    const ssd = labels({ disk: 'ssd' });
    scoreRows([
      {
        id: 'SS-13 sums of weights',
        cluster: [room('n1', ssd, labels({ gen: '2' })), room('n2', ssd), room('n3')],
        pod: plain(prefersNode(80, term('disk=ssd')), prefersNode(15, term('gen=2'))),
        plugins: { NodeAffinity: { n1: 100, n2: 84, n3: 0 } },
      },
      {
        id: 'SS-14 nobody has what is preferred',
        cluster: [room('n1'), room('n2')],
        pod: plain(prefersNode(50, term('disk=ssd'))),
        plugins: { NodeAffinity: { n1: 0, n2: 0 } },
      },
      {
        id: 'without preferences',
        cluster: [room('n1', ssd), room('n2')],
        pod: plain(),
        plugins: { NodeAffinity: 'left out' },
      },
      {
        id: "the profile's addedAffinity counts as well",
        cluster: [room('n1', ssd), room('n2', labels({ gen: '2' }))],
        pod: plain(prefersNode(30, term('disk=ssd'))),
        options: { addedAffinity: { required: undefined, preferred: [{ weight: 60, term: term('gen=2') }] } },
        plugins: { NodeAffinity: { n1: 50, n2: 100 } },
      },
    ]);
  });

  describe('ImageLocality', () => {
    scoreRows([
      {
        id: 'SS-15 on one of three nodes',
        cluster: [room('n1', hasImage('app:1', 600)), room('n2'), room('n3')],
        pod: plain(image('app:1')),
        plugins: { ImageLocality: { n1: 18, n2: 0, n3: 0 } },
      },
      {
        id: 'SS-16 on all three',
        cluster: ['n1', 'n2', 'n3'].map((name) => room(name, hasImage('app:1', 600))),
        pod: plain(image('app:1')),
        plugins: { ImageLocality: { n1: 59, n2: 59, n3: 59 } },
      },
      {
        id: 'SS-17 a small image',
        cluster: [room('n1', hasImage('app:1', 60)), room('n2'), room('n3')],
        pod: plain(image('app:1')),
        plugins: { ImageLocality: { n1: 0, n2: 0, n3: 0 } },
      },
      {
        id: 'a name without a tag means latest, the port of a registry is no tag, a digest is left alone',
        cluster: [
          room('n1', hasImage('registry.example:5000/app:latest', 2000)),
          room('n2', hasImage('registry.example:5000/app:1', 2000)),
          room('n3', hasImage('app@sha256:00', 2000)),
        ],
        // 2000/3 = 666 MiB: 100 * 643 / 1977 with two containers.
        pod: plain(image('registry.example:5000/app'), spec({ initContainers: [] }), container('second')),
        plugins: { ImageLocality: { n1: 32, n2: 0, n3: 0 } },
      },
      {
        id: 'a digest, an init container and an image volume',
        cluster: [room('n1', hasImage('app@sha256:00', 300), hasImage('setup:1', 300), hasImage('data:latest', 300))],
        pod: plain(
          image('app@sha256:00'),
          spec({
            initContainers: [{ ...pod('other', image('setup:1')).spec.containers[0]!, name: 'setup' }],
            volumes: [{ kind: 'image', name: 'data', image: 'data' }],
          }),
        ),
        // (900 - 23) of (2000 - 23): two containers set the scale.
        plugins: { ImageLocality: { n1: 44 } },
      },
    ]);
  });

  describe('InterPodAffinity', () => {
    const cluster = [withX('a1', 2), zoned('a2'), withX('b1', 1)];
    scoreRows([
      {
        id: 'SS-18 the smallest difference is worth the whole span',
        cluster,
        pod: plain(prefersPods(10, podTerm('app=x', ZONE))),
        plugins: { InterPodAffinity: { a1: 100, a2: 100, b1: 0 } },
      },
      {
        id: 'SS-19 preferred anti-affinity',
        cluster,
        pod: plain(avoidsPods(100, podTerm('app=x', HOSTNAME))),
        plugins: { InterPodAffinity: { a1: 0, a2: 100, b1: 50 } },
      },
      {
        id: "SS-20 a resident's preference",
        cluster: [zoned('a1', pod('r', prefersPods(40, podTerm('app=w', ZONE)))), zoned('a2'), zoned('b1')],
        pod: plain(labels({ app: 'w' })),
        plugins: { InterPodAffinity: { a1: 100, a2: 100, b1: 0 } },
      },
      {
        id: "a resident's required affinity counts 1, its preferred anti-affinity its weight",
        cluster: [
          zoned('a1', pod('r1', near('app=w', ZONE))),
          zoned('b1', pod('r2', avoidsPods(3, podTerm('app=w', ZONE)))),
          zoned('c1'),
        ],
        pod: plain(labels({ app: 'w' })),
        plugins: { InterPodAffinity: { a1: 100, b1: 0, c1: 75 } },
      },
      {
        id: "a resident's required anti-affinity is no matter of taste",
        cluster: [zoned('a1', pod('r1', apart('app=v', ZONE))), zoned('b1')],
        pod: plain(labels({ app: 'w' })),
        plugins: { InterPodAffinity: 'left out' },
      },
      {
        id: 'other namespaces do not count, a node without the key counts 0',
        cluster: [withX('a1', 1, namespace('other')), withX('b1', 1), room('n3', pod('r', x))],
        pod: plain(prefersPods(10, podTerm('app=x', ZONE))),
        plugins: { InterPodAffinity: { a1: 0, b1: 100, n3: 0 } },
      },
      {
        id: 'a negative namespace selector of the pod means all namespaces (D2), of a resident what it says',
        cluster: [
          namespaceObject('team-a', { team: 'a' }),
          withX('a1', 1, namespace('team-a')),
          zoned(
            'b1',
            pod('r', prefersPods(10, podTerm('app=w', ZONE, { namespaceSelector: selector('team notin (a)') }))),
          ),
          zoned('c1'),
        ],
        pod: plain(
          namespace('team-a'),
          labels({ app: 'w' }),
          prefersPods(10, podTerm('app=x', ZONE, { namespaceSelector: selector('team notin (a)') })),
        ),
        plugins: { InterPodAffinity: { a1: 100, b1: 0, c1: 0 } },
      },
      {
        id: 'what is equal everywhere scores 0',
        cluster: [withX('a1', 1), withX('b1', 1)],
        pod: plain(prefersPods(10, podTerm('app=x', ZONE))),
        plugins: { InterPodAffinity: { a1: 0, b1: 0 } },
      },
    ]);
  });

  describe('PodTopologySpread', () => {
    const web = service('web', { app: 'x' });
    scoreRows([
      {
        id: 'SS-21 the system defaults with a Service',
        cluster: [web, withX('a1', 2), zoned('a2'), withX('b1', 1)],
        pod: plain(x),
        plugins: { PodTopologySpread: { a1: 75, a2: 100, b1: 100 } },
      },
      {
        id: 'SS-22 without Service and owner',
        cluster: [withX('a1', 2), zoned('a2'), withX('b1', 1)],
        pod: plain(x),
        plugins: { PodTopologySpread: 'left out' },
      },
      {
        id: 'SS-23 the defaults do not see pods of an older ReplicaSet',
        cluster: [
          replicaSet('rs', 'app=x,hash=1'),
          withX('a1', 3, labels({ hash: '0' })),
          zoned('a2'),
          withX('b1', 1, labels({ hash: '1' })),
        ],
        pod: plain(x, labels({ hash: '1' }), ownedBy('ReplicaSet', 'rs')),
        plugins: { PodTopologySpread: { a1: 100, a2: 100, b1: 66 } },
      },
      {
        id: 'SS-24 a node without the key of an own constraint',
        cluster: [withX('a1', 2), zoned('a2'), withX('b1', 1), room('n4')],
        pod: plain(x, spreads('app=x', ZONE, soft)),
        plugins: { PodTopologySpread: { a1: 33, a2: 33, b1: 100, n4: 0 } },
      },
      {
        id: 'SS-25 two own constraints',
        cluster: [withX('a1', 3), withX('a2', 1), withX('b1', 1)],
        pod: plain(x, spreads('app=x', HOSTNAME, { ...soft, maxSkew: 2 }), spreads('app=x', ZONE, soft)),
        plugins: { PodTopologySpread: { a1: 36, a2: 63, b1: 100 } },
      },
      {
        id: 'SS-29 the first of its kind',
        cluster: [web, zoned('a1'), zoned('a2'), zoned('b1')],
        pod: plain(x),
        plugins: { PodTopologySpread: { a1: 100, a2: 100, b1: 100 } },
      },
      {
        id: 'a constraint that forbids leaves nothing to prefer, and no default either',
        cluster: [web, withX('a1', 1), zoned('b1')],
        pod: plain(x, spreads('app=x', ZONE)),
        plugins: { PodTopologySpread: 'left out' },
      },
      {
        id: 'terminating pods and other namespaces do not count',
        cluster: [withX('a1', 2, terminating), withX('b1', 1), withX('c1', 3, namespace('other'))],
        pod: plain(x, spreads('app=x', ZONE, soft)),
        // b1: 1 * ln 5 + 0 = 1.6, rounded to 2.
        plugins: { PodTopologySpread: { a1: 100, b1: 0, c1: 100 } },
      },
      {
        id: 'an empty selector counts nobody (D1)',
        cluster: [withX('a1', 2), zoned('b1')],
        pod: plain(x, spreads('', ZONE, soft)),
        plugins: { PodTopologySpread: { a1: 100, b1: 100 } },
      },
      {
        id: 'pods on nodes outside the affinity of the pod do not count for their zone',
        cluster: [
          zoned('a1', labels({ pool: 'p' })),
          zoned('a2', labels({ pool: 'q' }), pod('q1', x), pod('q2', x)),
          zoned('b1', labels({ pool: 'p' }), pod('r', x)),
        ],
        pod: plain(x, spec({ nodeSelector: { pool: 'p' } }), spreads('app=x', ZONE, soft)),
        plugins: { PodTopologySpread: { a1: 100, a2: 100, b1: 0 } },
      },
      {
        id: 'with the system defaults a node without a zone gets no points for one',
        cluster: [web, withX('a1', 0), room('n4', pod('r', x))],
        pod: plain(x),
        // a1: 2 + 4 = 6; n4: ln 4 + 2 = 3.4: 3. max 6, min 3.
        plugins: { PodTopologySpread: { a1: 50, n4: 100 } },
      },
      {
        id: 'configured default constraints take the place of the system defaults and need their keys',
        cluster: [web, withX('a1', 1), zoned('b1'), room('n4')],
        pod: plain(x),
        options: { defaultConstraints: pod('any', spreads('', ZONE, soft)).spec.spreadConstraints },
        plugins: { PodTopologySpread: { a1: 0, b1: 100, n4: 0 } },
      },
      {
        id: 'two nodes with the same hostname are two nodes',
        cluster: [web, node('n1', pod('r', x)), node('n2', labels({ [HOSTNAME]: 'n1' }))],
        pod: plain(x),
        // n1: ln 4 + 2 = 3.4: 3; n2: 2. No zones: ln 3 for the one domain without points.
        plugins: { PodTopologySpread: { n1: 66, n2: 100 } },
      },
      {
        id: 'nodes without any label',
        cluster: [web, node('n1', noLabels, pod('r', x)), node('n2', noLabels)],
        pod: plain(x),
        plugins: { PodTopologySpread: { n1: 100, n2: 100 } },
      },
    ]);
  });

  describe('total', () => {
    const app900 = hasImage('app:1', 900);
    const victim = pod('victim', ownedBy('ReplicaSet', 'rs'), requests(HALF), image('app:1'), terminating);
    scoreRows([
      {
        id: 'SS-26 a tie of two',
        cluster: [
          room('n1', pod('r', requests(CPU_1))),
          room('n2', pod('r2', requests(CPU_1))),
          room('n3', pod('r3', requests({ cpu: 2, memory: '2Gi' }))),
        ],
        pod: plain(requests(HALF)),
        plugins: {
          NodeResourcesFit: { n1: 71, n2: 71, n3: 52 },
          NodeResourcesBalancedAllocation: { n1: 73, n2: 73, n3: 73 },
          TaintToleration: { n1: 100, n2: 100, n3: 100 },
        },
        total: { n1: 444, n2: 444, n3: 425 },
      },
      {
        id: 'SS-27 the image draws the pod back once the victim is gone',
        cluster: [room('n1', app900, pod('r', requests(CPU_1))), room('n2'), room('n3')],
        pod: plain(requests(HALF), image('app:1')),
        plugins: {
          NodeResourcesFit: { n1: 71, n2: 90, n3: 90 },
          NodeResourcesBalancedAllocation: { n1: 73, n2: 73, n3: 73 },
          ImageLocality: { n1: 28, n2: 0, n3: 0 },
        },
        total: { n1: 472, n2: 463, n3: 463 },
      },
      {
        id: 'SS-28 a soft taint outweighs all the room',
        cluster: [room('n1', taint('a:PreferNoSchedule')), room('n2', pod('r', requests({ cpu: 3, memory: '6Gi' })))],
        pod: plain(requests(HALF)),
        plugins: {
          NodeResourcesFit: { n1: 90, n2: 15 },
          NodeResourcesBalancedAllocation: { n1: 73, n2: 73 },
          TaintToleration: { n1: 0, n2: 100 },
        },
        total: { n1: 163, n2: 388 },
      },
      {
        id: 'SS-31 spread and room together',
        cluster: [
          replicaSet('rs', 'app=x'),
          withX('a1', 2, requests(HALF), ownedBy('ReplicaSet', 'rs')),
          zoned('a2'),
          withX('b1', 1, requests(HALF), ownedBy('ReplicaSet', 'rs')),
        ],
        pod: plain(x, ownedBy('ReplicaSet', 'rs'), requests(HALF)),
        plugins: {
          NodeResourcesFit: { a1: 71, a2: 90, b1: 81 },
          NodeResourcesBalancedAllocation: { a1: 73, a2: 73, b1: 73 },
          PodTopologySpread: { a1: 75, a2: 100, b1: 100 },
        },
        total: { a1: 594, a2: 663, b1: 654 },
      },
      {
        id: 'SS-32 as SS-27 with the victim still terminating: a tie of all',
        cluster: [room('n1', app900, pod('r', requests(CPU_1)), victim), room('n2'), room('n3')],
        pod: plain(requests(HALF), image('app:1')),
        plugins: {
          NodeResourcesFit: { n1: 62, n2: 90, n3: 90 },
          NodeResourcesBalancedAllocation: { n1: 73, n2: 73, n3: 73 },
          ImageLocality: { n1: 28, n2: 0, n3: 0 },
        },
        total: { n1: 463, n2: 463, n3: 463 },
      },
      {
        id: 'SS-33 as SS-32 with a small image',
        cluster: [room('n1', hasImage('app:1', 100), pod('r', requests(CPU_1)), victim), room('n2'), room('n3')],
        pod: plain(requests(HALF), image('app:1')),
        plugins: {
          NodeResourcesFit: { n1: 62, n2: 90, n3: 90 },
          NodeResourcesBalancedAllocation: { n1: 73, n2: 73, n3: 73 },
          ImageLocality: { n1: 1, n2: 0, n3: 0 },
        },
        total: { n1: 436, n2: 463, n3: 463 },
      },
    ]);
  });
});
