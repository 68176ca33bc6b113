import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { removeDuplicates } from '../../src/strategies/remove-duplicates/remove-duplicates.ts';
import {
  annotations,
  asks,
  container,
  cordoned,
  image,
  labels,
  namespace,
  node,
  noOwner,
  nodeSelector,
  notReady,
  on,
  ownedBy,
  type Part,
  phase,
  pod,
  priority,
  selector,
  sized,
  snapshot,
  spec,
  taint,
  terminating,
  tolerates,
} from '../builders/cluster.ts';
import { planTable } from './plan-table.ts';
import { limited, localStoragePod, noFit } from './refusals.ts';

const CRITICAL = 2_000_000_000;
const sizedNode = (name: string, ...parts: readonly (Part<Node> | Pod)[]) =>
  node(name, sized(2000, 3000, 10), ...parts);
const replica = (name: string, ...parts: readonly Part<Pod>[]) => pod(name, asks(100, 0), image(''), ...parts);
const replicas = (names: string, ...parts: readonly Part<Pod>[]) =>
  names.split(' ').map((name) => replica(name, ...parts));
const mirror = annotations({ 'kubernetes.io/config.mirror': 'mirror', 'kubernetes.io/config.source': 'api' });
const scratch = spec({ volumes: [{ kind: 'emptyDir', name: 'scratch' }] });

const dev = replicas('p1 p2 p3', namespace('dev'));
const test = replicas('p8 p9 p10', namespace('test'));
const protectedKinds = [
  replica('p4', ownedBy('DaemonSet', '')),
  replica('p5', ownedBy('Pod', ''), scratch),
  replica('p6', noOwner, mirror),
  replica('p7', noOwner, namespace('kube-system'), priority(CRITICAL)),
];
const ninePods = [
  ...replicas('p1 p2 p3 p4 p5', on('n1')),
  ...replicas('p6 p7 p8', on('n2')),
  ...replicas('p9', on('n3')),
];
const withBar = (name: string) => replica(name, container(name), images('', 'bar'));

function images(...names: readonly string[]): Part<Pod> {
  return (before) =>
    spec({ containers: before.spec.containers.map((each, place) => ({ ...each, image: names[place] ?? '' })) })(before);
}

const few = (count: string) =>
  `no owner has more than one pod on a node: ${count} of pods with the same owner and images checked`;
const even = (count: string) =>
  `no owner has more pods on a node than its even share: ${count} of pods with the same owner and images checked`;
const oneNode = (owner: string) => `fewer than two nodes can run the pods of ${owner}, which share a node`;

describe('RemoveDuplicates', () => {
  describe('rule T12', () => {
    planTable(removeDuplicates, [
      {
        row: 'RD-F1 three in ns dev',
        cluster: snapshot(sizedNode('n1', ...dev), sizedNode('n2')),
        evictions: [
          'dev/p1@n1 is one of 3 pods of ReplicaSet dev/replicaset-1 on n1: 3 pods on 2 nodes are at most 2 a node',
        ],
      },
      {
        row: 'RD-F2 kind excluded',
        cluster: snapshot(sizedNode('n1', ...dev), sizedNode('n2')),
        args: { excludeOwnerKinds: ['ReplicaSet'] },
        notes: ['no pod with an owner to check'],
      },
      {
        row: 'RD-F3 three in ns test',
        cluster: snapshot(sizedNode('n1', ...test), sizedNode('n2')),
        evictions: [
          'test/p10@n1 is one of 3 pods of ReplicaSet test/replicaset-1 on n1: 3 pods on 2 nodes are at most 2 a node',
        ],
      },
      {
        row: 'RD-F5 protected kinds',
        cluster: snapshot(sizedNode('n1', ...protectedKinds), sizedNode('n2')),
        notes: [few('2 groups')],
      },
      {
        row: 'RD-F6 two namespaces and protected pods',
        cluster: snapshot(sizedNode('n1', ...dev, ...test, ...protectedKinds), sizedNode('n2')),
        evictions: [
          'dev/p1@n1 is one of 3 pods of ReplicaSet dev/replicaset-1 on n1: 3 pods on 2 nodes are at most 2 a node',
          'test/p10@n1 is one of 3 pods of ReplicaSet test/replicaset-1 on n1: 3 pods on 2 nodes are at most 2 a node',
        ],
      },
      {
        row: 'RD-F7 different images',
        cluster: snapshot(sizedNode('n1', replica('p11', image('foo')), replica('p12', image('bar'))), sizedNode('n2')),
        notes: [few('2 groups')],
      },
      {
        row: 'RD-F8 one pod, two containers',
        cluster: snapshot(sizedNode('n1', replica('p13', container('two'), images('', 'foo'))), sizedNode('n2')),
        notes: [few('1 group')],
      },
      {
        row: 'RD-F10 other node tainted, NF',
        cluster: snapshot(sizedNode('n1', ...dev), sizedNode('n3', taint('hardware=gpu:NoSchedule'))),
        evictor: { nodeFit: true },
        notes: [even('1 group'), oneNode('ReplicaSet dev/replicaset-1')],
      },
      {
        row: 'RD-F11 selector fits nowhere, NF',
        cluster: snapshot(
          sizedNode('n1', ...replicas('p15 NOT1 NOT2', namespace('node-fit'), nodeSelector({ datacenter: 'west' }))),
          sizedNode('n4', labels({ datacenter: 'east' })),
        ),
        evictor: { nodeFit: true },
        notes: [even('1 group'), oneNode('ReplicaSet node-fit/replicaset-1')],
      },
      {
        row: 'RD-F12 other node cordoned, NF',
        cluster: snapshot(sizedNode('n1', ...dev), sizedNode('n5', cordoned)),
        evictor: { nodeFit: true },
        notes: [even('1 group'), oneNode('ReplicaSet dev/replicaset-1')],
      },
      {
        row: 'RD-F13 other node lacks cpu, NF',
        cluster: snapshot(
          sizedNode('n1', ...dev),
          node('n6', sized(200, 200, 10), pod('CPU-eater', asks(150, 150), namespace('test'), noOwner)),
        ),
        evictor: { nodeFit: true },
        refusals: ['dev/p1', 'dev/p2', 'dev/p3'].map((name) =>
          noFit(`${name}@n1`, { node: 'n6', kind: 'suitable', why: 'needs 100m cpu, 50m of 200m free' }),
        ),
      },
      {
        row: 'RD-F13 without NF: the room is asked for all the same',
        cluster: snapshot(
          sizedNode('n1', ...dev),
          node('n6', sized(200, 200, 10), pod('CPU-eater', asks(150, 150), namespace('test'), noOwner)),
        ),
        refusals: ['dev/p1', 'dev/p2', 'dev/p3'].map(
          (name) =>
            `${name}@n1 [RemoveDuplicates] is one of 3 pods of ReplicaSet dev/replicaset-1 on n1: 3 pods on 2 nodes are at most 2 a node, but it does not fit on n6`,
        ),
        reference: 1,
      },
      {
        row: 'RD-U1 5/3/1',
        cluster: snapshot(sizedNode('n1'), sizedNode('n2'), sizedNode('n3'), ...ninePods),
        evictions: ['p1', 'p2'].map(
          (name) =>
            `${name}@n1 is one of 5 pods of ReplicaSet default/replicaset-1 on n1: 9 pods on 3 nodes are at most 3 a node`,
        ),
      },
      {
        row: 'RD-U2 n3 not in node list',
        cluster: snapshot(sizedNode('n1'), sizedNode('n2'), sizedNode('n3', notReady), ...ninePods),
        evictions: [
          'p1@n1 is one of 5 pods of ReplicaSet default/replicaset-1 on n1: 8 pods on 2 nodes are at most 4 a node',
        ],
      },
      {
        row: 'RD-U5 fewer pods than nodes',
        cluster: snapshot(sizedNode('n1', ...replicas('p1 p2')), sizedNode('n2'), sizedNode('n3')),
        evictions: [
          'p1@n1 is one of 2 pods of ReplicaSet default/replicaset-1 on n1: 2 pods on 3 nodes are at most 1 a node',
        ],
      },
      {
        row: 'RD-U6 images foo, bar, baz, foo',
        cluster: snapshot(
          sizedNode(
            'n1',
            ...['foo', 'bar', 'baz', 'foo'].map((name, place) =>
              replica(`p${place + 1}`, container('two'), images('', name)),
            ),
          ),
          sizedNode('n2'),
          sizedNode('n3'),
        ),
        evictions: [
          'p1@n1 is one of 2 pods of ReplicaSet default/replicaset-1 on n1: 2 pods on 3 nodes are at most 1 a node',
        ],
      },
      {
        row: 'RD-U7 single pod',
        cluster: snapshot(sizedNode('n1', replica('p1')), sizedNode('n2'), sizedNode('n3')),
        notes: [few('1 group')],
      },
      {
        row: 'RD-U8 taints',
        cluster: snapshot(
          ...threeWorkers(),
          ...threeMasters(),
          ...alternating((key) => tolerates(`${key}=v1:NoSchedule`)),
        ),
        evictions: ['p1', 'p2'].map(
          (name) =>
            `${name}@worker1 is one of 5 pods of ReplicaSet default/replicaset-1 on worker1: 9 pods on 3 nodes are at most 3 a node`,
        ),
      },
      {
        row: 'RD-U10 selectors of which one fits nowhere: the reference may take any, ours only those that ask for k2',
        cluster: snapshot(
          ...threeWorkers(labels({ 'node-role.kubernetes.io/worker': 'k2' })),
          ...threeMasters(),
          ...alternating((key) => nodeSelector({ 'node-role.kubernetes.io/worker': key })),
        ),
        evictions: ['p2', 'p4'].map(
          (name) =>
            `${name}@worker1 is one of 5 pods of ReplicaSet default/replicaset-1 on worker1: 9 pods on 3 nodes are at most 3 a node`,
        ),
        refusals: ['p1', 'p3'].map(
          (name) =>
            `${name}@worker1 [RemoveDuplicates] is one of 5 pods of ReplicaSet default/replicaset-1 on worker1: 9 pods on 3 nodes are at most 3 a node, but no other node that it may run on has fewer of them`,
        ),
      },
      {
        row: 'RD-U11 selectors that fit nowhere',
        cluster: snapshot(
          ...threeWorkers(),
          ...threeMasters(),
          ...alternating((key) => nodeSelector({ 'node-role.kubernetes.io/worker': key })),
        ),
        notes: [even('1 group'), oneNode('ReplicaSet default/replicaset-1')],
      },
    ]);
  });

  describe('what counts, who goes and where to', () => {
    const spread = 'ReplicaSet default/replicaset-1';
    planTable(removeDuplicates, [
      {
        row: 'the order of the containers does not matter',
        cluster: snapshot(
          sizedNode('n1', withBar('a'), replica('b', container('two'), images('bar', ''))),
          sizedNode('n2'),
        ),
        evictions: [`a@n1 is one of 2 pods of ${spread} on n1: 2 pods on 2 nodes are at most 1 a node`],
      },
      {
        row: 'a pod with two owners counts and goes once, the order of owners does not matter',
        cluster: snapshot(
          sizedNode('n1', replica('a', owners('x', 'y')), replica('b', owners('y', 'x'))),
          sizedNode('n2'),
        ),
        evictions: ['a@n1 is one of 2 pods of ReplicaSet default/x on n1: 2 pods on 2 nodes are at most 1 a node'],
      },
      {
        row: 'the least important goes, a protected replica counts and is passed by',
        cluster: snapshot(
          sizedNode('n1', replica('a', priority(5)), replica('b', scratch), replica('c', priority(1))),
          sizedNode('n2'),
        ),
        evictions: [`c@n1 is one of 3 pods of ${spread} on n1: 3 pods on 2 nodes are at most 2 a node`],
        refusals: [localStoragePod('b@n1')],
      },
      {
        row: 'finished and terminating replicas do not count',
        cluster: snapshot(
          sizedNode('n1', replica('a'), replica('b', phase('Failed')), replica('c', terminating)),
          sizedNode('n2'),
        ),
        notes: [few('1 group')],
      },
      {
        row: 'nobody moves to a node that would hold as many afterwards',
        cluster: snapshot(
          sizedNode('n1', ...replicas('a b c', nodeSelector({ disk: 'ssd' })), labels({ disk: 'ssd' })),
          sizedNode('n2', ...replicas('d e', nodeSelector({ disk: 'ssd' })), labels({ disk: 'ssd' })),
          sizedNode('n3', labels({ disk: 'hdd' })),
          sizedNode('n4', labels({ disk: 'hdd' })),
          pod('x', image(''), nodeSelector({ disk: 'hdd' }), on('n3')),
        ),
        refusals: ['a', 'b', 'c'].map(
          (name) =>
            `${name}@n1 [RemoveDuplicates] is one of 3 pods of ${spread} on n1: 6 pods on 4 nodes are at most 2 a node, but no other node that it may run on has fewer of them`,
        ),
      },
      {
        row: 'with nodeFit nobody goes whom the scheduler would rather put where it is no better off',
        cluster: snapshot(
          sizedNode('n1', ...replicas('a b c')),
          sizedNode('n2', taint('spot=yes:PreferNoSchedule')),
          sizedNode('n3', ...replicas('d e')),
        ),
        evictor: { nodeFit: true },
        refusals: ['a', 'b', 'c'].map(
          (name) =>
            `${name}@n1 [RemoveDuplicates] is one of 3 pods of ${spread} on n1: 5 pods on 3 nodes are at most 2 a node, but the scheduler is likely to put it on n3, which has 2 of them`,
        ),
      },
      {
        row: 'a cordoned node is a place for a pod that tolerates the cordon',
        cluster: snapshot(
          sizedNode('n1', ...replicas('a b', tolerates('node.kubernetes.io/unschedulable:NoSchedule'))),
          sizedNode('n2', cordoned),
        ),
        evictions: [`a@n1 is one of 2 pods of ${spread} on n1: 2 pods on 2 nodes are at most 1 a node`],
      },
      {
        row: 'one notice for the limit of a node, the next node goes on',
        cluster: snapshot(
          sizedNode('n1', ...replicas('a b c')),
          sizedNode('n2', ...replicas('d e f')),
          sizedNode('n3'),
          sizedNode('n4'),
        ),
        limits: { node: 0 },
        refusals: ['a@n1', 'd@n2'].map((place) => limited(place, 'PerNode', 'no eviction')),
      },
      {
        row: 'the policy chooses the nodes: replicas elsewhere do not count, nor do their nodes',
        cluster: snapshot(
          sizedNode('n1', labels({ pool: 'a' }), ...replicas('a b c')),
          sizedNode('n2', labels({ pool: 'a' })),
          sizedNode('n3', ...replicas('d e f g')),
        ),
        nodeSelector: selector('pool=a').matchExpressions,
        evictions: [`a@n1 is one of 3 pods of ${spread} on n1: 3 pods on 2 nodes are at most 2 a node`],
      },
    ]);
  });
});

function owners(...names: readonly string[]): Part<Pod> {
  return (before) => ({
    ...before,
    owners: names.map((name) => ({
      kind: 'ReplicaSet',
      name,
      uid: name,
      apiVersion: 'apps/v1',
      controller: name === 'x',
    })),
  });
}

function threeWorkers(...parts: readonly Part<Node>[]): readonly Node[] {
  return [1, 2, 3].map((number) => sizedNode(`worker${number}`, ...parts));
}

function threeMasters(): readonly Node[] {
  return [1, 2, 3].map((number) =>
    sizedNode(`master${number}`, taint('node-role.kubernetes.io/control-plane:NoSchedule')),
  );
}

/** Five, three and one pods on the workers, k1 and k2 by turns. */
function alternating(part: (key: string) => Part<Pod>): readonly Pod[] {
  const keys = ['k1', 'k2', 'k1', 'k2', 'k1', 'k2', 'k1', 'k2', 'k1'];
  const place = (number: number) => (number < 5 ? 'worker1' : number < 8 ? 'worker2' : 'worker3');
  return keys.map((key, number) => replica(`p${number + 1}`, part(key), on(place(number))));
}
