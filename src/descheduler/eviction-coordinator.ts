import type { Node } from '../cluster/objects/node.ts';
import { podName, type Pod } from '../cluster/objects/pod.ts';
import type { CarryOut } from '../evictor/carry-out.ts';
import type { Pipeline } from '../evictor/check.ts';
import { noticeKey } from '../evictor/limits/cycle-limits.ts';
import type { CycleState } from '../evictor/cycle-state.ts';
import type { EvictionRequest, Reservation } from '../evictor/reservation.ts';
import type { Refused } from '../evictor/verdict.ts';
import { CONSEQUENCES } from '../outcomes/eviction-result.ts';
import type { OutcomeRecorder } from '../outcomes/outcome-recorder.ts';
import type { Requester, StrategyCut } from '../outcomes/outcome.ts';
import type { Proposal, Verdict } from '../strategies/strategy.ts';
import type { HistoryRecorder } from './history-recorder.ts';
import type { PlannedStrategy } from './profile.ts';

/** What a coordinator needs of its cycle. */
export interface CoordinatorView {
  readonly pipelineOf: (planned: PlannedStrategy) => Pipeline;
  readonly state: CycleState;
  readonly carryOut: CarryOut;
  readonly recorder: OutcomeRecorder;
  readonly history: HistoryRecorder;
  readonly gracePeriodSeconds: number | undefined;
  readonly noticed: Set<string>;
}

/** How many pods a strategy has proposed, and what became of them; pods passed over after a limit are in no number. */
export interface Tally {
  readonly proposed: number;
  readonly evicted: number;
  readonly refused: number;
}

/** Why one pod is not evicted: by a constraint, a limit or the strategy itself. */
type Refusal = Pick<Refused, 'by' | 'reason' | 'notice'>;

/**
 * Coordinates the evictions of one strategy: asks the pipeline about each proposal, hands what is granted to be carried
 * out, reports what is refused.
 *
 * A limit is reported once in a cycle, by the refusal of the first pod that it holds back: `noticed` remembers which
 * limits (of which node or namespace) have been reported, and further pods are passed over without a word. Limits that a
 * strategy only meets in `check` are reported when it has ended. A total limit ends the cycle.
 */
export class EvictionCoordinator {
  readonly #requester: Requester;
  readonly #pipeline: Pipeline;
  readonly #view: CoordinatorView;
  readonly #reservations: Reservation[] = [];
  readonly #refused = new Set<string>();
  readonly #openLimits = new Map<string, { readonly pod: Pod; readonly refusal: Refused }>();
  /** Limits that held back a pod, by its UID and the limit's name. */
  readonly #met = new Map<string, string>();

  constructor(planned: PlannedStrategy, view: CoordinatorView) {
    this.#requester = { profile: planned.profile.name, strategy: planned.enabled.strategy.name };
    this.#pipeline = view.pipelineOf(planned);
    this.#view = view;
  }

  /** Why no strategy can achieve anything more in this cycle; undefined as long as one can. The evictions must have ended. */
  get cycleEnd(): string | undefined {
    for (const { pod, refusal } of this.#openLimits.values()) {
      // Evictions that have failed have given back what they had taken.
      if (refusal.scope === 'total' && this.#view.state.limitHit(pod)?.scope === 'total')
        return `${refusal.by} is reached`;
    }
    return undefined;
  }

  /** Asks the pipeline without reserving anything. */
  check(pod: Pod, offered?: readonly Node[]): Verdict {
    const verdict = this.#pipeline.check(pod, offered);
    if (!verdict.granted) this.#noteLimit(pod, verdict);
    return verdict;
  }

  /** Decides on a proposal and sees to the consequences. */
  answer(proposal: Proposal): Verdict {
    if ('skip' in proposal) return this.#skip(proposal.skip, proposal);
    if ('evict' in proposal) return this.#evict(proposal);
    return this.#evictAll(proposal.evictAll, proposal.reason);
  }

  /** Reports limits that the strategy has met but not run into. */
  reportOpenLimits(): void {
    for (const { pod, refusal } of this.#openLimits.values()) this.#refuse(pod, refusal);
  }

  /** Whether limits held pods back that the strategy wanted to evict, and which. */
  cutByLimits(): StrategyCut | undefined {
    const limits = [...new Set([...this.#openLimits.values()].map(({ refusal }) => refusal.by))];
    if (limits.length === 0) return undefined;
    return { state: 'limit', why: `${limits.join(', ')} is reached`, limits };
  }

  /** Counts; the evictions must have ended. */
  tally(): Tally {
    const { state } = this.#view;
    const evicted = this.#reservations.filter(({ request: { pod } }) => {
      const ending = state.endingOf(pod);
      return ending && CONSEQUENCES[ending.result].report === 'evicted';
    }).length;
    const refused = this.#refused.size;
    return { proposed: this.#reservations.length + refused, evicted, refused };
  }

  /** A strategy may skip a pod because of what `check` has told it; a limit then needs no second notice. */
  #skip(pod: Pod, { by, reason }: Refusal): Verdict {
    const met = this.#met.get(`${pod.uid} ${by}`);
    this.#refuse(pod, met === undefined ? { by, reason } : { by, reason, notice: met });
    return { granted: false, scope: 'pod', by, reason };
  }

  #evict({ evict: pod, reason, destinations }: Extract<Proposal, { readonly evict: Pod }>): Verdict {
    const verdict = this.#pipeline.grant(this.#requestOf(pod, reason), destinations);
    if (verdict.granted) this.#carryOut(verdict.reservation);
    else this.#refuseNow(pod, verdict);
    return verdict;
  }

  #evictAll(pods: readonly Pod[], reason: string): Verdict {
    const verdict = this.#pipeline.grantAll(pods.map((pod) => this.#requestOf(pod, reason)));
    if ('refused' in verdict) {
      this.#refuseTogether(pods, verdict.pod, verdict.refused);
      return verdict.refused;
    }
    for (const { reservation } of verdict) this.#carryOut(reservation);
    return { granted: true };
  }

  #requestOf(pod: Pod, reason: string): EvictionRequest {
    return { ...this.#requester, pod, reason, gracePeriodSeconds: this.#view.gracePeriodSeconds };
  }

  #carryOut(reservation: Reservation): void {
    this.#reservations.push(reservation);
    this.#view.carryOut.submit(reservation);
  }

  #refuseNow(pod: Pod, refusal: Refused): void {
    this.#noteLimit(pod, refusal);
    if (refusal.isBlocked) this.#view.history.blocked(pod);
    this.#refuse(pod, refusal);
  }

  /** The others of the group stay because of the one. A limit needs no such words: it speaks for all further pods. */
  #refuseTogether(pods: readonly Pod[], blocking: Pod, refusal: Refused): void {
    this.#refuseNow(blocking, refusal);
    if (noticeOf(refusal, blocking) !== undefined) return;
    const reason = `is evicted only together with ${podName(blocking)}, which is kept: ${refusal.reason}`;
    for (const pod of pods) {
      if (pod !== blocking) this.#refuse(pod, { by: refusal.by, reason });
    }
  }

  #refuse(pod: Pod, refusal: Refusal): void {
    const { by, reason } = refusal;
    const limit = noticeOf(refusal, pod);
    const key = limit ?? `${pod.uid} ${by}`;
    if (this.#refused.has(key) || (limit !== undefined && this.#view.noticed.has(limit))) return;
    this.#refused.add(key);
    if (limit !== undefined) this.#view.noticed.add(limit);
    this.#view.recorder.add({ kind: 'refusal', ...this.#requester, pod, refusedBy: by, reason });
  }

  #noteLimit(pod: Pod, refused: Refused): void {
    const limit = noticeOf(refused, pod);
    if (limit === undefined) return;
    this.#met.set(`${pod.uid} ${refused.by}`, limit);
    if (!this.#openLimits.has(limit)) this.#openLimits.set(limit, { pod, refusal: refused });
  }
}

/** What one notice is enough for, of a refusal by a limit; undefined for other refusals. */
function noticeOf({ by, notice }: Refusal, pod: Pod): string | undefined {
  return notice ?? noticeKey(by, pod);
}
