import assert from 'node:assert/strict';
import { Decoder } from '../../src/cluster/decode/decode.ts';
import type { OtherKind, OtherKinds } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { requestsOf } from '../../src/cluster/amounts/requests.ts';
import type { Resources } from '../../src/cluster/amounts/resources.ts';
import { createPlacement } from '../../src/placement/fit.ts';
import { Replacements } from '../../src/placement/replacement.ts';
import { allocatable, apart, labels, node, on, pod as built, snapshot, taint } from '../builders/cluster.ts';

type Json = Readonly<Record<string, unknown>>;

function decode(json: Json): Node | Pod | OtherKinds[OtherKind] {
  const decoded = new Decoder().decodeObject(json)?.object;
  assert(decoded, 'the object is not read');
  return decoded;
}

function main(requests: Json, more: Json = {}): Json {
  return { name: 'main', image: 'i', resources: { requests }, ...more };
}

function owned(
  kind: string,
  parts: { readonly name?: string; readonly metadata?: Json; readonly spec?: Json } = {},
): Pod {
  const { name = 'db-0', metadata = {}, spec = {} } = parts;
  const ownerReferences = [{ apiVersion: 'v1', kind, name: 'db', uid: 'u', controller: true }];
  const decoded = decode({
    ...{ apiVersion: 'v1', kind: 'Pod', metadata: { name, labels: { [HASH]: 'db-1' }, ownerReferences, ...metadata } },
    spec: { containers: [main({ cpu: 1 })], ...spec },
  });
  assert(decoded.kind === 'Pod');
  return decoded;
}

const HASH = 'controller-revision-hash';

function statefulSet(spec: Json = {}, template: Json = {}, updateRevision: string | undefined = 'db-2') {
  return decode({
    ...{ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db' } },
    spec: {
      template: { metadata: { labels: { app: 'db' } }, spec: { containers: [main({ cpu: 3 })], ...template } },
      ...spec,
    },
    status: { updateRevision },
  });
}

function replacementOf(pod: Pod, ...objects: readonly (Node | Pod | OtherKinds[OtherKind])[]): Pod {
  return new Replacements(snapshot(pod, ...objects)).of(pod);
}

const RESIZED = { generation: 2 };
const rolling = (partition: number) => ({ updateStrategy: { type: 'RollingUpdate', rollingUpdate: { partition } } });

describe('the replacement of a pod of a StatefulSet', () => {
  const rows: readonly [sentence: string, set: ReturnType<typeof statefulSet>, pod: Pod, cpu: number][] = [
    ['of an older revision is from the template', statefulSet(rolling(0)), owned('StatefulSet'), 3000],
    ['is from the template without an update strategy, too', statefulSet(), owned('StatefulSet'), 3000],
    ['of the newest revision is like the pod', statefulSet({}, {}, 'db-1'), owned('StatefulSet'), 1000],
    ['is like the pod where no revision is known', statefulSet({}, {}, ''), owned('StatefulSet'), 1000],
    ['below the partition is like the pod', statefulSet(rolling(1)), owned('StatefulSet'), 1000],
    ['at the partition is from the template', statefulSet(rolling(1)), owned('StatefulSet', { name: 'db-1' }), 3000],
    [
      'with OnDelete is from the template, whatever a partition says',
      statefulSet({ updateStrategy: { type: 'OnDelete', rollingUpdate: { partition: 9 } } }),
      owned('StatefulSet'),
      3000,
    ],
    [
      'below the partition counted from the first ordinal is like the pod',
      statefulSet({ ...rolling(1), ordinals: { start: 5 } }),
      owned('StatefulSet', { name: 'db-5' }),
      1000,
    ],
    [
      'at the partition counted from the first ordinal is from the template',
      statefulSet({ ...rolling(1), ordinals: { start: 5 } }),
      owned('StatefulSet', { name: 'db-6' }),
      3000,
    ],
    ['without an ordinal is like the pod', statefulSet(), owned('StatefulSet', { name: 'db' }), 1000],
    ['of an object without a template is like the pod', statefulSet({ template: null }), owned('StatefulSet'), 1000],
    ['of another kind of owner is like the pod', statefulSet(), owned('CloneSet'), 1000],
    [
      'of the newest revision, resized in place, asks for what the template does',
      statefulSet({}, {}, 'db-1'),
      owned('StatefulSet', { metadata: { ...RESIZED, labels: { [HASH]: 'db-1' } } }),
      3000,
    ],
    [
      'below the partition, resized in place, asks for what the pod does: the older template is not known',
      statefulSet(rolling(1)),
      owned('StatefulSet', { metadata: { ...RESIZED, labels: { [HASH]: 'db-1' } } }),
      1000,
    ],
    [
      'from the template keeps the size that the VerticalPodAutoscaler gives every pod',
      statefulSet(),
      owned('StatefulSet', {
        metadata: { annotations: { vpaUpdates: 'main: cpu request' }, labels: { [HASH]: 'db-1' } },
      }),
      1000,
    ],
  ];
  for (const [sentence, set, pod, cpu] of rows) {
    it(sentence, () => assert.deepEqual(requestsOf(replacementOf(pod, set).spec), { cpu }));
  }

  it('has the labels of the template and its own identity', () => {
    const identity = { 'statefulset.kubernetes.io/pod-name': 'db-0', 'apps.kubernetes.io/pod-index': '0' };
    const pod = owned('StatefulSet', { metadata: { labels: { ...identity, [HASH]: 'db-1', old: 'yes' } } });
    const { labels: given, name, uid } = replacementOf(pod, statefulSet());
    assert.deepEqual(given, { ...identity, app: 'db', [HASH]: 'db-2' });
    assert.deepEqual([name, uid], [pod.name, pod.uid]);
  });

  it('has rules and volumes of the template, and claims of its own', () => {
    const set = statefulSet(
      { volumeClaimTemplates: [{ metadata: { name: 'data' } }] },
      {
        nodeSelector: { pool: 'new' },
        tolerations: [{ key: 'k', operator: 'Exists' }],
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: 'scratch', emptyDir: {} },
        ],
      },
    );
    const old = { nodeSelector: { pool: 'old' }, volumes: [{ name: 'log', hostPath: { path: '/' } }] };
    const { spec } = replacementOf(owned('StatefulSet', { spec: old }), set);
    assert.deepEqual(spec.nodeSelector, { pool: 'new' });
    assert.equal(spec.tolerations[0]?.key, 'k');
    assert.deepEqual(spec.volumes, [
      { kind: 'claim', name: 'data', claim: 'data-db-0' },
      { kind: 'emptyDir', name: 'scratch' },
    ]);
  });

  it('has the overhead of the pod, and the priority that admission gives its class', () => {
    const high = decode({ kind: 'PriorityClass', metadata: { name: 'high' }, value: 7 });
    const pod = owned('StatefulSet', { spec: { priority: 5, overhead: { cpu: '250m' } } });
    const priorities = [{}, { priorityClassName: 'high' }, { priorityClassName: 'gone' }].map((template) => {
      const { spec } = replacementOf(pod, statefulSet({}, template), high);
      assert.deepEqual(requestsOf(spec), { cpu: 3250 });
      return spec.priority;
    });
    assert.deepEqual(priorities, [5, 7, undefined]);
  });

  it('is judged by its own labels, rules and size, and counts with them once it is promised a place', () => {
    const set = statefulSet({}, { nodeSelector: { pool: 'new' } });
    const victim = { ...owned('StatefulSet'), nodeName: 'n1' };
    const cluster = snapshot(
      set,
      victim,
      node('n1', taint('retire:NoSchedule')),
      node('n2', allocatable({ cpu: 4 })),
      node('n3', labels({ pool: 'new' }), allocatable({ cpu: 2 })),
      node('n4', labels({ pool: 'new' }), built('r', apart('app=db', 'kubernetes.io/hostname'))),
      node('n5', labels({ pool: 'new' }), allocatable({ cpu: 4 })),
    );
    const placement = createPlacement(cluster);
    const codes = (pod: Pod) =>
      cluster.nodes.map((one) =>
        placement
          .misfits(pod, one)
          .map(({ code }) => code)
          .join(),
      );
    assert.deepEqual(codes(victim), ['taint', 'node-affinity', 'cpu', 'existing-anti', '']);
    placement.assume(victim, cluster.node('n5'));
    const next = built('next', apart('app=db', 'kubernetes.io/hostname'), on(''));
    assert.deepEqual(codes(next), ['taint', '', '', '', 'anti']);
  });
});

describe('the replacement of a pod that was resized in place', () => {
  const replicaSet = (spec: Json, kind = 'ReplicaSet') =>
    decode({ kind, metadata: { name: 'db' }, spec: { template: { spec } } });
  const sidecar = (cpu: number) => ({ ...main({ cpu }), name: 'proxy', restartPolicy: 'Always' });

  const rows: readonly [sentence: string, owner: ReturnType<typeof replicaSet>, pod: Pod, expected: Resources][] = [
    [
      'asks for what the template does, container by container',
      replicaSet({ containers: [main({ cpu: 2, memory: 1 })] }),
      owned('ReplicaSet', {
        metadata: RESIZED,
        spec: { containers: [main({ cpu: 1 }), { ...main({ cpu: 4 }), name: 'injected' }] },
      }),
      { cpu: 6000, memory: 1 },
    ],
    ...['ReplicationController', 'Job', 'DaemonSet'].map(
      (kind): [string, ReturnType<typeof replicaSet>, Pod, Resources] => [
        `of a ${kind}, too`,
        replicaSet({ containers: [main({ cpu: 2 })] }, kind),
        owned(kind, { metadata: RESIZED }),
        { cpu: 2000 },
      ],
    ),
    [
      'has sidecars of the template’s size',
      replicaSet({ containers: [main({ cpu: 2 })], initContainers: [sidecar(3)] }),
      owned('ReplicaSet', { metadata: RESIZED, spec: { initContainers: [sidecar(1)] } }),
      { cpu: 5000 },
    ],
    [
      'has the pod-level requests of the template',
      replicaSet({ containers: [main({ cpu: 1 })], resources: { requests: { cpu: 2 } } }),
      owned('ReplicaSet', { metadata: RESIZED, spec: { resources: { requests: { cpu: 8 } } } }),
      { cpu: 2000 },
    ],
    [
      'asks for the limits of a template without requests',
      replicaSet({ containers: [{ ...main({}), resources: { limits: { cpu: 2 } } }] }),
      owned('ReplicaSet', { metadata: RESIZED }),
      { cpu: 2000 },
    ],
    [
      'is like a pod that never changed: a webhook has sized it',
      replicaSet({ containers: [main({ cpu: 2 })] }),
      owned('ReplicaSet', { metadata: { generation: 1 } }),
      { cpu: 1000 },
    ],
    ...['vpaUpdates', 'vpaInPlaceUpdated'].map((name): [string, ReturnType<typeof replicaSet>, Pod, Resources] => [
      `is like one that the VerticalPodAutoscaler has sized (${name})`,
      replicaSet({ containers: [main({ cpu: 2 })] }),
      owned('ReplicaSet', { metadata: { ...RESIZED, annotations: { [name]: 'true' } } }),
      { cpu: 1000 },
    ]),
    [
      'keeps the requests of a container that the template does not name, whatever it is called',
      replicaSet({ containers: [main({ cpu: 2 })] }),
      owned('ReplicaSet', { metadata: RESIZED, spec: { containers: [{ ...main({ cpu: 1 }), name: 'constructor' }] } }),
      { cpu: 1000 },
    ],
  ];
  for (const [sentence, owner, pod, expected] of rows) {
    it(sentence, () => assert.deepEqual(requestsOf(replacementOf(pod, owner).spec), expected));
  }

  it('is the pod itself where nothing differs, and equal ones share their spec', () => {
    const plain = owned('ReplicaSet');
    const set = replicaSet({ containers: [main({ cpu: 2 })] });
    assert.equal(replacementOf(plain, set), plain);
    const spec = owned('ReplicaSet', { metadata: RESIZED }).spec;
    const twins = ['a', 'b'].map((name) => ({ ...owned('ReplicaSet', { name, metadata: RESIZED }), spec }));
    const replacements = new Replacements(snapshot(set, ...twins));
    assert.equal(replacements.of(twins[0]!).spec, replacements.of(twins[1]!).spec);
  });
});
