import type { Pod } from '../../cluster/objects/pod.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { Per } from './limits.ts';
import { isReplica } from '../constraints/replicas.ts';
import { limitedOwner } from './workload-of.ts';

/** Whom one eviction concerns: `shop`, `n1`, `shop Deployment/web`; the whole cluster is the empty text. */
export type LimitScope = string;

/** Where a pod belongs in each of the ways in which limits count, and how many pods are there. */
export class LimitScopes {
  readonly #snapshot: Snapshot;
  readonly #owners = new WeakMap<Pod, string>();
  readonly #sizes = new Map<Per, ReadonlyMap<LimitScope, number>>();

  constructor(snapshot: Snapshot) {
    this.#snapshot = snapshot;
  }

  /** The place of a pod; undefined where it has none, as a pod without a node. */
  of(pod: Pod, per: Per): LimitScope | undefined {
    switch (per) {
      case 'total':
        return '';
      case 'namespace':
        return pod.namespace;
      case 'node':
        return pod.nodeName === '' ? undefined : pod.nodeName;
      case 'owner':
        return ownerScope(pod.namespace, this.owner(pod));
    }
  }

  /** `Deployment/web`: the owner that limits count the pod under. */
  owner(pod: Pod): string {
    const known = this.#owners.get(pod);
    if (known !== undefined) return known;
    const { name } = limitedOwner(pod, this.#snapshot);
    this.#owners.set(pod, name);
    return name;
  }

  /** How many pods the place has that are neither finished nor terminating, as minReplicas counts them. */
  size(per: Per, scope: LimitScope): number {
    let sizes = this.#sizes.get(per);
    if (!sizes) {
      sizes = this.#count(per);
      this.#sizes.set(per, sizes);
    }
    return sizes.get(scope) ?? 0;
  }

  #count(per: Per): ReadonlyMap<LimitScope, number> {
    const sizes = new Map<LimitScope, number>();
    for (const pod of this.#snapshot.pods) {
      const scope = isReplica(pod) ? this.of(pod, per) : undefined;
      if (scope !== undefined) sizes.set(scope, (sizes.get(scope) ?? 0) + 1);
    }
    return sizes;
  }
}

/** The place of an owner; neither part can hold a space. */
export function ownerScope(namespace: string, owner: string): LimitScope {
  return `${namespace} ${owner}`;
}

/** A place in words: `node n1`, `Deployment shop/web`. */
export function scopeText(per: Per, scope: LimitScope): string {
  if (per === 'total') return 'the cluster';
  if (per !== 'owner') return `${per} ${scope}`;
  const [namespace = '', owner = ''] = scope.split(' ');
  const slash = owner.indexOf('/');
  return `${owner.slice(0, slash)} ${namespace}/${owner.slice(slash + 1)}`;
}
