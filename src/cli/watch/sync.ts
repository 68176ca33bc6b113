import type { ReadKind } from '../../cluster/decode/decode-table.ts';
import type { ClusterStore } from '../../cluster/store.ts';
import type { ApiServer } from '../../kube/http/api-server.ts';
import { ClusterError, clusterError } from '../../kube/http/cluster-error.ts';
import type { ApiFailure } from '../../kube/http/failure.ts';

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

/** Which kinds are there, which are unknown, and who waits for that. */
export class Sync {
  readonly #kinds: readonly WatchedKind[];
  readonly #store: ClusterStore;
  readonly #server: ApiServer;
  readonly #refusals = new Map<ReadKind, ApiFailure>();
  readonly #waiting = new Set<() => void>();

  constructor(kinds: readonly WatchedKind[], store: ClusterStore, server: ApiServer) {
    this.#kinds = kinds;
    this.#store = store;
    this.#server = server;
    for (const { kind } of kinds) store.whenSynced([kind], () => this.#settle());
  }

  /** Kinds that were refused and have never come; each is tried on, so that it may come yet. */
  get unknown(): readonly { readonly kind: ReadKind; readonly why: string }[] {
    return [...this.#refusals]
      .filter(([kind]) => !this.#store.isSynced(kind))
      .map(([kind, { message }]) => ({ kind, why: message }));
  }

  /** Takes a failure; says whether it makes the kind unknown and whoever waits for it hears of that. */
  refused(kind: ReadKind, failure: ApiFailure): boolean {
    const { kind: why } = failure;
    const isRefusal = why === 'forbidden' || why === 'not-found' || why === 'certificate' || why === 'unauthorized';
    if (!isRefusal || this.#store.isSynced(kind)) return false;
    const isNews = !this.#refusals.has(kind);
    this.#refusals.set(kind, failure);
    this.#settle();
    return !isNews || this.#error() !== undefined;
  }

  whenDone(signal: AbortSignal): Promise<void> {
    return new Promise((resolve, reject) => {
      const settle = () => {
        const error = signal.aborted ? new ClusterError('ended by a signal while the cluster was read') : this.#error();
        if (!error && !this.#isDone()) return;
        this.#waiting.delete(settle);
        signal.removeEventListener('abort', settle);
        if (error) reject(error);
        else resolve();
      };
      this.#waiting.add(settle);
      signal.addEventListener('abort', settle);
      settle();
    });
  }

  /** Why the program cannot do its work, as long as that lasts. */
  #error(): ClusterError | undefined {
    const missing = this.#kinds.find(
      ({ kind, isRequired }) => isRequired && !this.#store.isSynced(kind) && this.#refusals.has(kind),
    );
    const failure = missing && this.#refusals.get(missing.kind);
    if (!failure) return undefined;
    const address = this.#server.address();
    const what = `cannot watch ${missing.kind} objects of ${address}: ${failure.message}`;
    if (failure.kind === 'forbidden') return new ClusterError(`${what}; grant list and watch on them`);
    return clusterError(what, failure, address);
  }

  #isDone(): boolean {
    return this.#kinds.every(({ kind }) => this.#store.isSynced(kind) || this.#refusals.has(kind));
  }

  #settle(): void {
    for (const settle of [...this.#waiting]) settle();
  }
}
