import type { StoreChange, ClusterStore } from '../cluster/store.ts';
import { momentOf, wallTime, type Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { WorkQueue, type WorkResult } from '../lib/work-queue.ts';
import type { PodOutcome } from '../outcomes/lifecycle.ts';
import { CarryOut } from './carry-out.ts';
import type { Deadline } from './deadline.ts';
import type { EvictionTimer } from './eviction-timer.ts';
import { EvictionTimers } from './eviction-timers.ts';
import { READINESS_KEYS } from './observed-taints.ts';
import type { TaintEvictionOptions } from './options.ts';
import { pendingOf, type Pending } from './pending.ts';
import type { TaintEvictionPorts } from './ports.ts';
import { goingReason, podEvent } from './reasons.ts';
import { stampsOf } from './stamps.ts';

/** What the controller works with. */
export interface TaintEvictionParts {
  readonly store: ClusterStore;
  readonly clock: Clock;
  readonly ports: TaintEvictionPorts;
  readonly options: TaintEvictionOptions;
  readonly observe: (outcome: PodOutcome) => void;
  /** Spreads the retries of what failed together. */
  readonly random?: Random | undefined;
  /** Whether evictions from this node wait for now because of its zone; asked for readiness taints. */
  readonly isPaused?: (nodeName: string) => boolean;
}

const PAUSED: WorkResult = { afterMs: 5_000 };

/**
 * Deletes pods from nodes with NoExecute taints when their tolerated time is over. Knows only what the store says, and nothing of who wrote the taints; does nothing before nodes and pods are synced.
 */
export class TaintEvictionController {
  readonly #parts: TaintEvictionParts;
  readonly #timers: EvictionTimers;
  readonly #removals: WorkQueue;
  readonly #stamps: WorkQueue;
  #unsubscribe: () => void = () => undefined;
  #isStopped = false;

  constructor(parts: TaintEvictionParts) {
    this.#parts = parts;
    const { clock, options, random, store } = parts;
    const { concurrency: workers, backoff } = options;
    this.#timers = new EvictionTimers(store, clock, {
      due: ({ pod }) => this.#removals.add(pod.uid),
      scheduled: (timer, deadline) => this.#onScheduled(timer, deadline),
      cancelled: (timer, reason, wasDue) => this.#onCancelled(timer, reason, wasDue),
      kept: ({ pod }, reason) => parts.observe({ kind: 'pod-kept', pod, reason }),
    });
    const carryOut = new CarryOut({
      ...parts,
      timers: this.#timers,
      begin: (pod) => parts.ports.recordEvent(podEvent('Marking for deletion', pod)),
    });
    this.#removals = new WorkQueue({
      ...{ clock, random },
      workers,
      backoff,
      work: (uid) => (this.#isPaused(uid) ? Promise.resolve(PAUSED) : carryOut.remove(uid)),
      onError: (uid, error) => this.#onDefect(uid, error),
    });
    this.#stamps = new WorkQueue({ clock, random, workers: 4, backoff, work: (name) => this.#stamp(name) });
  }

  /** Begins once nodes and pods are synced; then looks at everything there is. */
  start(): void {
    const { store } = this.#parts;
    store.whenSynced(['Node', 'Pod'], () => {
      if (this.#isStopped) return;
      this.#unsubscribe = store.subscribe((announced) => this.#onAnnounced(announced));
      for (const { name } of store.nodes) this.#lookAtNode(name);
    });
  }

  /** Forgets every timer, begins no further removal, and resolves when those under way have ended. */
  async stop(): Promise<void> {
    this.#isStopped = true;
    this.#unsubscribe();
    this.#timers.clear();
    await Promise.all([this.#removals.stop(), this.#stamps.stop()]);
  }

  /** Pods with a date, and those whose date has passed but that have not been removed yet: two gauges. */
  get counts(): { readonly armed: number; readonly due: number } {
    return { armed: this.#timers.armed, due: this.#removals.size };
  }

  /** Every pod that will go if nothing changes, soonest first. */
  pending(): readonly Pending[] {
    return pendingOf(this.#timers, momentOf(this.#parts.clock));
  }

  #onAnnounced(announced: StoreChange): void {
    if (announced.kind === 'Node') this.#lookAtNode(announced.name);
    else if (announced.kind === 'Pod') this.#timers.lookAtPod(announced.uid, announced.isBound);
  }

  #lookAtNode(name: string): void {
    this.#timers.lookAtNode(name);
    const isUndated = this.#timers.taintsOf(name).some(({ taint }) => taint.timeAdded === undefined);
    if (isUndated && this.#parts.options.mode === 'act') this.#stamps.add(name);
  }

  #onScheduled({ pod }: EvictionTimer, deadline: Deadline): void {
    this.#removals.forget(pod.uid);
    const isStartKnown = deadline.by?.isStartKnown ?? false;
    const reason = goingReason(deadline);
    const at = wallTime(deadline.at, momentOf(this.#parts.clock));
    this.#parts.observe({ kind: 'eviction-scheduled', pod, at, reason, isStartKnown });
  }

  #onCancelled({ pod }: EvictionTimer, reason: string, wasDue: boolean): void {
    this.#removals.forget(pod.uid);
    this.#parts.observe({ kind: 'eviction-cancelled', pod, reason });
    if (!wasDue) this.#parts.ports.recordEvent(podEvent('Cancelling deletion of', pod));
  }

  #onDefect(uid: string, error: unknown): void {
    const pod = this.#parts.store.pod(uid);
    const text = error instanceof Error ? error.message : String(error);
    if (pod) this.#parts.observe({ kind: 'deletion-failed', pod, failure: 'unknown', error: text });
  }

  /** A pod that must go because of another taint, too, does not wait for its zone. */
  #isPaused(uid: string): boolean {
    const { isPaused, store } = this.#parts;
    const pod = store.pod(uid);
    if (!pod || isPaused?.(pod.nodeName) !== true) return false;
    const due = this.#timers.dueTaints(uid);
    return due.length > 0 && due.every(({ key }) => READINESS_KEYS.has(key));
  }

  /** Writes down when a taint without a time was first seen, so that a restart does not begin their time afresh. */
  async #stamp(name: string): Promise<WorkResult> {
    const node = this.#parts.store.node(name)?.object;
    const taints = this.#timers.taintsOf(name);
    const stamps = stampsOf(node?.taints ?? [], taints, momentOf(this.#parts.clock));
    if (!node || stamps.length === 0) return 'done';
    const answer = await this.#parts.ports.stampTaints({ node, stamps });
    return answer.ok || answer.failure.kind === 'not-found' ? 'done' : 'retry';
  }
}
