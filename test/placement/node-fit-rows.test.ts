import assert from 'node:assert/strict';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { createPlacement } from '../../src/placement/fit.ts';
import {
  allocatable,
  apart,
  asks,
  cordoned,
  labels,
  namespace,
  near,
  node,
  nodeSelector,
  on,
  pod,
  podsGivenWith,
  requests,
  requiresNode,
  sidecar,
  sized,
  snapshot,
  spec,
  spreads,
  taint,
  term,
  tolerates,
  type Part,
} from '../builders/cluster.ts';

const BIG = [64_000, 128e9, 200] as const;
const wantsYes = nodeSelector({ 'kubernetes.io/desiredNode': 'yes' });
const yes = labels({ 'kubernetes.io/desiredNode': 'yes' });
const no = labels({ 'kubernetes.io/desiredNode': 'no' });
const GPU = taint('hardware=gpu:NoSchedule');
const REGION = labels({ region: 'main-region' });

function big(name: string, ...parts: readonly (Part<Node> | Pod)[]): Node {
  return node(name, sized(...BIG), ...parts);
}

function other(cpu: number, memory: number, ...parts: readonly Part<Pod>[]): Pod {
  return pod(`other-${cpu}-${memory}`, asks(cpu, memory), ...parts);
}

interface Row {
  readonly row: string;
  readonly nodes: readonly Node[];
  readonly pod: Pod;
  /** By node other than the pod's own: empty where it fits. */
  readonly ours: Readonly<Record<string, string>>;
  /** What the reference answers for a node, where that differs. */
  readonly reference?: Readonly<Record<string, string>>;
}

/** The codes on every node but the pod's own. */
function answers(nodes: readonly Node[], asked: Pod): Readonly<Record<string, string>> {
  const placement = createPlacement(snapshot(...nodes, ...(isGiven(nodes, asked) ? [] : [asked])));
  const others = nodes.filter(({ name }) => name !== asked.nodeName);
  return Object.fromEntries(
    others.map((one) => [
      one.name,
      placement
        .misfits(asked, one)
        .map(({ code }) => code)
        .join('+'),
    ]),
  );
}

function isGiven(nodes: readonly Node[], asked: Pod): boolean {
  return nodes.flatMap(podsGivenWith).some(({ uid }) => uid === asked.uid);
}

function rows(table: readonly Row[]): void {
  for (const { row, nodes, pod: asked, ours, reference } of table) {
    it(row, () => {
      assert.deepEqual(answers(nodes, asked), ours);
      if (reference) assert.notDeepEqual(reference, ours);
    });
  }
}

const staging = node('stagingNode', sized(0, 0, 0));
const p1 = (...parts: readonly Part<Pod>[]) => pod('p1', asks(0, 0), on('stagingNode'), ...parts);
const large = p1(asks(2000, 2e9), requests({ 'ephemeral-storage': 10e9 }), wantsYes);

describe('fits any other node (rule T5)', () => {
  rows([
    {
      row: 'FIT-1 the first has the label',
      nodes: [big('node1', yes), big('node2', no), staging],
      pod: p1(wantsYes),
      ours: { node1: '', node2: 'node-affinity' },
    },
    {
      row: 'FIT-2 the second has the label',
      nodes: [big('node1', no), big('node2', yes), staging],
      pod: p1(wantsYes),
      ours: { node1: 'node-affinity', node2: '' },
    },
    {
      row: 'FIT-3 none has the label',
      nodes: [
        big('node1', labels({ 'kubernetes.io/desiredNode': 'unfit1' })),
        big('node2', labels({ 'kubernetes.io/desiredNode': 'unfit2' })),
        staging,
      ],
      pod: p1(wantsYes),
      ours: { node1: 'node-affinity', node2: 'node-affinity' },
    },
    {
      row: 'FIT-4 the only match is cordoned',
      nodes: [big('node1', yes, cordoned), big('node2', no), staging],
      pod: p1(wantsYes),
      ours: { node1: 'cordon', node2: 'node-affinity' },
    },
    {
      row: 'FIT-5 both are tainted',
      nodes: [big('node1', yes, GPU), big('node2', yes, GPU), staging],
      pod: large,
      ours: { node1: 'taint', node2: 'taint' },
    },
    {
      row: 'FIT-6 one is tainted, the other has room',
      nodes: [
        big('node1', yes, GPU),
        big(
          'node2',
          yes,
          allocatable({ 'ephemeral-storage': 200e9 }),
          other(12_000, 20e9, namespace('test'), requests({ 'ephemeral-storage': 40e9 })),
        ),
        staging,
      ],
      pod: large,
      ours: { node1: 'taint', node2: '' },
    },
    {
      row: 'FIT-7 no cpu',
      nodes: [
        big('node1', yes, GPU),
        node('node2', sized(4000, 8e9, 12), yes, allocatable({ 'ephemeral-storage': 200e9 }), other(3000, 0)),
        staging,
      ],
      pod: large,
      ours: { node1: 'taint', node2: 'cpu' },
    },
    {
      row: 'FIT-8 no memory',
      nodes: [
        big('node1', yes, GPU),
        node('node2', sized(10_000, 8e9, 12), yes, allocatable({ 'ephemeral-storage': 200e9 }), other(0, 4e9)),
        staging,
      ],
      pod: p1(asks(2000, 5e9), wantsYes),
      ours: { node1: 'taint', node2: 'memory' },
    },
    {
      row: 'FIT-9 no ephemeral storage',
      nodes: [
        big('node1', yes, GPU),
        big(
          'node2',
          yes,
          allocatable({ 'ephemeral-storage': 20e9 }),
          other(0, 0, requests({ 'ephemeral-storage': 11e9 })),
        ),
        staging,
      ],
      pod: large,
      ours: { node1: 'taint', node2: 'ephemeral-storage' },
    },
    {
      row: 'FIT-11 the overhead of a resident leaves room',
      nodes: [
        big('node1', yes, GPU),
        node('node2', sized(5000, 8e9, 12), yes, other(2000, 0, spec({ overhead: { cpu: 1000 } }))),
        staging,
      ],
      pod: p1(asks(1000, 0), wantsYes),
      ours: { node1: 'taint', node2: '' },
    },
    {
      row: 'FIT-13 four nodes, none fits',
      nodes: [
        big('node1', yes, GPU),
        node('node2', sized(3000, 8e9, 12), yes, other(2000, 0, spec({ overhead: { cpu: 1000 } }))),
        node('stagingNode', sized(3000, 8e9, 12), yes),
        node('node4', sized(0, 0, 0), yes),
      ],
      pod: p1(asks(1000, 0), wantsYes),
      ours: { node1: 'taint', node2: 'cpu', node4: 'pods+cpu' },
    },
    {
      row: 'FIT-14 four nodes, the fourth fits',
      nodes: [
        big('node1', yes, GPU),
        node('node2', sized(8000, 8e9, 12)),
        node('stagingNode', sized(1000, 8e9, 12), yes),
        node('node4', sized(8000, 8e9, 12), yes),
      ],
      pod: p1(asks(1000, 0), wantsYes),
      ours: { node1: 'taint', node2: 'node-affinity', node4: '' },
    },
    {
      row: 'CUR-1..2 the current node counts only by its labels',
      nodes: [big('node1', yes), big('node2', no)],
      pod: pod('p1', requiresNode(term('kubernetes.io/desiredNode in (yes)'))),
      ours: { node1: '', node2: 'node-affinity' },
    },
  ]);

  it('FIT-16 every node is asked if none fits', () => {
    const nodes = [1, 2, 3, 4].map((index) => big(`node${index}`, GPU));
    const cluster = snapshot(...nodes);
    const [only, ...more] = createPlacement(cluster).summary(pod('p1'), cluster.nodes);
    assert.deepEqual([only?.code, only?.count, more], ['taint', 4, []]);
  });
});

const narrow = (...parts: readonly (Part<Node> | Pod)[]) => node('node', sized(64_000, 128e9, 2), REGION, ...parts);
const foo = labels({ foo: 'bar' });
const rule = apart('foo in (bar)', 'region');

describe('NodeFit (rule T5)', () => {
  rows([
    {
      row: 'NFT-1 60 of 64 cores taken',
      nodes: [narrow(other(60_000, 60e9))],
      pod: pod('p1', asks(10_000, 2e9)),
      ours: { node: 'cpu' },
    },
    {
      row: 'NFT-2 both slots taken',
      nodes: [narrow(other(1000, 2e9), other(1000, 1e9))],
      pod: pod('p1', asks(1000, 2e9)),
      ours: { node: 'pods' },
    },
    {
      row: 'NFT-3 anti-affinity to a pod of the region',
      nodes: [narrow(pod('p2', foo, rule))],
      pod: pod('p1', foo, rule),
      ours: { node: 'anti' },
    },
    {
      row: 'NFT-4 the other pod is in another namespace',
      nodes: [narrow(pod('p2', foo, rule, namespace('test')))],
      pod: pod('p1', foo, rule),
      ours: { node: '' },
    },
    {
      row: 'NFT-6 the node lacks the topology key',
      nodes: [node('node', sized(64_000, 128e9, 2), pod('p2', foo, rule))],
      pod: pod('p1', foo, rule),
      ours: { node: '' },
    },
    { row: 'NFT-7 an empty node', nodes: [narrow()], pod: pod('p1', asks(1000, 1000)), ours: { node: '' } },
    {
      row: 'NFT-9 a large sidecar',
      nodes: [narrow()],
      pod: pod('p1', asks(1000, 1000), sidecar('s', { memory: 1e12 })),
      ours: { node: 'memory' },
    },
    {
      row: 'NFT-10 a small sidecar',
      nodes: [narrow()],
      pod: pod('p1', asks(1000, 1000), sidecar('s', { cpu: '100m', memory: 100e6 })),
      ours: { node: '' },
    },
    {
      row: 'NFT-11 a large overhead',
      nodes: [narrow()],
      pod: pod('p1', asks(1000, 1000), spec({ overhead: { cpu: 100_000 } })),
      ours: { node: 'cpu' },
    },
    {
      row: 'NFT-12 a small overhead',
      nodes: [narrow()],
      pod: pod('p1', asks(1000, 1000), spec({ overhead: { cpu: 1, memory: 1_000_000 } })),
      ours: { node: '' },
    },
  ]);
});

describe('NodeFit (rule E5)', () => {
  rows([
    {
      row: 'framework NF1 10 cores of 4',
      nodes: [narrow(other(60_000, 0))],
      pod: pod('p1', asks(10_000, 0)),
      ours: { node: 'cpu' },
    },
    {
      row: 'framework NF2 two pods present',
      nodes: [narrow(other(1, 1), other(2, 2))],
      pod: pod('p1'),
      ours: { node: 'pods' },
    },
    {
      row: 'framework NF3 anti-affinity within the namespace',
      nodes: [narrow(pod('p2', foo))],
      pod: pod('p1', rule),
      ours: { node: 'anti' },
    },
    {
      row: 'framework NF4 another namespace',
      nodes: [narrow(pod('p2', foo, namespace('test')))],
      pod: pod('p1', rule),
      ours: { node: '' },
    },
    {
      row: 'framework NF4 no topology key',
      nodes: [node('node', sized(64_000, 128e9, 2), pod('p2', foo))],
      pod: pod('p1', rule),
      ours: { node: '' },
    },
    { row: 'framework NF5 an empty node', nodes: [narrow()], pod: pod('p1', rule), ours: { node: '' } },
    {
      row: 'framework NF6 sidecars of 1 TB and of little',
      nodes: [narrow(), node('roomy', allocatable({ memory: 2e12 }))],
      pod: pod('p1', sidecar('s', { memory: 1e12 })),
      ours: { node: 'memory', roomy: '' },
    },
    {
      row: 'framework NF7 overhead of 100 cores',
      nodes: [narrow(), node('roomy', allocatable({ cpu: 200 }))],
      pod: pod('p1', spec({ overhead: { cpu: 100_000 } })),
      ours: { node: 'cpu', roomy: '' },
    },
  ]);
});

describe('NodeFit where ours differs from the reference (rule E19, rule T7)', () => {
  rows([
    {
      row: 'a cordon that the pod tolerates',
      nodes: [big('node1', cordoned)],
      pod: pod('p1', tolerates('node.kubernetes.io/unschedulable:NoSchedule')),
      ours: { node1: '' },
      reference: { node1: 'cordon' },
    },
    {
      row: 'anti-affinity over the zone, not only on the very node',
      nodes: [big('node1', REGION, pod('p2', foo)), big('node2', REGION)],
      pod: pod('p1', rule),
      ours: { node1: 'anti', node2: 'anti' },
      reference: { node1: 'anti', node2: '' },
    },
    {
      row: 'the rule of a pod that is there already',
      nodes: [big('node1', REGION, pod('p2', rule))],
      pod: pod('p1', foo),
      ours: { node1: 'existing-anti' },
      reference: { node1: '' },
    },
    {
      row: 'the same name in another namespace',
      nodes: [big('node1', REGION, pod('p1', foo, namespace('test')))],
      pod: pod('p1', apart('foo in (bar)', 'region', { namespaces: ['test'] })),
      ours: { node1: 'anti' },
      reference: { node1: '' },
    },
    {
      row: 'nothing asked of an over-committed resource',
      nodes: [node('node1', sized(1000, 8e9, 12), other(2000, 0))],
      pod: pod('p1', asks(0, 1)),
      ours: { node1: '' },
      reference: { node1: 'cpu' },
    },
    {
      row: 'required pod affinity and topology spread are asked at all',
      nodes: [big('node1', REGION)],
      pod: pod('p1', near('a=b', 'region'), spreads('a=b', 'zone')),
      ours: { node1: 'spread-key' },
      reference: { node1: '' },
    },
  ]);
});
