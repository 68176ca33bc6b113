import type { LabelSelector, Labels, NodeSelectorTerm } from './terms.ts';
import type { Owner, PodSpec } from './pod.ts';
import type { Resources } from '../amounts/resources.ts';

/** Name and labels of any object that needs no more. */
export interface Named {
  readonly name: string;
  /** Empty for cluster-scoped kinds. */
  readonly namespace: string;
  readonly uid: string;
  readonly labels: Labels;
}

/** A namespace; annotations keep `openshift.io/node-selector` only. */
export interface Namespace extends Named {
  readonly kind: 'Namespace';
  readonly annotations: Labels;
  /** It is being deleted: the API server creates nothing in it any more. */
  readonly terminating: boolean;
}

/** A PodDisruptionBudget, `policy/v1` or `v1beta1`. Numbers as the status has them. */
export interface DisruptionBudget extends Named {
  readonly kind: 'PodDisruptionBudget';
  /** nil matches nothing in v1beta1, everything empty matches all; decode keeps them apart. */
  readonly selector: LabelSelector | undefined;
  readonly minAvailable: number | string | undefined;
  readonly maxUnavailable: number | string | undefined;
  readonly unhealthyPodEvictionPolicy: string | undefined;
  readonly disruptionsAllowed: number;
  readonly currentHealthy: number;
  readonly desiredHealthy: number;
  readonly expectedPods: number;
  readonly generation: number | undefined;
  readonly observedGeneration: number | undefined;
  /** Whether the object has a status at all: one without is not processed yet. */
  readonly hasStatus: boolean;
  /** Names of pods whose eviction the API server has granted but not yet seen done. */
  readonly disruptedPods: readonly string[];
}

/** A PriorityClass. */
export interface PriorityClass extends Named {
  readonly kind: 'PriorityClass';
  readonly value: number;
}

/** ReplicaSet, ReplicationController, StatefulSet, Deployment, DaemonSet, Job or CronJob. */
export interface Workload extends Named {
  readonly kind:
    'ReplicaSet' | 'ReplicationController' | 'StatefulSet' | 'Deployment' | 'DaemonSet' | 'Job' | 'CronJob';
  readonly owners: readonly Owner[];
  readonly selector: LabelSelector | undefined;
  /** What pods of its template ask for; undefined where the object has no template, or none that is read. */
  readonly templateRequests: TemplateRequests | undefined;
  /** Of a Job, with the API's default; undefined for the others. */
  readonly podReplacementPolicy: string | undefined;
}

/** Requests of a template: of its containers and init containers by name, and of the pod as a whole. */
export interface TemplateRequests {
  readonly containers: Readonly<Record<string, Resources>>;
  readonly pod: Resources | undefined;
}

/** A StatefulSet; `update` is what it makes changed pods from, undefined where the object has no template. */
export interface StatefulSet extends Workload {
  readonly kind: 'StatefulSet';
  readonly update: UpdateTemplate | undefined;
}

/** The newest template of a StatefulSet. */
export interface UpdateTemplate {
  /** `status.updateRevision`: what the label `controller-revision-hash` says of its pods. Empty where it is not known. */
  readonly revision: string;
  /** Pods with a lower ordinal are made from the template before. */
  readonly firstOrdinal: number;
  readonly labels: Labels;
  readonly spec: PodSpec;
  /** Names of the volumes that are claims of the pod's own: `<name>-<pod>`. */
  readonly claimVolumes: readonly string[];
}

/** A Service; an undefined selector selects nothing. */
export interface Service extends Named {
  readonly kind: 'Service';
  readonly selector: Labels | undefined;
}

/** A Lease. Times in ms since the epoch. */
export interface Lease extends Named {
  readonly kind: 'Lease';
  readonly holder: string;
  readonly renewedAt: number | undefined;
  readonly durationSeconds: number | undefined;
}

/** A PersistentVolumeClaim. */
export interface Claim extends Named {
  readonly kind: 'PersistentVolumeClaim';
  readonly annotations: Labels;
  readonly owners: readonly Owner[];
  readonly deletedAt: number | undefined;
  readonly accessModes: readonly string[];
  readonly storageClass: string | undefined;
  readonly volumeName: string;
  readonly volumeMode: string;
  readonly attributesClass: string | undefined;
  readonly requestBytes: number;
  readonly selector: LabelSelector | undefined;
  readonly phase: string;
}

/** A PersistentVolume. */
export interface Volume extends Named {
  readonly kind: 'PersistentVolume';
  readonly deletedAt: number | undefined;
  readonly accessModes: readonly string[];
  readonly storageClass: string;
  readonly volumeMode: string;
  readonly attributesClass: string | undefined;
  readonly capacityBytes: number;
  readonly nodeAffinity: readonly NodeSelectorTerm[] | undefined;
  readonly claimRef: { readonly namespace: string; readonly name: string; readonly uid: string } | undefined;
  readonly driver: string;
  readonly handle: string;
  readonly phase: string;
}

/** A StorageClass. */
export interface StorageClass extends Named {
  readonly kind: 'StorageClass';
  readonly provisioner: string;
  readonly waitsForConsumer: boolean;
  readonly isDefault: boolean;
  /** allowedTopologies: terms ORed, expressions ANDed. */
  readonly allowedTopologies: readonly { readonly key: string; readonly values: readonly string[] }[][];
}

/** Attach limits of one node: driver to count; a driver without a limit is absent. */
export interface CsiNode extends Named {
  readonly kind: 'CSINode';
  readonly limits: Readonly<Record<string, number>>;
}

/** A CSIDriver. */
export interface CsiDriver extends Named {
  readonly kind: 'CSIDriver';
  readonly storageCapacity: boolean;
}

/** A CSIStorageCapacity. */
export interface StorageCapacity extends Named {
  readonly kind: 'CSIStorageCapacity';
  readonly storageClass: string;
  readonly nodeTopology: LabelSelector | undefined;
  readonly capacityBytes: number | undefined;
  readonly maximumVolumeBytes: number | undefined;
}

/** A VolumeAttachment. */
export interface VolumeAttachment extends Named {
  readonly kind: 'VolumeAttachment';
  readonly attacher: string;
  readonly nodeName: string;
  readonly volumeName: string;
}

/** A ResourceClaim; `nodeSelector` undefined while unallocated or available everywhere. */
export interface ResourceClaim extends Named {
  readonly kind: 'ResourceClaim';
  readonly allocated: boolean;
  readonly nodeSelector: readonly NodeSelectorTerm[] | undefined;
}

/** Measured usage of a node: cpu in millicores, memory in bytes. */
export interface NodeMetrics extends Named {
  readonly kind: 'NodeMetrics';
  readonly usage: Resources;
}

/** Measured usage of a pod, all of its containers together; undefined without containers. */
export interface PodMetrics extends Named {
  readonly kind: 'PodMetrics';
  readonly usage: Resources | undefined;
}

/** Every kind besides Node and Pod that decisions read, by kind name. */
export interface OtherKinds {
  readonly Namespace: Namespace;
  readonly PodDisruptionBudget: DisruptionBudget;
  readonly PriorityClass: PriorityClass;
  readonly ReplicaSet: Workload;
  readonly ReplicationController: Workload;
  readonly StatefulSet: StatefulSet;
  readonly Deployment: Workload;
  readonly DaemonSet: Workload;
  readonly Job: Workload;
  readonly CronJob: Workload;
  readonly Service: Service;
  readonly Lease: Lease;
  readonly PersistentVolumeClaim: Claim;
  readonly PersistentVolume: Volume;
  readonly StorageClass: StorageClass;
  readonly CSINode: CsiNode;
  readonly CSIDriver: CsiDriver;
  readonly CSIStorageCapacity: StorageCapacity;
  readonly VolumeAttachment: VolumeAttachment;
  readonly ResourceClaim: ResourceClaim;
  readonly NodeMetrics: NodeMetrics;
  readonly PodMetrics: PodMetrics;
}

/** The name of one of the kinds that are read besides Node and Pod. */
export type OtherKind = keyof OtherKinds;
