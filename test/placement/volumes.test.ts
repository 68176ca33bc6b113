import assert from 'node:assert/strict';
import type {
  Claim,
  CsiDriver,
  CsiNode,
  StorageCapacity,
  StorageClass,
  Volume,
  VolumeAttachment,
} from '../../src/cluster/objects/kinds.ts';
import type { Volume as PodVolume } from '../../src/cluster/objects/pod.ts';
import { createPlacement } from '../../src/placement/fit.ts';
import { hostPort, labels, pod, selector, snapshot, spec, term, terminating } from '../builders/cluster.ts';
import { filterRows, HOSTNAME, room, ZONE, zoned } from './filter-rows.ts';

const BETA_ZONE = 'failure-domain.beta.kubernetes.io/zone';
const GI = 2 ** 30;
const DRIVER = 'csi.example';

function named(name: string, namespace = '') {
  return { name, namespace, uid: `uid-${namespace}-${name}`, labels: {} };
}

function claim(name: string, over: Partial<Claim> = {}): Claim {
  return {
    kind: 'PersistentVolumeClaim',
    ...named(name, 'default'),
    annotations: {},
    owners: [],
    deletedAt: undefined,
    accessModes: ['ReadWriteOnce'],
    storageClass: 'standard',
    volumeName: '',
    volumeMode: 'Filesystem',
    attributesClass: undefined,
    requestBytes: GI,
    selector: undefined,
    phase: 'Pending',
    ...over,
  };
}

/** A claim bound to the volume `pv-<name>`. */
function bound(name: string, over: Partial<Claim> = {}): Claim {
  const annotations = { 'pv.kubernetes.io/bind-completed': 'yes' };
  return claim(name, { volumeName: `pv-${name}`, annotations, phase: 'Bound', ...over });
}

/** The volume of `bound(name)`. */
function volume(name: string, over: Partial<Volume> = {}): Volume {
  return {
    kind: 'PersistentVolume',
    ...named(`pv-${name}`),
    deletedAt: undefined,
    accessModes: ['ReadWriteOnce'],
    storageClass: 'standard',
    volumeMode: 'Filesystem',
    attributesClass: undefined,
    capacityBytes: 10 * GI,
    nodeAffinity: undefined,
    claimRef: { namespace: 'default', name, uid: '' },
    driver: DRIVER,
    handle: `h-${name}`,
    phase: 'Bound',
    ...over,
  };
}

function storageClass(over: Partial<StorageClass> = {}): StorageClass {
  return {
    kind: 'StorageClass',
    ...named('standard'),
    provisioner: DRIVER,
    waitsForConsumer: true,
    isDefault: false,
    allowedTopologies: [],
    ...over,
  };
}

const csiNode = (name: string, count: number): CsiNode => ({
  kind: 'CSINode',
  ...named(name),
  limits: { [DRIVER]: count },
});

const attachment: VolumeAttachment = {
  kind: 'VolumeAttachment',
  ...named('va'),
  attacher: DRIVER,
  nodeName: 'n1',
  volumeName: 'pv-one',
};

const tracked: CsiDriver = { kind: 'CSIDriver', ...named(DRIVER), storageCapacity: true };

const capacity: StorageCapacity = {
  kind: 'CSIStorageCapacity',
  ...named('cap', 'kube-system'),
  storageClass: 'standard',
  nodeTopology: selector(`${HOSTNAME}=n1`),
  capacityBytes: 5 * GI,
  maximumVolumeBytes: undefined,
};

function uses(...claims: readonly string[]) {
  return spec({ volumes: claims.map((name) => ({ kind: 'claim', name, claim: name })) });
}

function iscsi(readOnly: boolean) {
  const disk: PodVolume = { kind: 'iscsi', name: 'd', disk: 'iqn.example:t', monitors: [], readOnly };
  return spec({ volumes: [disk] });
}

describe('placement: volumes (rule S6)', () => {
  filterRows([
    {
      id: 'SF-93 node affinity of the bound volume',
      cluster: [
        zoned('a1'),
        zoned('b1'),
        bound('one'),
        volume('one', { nodeAffinity: [term(`${ZONE} in (a)`)] }),
        storageClass(),
      ],
      pod: pod('p', uses('one')),
      ours: { a1: '', b1: 'volume-node' },
    },
    {
      id: 'SF-94 zone label of the bound volume',
      cluster: [zoned('a1'), zoned('b1'), room('n3'), bound('one'), volume('one', { labels: { [ZONE]: 'a' } })],
      pod: pod('p', uses('one')),
      ours: { a1: '', b1: 'volume-zone', n3: '' },
    },
    {
      id: 'SF-95 a volume of two zones',
      cluster: [zoned('a1'), zoned('b1'), zoned('c1'), bound('one'), volume('one', { labels: { [ZONE]: 'a__b' } })],
      pod: pod('p', uses('one')),
      ours: { a1: '', b1: '', c1: 'volume-zone' },
    },
    {
      id: 'SF-96 an unbound claim that should be bound at once',
      cluster: [room('n1'), claim('one'), storageClass({ waitsForConsumer: false })],
      pod: pod('p', uses('one')),
      ours: { n1: 'claim-unbound' },
    },
    {
      id: 'an unbound claim without a class is of the default class',
      cluster: [room('n1'), claim('one', { storageClass: undefined }), storageClass({ isDefault: true })],
      pod: pod('p', uses('one')),
      ours: { n1: '' },
    },
    {
      id: 'an unbound claim without a class stays unbound where there is no default class',
      cluster: [room('n1'), claim('one', { storageClass: undefined }), storageClass()],
      pod: pod('p', uses('one')),
      ours: { n1: 'claim-unbound' },
    },
    {
      id: 'a claim that wants no class gets none',
      cluster: [room('n1'), claim('one', { storageClass: '' }), storageClass({ isDefault: true })],
      pod: pod('p', uses('one')),
      ours: { n1: 'claim-unbound' },
    },
    {
      id: 'SF-97 allowedTopologies',
      cluster: [
        zoned('a1'),
        zoned('b1'),
        claim('one'),
        storageClass({ allowedTopologies: [[{ key: ZONE, values: ['a'] }]] }),
      ],
      pod: pod('p', uses('one')),
      ours: { a1: '', b1: 'volume-bind' },
    },
    {
      id: 'SF-98 a free volume on one node, none can be made',
      cluster: [
        room('n1'),
        room('n2'),
        claim('one'),
        storageClass({ provisioner: 'kubernetes.io/no-provisioner' }),
        volume('free', { claimRef: undefined, phase: 'Available', nodeAffinity: [term(`${HOSTNAME} in (n1)`)] }),
      ],
      pod: pod('p', uses('one')),
      ours: { n1: '', n2: 'volume-bind' },
    },
    {
      id: 'SF-99 no such claim',
      cluster: [room('n1'), claim('other')],
      pod: pod('p', uses('gone')),
      ours: { n1: 'claim-missing' },
    },
    {
      id: 'SF-100 ReadWriteOncePod in use',
      cluster: [
        room('n1', pod('r', uses('one'))),
        room('n2'),
        bound('one', { accessModes: ['ReadWriteOncePod'] }),
        volume('one'),
      ],
      pod: pod('p', uses('one')),
      ours: { n1: 'rwop', n2: 'rwop' },
    },
    {
      id: 'SF-101 ReadWriteOnce in use is no rule',
      cluster: [room('n1', pod('r', uses('one'))), room('n2'), bound('one'), volume('one')],
      pod: pod('p', uses('one')),
      ours: { n1: '', n2: '' },
    },
    {
      id: 'SF-102 the attach limit is reached',
      cluster: [
        room('n1', pod('r', uses('one'))),
        csiNode('n1', 1),
        bound('one'),
        volume('one'),
        bound('two'),
        volume('two'),
      ],
      pod: pod('p', uses('two')),
      ours: { n1: 'volume-limit' },
    },
    {
      id: 'SF-102 with one more the attach limit is reached, not exceeded',
      cluster: [
        room('n1', pod('r', uses('one'))),
        csiNode('n1', 2),
        ...['one', 'two'].flatMap((name) => [bound(name), volume(name)]),
      ],
      pod: pod('p', uses('two')),
      ours: { n1: '' },
    },
    {
      id: 'SF-103 no limit known',
      cluster: [
        room('n1', pod('r1', uses('one')), pod('r2', uses('two'))),
        csiNode('other', 1),
        ...['one', 'two', 'three'].flatMap((name) => [bound(name), volume(name)]),
      ],
      pod: pod('p', uses('three')),
      ours: { n1: '' },
    },
    {
      id: 'SF-104 the volume is gone',
      cluster: [room('n1'), bound('one'), volume('other')],
      pod: pod('p', uses('one')),
      ours: { n1: 'pv-missing' },
    },
    {
      id: 'SF-105 storage capacity is tracked',
      cluster: [room('n1'), room('n2'), claim('one', { requestBytes: 2 * GI }), storageClass(), tracked, capacity],
      pod: pod('p', uses('one')),
      ours: { n1: '', n2: 'storage' },
    },
    {
      id: 'SF-106 an inline disk that somebody writes',
      cluster: [room('n1', pod('r', iscsi(false))), room('n2')],
      pod: pod('p', iscsi(true)),
      ours: { n1: 'disk', n2: '' },
    },
    {
      id: 'SF-107 only the old label on the node',
      cluster: [room('n1', labels({ [BETA_ZONE]: 'a' })), bound('one'), volume('one', { labels: { [ZONE]: 'a' } })],
      pod: pod('p', uses('one')),
      ours: { n1: 'volume-zone' },
    },
    {
      id: 'SF-108 a node is selected already',
      cluster: [
        room('n1'),
        room('n2'),
        claim('one', { annotations: { 'volume.kubernetes.io/selected-node': 'n2' } }),
        storageClass(),
      ],
      pod: pod('p', uses('one')),
      ours: { n1: 'volume-bind', n2: '' },
    },
    {
      id: 'SF-109 an attached volume that nobody uses',
      cluster: [room('n1'), csiNode('n1', 1), attachment, bound('one'), volume('one'), bound('two'), volume('two')],
      pod: pod('p', uses('two')),
      ours: { n1: 'volume-limit' },
    },
    {
      id: 'SF-110 ReadWriteOncePod, its user is terminating',
      cluster: [
        room('n1', pod('r', uses('one'), terminating)),
        bound('one', { accessModes: ['ReadWriteOncePod'] }),
        volume('one'),
      ],
      pod: pod('p', uses('one')),
      ours: { n1: 'rwop' },
    },
    {
      id: 'two readers share an inline disk',
      cluster: [room('n1', pod('r', iscsi(true)))],
      pod: pod('p', iscsi(true)),
      ours: { n1: '' },
    },
    {
      id: 'a volume that is kept for the claim rules out nodes that do not reach it',
      cluster: [
        zoned('a1'),
        zoned('b1'),
        claim('one'),
        storageClass(),
        volume('one', { phase: 'Available', nodeAffinity: [term(`${ZONE} in (b)`)] }),
      ],
      pod: pod('p', uses('one')),
      ours: { a1: 'volume-bind', b1: '' },
    },
    {
      id: 'one free volume does not serve two claims of the pod',
      cluster: [
        room('n1'),
        claim('one'),
        claim('two'),
        storageClass({ provisioner: 'kubernetes.io/no-provisioner' }),
        volume('free', { claimRef: undefined, phase: 'Available' }),
      ],
      pod: pod('p', uses('one', 'two')),
      ours: { n1: 'volume-bind' },
    },
    {
      id: 'a lost claim, a claim that is going away',
      cluster: [room('n1'), bound('one', { deletedAt: 1 }), bound('two', { phase: 'Lost' }), volume('one')],
      pod: pod('p', uses('one', 'two')),
      ours: { n1: 'claim-deleted' },
    },
    {
      id: "a generic ephemeral volume is made anew, the victim's is no tie",
      cluster: [
        zoned('a1'),
        zoned('b1'),
        bound('p-scratch'),
        volume('p-scratch', { labels: { [ZONE]: 'a' } }),
        storageClass(),
      ],
      pod: pod('p', spec({ volumes: [{ kind: 'ephemeral', name: 'scratch', storageClass: 'standard' }] })),
      ours: { a1: '', b1: '' },
    },
  ]);

  it('skips what cannot be known, with one warning for each kind', () => {
    const cluster = snapshot(room('n1'));
    const placement = createPlacement(cluster);
    assert.deepEqual(placement.fitting(pod('p', uses('one')), cluster.nodes), cluster.nodes);
    assert.deepEqual(placement.fitting(pod('q', uses('one')), cluster.nodes), cluster.nodes);
    assert.deepEqual(placement.warnings(), ['no PersistentVolumeClaim objects were read: volumes not checked']);
    const withClaims = createPlacement(snapshot(room('n1'), bound('one'), claim('two')));
    withClaims.fitting(pod('p', uses('one', 'two')), cluster.nodes);
    assert.deepEqual(withClaims.warnings(), [
      'no PersistentVolume objects were read: nodes and zones of volumes not checked',
      'no StorageClass objects were read: binding of unbound claims not checked',
    ]);
  });

  it('says which claim, volume, disk or driver is in the way', () => {
    const cluster = snapshot(
      zoned('a1', pod('r', uses('one'), hostPort(1)), pod('d', iscsi(false))),
      zoned('b1'),
      csiNode('a1', 1),
      storageClass({ provisioner: '' }),
      bound('one', { accessModes: ['ReadWriteOncePod'] }),
      volume('one'),
      bound('two'),
      volume('two', { labels: { [ZONE]: 'b' } }),
      bound('three'),
      volume('three', { nodeAffinity: [term(`${ZONE} in (b)`)], driver: 'other' }),
      claim('four'),
    );
    const placement = createPlacement(cluster);
    const [a1, b1] = cluster.nodes;
    const textsOn = (nodeIndex: typeof a1, part: ReturnType<typeof spec>) =>
      placement
        .misfits(pod(`p${JSON.stringify(part(pod('x')).spec.volumes)}`, part), nodeIndex!)
        .map(({ text }) => text);
    assert.deepEqual(
      [
        textsOn(b1, uses('one')),
        textsOn(a1, uses('two')),
        textsOn(a1, uses('three')),
        textsOn(b1, uses('four')),
        textsOn(a1, iscsi(true)),
        textsOn(b1, uses('gone')),
      ],
      [
        ['claim default/one is ReadWriteOncePod and in use by default/r'],
        ["would attach 2 volumes of csi.example, the node's limit is 1"],
        ['volume pv-three of claim default/three is not reachable here'],
        ['claim default/four finds no free volume here, and class standard makes none'],
        ['iscsi disk iqn.example:t is in use by default/d'],
        ['claim default/gone does not exist'],
      ],
    );
  });
});
