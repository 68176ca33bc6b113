import type { Pod } from '../../cluster/objects/pod.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { HistoryState, PastEviction } from './history.ts';
import type { Per } from './limits.ts';
import { LimitScopes, ownerScope, type LimitScope } from './limit-scope.ts';

/** What limits look at besides the pod. `now` is the start of the cycle, in ms since the epoch. */
export interface CountingView {
  readonly snapshot: Snapshot;
  readonly history: HistoryState;
  readonly now: number;
}

/** The evictions of earlier cycles and of this one, by whom they concern. */
export class Counting {
  readonly scopes: LimitScopes;
  readonly history: HistoryState;
  readonly now: number;
  readonly #counts = new Map<string, number>();

  constructor({ snapshot, history, now }: CountingView) {
    this.scopes = new LimitScopes(snapshot);
    this.history = history;
    this.now = now;
  }

  /** Enters an eviction of this cycle, or takes it back. */
  add(pod: Pod, change: 1 | -1): void {
    for (const per of ['total', 'node', 'namespace', 'owner'] as const) {
      const key = `${per} ${this.scopes.of(pod, per) ?? ''}`;
      this.#counts.set(key, (this.#counts.get(key) ?? 0) + change);
    }
  }

  /** How many pods the place has lost in this cycle. */
  booked(per: Per, scope: LimitScope): number {
    return this.#counts.get(`${per} ${scope}`) ?? 0;
  }

  /** By place, the moments of past evictions after `since`, in ascending order. */
  past(per: Per, since: number): ReadonlyMap<LimitScope, readonly number[]> {
    const moments = new Map<LimitScope, number[]>();
    const evictions = this.history.evictions.filter(({ at }) => at > since);
    for (const eviction of evictions.sort((a, b) => a.at - b.at)) {
      const scope = scopeOfPast(eviction, per);
      const known = moments.get(scope);
      if (known) known.push(eviction.at);
      else moments.set(scope, [eviction.at]);
    }
    return moments;
  }
}

function scopeOfPast({ namespace, owner, node }: PastEviction, per: Per): LimitScope {
  switch (per) {
    case 'total':
      return '';
    case 'namespace':
      return namespace;
    case 'node':
      return node;
    case 'owner':
      return ownerScope(namespace, owner);
  }
}
