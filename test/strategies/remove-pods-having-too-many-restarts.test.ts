import type { ContainerStatus, Pod } from '../../src/cluster/objects/pod.ts';
import { removePodsHavingTooManyRestarts } from '../../src/strategies/remove-pods-having-too-many-restarts.ts';
import {
  annotations,
  asks,
  cordoned,
  node,
  ownedBy,
  type Part,
  pod,
  sized,
  snapshot,
  spec,
  status,
  taint,
} from '../builders/cluster.ts';
import { containerStatus } from './container-status.ts';
import { planTable, SPARE } from './plan-table.ts';
import { daemonSetPod, limited, localStoragePod, mirrorPod, noFit } from './refusals.ts';

interface Change {
  readonly phase?: string;
  readonly init?: Partial<ContainerStatus>;
  readonly first?: Partial<ContainerStatus>;
}

/** pod-0 to pod-9 of the table: the i-th has 5·i restarts of its init container and 10·i of each of the two others. */
function pods({ phase = 'Running', init = {}, first = {} }: Change = {}): readonly Pod[] {
  return Array.from({ length: 10 }, (_, i) =>
    pod(
      `pod-${i}`,
      asks(100, 0),
      ownedBy('Pod', ''),
      status({
        phase,
        initContainers: [containerStatus({ restartCount: 5 * i, ...init })],
        containers: [
          containerStatus({ restartCount: 10 * i, ...first }),
          containerStatus({ name: 'two', restartCount: 10 * i }),
        ],
      }),
      PROTECTED[i] ?? ((before) => before),
    ),
  );
}

const PROTECTED: Readonly<Record<number, Part<Pod>>> = {
  6: ownedBy('DaemonSet', 'ds'),
  7: spec({ volumes: [{ kind: 'emptyDir', name: 'scratch' }] }),
  8: annotations({ 'kubernetes.io/config.mirror': 'mirror', 'kubernetes.io/config.source': 'api' }),
};

const node1 = (...given: readonly Pod[]) => node('node1', sized(2000, 3000, 10), ...given);
const eater = (name: string) => pod(name, asks(150, 100), ownedBy('Pod', ''));
const node2 = node('node2', sized(2000, 3000, 10), taint('hardware=gpu:NoSchedule'));
const node3 = node('node3', sized(2000, 3000, 10), cordoned);
const node4 = node('node4', sized(200, 3000, 10), eater('CPU-consumer-1'));
const node5 = node('node5', sized(2000, 3000, 10), eater('CPU-consumer-2'));

const goes = (number: number, restarts: number, threshold: number) =>
  `pod-${number}@node1 has restarted ${restarts} times, the threshold is ${threshold}`;
/** Restarts with init containers: 25·i. */
const withInit = (threshold: number, ...numbers: readonly number[]) =>
  numbers.map((number) => goes(number, 25 * number, threshold));
const without = (threshold: number, ...numbers: readonly number[]) =>
  numbers.map((number) => goes(number, 20 * number, threshold));

const protectedOnes = [mirrorPod('pod-8@node1'), localStoragePod('pod-7@node1'), daemonSetPod('pod-6@node1')];
const nodeLimit = limited('pod-3@node1', 'PerNode', '3 evictions');
const crashing = { podRestartThreshold: 1, includingInitContainers: true, states: ['CrashLoopBackOff'] };
const backOff = { waitingReason: 'CrashLoopBackOff' };
const stuck = (state: string) => [`no pod with 1 restarts is in one of the states ${state}`];
const NF = { nodeFit: true };

describe('RemovePodsHavingTooManyRestarts', () => {
  describe('rule T29', () => {
    planTable(removePodsHavingTooManyRestarts, [
      {
        row: 'TR-1 high threshold',
        args: { podRestartThreshold: 10_000, includingInitContainers: true },
        cluster: snapshot(node1(...pods()), SPARE),
        notes: ['no pod has restarted 10000 times: the most is 225'],
      },
      ...(
        [
          ['TR-2 low', 1],
          ['TR-3 equals 25 with init', 25],
          ['TR-5 20 with init', 20],
        ] as const
      ).map(([row, podRestartThreshold]) => ({
        row,
        args: { podRestartThreshold, includingInitContainers: true },
        cluster: snapshot(node1(...pods()), SPARE),
        evictions: withInit(podRestartThreshold, 9, 5, 4, 3, 2, 1),
        refusals: protectedOnes,
      })),
      {
        row: 'TR-6 20 without init',
        args: { podRestartThreshold: 20 },
        cluster: snapshot(node1(...pods()), SPARE),
        evictions: without(20, 9, 5, 4, 3, 2, 1),
        refusals: protectedOnes,
      },
      {
        row: 'TR-8 101 without',
        args: { podRestartThreshold: 101 },
        cluster: snapshot(node1(...pods()), SPARE),
        evictions: without(101, 9),
        refusals: protectedOnes,
      },
      {
        row: 'TR-10 mNs=3, most restarts first',
        args: { podRestartThreshold: 1, includingInitContainers: true },
        cluster: snapshot(node1(...pods()), SPARE),
        limits: { namespace: 3 },
        evictions: withInit(1, 9, 5, 4),
        refusals: [...protectedOnes, limited('pod-3@node1', 'PerNamespace', '3 evictions')],
      },
      ...(
        [
          ['TR-11 NF, mN=3, other node tainted', node2, 'taint hardware=gpu:NoSchedule is not tolerated'],
          ['TR-12 NF, mN=3, other node cordoned', node3, 'is cordoned'],
          ['TR-13 NF, mN=3, no cpu left on the other node', node4, 'needs 100m cpu, 50m of 200m free'],
        ] as const
      ).map(([row, other, why]) => ({
        row,
        args: { podRestartThreshold: 1, includingInitContainers: true },
        cluster: snapshot(node1(...pods()), other),
        evictor: NF,
        limits: { node: 3 },
        refusals: [
          noFit('pod-9@node1', { node: other.name, why }),
          ...protectedOnes,
          ...[5, 4, 3, 2, 1].map((number) => noFit(`pod-${number}@node1`, { node: other.name, why })),
        ],
      })),
      {
        row: 'TR-15 states [CrashLoopBackOff], NF, mN=3, all in it',
        args: crashing,
        cluster: snapshot(node1(...pods({ first: backOff })), node5),
        evictor: NF,
        limits: { node: 3 },
        evictions: withInit(1, 9, 5, 4),
        refusals: [...protectedOnes, nodeLimit],
      },
      {
        row: 'TR-16 states [CrashLoopBackOff], nobody waiting',
        args: crashing,
        cluster: snapshot(node1(...pods()), node5),
        evictor: NF,
        limits: { node: 3 },
        notes: stuck('CrashLoopBackOff'),
      },
      {
        row: 'TR-17 states [Running], mN=3, all running',
        args: { ...crashing, states: ['Running'] },
        cluster: snapshot(node1(...pods()), SPARE),
        limits: { node: 3 },
        evictions: withInit(1, 9, 5, 4),
        refusals: [...protectedOnes, nodeLimit],
      },
      {
        row: 'TR-18 states [Running], all pending',
        args: { ...crashing, states: ['Running'] },
        cluster: snapshot(node1(...pods({ phase: 'Pending' })), SPARE),
        notes: stuck('Running'),
      },
      {
        row: 'TR-20 states [CrashLoopBackOff] without init, only the init container waits',
        args: { podRestartThreshold: 1, states: ['CrashLoopBackOff'] },
        cluster: snapshot(node1(...pods({ init: { ...backOff, restartCount: 0 } })), SPARE),
        limits: { node: 3 },
        notes: stuck('CrashLoopBackOff'),
      },
    ]);
  });

  describe('rule T29', () => {
    const restarted = (name: string, restartCount: number, ...parts: readonly Part<Pod>[]) =>
      pod(name, status({ containers: [containerStatus({ restartCount })] }), ...parts);
    planTable(removePodsHavingTooManyRestarts, [
      {
        row: 'finished pods are looked at, ephemeral containers are not, equals go by name',
        args: { podRestartThreshold: 3, includingInitContainers: true },
        cluster: snapshot(
          node1(
            restarted('b', 3, status({ phase: 'Failed' })),
            restarted('a', 3),
            restarted('c', 0, status({ ephemeralContainers: [containerStatus({ restartCount: 9 })] })),
          ),
          SPARE,
        ),
        evictions: ['a', 'b'].map((name) => `${name}@node1 has restarted 3 times, the threshold is 3`),
      },
    ]);
  });
});
