import type { ContainerStatus, Pod, PodStatus } from '../../src/cluster/objects/pod.ts';
import { removeFailedPods } from '../../src/strategies/remove-failed-pods.ts';
import {
  asks,
  cordoned,
  createdAt,
  node,
  noOwner,
  ownedBy,
  type Part,
  pod,
  priority,
  sized,
  snapshot,
  status,
  terminating,
} from '../builders/cluster.ts';
import { containerStatus } from './container-status.ts';
import { planTable, SPARE } from './plan-table.ts';
import { terminatingPod } from './refusals.ts';

const NOW = createdAt('2026-01-02T00:00:00Z');
const failed = (name: string, over: Partial<PodStatus>, ...parts: readonly Part<Pod>[]) =>
  pod(name, asks(1, 1), NOW, status({ phase: 'Failed', ...over }), ...parts);
const onNode1 = (...pods: readonly Pod[]) => snapshot(node('node1', sized(2000, 3000, 10), ...pods), SPARE);

const app = (over: Partial<ContainerStatus>) => ({ containers: [containerStatus(over)] });
const init = (over: Partial<ContainerStatus>) => ({ initContainers: [containerStatus({ name: 'wait', ...over })] });
const nodeAffinity = { terminatedReason: 'NodeAffinity' };
const configError = { terminatedReason: 'CreateContainerConfigError' };
const shutdown = { reason: 'Shutdown' };

const any = { minPodLifetimeSeconds: 0 };
const withInit = { ...any, includingInitContainers: true };
const gone = (name: string, words = '') => `${name}@node1 has failed, created 0s ago${words}`;
const none = (minimum = '0s', count = '1 failed pod') => [
  `none of ${count} is ${minimum} old and meets the other filters`,
];
const noFailed = ['no pod is in phase Failed on 2 nodes'];

describe('RemoveFailedPods', () => {
  describe('rule T32', () => {
    planTable(removeFailedPods, [
      { row: 'RF-1 no pods, defaults', cluster: onNode1(), notes: noFailed },
      { row: 'RF-2 no pods, all unset', cluster: onNode1(), args: any, notes: noFailed },
      {
        row: 'RF-3 any failed',
        cluster: onNode1(failed('p1', app(nodeAffinity))),
        args: any,
        evictions: [gone('p1')],
      },
      {
        row: 'RF-4 exitCodes [1]',
        cluster: onNode1(failed('p1', app({ exitCode: 1 }))),
        args: { ...any, exitCodes: [1] },
        evictions: [gone('p1', ', container main exited with 1')],
      },
      {
        row: 'RF-5 exitCodes [1], with a reason',
        cluster: onNode1(failed('p1', app({ ...nodeAffinity, exitCode: 1 }))),
        args: { ...any, exitCodes: [1] },
        evictions: [gone('p1', ', container main exited with 1')],
      },
      {
        row: 'RF-6 exitCodes [2], exit 1',
        cluster: onNode1(failed('p1', app({ exitCode: 1 }))),
        args: { ...any, exitCodes: [2] },
        notes: none(),
      },
      {
        row: 'RF-7 exitCodes [1,2,3]',
        cluster: onNode1(failed('p1', app({ exitCode: 1 })), failed('p2', app({ exitCode: 2 }))),
        args: { ...any, exitCodes: [1, 2, 3] },
        evictions: [gone('p1', ', container main exited with 1'), gone('p2', ', container main exited with 2')],
      },
      {
        row: 'RF-9 init flag',
        cluster: onNode1(failed('p1', init(nodeAffinity))),
        args: withInit,
        evictions: [gone('p1')],
      },
      {
        row: 'RF-10 init flag, exitCodes [1], app container exit 1',
        cluster: onNode1(failed('p1', app({ exitCode: 1 }))),
        args: { ...withInit, exitCodes: [1] },
        evictions: [gone('p1', ', container main exited with 1')],
      },
      {
        row: 'RF-11 init flag, exitCodes [1], app container exit 2',
        cluster: onNode1(failed('p1', app({ exitCode: 2 }))),
        args: { ...withInit, exitCodes: [1] },
        notes: none(),
      },
      {
        row: 'RF-12 init flag, init container waiting',
        cluster: onNode1(failed('p1', init({ waitingReason: 'CreateContainerConfigError' }))),
        args: withInit,
        evictions: [gone('p1')],
      },
      {
        row: 'RF-14 reasons [CreateContainerConfigError]',
        cluster: onNode1(failed('p1', app(configError))),
        args: { ...any, reasons: ['CreateContainerConfigError'] },
        evictions: [gone('p1', ', container main is CreateContainerConfigError')],
      },
      {
        row: 'RF-15 reasons [CreateContainerConfigError, NodeAffinity]',
        cluster: onNode1(failed('p1', app(configError))),
        args: { ...any, reasons: ['CreateContainerConfigError', 'NodeAffinity'] },
        evictions: [gone('p1', ', container main is CreateContainerConfigError')],
      },
      {
        row: 'RF-16 reasons [CreateContainerConfigError], another reason',
        cluster: onNode1(failed('p1', app(nodeAffinity))),
        args: { ...any, reasons: ['CreateContainerConfigError'] },
        notes: none(),
      },
      {
        row: 'RF-18 min 3600, just created',
        cluster: onNode1(failed('p1', app(nodeAffinity))),
        args: { minPodLifetimeSeconds: 3600 },
        notes: none('1h'),
      },
      {
        row: 'RF-19 NF, other node cordoned',
        cluster: snapshot(
          node('node1', sized(2000, 3000, 10), failed('p1', app(nodeAffinity))),
          node('node2', sized(2000, 2000, 10), cordoned),
        ),
        args: any,
        evictor: { nodeFit: true },
        evictions: [gone('p1')],
        reference: 0,
      },
      {
        row: 'RF-22 init flag, excludeOwnerKinds [DaemonSet]',
        cluster: onNode1(failed('p1', init(nodeAffinity))),
        args: { ...withInit, excludeOwnerKinds: ['DaemonSet'] },
        evictions: [gone('p1')],
      },
      {
        row: 'RF-23 as RF-22, TERM',
        cluster: onNode1(failed('p1', init(nodeAffinity), terminating)),
        args: { ...withInit, excludeOwnerKinds: ['DaemonSet'] },
        refusals: [terminatingPod('p1@node1')],
      },
      {
        row: 'RF-24 NF, no other node with room',
        cluster: onNode1(failed('p1', shutdown)),
        args: any,
        evictor: { nodeFit: true },
        evictions: [gone('p1', ', Shutdown')],
        reference: 0,
      },
      {
        row: 'RF-25 reasons [Shutdown]',
        cluster: onNode1(failed('p1', shutdown), failed('p2', shutdown)),
        args: { ...any, reasons: ['Shutdown'] },
        evictions: [gone('p1', ', Shutdown'), gone('p2', ', Shutdown')],
      },
    ]);
  });

  describe('rule T32', () => {
    planTable(removeFailedPods, [
      {
        row: 'an hour is the default, and exactly an hour is enough',
        cluster: onNode1(
          failed('p1', {}, createdAt('2026-01-01T23:00:00Z')),
          failed('p2', {}, createdAt('2026-01-01T23:00:01Z')),
        ),
        evictions: ['p1@node1 has failed, created 1h ago'],
      },
      {
        row: 'a creation time in the future is too young',
        cluster: onNode1(failed('p1', {}, createdAt('2026-01-02T00:00:10Z'))),
        args: { minPodLifetimeSeconds: 60 },
        notes: none('1m'),
        reference: 1,
      },
      {
        row: 'reasons and exit codes must both hold',
        cluster: onNode1(
          failed('p1', app({ terminatedReason: 'Error', exitCode: 137 })),
          failed('p2', app({ exitCode: 137 })),
        ),
        args: { ...any, reasons: ['Error'], exitCodes: [137] },
        evictions: [gone('p1', ', container main is Error, container main exited with 137')],
      },
      {
        row: 'other phases stay, excluded owners stay, the least important goes first',
        cluster: onNode1(
          pod('running', status(app({ exitCode: 1 }))),
          failed('job', {}, ownedBy('Job', 'j')),
          failed('a', {}, priority(5)),
          failed('b', {}, priority(1)),
        ),
        args: { ...any, excludeOwnerKinds: ['Job'] },
        evictions: [gone('b'), gone('a')],
      },
      {
        row: 'bare failed pods are protected unless the policy says otherwise',
        cluster: onNode1(failed('bare', {}, noOwner)),
        args: any,
        evictor: { evictFailedBarePods: true },
        evictions: [gone('bare')],
      },
    ]);
  });
});
