import { basename, dirname } from 'node:path';
import { isRecord } from '../cluster/decode/decode-json.ts';
import { isReadKind, TABLE, type ReadKind } from '../cluster/decode/decode-table.ts';

type Json = Readonly<Record<string, unknown>>;

const SHORT_NAMES: readonly (readonly [string, ReadKind])[] = [
  ['pdbs', 'PodDisruptionBudget'],
  ['pvs', 'PersistentVolume'],
  ['pvcs', 'PersistentVolumeClaim'],
];
const BY_NAME: ReadonlyMap<string, ReadKind> = new Map([
  ...Object.keys(TABLE)
    .filter(isReadKind)
    .filter((kind) => !kind.endsWith('Metrics'))
    .flatMap((kind) => [[kind.toLowerCase(), kind] as const, [pluralOf(kind.toLowerCase()), kind] as const]),
  ...SHORT_NAMES,
]);
const METRICS: Readonly<Record<string, ReadKind>> = { Node: 'NodeMetrics', Pod: 'PodMetrics' };

/** The kind that a file's name says: `pods.json`, `core_v1_pods.json.gz`, `pod-disruption-budgets.yaml`. */
export function kindByFileName(file: string): ReadKind | undefined {
  const stem = basename(file)
    .toLowerCase()
    .replace(/(\.(jsonl?|ndjson|ya?ml|gz))+$/, '');
  return kindByWord(stem);
}

/** The kind that one of the two folders above says: `pods/kube-system.json`, `pod/kube-system/web-1.json`. */
export function kindByFolder(file: string): ReadKind | undefined {
  const parent = dirname(file);
  return kindByWord(basename(parent).toLowerCase()) ?? kindByWord(basename(dirname(parent)).toLowerCase());
}

/** The kind that an object without one must have, by the fields it has. */
export function kindByShape(json: unknown): ReadKind | undefined {
  if (!isRecord(json) || !isRecord(json.metadata)) return undefined;
  const parts = { top: json, spec: recordOf(json.spec), status: recordOf(json.status) };
  return SHAPES.find(([, isIt]) => isIt(parts))?.[0];
}

interface Parts {
  readonly top: Json;
  readonly spec: Json;
  readonly status: Json;
}

// First match wins; what two kinds share stands below what only one of them has.
const SHAPES: readonly (readonly [ReadKind, (parts: Parts) => boolean])[] = [
  ['Pod', ({ spec }) => Array.isArray(spec.containers)],
  [
    'Node',
    ({ spec, status }) => has(status, 'nodeInfo', 'allocatable') || has(spec, 'podCIDR', 'providerID', 'taints'),
  ],
  ['CronJob', ({ spec }) => has(spec, 'jobTemplate')],
  ['Job', ({ spec }) => has(spec, 'template') && has(spec, 'completions', 'parallelism', 'backoffLimit')],
  ['StatefulSet', ({ spec }) => has(spec, 'template') && has(spec, 'serviceName', 'podManagementPolicy')],
  ['Deployment', ({ spec }) => has(spec, 'template') && has(spec, 'strategy', 'progressDeadlineSeconds')],
  ['DaemonSet', ({ spec }) => has(spec, 'template') && has(spec, 'updateStrategy')],
  ['ReplicaSet', ({ spec }) => has(spec, 'template') && isRecord(spec.selector) && has(spec.selector, 'matchLabels')],
  ['ReplicationController', ({ spec }) => has(spec, 'template') && has(spec, 'replicas')],
  [
    'PodDisruptionBudget',
    ({ spec, status }) => has(spec, 'minAvailable', 'maxUnavailable') || has(status, 'disruptionsAllowed'),
  ],
  ['PersistentVolume', ({ spec }) => has(spec, 'capacity', 'claimRef', 'persistentVolumeReclaimPolicy')],
  ['PersistentVolumeClaim', ({ spec }) => has(spec, 'accessModes')],
  ['Service', ({ spec }) => has(spec, 'clusterIP', 'externalName', 'sessionAffinity')],
  ['Lease', ({ spec }) => has(spec, 'holderIdentity', 'renewTime')],
  ['CSINode', ({ spec }) => has(spec, 'drivers')],
  ['VolumeAttachment', ({ spec }) => has(spec, 'attacher')],
  ['CSIDriver', ({ spec }) => has(spec, 'attachRequired', 'podInfoOnMount')],
  ['StorageClass', ({ top }) => has(top, 'provisioner')],
  ['CSIStorageCapacity', ({ top }) => has(top, 'storageClassName')],
  ['PriorityClass', ({ top }) => typeof top.value === 'number'],
  ['NodeMetrics', ({ top }) => has(top, 'usage')],
  ['PodMetrics', ({ top }) => Array.isArray(top.containers)],
  ['Namespace', ({ spec, status }) => has(spec, 'finalizers') || status.phase === 'Active'],
];

function kindByWord(word: string): ReadKind | undefined {
  const parts = word.split('_');
  const kind = BY_NAME.get((parts.at(-1) ?? '').replaceAll('-', ''));
  return kind && word.startsWith('metrics') ? METRICS[kind] : kind;
}

function pluralOf(word: string): string {
  if (word.endsWith('y')) return `${word.slice(0, -1)}ies`;
  return word.endsWith('s') ? `${word}es` : `${word}s`;
}

function recordOf(json: unknown): Json {
  return isRecord(json) ? json : {};
}

function has(json: Json, ...keys: readonly string[]): boolean {
  return keys.some((key) => json[key] !== undefined && json[key] !== null);
}
