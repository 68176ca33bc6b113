import type { Pod } from '../cluster/objects/pod.ts';
import type { ClusterStore } from '../cluster/store.ts';
import type { Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { WorkQueue, type WorkResult } from '../lib/work-queue.ts';
import type { ObserveLifecycle } from '../outcomes/lifecycle.ts';
import type { NodeLifecyclePorts } from './ports.ts';
import type { NodeHealthMap } from './node-health-map.ts';

/** What marking pods needs. */
export interface MarkPodsParts {
  readonly store: ClusterStore;
  readonly nodes: NodeHealthMap;
  readonly ports: Pick<NodeLifecyclePorts, 'patchPodStatus' | 'recordEvent'>;
  readonly clock: Clock;
  readonly observe: ObserveLifecycle;
  /** Spreads the retries of what failed together. */
  readonly random?: Random | undefined;
}

/**
 * Sets the Ready condition of pods to False when their node is not ready, so that services stop sending to them. A pod that
 * could not be marked comes back until it is, or its node is ready again.
 */
export class MarkPods {
  readonly #parts: MarkPodsParts;
  readonly #queue: WorkQueue;

  constructor(parts: MarkPodsParts) {
    this.#parts = parts;
    this.#queue = new WorkQueue({
      clock: parts.clock,
      random: parts.random,
      workers: 16,
      backoff: { baseMs: 100, capMs: 10_000 },
      work: (uid) => this.#mark(uid),
    });
  }

  /** Marks all pods of a node. */
  markAll(nodeName: string): void {
    for (const pod of this.#parts.store.podsOn(nodeName)) this.mark(pod);
  }

  /** Marks one pod. */
  mark(pod: Pod): void {
    if (isReady(pod)) this.#queue.add(pod.uid);
  }

  /** Begins no further write, and resolves when those under way have ended. */
  stop(): Promise<void> {
    return this.#queue.stop();
  }

  async #mark(uid: string): Promise<WorkResult> {
    const { store, nodes, ports, clock, observe } = this.#parts;
    const pod = store.pod(uid);
    const entry = pod && nodes.entry(pod.nodeName);
    if (!pod || !isReady(pod) || (entry?.current !== 'False' && entry?.current !== 'Unknown')) return 'done';
    const condition = { type: 'Ready', status: 'False', transitionAt: clock.wall() };
    const answer = await ports.patchPodStatus({ pod, condition });
    if (answer.ok) {
      observe({ kind: 'pod-marked-not-ready', pod, node: entry.name });
      const regarding = { kind: 'Pod', namespace: pod.namespace, name: pod.name, uid } as const;
      ports.recordEvent({ regarding, type: 'Warning', reason: 'NodeNotReady', message: 'Node is not ready' });
      return 'done';
    }
    if (answer.failure.kind === 'not-found' || answer.failure.kind === 'conflict') return 'done';
    const what = `mark pod ${pod.namespace}/${pod.name} not ready`;
    observe({ kind: 'call-failed', node: entry.name, what, error: answer.failure.message });
    return 'retry';
  }
}

/** Has a Ready condition that is not False yet; a pod without one is left alone. */
function isReady({ status }: Pod): boolean {
  return status.conditions.some((condition) => condition.type === 'Ready' && condition.status !== 'False');
}
