import type { ApiObject, ControlPlane } from './control-plane.ts';

const LEASES = '/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases';
const MERGE = 'application/merge-patch+json';
const CONDITIONS = '/status?fieldManager=kubelet';

/** Kubelets of a few nodes: they renew Leases and report status as long as they live, and run nothing. */
export class FakeKubelets {
  readonly #plane: ControlPlane;
  readonly #alive = new Set<string>();
  readonly #timer: NodeJS.Timeout;

  constructor(plane: ControlPlane, everyMs = 500) {
    this.#plane = plane;
    this.#timer = setInterval(() => void this.#renew(), everyMs);
  }

  /** Creates a ready node in a zone, with its Lease. */
  async add(name: string, zone: string): Promise<void> {
    const labels = { 'topology.kubernetes.io/region': 'eu', 'topology.kubernetes.io/zone': zone };
    const capacity = { cpu: '8', memory: '32Gi', pods: '500' };
    await this.#plane.create({
      apiVersion: 'v1',
      kind: 'Node',
      metadata: { name, labels },
      status: { capacity, allocatable: capacity, conditions: [ready()] },
    });
    await this.#plane.api('POST', LEASES, {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name, namespace: 'kube-node-lease' },
      spec: { holderIdentity: name, leaseDurationSeconds: 40, renewTime: microTime() },
    });
    this.#alive.add(name);
  }

  /** These say nothing any more. */
  silence(...names: readonly string[]): void {
    for (const name of names) this.#alive.delete(name);
  }

  /** These are back, and report themselves ready. */
  async revive(...names: readonly string[]): Promise<void> {
    for (const name of names) this.#alive.add(name);
    await this.#renew();
    const report = (name: string) =>
      this.#plane.api(
        'PATCH',
        `/api/v1/nodes/${name}${CONDITIONS}`,
        { status: { conditions: [ready()] } },
        'application/strategic-merge-patch+json',
      );
    await Promise.all(names.map(report));
  }

  stop(): void {
    clearInterval(this.#timer);
  }

  /** A server that is away is tried again next time, as kubelets do. */
  async #renew(): Promise<void> {
    const renew = (name: string) =>
      this.#plane.api('PATCH', `${LEASES}/${name}`, { spec: { renewTime: microTime() } }, MERGE).catch(() => undefined);
    await Promise.all([...this.#alive].map(renew));
  }
}

function ready(): ApiObject {
  const now = new Date().toISOString();
  return {
    ...{ type: 'Ready', status: 'True', reason: 'KubeletReady', message: 'kubelet is posting ready status' },
    ...{ lastHeartbeatTime: now, lastTransitionTime: now },
  };
}

function microTime(): string {
  return new Date().toISOString().replace('Z', '000Z');
}
