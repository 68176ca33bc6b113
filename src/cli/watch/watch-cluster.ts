import type { ReadKind } from '../../cluster/decode/decode-table.ts';
import { ClusterStore } from '../../cluster/store.ts';
import type { ApiServer } from '../../kube/http/api-server.ts';
import type { ApiFailure } from '../../kube/http/failure.ts';
import { ListWatch, type WatchState } from '../../kube/watch/list-watch.ts';
import type { Clock } from '../../lib/clock.ts';
import { Sync, type WatchedKind } from './sync.ts';

/** A store that is kept as the cluster is. */
export interface WatchedCluster {
  readonly store: ClusterStore;
  /** Resolves when every kind is synced or known to be unknown; rejects with ClusterError for a required one, and on abort. */
  readonly synced: (signal: AbortSignal) => Promise<void>;
  /** Kinds that may not be read, and why. */
  readonly unknown: () => readonly { readonly kind: ReadKind; readonly why: string }[];
  readonly states: () => readonly { readonly kind: ReadKind; readonly state: WatchState }[];
  stop(): Promise<void>;
}

/** What it works with. */
export interface WatchParts {
  readonly server: ApiServer;
  readonly clock: Clock;
  readonly warn: (message: string) => void;
  readonly onChange?: () => void;
}

/** Watches these kinds into one store. What goes wrong is said once until it goes well again, or goes wrong in another way. */
export function watchCluster(
  kinds: readonly WatchedKind[],
  { server, clock, warn, onChange }: WatchParts,
): WatchedCluster {
  const store = new ClusterStore();
  const sync = new Sync(kinds, store, server);
  const said = new Map<ReadKind, string>();
  const watches = kinds.map(({ kind, path }) => {
    const onFailure = (failure: ApiFailure) => {
      // Want of credentials is said where they are read.
      if (sync.refused(kind, failure) || failure.kind === 'no-credentials') return;
      if (said.get(kind) !== failure.message) warn(`watching ${path}: ${failure.message}; trying again`);
      said.set(kind, failure.message);
    };
    const watch = new ListWatch({
      ...{ kind, path, call: server.call, store, clock, random: Math.random, onFailure },
      onState: (state) => {
        if (state === 'watching') said.delete(kind);
      },
    });
    watch.start();
    return { kind, watch };
  });
  if (onChange) store.subscribe(onChange);
  return {
    store,
    synced: (signal) => sync.whenDone(signal),
    unknown: () => sync.unknown,
    states: () => watches.map(({ kind, watch }) => ({ kind, state: watch.state })),
    async stop() {
      await Promise.all(watches.map(({ watch }) => watch.stop()));
    },
  };
}
