import assert from 'node:assert/strict';
import type { Claim, PriorityClass } from '../../src/cluster/objects/kinds.ts';
import type { Pod, Volume } from '../../src/cluster/objects/pod.ts';
import { Snapshot } from '../../src/cluster/snapshot.ts';
import { defaultEvictorArgs } from '../../src/evictor/constraints/args.ts';
import { evaluateAll, firstRefusal } from '../../src/evictor/constraints/constraint.ts';
import { evictorConstraints } from '../../src/evictor/constraints/default-evictor.ts';
import { PriorityThresholdError, resolveThreshold } from '../../src/evictor/constraints/priority-threshold.ts';
import { labelSelector } from '../../src/strategies/arg-fragments.ts';
import * as given from '../builders/cluster.ts';

const EVICT = { 'descheduler.alpha.kubernetes.io/evict': 'true' };
const PREFER_NOT = { 'descheduler.alpha.kubernetes.io/prefer-no-eviction': '' };
const MIRROR = { 'kubernetes.io/config.mirror': 'x', 'kubernetes.io/config.source': 'file' };
const NOW = new Date(given.CREATED + 3_600_000);

const annotated = given.annotations(EVICT);
const volumes = (...list: readonly Volume[]) => given.spec({ volumes: list });
const emptyDir = volumes({ kind: 'emptyDir', name: 'cache' });
const claimed = volumes({ kind: 'claim', name: 'data', claim: 'db' });
const daemon = given.ownedBy('DaemonSet', 'agent');
const mirror = given.annotations(MIRROR);
const critical = given.priority(2_000_000_000);
const twoOwners = (pod: Pod): Pod => ({
  ...pod,
  owners: ['a', 'b'].map((name) => ({ kind: 'ReplicaSet', name, apiVersion: 'apps/v1', uid: name, controller: false })),
});

interface Row {
  /** Spec row, where there is one, and a sentence. */
  readonly row: string;
  readonly pod: Pod;
  readonly args?: object;
  readonly cluster?: Snapshot;
  /** Undefined: may go. */
  readonly ours?: string;
  /** Where the reference decides otherwise: whether the pod may go there. */
  readonly reference?: boolean;
}

const LOCAL = 'PodsWithLocalStorage: keeps data in local storage: volume cache is an emptyDir; ';
const BARE_RUNNING =
  'FailedBarePods: is a bare pod in phase Running: it has no owner that would replace it; only the annotation descheduler.alpha.kubernetes.io/evict would allow its eviction ';
const CRITICAL = 'SystemCriticalPods: is critical to the system: its priority 2000000000 is 2000000000 or more; ';
const DAEMON = 'DaemonSetPods: belongs to DaemonSet agent, which would put it back on n1; ';

const rows: readonly Row[] = [
  {
    row: 'framework D1 a failed bare pod',
    pod: given.pod('p', given.noOwner, given.phase('Failed')),
    ours: 'FailedBarePods: is a bare pod in phase Failed: it has no owner that would replace it; podProtections.defaultDisabled: [FailedBarePods] would allow its eviction',
  },
  {
    row: 'framework D1 a failed bare pod goes once the protection is off',
    pod: given.pod('p', given.noOwner, given.phase('Failed')),
    args: { evictFailedBarePods: true },
  },
  {
    row: 'framework D2 a running bare pod, evictFailedBarePods',
    pod: given.pod('p', given.noOwner),
    args: { evictFailedBarePods: true },
    ours: `${BARE_RUNNING}(FailedBarePods is off, but the pod has not failed)`,
  },
  {
    row: 'a running bare pod names the setting',
    pod: given.pod('p', given.noOwner),
    ours: `${BARE_RUNNING}(podProtections.defaultDisabled: [FailedBarePods] frees bare pods that have failed)`,
  },
  { row: 'framework D4 an owned pod', pod: given.pod('p') },
  { row: 'framework D5 owned and annotated', pod: given.pod('p', annotated) },
  {
    row: 'framework D6 prefer-no-eviction under the default policy',
    pod: given.pod('p', given.annotations(PREFER_NOT)),
  },
  {
    row: 'prefer-no-eviction under Mandatory',
    pod: given.pod('p', given.annotations(PREFER_NOT)),
    args: { noEvictionPolicy: 'Mandatory' },
    ours: 'noEvictionPolicy: carries the annotation descheduler.alpha.kubernetes.io/prefer-no-eviction, which noEvictionPolicy: Mandatory makes binding',
  },
  {
    row: 'both annotations under Mandatory: evict wins',
    pod: given.pod('p', given.annotations(PREFER_NOT), annotated),
    args: { noEvictionPolicy: 'Mandatory' },
  },
  { row: 'framework D8 owned by a ReplicaSet', pod: given.pod('p', given.ownedBy('ReplicaSet', 'web')) },
  {
    row: 'framework D8 owned by a ReplicaSet, annotated',
    pod: given.pod('p', given.ownedBy('ReplicaSet', 'web'), annotated),
  },
  { row: 'framework D8 owned by a StatefulSet', pod: given.pod('p', given.ownedBy('StatefulSet', 'db')) },
  {
    row: 'framework D8 owned by a StatefulSet, annotated',
    pod: given.pod('p', given.ownedBy('StatefulSet', 'db'), annotated),
  },
  {
    row: 'framework D9 local storage',
    pod: given.pod('p', emptyDir),
    ours: `${LOCAL}podProtections.defaultDisabled: [PodsWithLocalStorage] would allow its eviction`,
  },
  {
    row: 'a host path, in the words of the older flags',
    pod: given.pod('p', volumes({ kind: 'other', name: 'x' }, { kind: 'hostPath', name: 'logs' })),
    args: { evictDaemonSetPods: true },
    ours: 'PodsWithLocalStorage: keeps data in local storage: volume logs is a hostPath; evictLocalStoragePods: true would allow its eviction',
  },
  {
    row: 'framework D9 with evictLocalStoragePods',
    pod: given.pod('p', emptyDir),
    args: { evictLocalStoragePods: true },
  },
  { row: 'framework D9 with the annotation', pod: given.pod('p', emptyDir, annotated) },
  {
    row: 'the annotation with the value false counts as none (framework 7.2, 4)',
    pod: given.pod('p', emptyDir, given.annotations({ 'descheduler.alpha.kubernetes.io/evict': 'false' })),
    ours: `${LOCAL}podProtections.defaultDisabled: [PodsWithLocalStorage] would allow its eviction`,
    reference: true,
  },
  {
    row: 'framework D10 a DaemonSet pod',
    pod: given.pod('p', daemon, given.on('n1')),
    ours: `${DAEMON}podProtections.defaultDisabled: [DaemonSetPods] would allow its eviction`,
  },
  { row: 'framework D10 with the annotation', pod: given.pod('p', daemon, annotated) },
  {
    row: 'framework D11 a mirror pod',
    pod: given.pod('p', mirror, given.on('n1')),
    ours: 'MirrorPod: mirrors a static pod of n1, which its kubelet keeps running',
  },
  {
    row: 'framework D11 with the annotation (framework 7.2, 4a)',
    pod: given.pod('p', mirror, annotated, given.on('n1')),
    ours: 'MirrorPod: mirrors a static pod of n1, which its kubelet keeps running',
    reference: true,
  },
  {
    row: 'a static pod with the annotation',
    pod: given.pod('p', given.annotations({ ...EVICT, 'kubernetes.io/config.source': 'file' })),
    ours: 'StaticPod: is a static pod: its kubelet runs it from the source "file"',
    reference: true,
  },
  {
    row: 'a terminating pod with the annotation',
    pod: given.pod('p', given.terminating, annotated),
    ours: 'Terminating: is terminating already, since 2026-01-01T01:00:00Z',
    reference: true,
  },
  {
    row: 'framework D12 priority 2e9',
    pod: given.pod('p', critical),
    ours: `${CRITICAL}podProtections.defaultDisabled: [SystemCriticalPods] would allow its eviction`,
  },
  { row: 'framework D12 with the annotation', pod: given.pod('p', critical, annotated) },
  {
    row: 'framework D12 with evictSystemCriticalPods',
    pod: given.pod('p', critical),
    args: { evictSystemCriticalPods: true },
  },
  { row: 'framework D12 with both', pod: given.pod('p', critical, annotated), args: { evictSystemCriticalPods: true } },
  {
    row: 'framework D13 priority 900, threshold 800',
    pod: given.pod('p', given.priority(900)),
    args: { priorityThreshold: { value: 800 } },
    ours: 'priorityThreshold: has priority 900, not below the priorityThreshold of 800',
  },
  {
    row: 'framework D13 with the annotation',
    pod: given.pod('p', given.priority(900), annotated),
    args: { priorityThreshold: { value: 800 } },
  },
  {
    row: 'framework D13 with evictSystemCriticalPods (framework 7.2, 5)',
    pod: given.pod('p', given.priority(900)),
    args: { priorityThreshold: { value: 800 }, evictSystemCriticalPods: true },
    ours: 'priorityThreshold: has priority 900, not below the priorityThreshold of 800',
    reference: true,
  },
  {
    row: 'priority 799 and threshold 800',
    pod: given.pod('p', given.priority(799)),
    args: { priorityThreshold: { value: 800 } },
  },
  {
    row: 'no priority and a negative threshold',
    pod: given.pod('p'),
    args: { priorityThreshold: { value: -5 } },
  },
  { row: 'framework D14 nodeFit is no business of the filters', pod: given.pod('p'), args: { nodeFit: true } },
  {
    row: 'framework D15 minReplicas 2, the owner has 2',
    pod: given.pod('p'),
    args: { minReplicas: 2 },
    cluster: given.snapshot(given.pod('p'), given.pod('q')),
  },
  {
    row: 'minReplicas 3, the owner has 2',
    pod: given.pod('p'),
    args: { minReplicas: 3 },
    cluster: given.snapshot(given.pod('p'), given.pod('q')),
    ours: 'minReplicas: belongs to ReplicaSet replicaset-1, which has 2 replicas left; minReplicas asks for 3 before one can be evicted',
  },
  {
    row: 'a pod of a namespace that is being deleted, whatever its annotation and phase',
    pod: given.pod('p', annotated, given.phase('Pending')),
    cluster: given.snapshot(given.namespaceGoing('default')),
    ours: 'NamespaceTerminating: is in namespace default, which is being deleted: the API server refuses evictions there',
    reference: true,
  },
  {
    row: 'a pod of another namespace than the one that is being deleted',
    pod: given.pod('p'),
    cluster: given.snapshot(given.namespaceGoing('going'), given.namespaceObject('default')),
  },
  {
    row: 'minReplicas 2 counts neither finished nor terminating pods (framework 7.2, 8)',
    pod: given.pod('p'),
    args: { minReplicas: 2 },
    cluster: given.snapshot(given.pod('p'), given.pod('q', given.terminating), given.pod('r', given.phase('Failed'))),
    ours: 'minReplicas: belongs to ReplicaSet replicaset-1, which has 1 replica left; minReplicas asks for 2 before one can be evicted',
    reference: true,
  },
  {
    row: 'minReplicas 1 asks nothing',
    pod: given.pod('p'),
    args: { minReplicas: 1 },
    cluster: given.snapshot(given.pod('p')),
  },
  {
    row: 'framework D17 minReplicas 2, two owner references',
    pod: given.pod('p', twoOwners),
    args: { minReplicas: 2 },
    cluster: given.snapshot(given.pod('p', twoOwners)),
  },
  {
    row: 'framework D19 ignorePodsWithoutPDB, none',
    pod: given.pod('p', given.labels({ app: 'web' })),
    args: { ignorePodsWithoutPDB: true },
    cluster: given.snapshot(given.budget('other', 'app=db')),
    ours: 'PodsWithoutPDB: is covered by no PodDisruptionBudget in namespace default; kept by ignorePodsWithoutPDB',
  },
  {
    row: 'framework D19 matching PDB',
    pod: given.pod('p', given.labels({ app: 'web' })),
    args: { ignorePodsWithoutPDB: true },
    cluster: given.snapshot(given.budget('web', 'app=web')),
  },
  {
    row: 'PodsWithoutPDB does not fail open where budgets are unknown',
    pod: given.pod('p'),
    args: { podProtections: { extraEnabled: ['PodsWithoutPDB'] } },
    ours: 'PodsWithoutPDB: is covered by no PodDisruptionBudget in namespace default (no PodDisruptionBudget of this cluster is known); kept by podProtections.extraEnabled: [PodsWithoutPDB]',
  },
  {
    row: 'framework D20 ignorePvcPods, PVC pod',
    pod: given.pod('p', claimed),
    args: { ignorePvcPods: true },
    ours: 'PodsWithPVC: uses the PersistentVolumeClaim db; kept by ignorePvcPods',
  },
  { row: 'framework D20 flag off', pod: given.pod('p', claimed) },
  {
    row: 'an ephemeral claim is none of the kind',
    pod: given.pod('p', volumes({ kind: 'ephemeral', name: 'x', storageClass: 'standard' })),
    args: { ignorePvcPods: true },
  },
  {
    row: 'framework D21 defaultDisabled local storage, emptyDir pod',
    pod: given.pod('p', emptyDir),
    args: { podProtections: { defaultDisabled: ['PodsWithLocalStorage'] } },
  },
  {
    row: 'framework D22 defaultDisabled DaemonSet, DS pod',
    pod: given.pod('p', daemon),
    args: { podProtections: { defaultDisabled: ['DaemonSetPods'] } },
  },
  {
    row: 'framework D23 extraEnabled PVC',
    pod: given.pod('p', claimed),
    args: { podProtections: { extraEnabled: ['PodsWithPVC'] } },
    ours: 'PodsWithPVC: uses the PersistentVolumeClaim db; kept by podProtections.extraEnabled: [PodsWithPVC]',
  },
  {
    row: 'framework D23 extraEnabled PDB',
    pod: given.pod('p'),
    args: { podProtections: { extraEnabled: ['PodsWithoutPDB'] } },
    cluster: given.snapshot(given.budget('web', 'app=web')),
    ours: 'PodsWithoutPDB: is covered by no PodDisruptionBudget in namespace default; kept by podProtections.extraEnabled: [PodsWithoutPDB]',
  },
  {
    row: 'framework D23 extraEnabled ResourceClaims',
    pod: given.pod('p', given.spec({ resourceClaims: [{ name: 'gpu', claim: undefined, template: 'gpus' }] })),
    args: { podProtections: { extraEnabled: ['PodsWithResourceClaims'] } },
    ours: 'PodsWithResourceClaims: holds the resource claim gpus; kept by podProtections.extraEnabled: [PodsWithResourceClaims]',
  },
  {
    row: 'framework D24 class standard protected, claim standard',
    pod: given.pod('p', claimed),
    args: protectingClass('standard'),
    cluster: given.snapshot(claim('db', 'standard')),
    ours: 'PodsWithPVC: uses the PersistentVolumeClaim db of the protected storage class standard; kept by podProtections.extraEnabled: [PodsWithPVC]',
  },
  {
    row: 'a claim of another class',
    pod: given.pod('p', claimed),
    args: protectingClass('fast'),
    cluster: given.snapshot(claim('db', 'standard')),
  },
  {
    row: 'a claim without a class',
    pod: given.pod('p', claimed),
    args: protectingClass('fast'),
    cluster: given.snapshot(claim('db', undefined)),
    ours: 'PodsWithPVC: uses the PersistentVolumeClaim db, which names no storage class and may be of a protected one; kept by podProtections.extraEnabled: [PodsWithPVC]',
  },
  {
    row: 'framework D26 the claim does not exist',
    pod: given.pod('p', claimed),
    args: protectingClass('standard'),
    cluster: given.snapshot(claim('other', 'standard')),
    ours: 'PodsWithPVC: uses the PersistentVolumeClaim db, which is not known, so its storage class may be a protected one; kept by podProtections.extraEnabled: [PodsWithPVC]',
  },
  {
    row: 'C9 labels that labelSelector does not match',
    pod: given.pod('p', given.labels({ app: 'db', tier: 'back' })),
    args: { labelSelector: { matchLabels: { app: 'web' } } },
    ours: 'labelSelector: has labels app=db,tier=back, while labelSelector asks for app=web',
  },
  { row: 'C9 an empty labelSelector asks nothing', pod: given.pod('p'), args: { labelSelector: {} } },
  {
    row: 'C11 started an hour ago, minPodAge 2h',
    pod: given.pod('p'),
    args: { minPodAge: '2h' },
    ours: 'minPodAge: started 1h0m0s ago; minPodAge is 2h0m0s',
  },
  { row: 'C11 started an hour ago, minPodAge 1h', pod: given.pod('p'), args: { minPodAge: '1h' } },
  {
    row: 'C11 not started',
    pod: given.pod('p', given.status({ startedAt: undefined })),
    args: { minPodAge: '1h' },
    ours: 'minPodAge: has not started yet; minPodAge is 1h0m0s',
  },
  {
    row: 'framework E9 namespace selector matches',
    pod: given.pod('p'),
    args: { namespaceLabelSelector: { matchLabels: { team: 'a' } } },
    cluster: given.snapshot(given.namespaceObject('default', { team: 'a' })),
  },
  {
    row: 'framework E10 namespace selector does not match, not even an annotated pod',
    pod: given.pod('p', annotated),
    args: { namespaceLabelSelector: { matchLabels: { team: 'a' } } },
    cluster: given.snapshot(given.namespaceObject('default', { team: 'b' })),
    ours: 'namespaceLabelSelector: is in namespace default, which has labels team=b, while namespaceLabelSelector asks for team=a',
  },
  {
    row: 'a namespace that is not known does not match',
    pod: given.pod('p'),
    args: { namespaceLabelSelector: { matchLabels: { team: 'a' } } },
    ours: 'namespaceLabelSelector: is in namespace default, which is not known, while namespaceLabelSelector asks for team=a',
  },
];

describe('DefaultEvictor', () => {
  for (const { row, pod, args, cluster, ours, reference } of rows) {
    it(row, () => {
      const answer = refusal(pod, args, cluster);
      assert.equal(answer, ours);
      if (reference !== undefined) assert.notEqual(answer === undefined, reference, 'the row says that we deviate');
    });
  }

  it('framework D28 the constraints can be built twice on the same cluster', () => {
    const cluster = given.snapshot(given.pod('p'));
    const first = refusal(given.pod('p'), { minReplicas: 2 }, cluster);
    assert.equal(refusal(given.pod('p'), { minReplicas: 2 }, cluster), first);
  });

  it('replicas evicted earlier in the cycle count no more', () => {
    const cluster = given.snapshot(given.pod('p'), given.pod('q'), given.pod('r'));
    const evicted = new Map([['uid-ReplicaSet-replicaset-1', 1]]);
    const constraints = constraintsOf({ minReplicas: 3 }, cluster, (owner) => evicted.get(owner) ?? 0);
    assert.deepEqual(firstRefusal(constraints, given.pod('p')), {
      by: 'minReplicas',
      reason:
        'belongs to ReplicaSet replicaset-1, which has 2 replicas left; minReplicas asks for 3 before one can be evicted',
    });
  });

  it('owners without a UID are told apart by namespace, kind and name', () => {
    const of = (name: string, owner: string) =>
      given.pod(name, (pod) => ({ ...pod, owners: pod.owners.map((ref) => ({ ...ref, uid: '', name: owner })) }));
    const cluster = given.snapshot(of('a', 'one'), of('b', 'two'), of('c', 'two'));
    const verdicts = ['one', 'two'].map((owner) => refusal(of('x', owner), { minReplicas: 2 }, cluster) === undefined);
    assert.deepEqual(verdicts, [false, true]);
  });

  it('every constraint answers for `explain`, and says when the annotation lifts it', () => {
    const pod = given.pod('p', emptyDir, daemon, given.on('n1'), annotated);
    assert.deepEqual(evaluateAll(constraintsOf({ minPodAge: '1h' }), pod), [
      { name: 'MirrorPod', reason: undefined, overridden: false },
      { name: 'StaticPod', reason: undefined, overridden: false },
      { name: 'Terminating', reason: undefined, overridden: false },
      { name: 'NamespaceTerminating', reason: undefined, overridden: false },
      { name: 'SystemCriticalPods', reason: undefined, overridden: false },
      { name: 'FailedBarePods', reason: undefined, overridden: false },
      {
        name: 'PodsWithLocalStorage',
        reason:
          'keeps data in local storage: volume cache is an emptyDir; podProtections.defaultDisabled: [PodsWithLocalStorage] would allow its eviction',
        overridden: true,
      },
      {
        name: 'DaemonSetPods',
        reason:
          'belongs to DaemonSet agent, which would put it back on n1; podProtections.defaultDisabled: [DaemonSetPods] would allow its eviction',
        overridden: true,
      },
      { name: 'minPodAge', reason: undefined, overridden: false },
    ]);
  });
});

const FOUR = ['PodsWithLocalStorage', 'SystemCriticalPods', 'FailedBarePods', 'DaemonSetPods'];

const effectiveSets: readonly [string, object, readonly string[]][] = [
  ['empty: the four defaults', {}, FOUR],
  ['one disabled', { defaultDisabled: ['DaemonSetPods'] }, FOUR.slice(0, 3)],
  ['two disabled', { defaultDisabled: ['PodsWithLocalStorage', 'DaemonSetPods'] }, FOUR.slice(1, 3)],
  ['one extra', { extraEnabled: ['PodsWithPVC'] }, [...FOUR, 'PodsWithPVC']],
  ['two extra', { extraEnabled: ['PodsWithPVC', 'PodsWithoutPDB'] }, [...FOUR, 'PodsWithPVC', 'PodsWithoutPDB']],
  [
    'a mix',
    { defaultDisabled: ['SystemCriticalPods', 'DaemonSetPods'], extraEnabled: ['PodsWithPVC'] },
    ['PodsWithLocalStorage', 'FailedBarePods', 'PodsWithPVC'],
  ],
  ['ResourceClaims alone', { extraEnabled: ['PodsWithResourceClaims'] }, [...FOUR, 'PodsWithResourceClaims']],
  [
    'ResourceClaims mixed',
    { defaultDisabled: ['FailedBarePods'], extraEnabled: ['PodsWithResourceClaims', 'PodsWithoutPDB'] },
    ['PodsWithLocalStorage', 'SystemCriticalPods', 'DaemonSetPods', 'PodsWithoutPDB', 'PodsWithResourceClaims'],
  ],
];

describe('the protections in force (framework 2.6, effective sets)', () => {
  for (const [row, podProtections, expected] of effectiveSets) {
    it(row, () => {
      const args = defaultEvictorArgs(labelSelector).parse({ podProtections });
      assert.deepEqual([...args.protections].sort(), [...expected].sort());
      const named = constraintsOf({ podProtections }).map(({ name }) => name);
      // Bare pods that run stay without any protection (C3b), so that constraint is always asked.
      const always = ['FailedBarePods', 'MirrorPod', 'StaticPod', 'Terminating', 'NamespaceTerminating'];
      const wanted = [...new Set([...expected, ...always])];
      assert.deepEqual(named.sort(), wanted.sort());
    });
  }
});

describe('the priority threshold', () => {
  const threshold = (priorityThreshold: object | undefined, cluster = given.snapshot(priorityClass('high', 1000))) =>
    resolveThreshold(defaultEvictorArgs(labelSelector).parse(priorityThreshold ? { priorityThreshold } : {}), cluster);

  it('is undefined where the policy sets none', () => assert.equal(threshold(undefined), undefined));
  it('is the value', () => assert.equal(threshold({ value: -7 }), -7));
  it('is the value of the class', () => assert.equal(threshold({ name: 'high' }), 1000));
  it('knows the built-in class where classes are unknown', () =>
    assert.equal(threshold({ name: 'system-cluster-critical' }, given.snapshot()), 2_000_000_000));
  it('fails for a class that does not exist', () => {
    assert.throws(() => threshold({ name: 'gone' }), {
      name: 'PriorityThresholdError',
      message:
        'priorityThreshold names the PriorityClass gone, which does not exist in the cluster; create it or set priorityThreshold.value',
    });
  });
  it('knows the built-in class among others', () =>
    assert.equal(threshold({ name: 'system-cluster-critical' }), 2_000_000_000));
  it('fails where no class could be read, without the advice to create one', () => {
    for (const name of ['gone', 'constructor']) {
      assert.throws(() => threshold({ name }, given.snapshot()), {
        message: `priorityThreshold names the PriorityClass ${name}, but no PriorityClass could be read, so its value is not known; grant the right to list them or set priorityThreshold.value`,
      });
    }
  });
  it('fails for a class above the largest threshold', () => {
    const tooHigh = given.snapshot(priorityClass('top', 2_000_001_000));
    assert.throws(() => threshold({ name: 'top' }, tooHigh), PriorityThresholdError);
  });
});

function refusal(pod: Pod, args: object = {}, cluster: Snapshot = given.snapshot()): string | undefined {
  const answer = firstRefusal(constraintsOf(args, cluster), pod);
  return answer && `${answer.by}: ${answer.reason}`;
}

function constraintsOf(raw: object, cluster = given.snapshot(), evictedOf: (owner: string) => number = () => 0) {
  const args = defaultEvictorArgs(labelSelector).parse(raw);
  const threshold = resolveThreshold(args, cluster);
  return evictorConstraints(args, { snapshot: cluster, now: NOW, threshold, evictedOf });
}

function protectingClass(name: string): object {
  const config = { PodsWithPVC: { protectedStorageClasses: [{ name }] } };
  return { podProtections: { extraEnabled: ['PodsWithPVC'], config } };
}

function claim(name: string, storageClass: string | undefined): Claim {
  return given.freeze<Claim>({
    kind: 'PersistentVolumeClaim',
    name,
    namespace: 'default',
    uid: `uid-${name}`,
    labels: {},
    annotations: {},
    owners: [],
    deletedAt: undefined,
    accessModes: ['ReadWriteOnce'],
    storageClass,
    volumeName: '',
    volumeMode: 'Filesystem',
    attributesClass: undefined,
    requestBytes: 1,
    selector: undefined,
    phase: 'Bound',
  });
}

function priorityClass(name: string, value: number): PriorityClass {
  return given.freeze<PriorityClass>({ kind: 'PriorityClass', name, namespace: '', uid: name, labels: {}, value });
}
