import type { FieldsOf } from './decode-table.ts';
import { amountsOf, labelsOf, namedOf, ownersOf, selectorOf, termsOf } from './decode-parts.ts';
import type {
  Claim,
  CsiDriver,
  CsiNode,
  StorageCapacity,
  StorageClass,
  Volume,
  VolumeAttachment,
} from '../objects/kinds.ts';
import { amountOf, parseResources, roundUp } from '../amounts/resources.ts';

// Where the class of claims and volumes stood before it became a field; the annotation still wins.
const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';
const DEFAULT_CLASS = [
  'storageclass.kubernetes.io/is-default-class',
  'storageclass.beta.kubernetes.io/is-default-class',
];

/** A PersistentVolumeClaim from its fields. */
export function claimOf(fields: FieldsOf<'PersistentVolumeClaim'>): Claim {
  const { metadata, spec } = fields;
  const named = namedOf('PersistentVolumeClaim', metadata);
  return {
    kind: 'PersistentVolumeClaim',
    ...named,
    annotations: labelsOf(metadata?.annotations),
    owners: ownersOf(metadata, named.namespace),
    deletedAt: metadata?.deletionTimestamp,
    accessModes: spec?.accessModes ?? [],
    storageClass: labelsOf(metadata?.annotations)[BETA_CLASS] ?? spec?.storageClassName,
    volumeName: spec?.volumeName ?? '',
    volumeMode: spec?.volumeMode || 'Filesystem',
    attributesClass: spec?.volumeAttributesClassName,
    requestBytes: amountOf(roundUp(amountsOf(spec?.resources?.requests)), 'storage'),
    selector: selectorOf(spec?.selector),
    phase: fields.status?.phase || 'Pending',
  };
}

/** A PersistentVolume from its fields. */
export function volumeOf(fields: FieldsOf<'PersistentVolume'>): Volume {
  const { metadata, spec } = fields;
  const claim = spec?.claimRef;
  return {
    kind: 'PersistentVolume',
    ...namedOf('PersistentVolume', metadata),
    deletedAt: metadata?.deletionTimestamp,
    accessModes: spec?.accessModes ?? [],
    storageClass: labelsOf(metadata?.annotations)[BETA_CLASS] ?? spec?.storageClassName ?? '',
    volumeMode: spec?.volumeMode || 'Filesystem',
    attributesClass: spec?.volumeAttributesClassName,
    capacityBytes: amountOf(roundUp(amountsOf(spec?.capacity)), 'storage'),
    nodeAffinity: termsOf(spec?.nodeAffinity?.required),
    claimRef: claim && { namespace: claim.namespace ?? '', name: claim.name ?? '', uid: claim.uid ?? '' },
    ...diskOf(spec),
    phase: fields.status?.phase || 'Pending',
  };
}

/** Driver and handle; in-tree volumes under the CSI driver that serves them (rule S12). */
function diskOf(spec: FieldsOf<'PersistentVolume'>['spec']): Pick<Volume, 'driver' | 'handle'> {
  const csi = spec?.csi;
  if (csi) return { driver: csi.driver ?? '', handle: csi.volumeHandle ?? '' };
  const inTree: readonly (readonly [driver: string, handle: string | undefined])[] = [
    ['ebs.csi.aws.com', spec?.awsElasticBlockStore?.volumeID?.replace(/^aws:\/\/[^/]*\//, '')],
    ['pd.csi.storage.gke.io', spec?.gcePersistentDisk?.pdName],
    ['disk.csi.azure.com', spec?.azureDisk?.diskURI],
    ['file.csi.azure.com', spec?.azureFile?.shareName],
    ['cinder.csi.openstack.org', spec?.cinder?.volumeID],
    ['csi.vsphere.vmware.com', spec?.vsphereVolume?.volumePath],
    ['pxd.portworx.com', spec?.portworxVolume?.volumeID],
  ];
  const [driver, handle] = inTree.find(([, volume]) => volume !== undefined) ?? ['', ''];
  return { driver, handle: handle ?? '' };
}

/** A StorageClass from its fields. */
export function storageClassOf(fields: FieldsOf<'StorageClass'>): StorageClass {
  const { metadata } = fields;
  return {
    kind: 'StorageClass',
    ...namedOf('StorageClass', metadata),
    provisioner: fields.provisioner ?? '',
    waitsForConsumer: fields.volumeBindingMode === 'WaitForFirstConsumer',
    isDefault: DEFAULT_CLASS.some((key) => labelsOf(metadata?.annotations)[key] === 'true'),
    allowedTopologies: (fields.allowedTopologies ?? []).map(({ matchLabelExpressions }) =>
      (matchLabelExpressions ?? []).map(({ key = '', values = [] }) => ({ key, values })),
    ),
  };
}

/** A CSINode from its fields. */
export function csiNodeOf(fields: FieldsOf<'CSINode'>): CsiNode {
  const limits = (fields.spec?.drivers ?? []).flatMap(({ name, allocatable }) =>
    name !== undefined && allocatable?.count !== undefined ? [[name, allocatable.count] as const] : [],
  );
  return { kind: 'CSINode', ...namedOf('CSINode', fields.metadata), limits: Object.fromEntries(limits) };
}

/** A CSIDriver from its fields. */
export function csiDriverOf(fields: FieldsOf<'CSIDriver'>): CsiDriver {
  return {
    kind: 'CSIDriver',
    ...namedOf('CSIDriver', fields.metadata),
    storageCapacity: fields.spec?.storageCapacity === true,
  };
}

/** A CSIStorageCapacity from its fields. */
export function storageCapacityOf(fields: FieldsOf<'CSIStorageCapacity'>): StorageCapacity {
  return {
    kind: 'CSIStorageCapacity',
    ...namedOf('CSIStorageCapacity', fields.metadata),
    storageClass: fields.storageClassName ?? '',
    nodeTopology: selectorOf(fields.nodeTopology),
    capacityBytes: bytesOf(fields.capacity),
    maximumVolumeBytes: bytesOf(fields.maximumVolumeSize),
  };
}

/** A VolumeAttachment from its fields. */
export function attachmentOf(fields: FieldsOf<'VolumeAttachment'>): VolumeAttachment {
  return {
    kind: 'VolumeAttachment',
    ...namedOf('VolumeAttachment', fields.metadata),
    attacher: fields.spec?.attacher ?? '',
    nodeName: fields.spec?.nodeName ?? '',
    volumeName: fields.spec?.source?.persistentVolumeName ?? '',
  };
}

function bytesOf(quantity: string | undefined): number | undefined {
  return quantity === undefined ? undefined : parseResources({ storage: quantity }).storage;
}
