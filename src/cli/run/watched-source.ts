import { Snapshot } from '../../cluster/snapshot.ts';
import type { ClusterSource } from '../../descheduler/ports.ts';
import type { ApiServer } from '../../kube/http/api-server.ts';
import { isRequired, kindsToRead, PATHS, type LiveKind } from '../../kube/http/paths.ts';
import { readCluster } from '../../kube/watch/source.ts';
import type { Clock } from '../../lib/clock.ts';
import type { WatchedKind } from '../watch/sync.ts';
import type { WatchedCluster } from '../watch/watch-cluster.ts';

/** All kinds that a cycle reads and that can be watched. */
export function watchedKinds(): readonly WatchedKind[] {
  return kindsToRead(false).map((kind) => ({ kind, path: PATHS[kind], isRequired: isRequired(kind) }));
}

/** What it works with. */
export interface WatchedSourceParts {
  readonly cluster: WatchedCluster;
  /** For cycles in which a watch is not at work. */
  readonly fresh: ClusterSource;
  readonly server: ApiServer;
  /** Whether measured usage is wanted, which cannot be watched. */
  readonly metrics: boolean;
  readonly clock: Clock;
}

const METRICS: readonly LiveKind[] = ['NodeMetrics', 'PodMetrics'];

/** The cluster as the watches have it. While one of them is not at work, what it would show may be old: then a fresh list. */
export function watchedSource({ cluster, fresh, server, metrics, clock }: WatchedSourceParts): ClusterSource {
  return async (signal) => {
    await cluster.synced(signal);
    const { store } = cluster;
    const isBehind = cluster.states().some(({ kind, state }) => state !== 'watching' && store.isSynced(kind));
    if (isBehind) return fresh(signal);
    const now = new Date(clock.wall()).toISOString();
    const options = { clock, signal, kinds: METRICS };
    const measured = metrics ? await readCluster(server, options) : { contents: { others: {} }, warnings: [] };
    const { nodes, pods, others } = store.contents();
    return {
      snapshot: new Snapshot({ nodes, pods, others: { ...others, ...measured.contents.others } }),
      source: { kind: 'cluster', name: server.address(), now, nowFrom: 'clock' },
      warnings: [...unknownKinds(cluster), ...measured.warnings].sort(),
    };
  };
}

function unknownKinds(cluster: WatchedCluster): readonly string[] {
  return cluster
    .unknown()
    .map(({ kind, why }) => `${kind} objects cannot be read (${why}): rules that read them are skipped`);
}
