import type { ReadKind } from '../../cluster/decode/decode-table.ts';

/** Where each kind is listed. */
export const PATHS = {
  Pod: '/api/v1/pods',
  Node: '/api/v1/nodes',
  Namespace: '/api/v1/namespaces',
  PodDisruptionBudget: '/apis/policy/v1/poddisruptionbudgets',
  PriorityClass: '/apis/scheduling.k8s.io/v1/priorityclasses',
  ReplicaSet: '/apis/apps/v1/replicasets',
  ReplicationController: '/api/v1/replicationcontrollers',
  StatefulSet: '/apis/apps/v1/statefulsets',
  Job: '/apis/batch/v1/jobs',
  Service: '/api/v1/services',
  PersistentVolumeClaim: '/api/v1/persistentvolumeclaims',
  PersistentVolume: '/api/v1/persistentvolumes',
  StorageClass: '/apis/storage.k8s.io/v1/storageclasses',
  CSINode: '/apis/storage.k8s.io/v1/csinodes',
  CSIDriver: '/apis/storage.k8s.io/v1/csidrivers',
  CSIStorageCapacity: '/apis/storage.k8s.io/v1/csistoragecapacities',
  VolumeAttachment: '/apis/storage.k8s.io/v1/volumeattachments',
  ResourceClaim: '/apis/resource.k8s.io/v1/resourceclaims',
  NodeMetrics: '/apis/metrics.k8s.io/v1beta1/nodes',
  PodMetrics: '/apis/metrics.k8s.io/v1beta1/pods',
} as const satisfies { readonly [K in ReadKind]?: string };

/** A kind that is read from a live cluster. */
export type LiveKind = keyof typeof PATHS;

const METRICS: ReadonlySet<LiveKind> = new Set(['NodeMetrics', 'PodMetrics']);

/** Whether only measured usage needs this kind. */
export function isMetrics(kind: LiveKind): boolean {
  return METRICS.has(kind);
}

/** All kinds that are read, in the order of listing: nodes and pods first, for without them nothing else matters. */
export function kindsToRead(metrics: boolean): readonly LiveKind[] {
  const kinds = Object.keys(PATHS) as LiveKind[];
  return metrics ? kinds : kinds.filter((kind) => !isMetrics(kind));
}

/** Whether a cluster cannot be read without this kind; every other one may be unknown (rule S32). */
export function isRequired(kind: LiveKind): boolean {
  return kind === 'Pod' || kind === 'Node';
}

/** `pods`, `poddisruptionbudgets`: as it is written in RBAC rules. */
export function resourceOf(kind: LiveKind): string {
  return PATHS[kind].split('/').at(-1) ?? kind;
}

/** `v1`, `policy/v1`: as it is written in manifests. */
export function apiVersionOf(kind: LiveKind): string {
  return PATHS[kind].split('/').slice(2, -1).join('/');
}
