import { isRecord, pruneJson, readJson } from './decode-json.ts';
import { Interner } from './decode-interner.ts';
import { nodeOf } from './decode-node.ts';
import { podOf } from './decode-pod.ts';
import * as storage from './decode-storage.ts';
import { FIELDS, isReadKind, MARKS, type FieldsOf, type ReadKind } from './decode-table.ts';
import * as workloads from './decode-workloads.ts';
import type { OtherKinds } from '../objects/kinds.ts';
import type { Node } from '../objects/node.ts';
import type { Pod } from '../objects/pod.ts';

/** The domain types by kind. */
export interface Objects extends OtherKinds {
  readonly Node: Node;
  readonly Pod: Pod;
}

/** One object of the cluster; `resourceVersion` (empty where absent) tells copies of it apart. */
export interface Decoded {
  readonly object: Objects[ReadKind];
  readonly resourceVersion: string;
}

type Builders = { readonly [K in ReadKind]: (fields: FieldsOf<K>) => Objects[K] };

const BUILDERS: Builders = {
  Node: nodeOf,
  Pod: podOf,
  Namespace: workloads.namespaceOf,
  PodDisruptionBudget: workloads.budgetOf,
  PriorityClass: workloads.priorityClassOf,
  ReplicaSet: workloads.controllerOf('ReplicaSet'),
  ReplicationController: workloads.replicationControllerOf,
  StatefulSet: workloads.statefulSetOf,
  Deployment: workloads.ownerOf('Deployment'),
  DaemonSet: workloads.controllerOf('DaemonSet'),
  Job: workloads.controllerOf('Job'),
  CronJob: workloads.ownerOf('CronJob'),
  Service: workloads.serviceOf,
  Lease: workloads.leaseOf,
  PersistentVolumeClaim: storage.claimOf,
  PersistentVolume: storage.volumeOf,
  StorageClass: storage.storageClassOf,
  CSINode: storage.csiNodeOf,
  CSIDriver: storage.csiDriverOf,
  CSIStorageCapacity: storage.storageCapacityOf,
  VolumeAttachment: storage.attachmentOf,
  ResourceClaim: workloads.resourceClaimOf,
  NodeMetrics: workloads.nodeMetricsOf,
  PodMetrics: workloads.podMetricsOf,
};

/**
 * Turns API objects into the values of this folder. Owns what equal objects share: pods with equal specs hold one spec,
 * equal labels are one map. No input makes it throw.
 */
export class Decoder {
  readonly interner = new Interner();

  /** The object, if its kind (its own, else the one given) is read and it has a name. */
  decodeObject(json: unknown, givenKind?: string): Decoded | undefined {
    const kind = kindOf(json) ?? givenKind;
    if (kind === undefined || !isReadKind(kind)) return undefined;
    const fields = readJson<FieldsOf<ReadKind>>(FIELDS[kind], json, this.interner);
    return fields && this.decodeFields(kind, fields);
  }

  /** The object from fields that were read by the table; undefined for one without a name. */
  decodeFields<K extends ReadKind>(kind: K, fields: FieldsOf<K>): Decoded | undefined {
    if (!fields.metadata?.name) return undefined;
    const object = BUILDERS[kind](fields);
    return { object, resourceVersion: fields.metadata.resourceVersion ?? '' };
  }

  /** The latest creation, start, transition, heartbeat or renewal among all objects read, in ms since the epoch. */
  get latestTime(): number | undefined {
    return this.interner.latestTime;
  }
}

/** The object's own `kind`, if it says one. */
export function kindOf(json: unknown): string | undefined {
  return isRecord(json) && typeof json.kind === 'string' && json.kind !== '' ? json.kind : undefined;
}

/**
 * The object with only the fields that decisions read, shaped as the API has it: no secrets, environment, commands,
 * arguments, managed fields, nor annotations that mean nothing here, nor values of those that only have to be there. Undefined
 * for a kind that is not read.
 */
export function pruneObject(kind: string, json: unknown): Readonly<Record<string, unknown>> | undefined {
  if (!isReadKind(kind) || !isRecord(json)) return undefined;
  const pruned = pruneJson(FIELDS[kind], json);
  const version = typeof json.apiVersion === 'string' ? { apiVersion: json.apiVersion } : {};
  return { ...version, kind, ...(isRecord(pruned) ? withBareMarks(pruned) : {}) };
}

/** What a mark says is nobody's business. */
function withBareMarks(pruned: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  const { metadata } = pruned;
  if (!isRecord(metadata) || !isRecord(metadata['annotations'])) return pruned;
  const annotations = Object.entries(metadata['annotations']).map(
    ([key, value]) => [key, MARKS.has(key) && value !== 'false' ? '' : value] as const,
  );
  return { ...pruned, metadata: { ...metadata, annotations: Object.fromEntries(annotations) } };
}
