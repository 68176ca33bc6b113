import type { Lease } from '../cluster/objects/kinds.ts';

interface Kubelet {
  readonly isRunning: boolean;
  /** When it began to renew, or its last renewal, in ms of the monotonic clock, which is its own clock. */
  readonly at: number;
}

/** A kubelet renews its Lease that often (https://kubernetes.io/docs/concepts/architecture/nodes/#node-heartbeats). */
const RENEWAL_MS = 10_000;

/**
 * The kubelets of a simulated cluster, which renew Leases. When a Lease was last renewed is computed when somebody looks, so
 * that a thousand nodes, responding or not, cost nothing in between.
 */
export class Kubelets {
  readonly #kubelets = new Map<string, Kubelet>();
  readonly #leases = new Map<string, Lease>();

  /** Lets the node's kubelet renew its Lease from now on, at once for the first time. */
  start(nodeName: string, now: number): void {
    if (!this.isRunning(nodeName)) this.#kubelets.set(nodeName, { isRunning: true, at: now });
  }

  /** Ends it; a renewal that is due at this very moment has been made. */
  stop(nodeName: string, now: number): void {
    const renewedAt = this.#renewedAt(nodeName, now);
    if (renewedAt !== undefined) this.#kubelets.set(nodeName, { isRunning: false, at: renewedAt });
  }

  /** Forgets the kubelet and its Lease, with the node. */
  remove(nodeName: string): void {
    this.#kubelets.delete(nodeName);
    this.#leases.delete(nodeName);
  }

  /** Whether the node's kubelet is alive. */
  isRunning(nodeName: string): boolean {
    return this.#kubelets.get(nodeName)?.isRunning === true;
  }

  /** The node's Lease as the API server has it now. */
  lease(nodeName: string, now: number): Lease | undefined {
    const renewedAt = this.#renewedAt(nodeName, now);
    if (renewedAt === undefined) return undefined;
    const known = this.#leases.get(nodeName);
    if (known?.renewedAt === renewedAt) return known;
    const identity = { name: nodeName, namespace: 'kube-node-lease', uid: `lease-${nodeName}`, labels: NO_LABELS };
    const lease: Lease = { kind: 'Lease', ...identity, holder: nodeName, renewedAt, durationSeconds: 40 };
    this.#leases.set(nodeName, lease);
    return lease;
  }

  #renewedAt(nodeName: string, now: number): number | undefined {
    const kubelet = this.#kubelets.get(nodeName);
    if (!kubelet?.isRunning) return kubelet?.at;
    return kubelet.at + Math.floor((now - kubelet.at) / RENEWAL_MS) * RENEWAL_MS;
  }
}

const NO_LABELS = Object.freeze({});
