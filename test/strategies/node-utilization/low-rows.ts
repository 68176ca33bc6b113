import type { NodeMetrics, PodMetrics } from '../../../src/cluster/objects/kinds.ts';
import type { Node } from '../../../src/cluster/objects/node.ts';
import type { Pod } from '../../../src/cluster/objects/pod.ts';
import {
  asks,
  cordoned,
  labels,
  namespace,
  node,
  nodeSelector,
  pod,
  requiresNode,
  sized,
  taint,
  term,
  type Part,
} from '../../builders/cluster.ts';
import {
  bare,
  critical,
  daemon,
  foos,
  mirrored,
  nodeMetrics,
  owned,
  podMetrics,
  pods,
  protectedPods,
  toleratesPlain,
  wantsFoo,
} from './cluster.ts';

/** One row: the cluster, what is measured in it, and the arguments. */
export interface Row {
  readonly name: string;
  readonly nodes: readonly Node[];
  readonly metrics: readonly (NodeMetrics | PodMetrics)[];
  readonly args: Readonly<Record<string, unknown>>;
}

/** 30% of cpu and pods is low, above 50% is too much. */
export const STD_ARGS = { thresholds: { cpu: 30, pods: 30 }, targetThresholds: { cpu: 50, pods: 50 } };

const FOO_ARGS = {
  thresholds: { pods: 30, 'example.com/foo': 30 },
  targetThresholds: { pods: 50, 'example.com/foo': 50 },
};

/** The tables' std nodes n1[4000/3000/9], n2[4000/3000/10], n3[4000/3000/10] cordoned. */
export function stdNodes(onN1: readonly Pod[], onN2: readonly Pod[]): readonly Node[] {
  return [
    node('n1', sized(4000, 3000, 9), ...onN1),
    node('n2', sized(4000, 3000, 10), ...onN2),
    node('n3', sized(4000, 3000, 10), cordoned),
  ];
}

const measuredPods = pods('p1 p2 p3 p4 p5').map(({ name }) => podMetrics(name, 'default', { cpu: 401, memory: 0 }));
const measured = (n1: number, n2: number, n3: number) => [
  nodeMetrics('n1', n1),
  nodeMetrics('n2', n2),
  nodeMetrics('n3', n3),
  ...measuredPods,
];
const baseMetrics = measured(3201, 401, 11);
const five = (...parts: readonly Part<Pod>[]) => pods('p1 p2 p3 p4 p5', ...parts);
const base = stdNodes([...five(), ...protectedPods()], pods('p9'));
const east = labels({ datacenter: 'east' });
const inWest = requiresNode(term('datacenter in (west)'));

/** LNU-1 to LNU-17 of rule T19. */
export const ROWS: readonly Row[] = [
  {
    name: 'LNU-1 nothing evictable',
    nodes: stdNodes([...pods('p1 p2 p3 p4', daemon), ...pods('p5', mirrored), ...pods('p6', critical)], pods('p9')),
    metrics: [
      ...['n1', 'n2', 'n3'].map((name, index) => nodeMetrics(name, [2401, 401, 10][index] ?? 0, 1714978816)),
      ...measuredPods,
    ],
    args: STD_ARGS,
  },
  { name: 'LNU-2 base case', nodes: base, metrics: baseMetrics, args: STD_ARGS },
  {
    name: 'LNU-3 excluded namespace',
    nodes: stdNodes([...five(owned, namespace('namespace1')), ...protectedPods()], pods('p9')),
    metrics: baseMetrics,
    args: { ...STD_ARGS, evictableNamespaces: { exclude: ['namespace1'] } },
  },
  {
    // The include list of the row is refused by the policy, and the strategy never looks at it.
    name: 'LNU-4 include list present',
    nodes: stdNodes(
      [
        ...pods('p1 p2'),
        ...pods('p3', bare, namespace('namespace3')),
        ...pods('p4', bare, namespace('namespace4')),
        ...pods('p5', bare, namespace('namespace5')),
        ...protectedPods(),
      ],
      pods('p9'),
    ),
    metrics: baseMetrics,
    args: STD_ARGS,
  },
  { name: 'LNU-5 named cpu depleted', nodes: base, metrics: measured(3201, 401, 0), args: STD_ARGS },
  {
    name: 'LNU-8 extended resource',
    nodes: [
      node(
        'n1',
        sized(4000, 3000, 9),
        foos(8),
        ...['p1', 'p2', 'p3', 'p4', 'p5'].map((name) => pod(name, asks(0, 0), wantsFoo(1))),
        pod('p6', asks(0, 0), wantsFoo(1), owned),
        pod('p7', asks(0, 0), wantsFoo(1), mirrored),
        pod('p8', asks(0, 0), wantsFoo(1), critical),
      ),
      node('n2', sized(4000, 3000, 10), foos(8), pod('p9', asks(0, 0), wantsFoo(1))),
      node('n3', sized(4000, 3000, 10), cordoned),
    ],
    metrics: baseMetrics,
    args: FOO_ARGS,
  },
  {
    name: 'LNU-9 extended resource on one node only',
    nodes: [
      node('n1', sized(4000, 3000, 9), foos(8), pod('p1', asks(0, 0), wantsFoo(1))),
      node('n2', sized(4000, 3000, 10), pod('p9', asks(0, 0))),
      node('n3', sized(4000, 3000, 10), cordoned),
    ],
    metrics: baseMetrics,
    args: FOO_ARGS,
  },
  {
    name: 'LNU-10 extended resource on some nodes, deviation',
    nodes: [
      node('n1', sized(4000, 3000, 10), foos(8), pod('p1', asks(0, 0), wantsFoo(1))),
      node('n2', sized(4000, 3000, 10), foos(8), pod('p2', asks(0, 0), wantsFoo(7)), pod('p3', asks(0, 0))),
      node('n3', sized(4000, 3000, 10), cordoned, pod('p8', asks(0, 0)), pod('p9', asks(0, 0))),
    ],
    metrics: baseMetrics,
    args: {
      useDeviationThresholds: true,
      thresholds: { pods: 5, 'example.com/foo': 10 },
      targetThresholds: { pods: 5, 'example.com/foo': 10 },
    },
  },
  {
    name: 'LNU-11 only other node cordoned',
    nodes: [
      node('n1', sized(4000, 3000, 9), ...five(), ...protectedPods()),
      node('n2', sized(4000, 3000, 10), cordoned),
    ],
    metrics: baseMetrics,
    args: STD_ARGS,
  },
  {
    name: 'LNU-12 selector mismatch',
    nodes: [
      node(
        'n1',
        sized(4000, 3000, 9),
        east,
        ...pods('p1 p2 p3'),
        ...pods('p4 p5', owned, nodeSelector({ datacenter: 'west' })),
        ...protectedPods(),
      ),
      node('n2', sized(4000, 3000, 10), east),
    ],
    metrics: baseMetrics,
    args: STD_ARGS,
  },
  {
    name: 'LNU-13 affinity mismatch',
    nodes: [
      node('n1', sized(4000, 3000, 9), east, ...pods('p1 p2 p3'), ...pods('p4 p5', owned, inWest), ...protectedPods()),
      node('n2', sized(4000, 3000, 10), east, pod('p9', asks(0, 0))),
    ],
    metrics: baseMetrics,
    args: STD_ARGS,
  },
  {
    name: 'LNU-17 limit of the strategy per node',
    nodes: base,
    metrics: baseMetrics,
    args: { ...STD_ARGS, evictionLimits: { node: 2 } },
  },
];

const light = (names: string) => names.split(' ').map((name) => pod(name, asks(200, 0)));
const eight = light('pod_1 pod_2 pod_3 pod_4 pod_5 pod_6 pod_7 pod_8');
const noSchedule = taint('key=value:NoSchedule');
const TAINT_ARGS = { thresholds: { pods: 20 }, targetThresholds: { pods: 70 } };

/** LNU-T1 to LNU-T4 of rule T19. */
export const TAINT_ROWS: readonly Row[] = [
  {
    name: 'LNU-T1 no taints',
    nodes: [
      node('n1', sized(2000, 3000, 10), ...eight),
      node('n2', sized(1000, 3000, 10), ...light('pod_9')),
      node('n3', sized(1000, 3000, 10)),
    ],
    metrics: [],
    args: TAINT_ARGS,
  },
  {
    name: 'LNU-T2 nobody tolerates',
    nodes: [
      node('n1', sized(2000, 3000, 10), ...eight),
      node('n3', sized(1000, 3000, 10), noSchedule, ...light('pod_9')),
    ],
    metrics: [],
    args: TAINT_ARGS,
  },
  {
    name: 'LNU-T4 one pod tolerates the taint, limit 0',
    nodes: [
      node(
        'n1',
        sized(2000, 3000, 10),
        ...light('pod_1 pod_2 pod_3 pod_4 pod_5 pod_6 pod_7'),
        pod('tolerate_pod', asks(200, 0), toleratesPlain),
      ),
      node('n3', sized(1000, 3000, 10), noSchedule, ...light('pod_9')),
    ],
    metrics: [],
    args: TAINT_ARGS,
  },
];
