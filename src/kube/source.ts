import { Decoder, type Objects } from '../cluster/decode.ts';
import type { ReadKind } from '../cluster/decode-table.ts';
import type { ClusterContents } from '../cluster/snapshot.ts';
import type { Clock } from '../lib/clock.ts';
import type { ApiFailure } from './failure.ts';
import { listAll } from './list.ts';
import type { Transport } from './transport.ts';

/** Where each kind is listed. Nodes and pods are required, every other kind may be unknown (scheduler.md 4.6). */
const PATHS = {
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

/** Kinds that only measured usage needs. */
const METRICS: ReadonlySet<LiveKind> = new Set(['NodeMetrics', 'PodMetrics']);

/** All kinds that a cycle reads, in the order of listing. */
export const LIVE_KINDS = Object.keys(PATHS) as LiveKind[];

/** The cluster could not be read; `failure` says why, `message` what to do. */
export class ClusterError extends Error {
  override readonly name = 'ClusterError';

  constructor(
    message: string,
    readonly failure: ApiFailure,
  ) {
    super(message);
  }
}

/** How a cluster is read. */
export interface ReadOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Whether NodeMetrics and PodMetrics are wanted, too. */
  readonly metrics?: boolean;
  readonly onProgress?: (kind: LiveKind, fetched: number, remaining: number | undefined) => void;
}

/** A fresh list of everything, and a warning for each kind that could not be read. */
export interface LiveCluster {
  readonly contents: ClusterContents;
  readonly warnings: readonly string[];
}

/** Lists the cluster afresh. Throws ClusterError if nodes or pods cannot be had, or the server fails for any kind. */
export async function readCluster(transport: Transport, options: ReadOptions): Promise<LiveCluster> {
  const decoder = new Decoder();
  const found = new Map<LiveKind, readonly Objects[LiveKind][]>();
  const warnings: string[] = [];
  const list = async (kind: LiveKind) => {
    const answer = await listKind(kind, transport, { ...options, decoder });
    if (answer.ok) found.set(kind, answer.value.items);
    else warnings.push(unknownKind(kind, answer.failure, transport.server()));
  };
  // Pods and nodes first: if they cannot be had, nothing else matters.
  await Promise.all([list('Pod'), list('Node')]);
  const others = LIVE_KINDS.filter(
    (kind) => kind !== 'Pod' && kind !== 'Node' && (options.metrics || !METRICS.has(kind)),
  );
  await Promise.all(others.map(list));
  const {
    Pod: pods = [],
    Node: nodes = [],
    ...rest
  } = Object.fromEntries(found) as Partial<{ [K in LiveKind]: Objects[K][] }>;
  return { contents: { pods, nodes, others: rest }, warnings: warnings.sort() };
}

function listKind<K extends LiveKind>(
  kind: K,
  transport: Transport,
  options: ReadOptions & { readonly decoder: Decoder },
) {
  const decode = (item: unknown) => options.decoder.decodeObject(item, kind)?.object as Objects[K] | undefined;
  return listAll<Objects[K]>(
    transport,
    { path: PATHS[kind], decode },
    {
      clock: options.clock,
      signal: options.signal,
      onProgress: (fetched, remaining) => options.onProgress?.(kind, fetched, remaining),
    },
  );
}

/** A kind that may not be listed, or that the server does not have, is unknown; anything else ends the cycle. */
function unknownKind(kind: LiveKind, failure: ApiFailure, server: string): string {
  const required = kind === 'Pod' || kind === 'Node';
  const absent = failure.kind === 'forbidden' || failure.kind === 'not-found';
  if (required || !absent) throw new ClusterError(cannotList(kind, failure, server), failure);
  const why = failure.kind === 'forbidden' ? 'may not be listed' : 'does not exist on this server';
  return `${kind} ${why}: rules that read it are skipped (${failure.message})`;
}

function cannotList(kind: LiveKind, failure: ApiFailure, server: string): string {
  const what = `cannot list ${PATHS[kind].split('/').at(-1) ?? kind}: ${failure.message}`;
  switch (failure.kind) {
    case 'unauthorized':
      return `${what}. ${server} does not accept these credentials: renew the token or log in again`;
    case 'forbidden':
      return `${what}. Grant get, list and watch on it (manifests/base/rbac.yaml)`;
    case 'not-found':
    case 'invalid':
      return `${what}. ${server} does not look like a Kubernetes API server: check the server's address`;
    case 'certificate':
      return what;
    case 'aborted':
      return 'the run was ended while the cluster was being read';
    default:
      return `${what}. Check that ${server} can be reached and is healthy`;
  }
}
