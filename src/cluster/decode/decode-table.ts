import {
  flag,
  list,
  map,
  number,
  numberOrText,
  object,
  present,
  quantity,
  text,
  time,
  unique,
  type Field,
  type ReadOf,
  type Shape,
} from './decode-fields.ts';
import {
  amounts,
  container,
  labelSelector,
  metadata,
  node,
  nodeSelector,
  pod,
  POD_MARKS,
  podSpec,
  resources,
} from './decode-table-pod.ts';

// The one list of API fields that are read, by kind. Its readers: parsed JSON (decode-fields.ts), bytes
// (decode-bytes.ts), the pruned copy that `evenkeel dump` writes. Versions do not matter: a field that only an old version
// has stands beside the current one.

const templateMetadata = object({ labels: map(text) });
const template = object({
  metadata: templateMetadata,
  spec: object({ containers: list(container), initContainers: list(container), resources }),
});
const controller = object({
  metadata: metadata(),
  spec: object({ selector: labelSelector, template, podReplacementPolicy: text, podFailurePolicy: present }),
});
const owner = object({ metadata: metadata() });
const claimSpec = object({
  accessModes: list(text),
  storageClassName: text,
  volumeName: text,
  volumeMode: text,
  volumeAttributesClassName: text,
  selector: labelSelector,
  resources: object({ requests: amounts }),
});
const BETA_CLASS = 'volume.beta.kubernetes.io/storage-class';
const BIND_COMPLETED = 'pv.kubernetes.io/bind-completed';

/** The fields that are read, by kind. */
export const TABLE = {
  Pod: pod,
  Node: node,
  Namespace: object({ metadata: metadata('openshift.io/node-selector'), status: object({ phase: text }) }),
  PodDisruptionBudget: object({
    apiVersion: text,
    metadata: metadata(),
    spec: object({
      selector: labelSelector,
      minAvailable: numberOrText,
      maxUnavailable: numberOrText,
      unhealthyPodEvictionPolicy: text,
    }),
    status: object({
      disruptionsAllowed: number,
      currentHealthy: number,
      desiredHealthy: number,
      expectedPods: number,
      observedGeneration: number,
      disruptedPods: map(text),
    }),
  }),
  PriorityClass: object({ metadata: metadata(), value: number }),
  ReplicaSet: controller,
  ReplicationController: object({
    metadata: metadata(),
    spec: object({ selector: map(text), template }),
  }),
  StatefulSet: object({
    metadata: metadata(),
    spec: object({
      selector: labelSelector,
      template: object({ metadata: templateMetadata, spec: podSpec }),
      updateStrategy: object({ type: text, rollingUpdate: object({ partition: number }) }),
      ordinals: object({ start: number }),
      volumeClaimTemplates: list(object({ metadata: object({ name: text }) })),
    }),
    status: object({ updateRevision: text }),
  }),
  Deployment: owner,
  DaemonSet: controller,
  Job: controller,
  CronJob: owner,
  Service: object({ metadata: metadata(), spec: object({ selector: map(text) }) }),
  Lease: object({
    metadata: metadata(),
    spec: object({ holderIdentity: unique, renewTime: time, leaseDurationSeconds: number }),
  }),
  PersistentVolumeClaim: object({
    metadata: metadata(BIND_COMPLETED, 'volume.kubernetes.io/selected-node', BETA_CLASS),
    spec: claimSpec,
    status: object({ phase: text }),
  }),
  PersistentVolume: object({
    metadata: metadata(BETA_CLASS),
    spec: object({
      accessModes: list(text),
      storageClassName: text,
      volumeMode: text,
      volumeAttributesClassName: text,
      capacity: amounts,
      nodeAffinity: object({ required: nodeSelector }),
      claimRef: object({ namespace: text, name: unique, uid: unique }),
      csi: object({ driver: text, volumeHandle: unique }),
      awsElasticBlockStore: object({ volumeID: unique }),
      gcePersistentDisk: object({ pdName: unique }),
      azureDisk: object({ diskURI: unique }),
      azureFile: object({ shareName: unique }),
      cinder: object({ volumeID: unique }),
      vsphereVolume: object({ volumePath: unique }),
      portworxVolume: object({ volumeID: unique }),
    }),
    status: object({ phase: text }),
  }),
  StorageClass: object({
    metadata: metadata(
      'storageclass.kubernetes.io/is-default-class',
      'storageclass.beta.kubernetes.io/is-default-class',
    ),
    provisioner: text,
    volumeBindingMode: text,
    allowedTopologies: list(object({ matchLabelExpressions: list(object({ key: text, values: list(text) })) })),
  }),
  CSINode: object({
    metadata: metadata(),
    spec: object({ drivers: list(object({ name: text, allocatable: object({ count: number }) })) }),
  }),
  CSIDriver: object({ metadata: metadata(), spec: object({ storageCapacity: flag }) }),
  CSIStorageCapacity: object({
    metadata: metadata(),
    storageClassName: text,
    nodeTopology: labelSelector,
    capacity: quantity,
    maximumVolumeSize: quantity,
  }),
  VolumeAttachment: object({
    metadata: metadata(),
    spec: object({ attacher: text, nodeName: text, source: object({ persistentVolumeName: unique }) }),
  }),
  ResourceClaim: object({
    metadata: metadata(),
    status: object({ allocation: object({ nodeSelector, availableOnNodes: nodeSelector }) }),
  }),
  NodeMetrics: object({ metadata: metadata(), timestamp: time, usage: map(quantity) }),
  PodMetrics: object({ metadata: metadata(), timestamp: time, containers: list(object({ usage: map(quantity) })) }),
} satisfies Readonly<Record<string, Shape>>;

/** Annotations of which decisions read only that they are there, and whether they say "false". */
export const MARKS: ReadonlySet<string> = new Set([...POD_MARKS, BIND_COMPLETED]);

/** A kind that is read. */
export type ReadKind = keyof typeof TABLE;

/** The fields of a kind, as its readers give them. */
export type FieldsOf<K extends ReadKind> = ReadOf<(typeof TABLE)[K]>;

/** The table again, with the type that reading each kind gives. */
export const FIELDS: { readonly [K in ReadKind]: Field<FieldsOf<K>> } = TABLE;

/** Whether objects of the kind are read. */
export function isReadKind(kind: string): kind is ReadKind {
  return Object.hasOwn(TABLE, kind);
}

const CLUSTER_SCOPED: ReadonlySet<string> = new Set<ReadKind>([
  'Node',
  'Namespace',
  'PriorityClass',
  'PersistentVolume',
  'StorageClass',
  'CSINode',
  'CSIDriver',
  'VolumeAttachment',
  'NodeMetrics',
]);

/** Whether the kind has no namespace. */
export function isClusterScoped(kind: string): boolean {
  return CLUSTER_SCOPED.has(kind);
}
