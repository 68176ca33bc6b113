import type { ReadKind } from '../cluster/decode-table.ts';
import { ClusterStore } from '../cluster/store.ts';
import type { ApiServer } from '../kube/api-server.ts';
import { ClusterError } from '../kube/cluster-error.ts';
import type { ApiFailure } from '../kube/failure.ts';
import { ListWatch, type WatchState } from '../kube/list-watch.ts';
import { systemClock } from '../lib/clock.ts';

/** A kind that is watched. */
export interface WatchedKind {
  readonly kind: ReadKind;
  /** Of its collection. */
  readonly path: string;
  /** Whether the program cannot do without it; any other one that may not be read is unknown. */
  readonly isRequired: boolean;
}

/** Node Leases: the other Leases of a cluster say nothing about nodes. */
export const NODE_LEASES: WatchedKind = {
  ...{ kind: 'Lease', isRequired: true },
  path: '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases',
};

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
  readonly warn: (message: string) => void;
  readonly onChange?: () => void;
}

/** Watches these kinds into one store. */
export function watchCluster(kinds: readonly WatchedKind[], { server, warn, onChange }: WatchParts): WatchedCluster {
  const store = new ClusterStore();
  const sync = new Sync(kinds, store, server);
  const watches = kinds.map(({ kind, path }) => {
    const onFailure = (failure: ApiFailure) => {
      if (!sync.refused(kind, failure)) warn(`watching ${path}: ${failure.message}`);
    };
    const clock = systemClock;
    const watch = new ListWatch({ kind, path, call: server.call, store, clock, random: Math.random, onFailure });
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

/** Which kinds are there, which are unknown, and who waits for that. */
class Sync {
  readonly #kinds: readonly WatchedKind[];
  readonly #store: ClusterStore;
  readonly #server: ApiServer;
  readonly #unknown = new Map<ReadKind, string>();
  readonly #waiting: { readonly resolve: () => void; readonly reject: (error: Error) => void }[] = [];
  #error: ClusterError | undefined;

  constructor(kinds: readonly WatchedKind[], store: ClusterStore, server: ApiServer) {
    this.#kinds = kinds;
    this.#store = store;
    this.#server = server;
    for (const { kind } of kinds) store.whenSynced([kind], () => this.#settle());
  }

  get unknown(): readonly { readonly kind: ReadKind; readonly why: string }[] {
    return [...this.#unknown].filter(([kind]) => !this.#store.isSynced(kind)).map(([kind, why]) => ({ kind, why }));
  }

  /** Takes a failure; says whether it makes the kind unknown. One that was known before goes on being tried. */
  refused(kind: ReadKind, { kind: why, message }: ApiFailure): boolean {
    const isRefusal = why === 'forbidden' || why === 'not-found' || why === 'certificate' || why === 'unauthorized';
    if (!isRefusal || this.#store.isSynced(kind)) return false;
    const isNews = !this.#unknown.has(kind);
    this.#unknown.set(kind, message);
    if (this.#kinds.some((it) => it.kind === kind && it.isRequired)) {
      const server = this.#server.address();
      this.#error ??= new ClusterError(
        `cannot watch ${kind} objects of ${server}: ${message}; grant list and watch on them`,
      );
    }
    this.#settle();
    return !isNews || this.#error !== undefined;
  }

  whenDone(signal: AbortSignal): Promise<void> {
    if (this.#isDone() && !this.#error) return Promise.resolve();
    return new Promise((resolve, reject) => {
      this.#waiting.push({ resolve, reject });
      const stopped = () => reject(new ClusterError('ended by a signal while the cluster was read'));
      signal.addEventListener('abort', stopped, { once: true });
      if (signal.aborted) stopped();
      this.#settle();
    });
  }

  #isDone(): boolean {
    return this.#kinds.every(({ kind }) => this.#store.isSynced(kind) || this.#unknown.has(kind));
  }

  #settle(): void {
    if (!this.#isDone() && !this.#error) return;
    for (const { resolve, reject } of this.#waiting.splice(0)) {
      if (this.#error) reject(this.#error);
      else resolve();
    }
  }
}
