import type { Condition, ContainerStatus, Pod, PodStatus } from '../../src/cluster/objects/pod.ts';
import { podLifeTime } from '../../src/strategies/pod-life-time/pod-life-time.ts';
import {
  asks,
  createdAt,
  labels,
  namespace,
  node,
  noOwner,
  ownedBy,
  type Part,
  phase,
  pod,
  priority,
  sized,
  snapshot,
  spec,
  status,
  terminating,
} from '../builders/cluster.ts';
import { containerStatus } from './container-status.ts';
import { planTable, SPARE } from './plan-table.ts';
import { limited, terminatingPod } from './refusals.ts';

const NOW = '2026-01-02T00:00:00Z';
const OLD = createdAt('2009-11-10T23:00:00Z');
const old = (name: string, ...parts: readonly Part<Pod>[]) => pod(name, asks(100, 0), OLD, ...parts);
const young = (name: string, ...parts: readonly Part<Pod>[]) => pod(name, asks(100, 0), createdAt(NOW), ...parts);
const on1 = (...pods: readonly Pod[]) => snapshot(node('n1', sized(2000, 3000, 10), ...pods), SPARE);
const waiting = (reason: string, over: Partial<ContainerStatus> = {}) =>
  containerStatus({ waitingReason: reason, ...over });
const terminated = (over: Partial<ContainerStatus>) => containerStatus(over);
const p1 = young('p1');
const p2 = old('p2');
const p9 = old('p9', phase('Pending'));

const AGE = 'is 5896d1h old, the limit is 10m';
const max = { maxPodLifeTimeSeconds: 600 };
const tooOld = (name: string, more = '') => `${name}@n1 ${AGE}${more}`;
const none = (count: string) => [`no pod meets all of the conditions: ${count} checked`];

/** A pod in a waiting or other state beside an old pending one, by the table's pattern. */
const stuck = (over: Partial<PodStatus>, ...parts: readonly Part<Pod>[]) =>
  on1(p9, old('stuck', status({ phase: 'Running', ...over }), ...parts));

describe('PodLifeTime', () => {
  describe('rule T31, age and states', () => {
    planTable(podLifeTime, [
      {
        row: 'PL-1 terminating, selector foo=bar',
        args: { ...max, labelSelector: { matchLabels: { foo: 'bar' } } },
        cluster: on1(...['p14', 'p15'].map((name) => old(name, labels({ foo: 'bar' }), terminating))),
        refusals: ['p14@n1', 'p15@n1'].map(terminatingPod),
      },
      {
        row: 'PL-2 PVC protected',
        args: max,
        cluster: on1(old('p11', spec({ volumes: [{ kind: 'claim', name: 'data', claim: 'data' }] }))),
        evictor: { ignorePvcPods: true },
        refusals: ['p11@n1 [PodsWithPVC] uses the PersistentVolumeClaim data; kept by ignorePvcPods'],
      },
      {
        row: 'PL-3 PVC allowed',
        args: max,
        cluster: on1(old('p11', spec({ volumes: [{ kind: 'claim', name: 'data', claim: 'data' }] }))),
        evictions: [tooOld('p11')],
        notes: ['no PersistentVolumeClaim objects were read: volumes not checked'],
      },
      {
        row: 'PL-4 label selector foo=bar',
        args: { ...max, labelSelector: { matchLabels: { foo: 'bar' } } },
        cluster: on1(old('p12', labels({ foo: 'bar' })), old('p13', labels({ foo: 'bar1' }))),
        evictions: [tooOld('p12')],
      },
      { row: 'PL-5 no limits', args: max, cluster: on1(p1, p2, p9), evictions: [tooOld('p2'), tooOld('p9')] },
      { row: 'PL-6 mNs=1', args: max, cluster: on1(p1, p2), limits: { namespace: 1 }, evictions: [tooOld('p2')] },
      {
        row: 'PL-7 mNs=2, mT=1',
        args: max,
        cluster: on1(p1, p2),
        limits: { namespace: 2, total: 1 },
        evictions: [tooOld('p2')],
      },
      { row: 'PL-8 mN=1', args: max, cluster: on1(p1, p2), limits: { node: 1 }, evictions: [tooOld('p2')] },
      ...(
        [
          ['PL-9', 'ContainerCreating'],
          ['PL-10', 'PodInitializing'],
          ['PL-11', 'ImagePullBackOff'],
          ['PL-12', 'CrashLoopBackOff'],
          ['PL-13', 'CreateContainerConfigError'],
          ['PL-14', 'ErrImagePull'],
          ['PL-19', 'CreateContainerError'],
          ['PL-20', 'InvalidImageName'],
        ] as const
      ).map(([id, state]) => ({
        row: `${id} state ${state}`,
        args: { ...max, states: [state] },
        cluster: stuck({ containers: [waiting(state)] }),
        evictions: [tooOld('stuck', `, container main is ${state}`)],
      })),
      {
        row: 'PL-15 init container waiting CreateContainerError, flag off',
        args: { ...max, states: ['CreateContainerError'] },
        cluster: stuck({ initContainers: [waiting('CreateContainerError', { name: 'wait' })] }),
        notes: none('2 pods'),
      },
      {
        row: 'PL-16 the same, flag on',
        args: { ...max, states: ['CreateContainerError'], includingInitContainers: true },
        cluster: stuck({ initContainers: [waiting('CreateContainerError', { name: 'wait' })] }),
        evictions: [tooOld('stuck', ', container wait is CreateContainerError')],
      },
      {
        row: 'PL-17 ephemeral container waiting CreateContainerError, flag off',
        args: { ...max, states: ['CreateContainerError'] },
        cluster: stuck({ ephemeralContainers: [waiting('CreateContainerError', { name: 'debug' })] }),
        notes: none('2 pods'),
      },
      {
        row: 'PL-18 the same, flag on',
        args: { ...max, states: ['CreateContainerError'], includingEphemeralContainers: true },
        cluster: stuck({ ephemeralContainers: [waiting('CreateContainerError', { name: 'debug' })] }),
        evictions: [tooOld('stuck', ', container debug is CreateContainerError')],
      },
      ...(
        [
          ['PL-22', 'NodeLost'],
          ['PL-23', 'NodeAffinity'],
          ['PL-24', 'Shutdown'],
          ['PL-25', 'UnexpectedAdmissionError'],
        ] as const
      ).map(([id, reason]) => ({
        row: `${id} status.reason ${reason}`,
        args: { ...max, states: [reason] },
        cluster: stuck({ reason }),
        evictions: [tooOld('stuck', `, has the reason ${reason}`)],
      })),
      { row: 'PL-26 new and old', args: max, cluster: on1(p1, p2), evictions: [tooOld('p2')] },
      {
        row: 'PL-27 both new',
        args: max,
        cluster: on1(young('p3'), young('p4')),
        notes: ['no pod is older than 10m: 2 pods, the oldest is 0s'],
      },
      {
        row: 'PL-29 595 s old',
        args: max,
        cluster: on1(young('p7', noOwner), pod('p8', noOwner, createdAt('2026-01-01T23:50:05Z'))),
        notes: ['no pod is older than 10m: 2 pods, the oldest is 9m55s'],
      },
      {
        row: 'PL-30 state Pending',
        args: { ...max, states: ['Pending'] },
        cluster: on1(p9, old('p10')),
        evictions: [tooOld('p9', ', is in phase Pending')],
      },
      ...(
        [
          ['PL-31', 'Succeeded'],
          ['PL-32', 'Failed'],
          ['PL-33', 'Unknown'],
        ] as const
      ).map(([id, state]) => ({
        row: `${id} phase ${state}`,
        args: { ...max, states: [state] },
        cluster: on1(old('p16', phase(state))),
        evictions: [tooOld('p16', `, is in phase ${state}`)],
      })),
    ]);
  });

  describe('rule T31, without an age', () => {
    const oldT = Date.parse(NOW) - 2 * 3_600_000;
    const newT = Date.parse(NOW) - 60_000;
    const has = (type: string, state: string, over: Partial<Condition> = {}): Condition => {
      return { type, status: state, reason: '', transitionAt: oldT, heartbeatAt: undefined, ...over };
    };
    const undated = (name: string, over: Partial<PodStatus>, ...parts: readonly Part<Pod>[]) =>
      pod(name, asks(1, 1), (before) => ({ ...before, createdAt: undefined }), status(over), ...parts);
    const job = ownedBy('Job', 'job1', 'batch/v1');
    const oom = {
      phase: 'Running',
      ephemeralContainers: [terminated({ name: 'debug', terminatedReason: 'OOMKilled' })],
    };
    const configError = {
      phase: 'Running',
      initContainers: [terminated({ name: 'wait', terminatedReason: 'CreateContainerConfigError' })],
    };
    const exit1 = undated('p1', { phase: 'Failed', containers: [terminated({ exitCode: 1 })] });
    const completed = { reason: 'PodCompleted' };
    const oneOf = (...conditions: readonly object[]) => ({ conditions });

    planTable(podLifeTime, [
      {
        row: 'PL-34 state NodeAffinity',
        args: { states: ['NodeAffinity'] },
        cluster: on1(
          undated('p1', { phase: 'Failed', containers: [terminated({ terminatedReason: 'NodeAffinity' })] }),
        ),
        evictions: ['p1@n1 container main is NodeAffinity'],
      },
      {
        row: 'PL-35 state Shutdown',
        args: { states: ['Shutdown'] },
        cluster: on1(undated('p1', { phase: 'Failed', reason: 'Shutdown' })),
        evictions: ['p1@n1 has the reason Shutdown'],
      },
      {
        row: 'PL-36 state CreateContainerConfigError of an init container, flag on',
        args: { states: ['CreateContainerConfigError'], includingInitContainers: true },
        cluster: on1(undated('p1', configError)),
        evictions: ['p1@n1 container wait is CreateContainerConfigError'],
      },
      {
        row: 'PL-37 the same, flag off',
        args: { states: ['CreateContainerConfigError'] },
        cluster: on1(undated('p1', configError)),
        notes: none('1 pod'),
      },
      {
        row: 'PL-38 condition reason PodCompleted, status True',
        args: oneOf({ reason: 'PodCompleted', status: 'True' }),
        cluster: on1(
          undated('p1', { conditions: [has('Initialized', 'True', completed)] }),
          undated('p2', { conditions: [has('Initialized', 'True', { reason: 'OtherReason' })] }),
        ),
        evictions: ['p1@n1 has condition Initialized=True (PodCompleted) for 2h'],
      },
      {
        row: 'PL-39 condition type Ready',
        args: oneOf({ type: 'Ready' }),
        cluster: on1(undated('p1', { conditions: [has('Ready', 'False')] })),
        evictions: ['p1@n1 has condition Ready=False for 2h'],
      },
      {
        row: 'PL-40 condition reason PodCompleted, another reason',
        args: oneOf({ reason: 'PodCompleted' }),
        cluster: on1(undated('p1', { conditions: [has('Ready', 'True', { reason: 'SomethingElse' })] })),
        notes: none('1 pod'),
      },
      {
        row: 'PL-42 Succeeded, transition not long enough ago',
        args: { states: ['Succeeded'], ...oneOf({ minTimeSinceLastTransitionSeconds: 14_400 }) },
        cluster: on1(
          undated('p1', { phase: 'Succeeded', conditions: [has('Ready', 'False', { transitionAt: newT })] }),
        ),
        notes: none('1 pod'),
      },
      {
        row: 'PL-44 Running, no conditions',
        args: { states: ['Running'], ...oneOf({ minTimeSinceLastTransitionSeconds: 300 }) },
        cluster: on1(undated('p1', { phase: 'Running' })),
        notes: none('1 pod'),
      },
      {
        row: 'PL-45 Failed, exclude Job',
        args: { states: ['Failed'], ownerKinds: { exclude: ['Job'] } },
        cluster: on1(undated('p1', { phase: 'Failed' }, job)),
        notes: none('1 pod'),
      },
      {
        row: 'PL-47 Failed, include Job',
        args: { states: ['Failed'], ownerKinds: { include: ['Job'] } },
        cluster: on1(undated('p1', { phase: 'Failed' }, job), undated('p2', { phase: 'Failed' })),
        evictions: ['p1@n1 is in phase Failed'],
      },
      {
        row: 'PL-48 state OOMKilled of an ephemeral container, flag on',
        args: { states: ['OOMKilled'], includingEphemeralContainers: true },
        cluster: on1(undated('p1', oom)),
        evictions: ['p1@n1 container debug is OOMKilled'],
      },
      {
        row: 'PL-49 the same, flag off',
        args: { states: ['OOMKilled'] },
        cluster: on1(undated('p1', oom)),
        notes: none('1 pod'),
      },
      {
        row: 'PL-50 Failed and exit code 1',
        args: { states: ['Failed'], exitCodes: [1] },
        cluster: on1(exit1),
        evictions: ['p1@n1 is in phase Failed, container main exited with 1'],
      },
      {
        row: 'PL-51 Failed and another exit code',
        args: { states: ['Failed'], exitCodes: [2] },
        cluster: on1(exit1),
        notes: none('1 pod'),
      },
      {
        row: 'PL-52 Succeeded, completed for at least 300 s',
        args: {
          states: ['Succeeded'],
          ...oneOf({ reason: 'PodCompleted', status: 'True', minTimeSinceLastTransitionSeconds: 300 }),
        },
        cluster: on1(
          undated('stale-completed', { phase: 'Succeeded', conditions: [has('Ready', 'True', completed)] }),
          undated('recent-completed', {
            phase: 'Succeeded',
            conditions: [has('Ready', 'True', { ...completed, transitionAt: newT })],
          }),
          undated('running-pod', { phase: 'Running' }),
        ),
        evictions: ['stale-completed@n1 is in phase Succeeded, has condition Ready=True (PodCompleted) for 2h'],
      },
      {
        row: 'a transition without a time, or in the future, is never long enough ago',
        args: oneOf({ type: 'Ready', minTimeSinceLastTransitionSeconds: 0 }),
        cluster: on1(
          undated('p1', { conditions: [has('Ready', 'True', { transitionAt: undefined })] }),
          undated('p2', { conditions: [has('Ready', 'True', { transitionAt: Date.parse(NOW) + 1000 })] }),
          undated('p3', { conditions: [has('Ready', 'True', { transitionAt: Date.parse(NOW) })] }),
        ),
        evictions: ['p3@n1 has condition Ready=True for 0s'],
      },
      {
        row: 'a condition must have been so for exactly the minimum',
        args: oneOf({ status: 'False', minTimeSinceLastTransitionSeconds: 60 }),
        cluster: on1(
          undated('p1', { conditions: [has('Ready', 'False', { transitionAt: newT })] }),
          undated('p2', { conditions: [has('Ready', 'False', { transitionAt: newT + 1 })] }),
        ),
        evictions: ['p1@n1 has condition Ready=False for 1m'],
      },
    ]);
  });

  describe('rule T30', () => {
    const at = (time: string) => createdAt(`2026-01-01T${time}Z`);
    planTable(podLifeTime, [
      {
        row: 'oldest first over all nodes, ties by priority no more, but by namespace and name',
        args: { maxPodLifeTimeSeconds: 3600 },
        cluster: snapshot(
          node(
            'n1',
            pod('c', at('05:00:00')),
            pod('a', at('03:00:00'), namespace('z')),
            pod('b', at('03:00:00'), priority(9)),
          ),
          node('n2', pod('d', at('01:00:00'))),
        ),
        evictions: [
          'd@n2 is 23h old, the limit is 1h',
          'b@n1 is 21h old, the limit is 1h',
          'z/a@n1 is 21h old, the limit is 1h',
          'c@n1 is 19h old, the limit is 1h',
        ],
      },
      {
        row: 'exactly the limit is not older, a pod without or with a future creation time is of no age',
        args: max,
        cluster: on1(
          pod('even', createdAt('2026-01-01T23:50:00Z')),
          pod('just', createdAt('2026-01-01T23:49:59Z')),
          pod('future', createdAt('2026-01-02T00:00:01Z')),
          pod('undated', (before) => ({ ...before, createdAt: undefined })),
        ),
        evictions: ['just@n1 is 10m1s old, the limit is 10m'],
      },
      {
        row: 'the limit of one node leaves the others, with one notice',
        args: max,
        cluster: snapshot(node('n1', old('a'), old('b'), old('c')), node('n2', old('d'))),
        limits: { node: 1 },
        evictions: [tooOld('a'), `d@n2 ${AGE}`],
        refusals: [limited('b@n1', 'PerNode', '1 eviction')],
      },
      {
        row: 'pods without a node are not checked',
        args: max,
        cluster: snapshot(node('n1'), node('n2'), old('pending', phase('Pending'))),
        notes: ['no pod is older than 10m: 0 pods, the oldest is 0s'],
      },
    ]);
  });
});
