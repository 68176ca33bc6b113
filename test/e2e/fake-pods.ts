import type { ApiObject, ControlPlane } from './control-plane.ts';

const MERGE = 'application/merge-patch+json';

/** What kubelets do to pods, for a control plane without any: bound pods run, terminating ones end after a moment. */
export class FakePods {
  readonly #plane: ControlPlane;
  readonly #endAfterMs: number;
  #isStopped = false;
  #running: Promise<void> = Promise.resolve();

  constructor(plane: ControlPlane, endAfterMs = 0) {
    this.#plane = plane;
    this.#endAfterMs = endAfterMs;
  }

  /** Looks at all pods again and again until it is stopped. */
  start(everyMs = 100): void {
    this.#running = this.#run(everyMs);
  }

  async stop(): Promise<void> {
    this.#isStopped = true;
    await this.#running;
  }

  async #run(everyMs: number): Promise<void> {
    while (!this.#isStopped) {
      // A server that is away is tried again next time, as kubelets do.
      await this.#once().catch(() => undefined);
      await new Promise((resolve) => setTimeout(resolve, everyMs));
    }
  }

  async #once(): Promise<void> {
    const { body } = await this.#plane.api('GET', '/api/v1/pods');
    const pods = (body['items'] ?? []) as readonly ApiObject[];
    await Promise.all(pods.map((pod) => this.#care(pod)));
  }

  async #care({ metadata, spec, status }: ApiObject): Promise<void> {
    const { namespace, name, uid, deletionTimestamp, deletionGracePeriodSeconds } = metadata as Metadata;
    const path = `/api/v1/namespaces/${namespace}/pods/${name}`;
    if ((spec as { nodeName?: string }).nodeName === undefined) return;
    if (deletionTimestamp !== undefined) {
      const since = Date.parse(deletionTimestamp) - (deletionGracePeriodSeconds ?? 0) * 1000;
      if (Date.now() - since < this.#endAfterMs) return;
      await this.#plane.api('DELETE', path, { gracePeriodSeconds: 0, preconditions: { uid } });
    } else if ((status as { phase?: string }).phase === 'Pending') {
      const now = new Date().toISOString();
      const conditions = [{ type: 'Ready', status: 'True', lastTransitionTime: now }];
      await this.#plane.api(
        'PATCH',
        `${path}/status`,
        { status: { phase: 'Running', startTime: now, conditions } },
        MERGE,
      );
    }
  }
}

interface Metadata {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly deletionTimestamp?: string;
  readonly deletionGracePeriodSeconds?: number;
}
