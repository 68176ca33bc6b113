import type { DisruptionBudget } from '../cluster/objects/kinds.ts';
import type { AssumedPod, Pod } from '../cluster/objects/pod.ts';
import type { ExpectedChanges, Snapshot } from '../cluster/snapshot.ts';
import { CONSEQUENCES, type Consequences, type EvictionEnding } from '../outcomes/eviction-result.ts';
import { createPlacement, type FitOptions, type Placement } from '../placement/fit.ts';
import { CycleLimits } from './limits/cycle-limits.ts';
import type { HistoryState } from './limits/history.ts';
import { likelyNodesInAnyOrder, type LikelyNodes } from './likely-nodes.ts';
import type { EvictionLimits, LimitHit } from './limits/limits.ts';
import { isReplica, soleOwnerKey } from './constraints/replicas.ts';
import type { Permit, Reservation } from './reservation.ts';

/** What a cycle finds, and what it may spend. */
export interface CycleStart {
  readonly snapshot: Snapshot;
  readonly now: Date;
  readonly limits: EvictionLimits;
  /** What earlier cycles have spent; nothing where it is left out. */
  readonly history?: HistoryState;
  /** The scheduler's own configuration; the default one where it is left out. */
  readonly scheduler?: FitOptions;
  readonly observer?: EndingObserver;
}

/** Learns from `finish`, and from nowhere else, how evictions end. */
export interface EndingObserver {
  /** For the report, and the log, metrics and events that live from the same value. */
  record(reservation: Reservation, ending: EvictionEnding): void;
  /** For limits that look beyond the cycle. */
  remember(reservation: Reservation, what: Consequences['history']): void;
}

/**
 * All that has changed since the snapshot of a cycle: victims, their assumed replacements, budgets, limits of the cycle
 * and over time. `reserve`, `unreserve` and `finish` change it, and nothing else does; everything that decides reads it.
 */
export class CycleState {
  readonly snapshot: Snapshot;
  readonly now: Date;
  /** Room and counts of the nodes, with victims leaving and replacements assumed. */
  readonly placement: Placement;
  readonly #limits: CycleLimits;
  readonly #observer: EndingObserver | undefined;
  /** By the pod's UID: pods that are on their way out, or gone. */
  readonly #victims = new Map<string, Reservation>();
  /** By the UID of their victims: replacements that later strategies count. */
  readonly #assumed = new Map<string, AssumedPod>();
  readonly #endings = new Map<string, EvictionEnding>();
  readonly #spent = new Map<string, number>();
  readonly #lostReplicas = new Map<string, number>();
  #reserved = 0;

  constructor({ snapshot, now, limits, history, scheduler, observer }: CycleStart) {
    this.snapshot = snapshot;
    this.now = now;
    this.placement = createPlacement(snapshot, scheduler);
    this.#limits = new CycleLimits(limits, { snapshot, now, history });
    this.#observer = observer;
  }

  /** Takes limit, budget and room for an eviction at once. The pipeline has found that all of them are there. */
  reserve(permit: Permit): Reservation {
    const { pod } = permit.request;
    if (this.isVictim(pod)) throw new Error(`pod ${pod.uid} is reserved already`);
    const reservation = { ...permit, position: this.#reserved++, owner: this.#limits.ownerOf(pod) };
    this.#victims.set(pod.uid, reservation);
    this.#limits.count(pod, 1);
    this.#takeDisruption(reservation, 1);
    const assumed = this.placement.assume(pod, permit.destination);
    if (assumed && permit.isCounted) this.#assumed.set(pod.uid, assumed);
    return reservation;
  }

  /** Gives all of it back, as if it had never been reserved. */
  unreserve(reservation: Reservation): void {
    const { pod } = reservation.request;
    this.#victims.delete(pod.uid);
    this.#assumed.delete(pod.uid);
    this.#limits.count(pod, -1);
    this.#takeDisruption(reservation, -1);
    this.placement.forget(pod);
  }

  /** The eviction has ended: keeps or gives back what was reserved, and tells whoever has to know. */
  finish(reservation: Reservation, ending: EvictionEnding): void {
    const { pod } = reservation.request;
    const { limits, victim, history } = CONSEQUENCES[ending.result];
    this.#endings.set(pod.uid, ending);
    if (victim === 'gone') {
      // Its budget and its owner have one pod less, whoever took it.
      this.#limits.count(pod, -1);
      this.#assumed.delete(pod.uid);
      this.placement.remove(pod);
    } else if (limits === 'given-back') this.unreserve(reservation);
    this.#observer?.remember(reservation, history);
    this.#observer?.record(reservation, ending);
  }

  /** Where replacements of this cycle's victims are likely to land, in whatever order they come. */
  likelyNodes(): LikelyNodes {
    const leaving = [...this.#victims.values()].filter(({ request: { pod } }) => {
      const ending = this.endingOf(pod);
      return !ending || CONSEQUENCES[ending.result].victim === 'leaving';
    });
    return likelyNodesInAnyOrder(leaving, this.placement, this.snapshot.nodes.length);
  }

  /** What strategies count: who is on its way out or gone, and who is assumed. In the order of the plan. */
  get changes(): ExpectedChanges {
    return {
      gone: [...this.#victims.values()].map(({ request }) => request.pod),
      assumed: [...this.#assumed.values()],
    };
  }

  /** Whether the pod is on its way out, or gone. */
  isVictim(pod: Pod): boolean {
    return this.#victims.has(pod.uid);
  }

  /** How the pod's eviction ended; undefined if it has not, or if there was none. */
  endingOf(pod: Pod): EvictionEnding | undefined {
    return this.#endings.get(pod.uid);
  }

  /** The first limit that one more eviction would break. */
  limitHit(pod: Pod): LimitHit | undefined {
    return this.#limits.hit(pod);
  }

  /** How many disruptions this cycle has taken from the budget. */
  spentOf(budget: DisruptionBudget): number {
    return this.#spent.get(budgetKey(budget)) ?? 0;
  }

  /** How many working replicas this owner (`soleOwnerKey`) has lost in this cycle. */
  lostReplicasOf(owner: string): number {
    return this.#lostReplicas.get(owner) ?? 0;
  }

  #takeDisruption({ request: { pod }, budget }: Reservation, change: 1 | -1): void {
    if (budget) add(this.#spent, budgetKey(budget), change);
    const owner = isReplica(pod) ? soleOwnerKey(pod) : undefined;
    if (owner !== undefined) add(this.#lostReplicas, owner, change);
  }
}

function add(counts: Map<string, number>, key: string, change: number): void {
  counts.set(key, (counts.get(key) ?? 0) + change);
}

function budgetKey({ namespace, name }: DisruptionBudget): string {
  return `${namespace}/${name}`;
}
