import type { Node } from '../cluster/objects/node.ts';
import type { AssumedPod, Pod } from '../cluster/objects/pod.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import type { FilterFailure, FailureCount } from './filters/filter-failure.ts';
import type { FitOptions } from './options.ts';
import type { Prediction } from './prediction.ts';
import { Queue, waitingPods } from './queue.ts';
import { Replacements } from './replacement.ts';
import type { Scoring } from './scores/scorer.ts';
import { View, type ViewBasis } from './view.ts';

export type { FilterFailure, FailureCount } from './filters/filter-failure.ts';
export type { AddedAffinity, FitOptions } from './options.ts';
export { isForeseeable, type Prediction } from './prediction.ts';
export { DEFAULT_SCORING, type Scoring } from './scores/scorer.ts';

/** The room of one cycle: the snapshot's assigned pods, plus victims that still terminate, plus assumed pods. */
export interface Placement {
  /** All reasons of the first failing rule, in the scheduler's order; empty if the pod fits. The pod counts as gone. */
  misfits(pod: Pod, node: Node): readonly FilterFailure[];
  /** Those of `nodes` that fit, in their order. Lists that are passed again must not have changed. */
  fitting(pod: Pod, nodes: readonly Node[]): readonly Node[];
  /** How many of `nodes` fit. */
  countFitting(pod: Pod, nodes: readonly Node[]): number;
  /** Whether one of `nodes` fits; stops at the first. */
  fitsAny(pod: Pod, nodes: readonly Node[]): boolean;
  /** Why those of `nodes` that do not fit do not, most frequent reason first, then by code. */
  summary(pod: Pod, nodes: readonly Node[]): readonly FailureCount[];
  /** Those of `nodes` with the highest total score, by name, as if there were no others (rule S31). */
  likely(pod: Pod, nodes: readonly Node[]): readonly Node[];
  /**
   * Where the scheduler would put the pod's replacement, of all nodes of the cluster, the pod's own too: with the pod
   * terminating where it is or gone, as its owner has it (rule S29). Ask `isForeseeable` whether the pod's
   * scheduler is the one that is foreseen. `scoring` is what the caller takes for granted where the policy does not say how
   * the scheduler's profile scores resources.
   */
  predict(pod: Pod, scoring?: Scoring): Prediction;
  /** The pod that would come in place of this one, as far as that can be known; the pod itself where it would be the same. */
  replacementOf(pod: Pod): Pod;
  /** The victim terminates where it is from now on; its replacement, if there is a destination, is assumed there. */
  assume(victim: Pod, destination: Node | undefined): AssumedPod | undefined;
  /** Takes that back. */
  forget(victim: Pod): void;
  /** The victim is gone, and no replacement is assumed. */
  remove(victim: Pod): void;
  /** Rules that could not be judged because a kind is unknown, one sentence per kind (rule S32). */
  warnings(): readonly string[];
}

/** Makes the placement of a cycle from what the cycle's snapshot shows. */
export type CreatePlacement = (snapshot: Snapshot, options?: FitOptions) => Placement;

/** Answers for one cycle, by kube-scheduler's rules (rule S6). The snapshot stays the one of the cycle's start. */
export const createPlacement: CreatePlacement = (snapshot, options = {}) => new CyclePlacement(snapshot, options);

/**
 * The views of one cycle. Mostly there is one: only where pods wait in the queue whose turn comes after a candidate's, the
 * candidate needs a view of its own, which those of its priority share.
 */
class CyclePlacement implements Placement {
  readonly #basis: ViewBasis;
  readonly #queue: Queue;
  /** By how many of the queue are in their places. */
  readonly #views = new Map<number, View>();
  /** By the UID of the victim, in the order of their booking. */
  readonly #assumedRooms = new Map<string, AssumedRoom>();

  constructor(snapshot: Snapshot, options: FitOptions) {
    this.#basis = { snapshot, options, replacements: new Replacements(snapshot) };
    const view = new View(this.#basis);
    this.#queue = new Queue(waitingPods(snapshot, view.nodeIndexes), (pod) => view.nodeIndex(pod));
    this.#views.set(this.#queue.placed.length, view);
  }

  misfits(pod: Pod, node: Node): readonly FilterFailure[] {
    return this.#viewFor(pod).misfits(pod, node);
  }

  fitting(pod: Pod, nodes: readonly Node[]): readonly Node[] {
    return this.#viewFor(pod).fitting(pod, nodes);
  }

  countFitting(pod: Pod, nodes: readonly Node[]): number {
    return this.#viewFor(pod).countFitting(pod, nodes);
  }

  fitsAny(pod: Pod, nodes: readonly Node[]): boolean {
    return this.#viewFor(pod).fitsAny(pod, nodes);
  }

  summary(pod: Pod, nodes: readonly Node[]): readonly FailureCount[] {
    return this.#viewFor(pod).summary(pod, nodes);
  }

  likely(pod: Pod, nodes: readonly Node[]): readonly Node[] {
    return this.#viewFor(pod).likely(pod, nodes);
  }

  predict(pod: Pod, scoring?: Scoring): Prediction {
    return this.#viewFor(pod).predict(pod, scoring);
  }

  replacementOf(pod: Pod): Pod {
    return this.#basis.replacements.of(pod);
  }

  assume(victim: Pod, destination: Node | undefined): AssumedPod | undefined {
    const assumed = destination && this.#basis.replacements.assumedPod(victim, destination);
    this.#assume({ victim, assumed, gone: false });
    return assumed;
  }

  remove(victim: Pod): void {
    this.#assume({ victim, assumed: undefined, gone: true });
  }

  forget(victim: Pod): void {
    if (this.#assumedRooms.get(victim.uid)?.gone) return;
    this.#assumedRooms.delete(victim.uid);
    for (const view of this.#views.values()) view.forget(victim);
  }

  warnings(): readonly string[] {
    return [...new Set([...this.#views.values()].flatMap((view) => view.warnings()))];
  }

  #assume(assumedRoom: AssumedRoom): void {
    this.#assumedRooms.delete(assumedRoom.victim.uid);
    this.#assumedRooms.set(assumedRoom.victim.uid, assumedRoom);
    for (const view of this.#views.values()) apply(assumedRoom, view);
  }

  #viewFor(pod: Pod): View {
    const ahead = this.#queue.before(this.#basis.replacements.of(pod));
    let view = this.#views.get(ahead);
    if (!view) {
      view = new View(this.#basis);
      for (const queued of this.#queue.placed.slice(0, ahead)) view.admit(queued);
      for (const assumedRoom of this.#assumedRooms.values()) apply(assumedRoom, view);
      this.#views.set(ahead, view);
    }
    return view;
  }
}

/** What has become of a victim. */
interface AssumedRoom {
  readonly victim: Pod;
  readonly assumed: AssumedPod | undefined;
  readonly gone: boolean;
}

function apply({ victim, assumed, gone }: AssumedRoom, view: View): void {
  if (gone) view.remove(victim);
  else view.assume(victim, assumed);
}
