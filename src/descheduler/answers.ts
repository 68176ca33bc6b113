import type { Node } from '../cluster/node.ts';
import { podName, type Pod } from '../cluster/pod.ts';
import type { Pipeline } from '../evictor/check.ts';
import type { CarryOut } from '../evictor/carry-out.ts';
import { noticeKey } from '../evictor/ledger.ts';
import type { Granted, Refused } from '../evictor/verdict.ts';
import type { Journal } from '../outcomes/journal.ts';
import type { Eviction, Requester } from '../outcomes/outcome.ts';
import type { Proposal, Verdict } from '../strategies/strategy.ts';

/** What answering has to know of the cycle. */
export interface AnswersView {
  readonly carryOut: CarryOut;
  readonly journal: Journal;
  readonly gracePeriodSeconds: number | undefined;
  readonly noticed: Set<string>;
}

/** How many pods a strategy has proposed, and what became of them; pods passed over after a limit are in no number. */
export interface Tally {
  readonly proposed: number;
  readonly evicted: number;
  readonly refused: number;
}

/** The refusal of one pod, by a constraint, a limit or the strategy itself. */
type Veto = Pick<Refused, 'by' | 'reason' | 'notice'>;

/**
 * Answers one strategy's proposals: asks the pipeline, hands what is granted to be carried out, reports what is refused.
 *
 * A limit is reported once in a cycle, by the refusal of the first pod that it holds back: `noticed` remembers which
 * limits (of which node or namespace) have been reported, and further pods are passed over without a word (framework.md
 * 7.2, number 9). Limits that a strategy only meets in `check` are reported when it has ended. A total limit also sets
 * `cycleEnd`.
 */
export class Answers {
  readonly #requester: Requester;
  readonly #pipeline: Pipeline;
  readonly #view: AnswersView;
  readonly #ended: (Eviction | undefined)[] = [];
  readonly #refused = new Set<string>();
  readonly #openLimits = new Map<string, { readonly pod: Pod; readonly veto: Veto }>();
  /** Limits that held back a pod, by its UID and the limit's name. */
  readonly #met = new Map<string, string>();
  #cycleEnd: string | undefined;

  constructor(requester: Requester, pipeline: Pipeline, view: AnswersView) {
    this.#requester = requester;
    this.#pipeline = pipeline;
    this.#view = view;
  }

  /** Why no strategy can achieve anything more in this cycle; undefined as long as one can. */
  get cycleEnd(): string | undefined {
    return this.#cycleEnd;
  }

  /** Asks the pipeline without booking anything. */
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
    for (const { pod, veto } of this.#openLimits.values()) this.#refuse(pod, veto);
  }

  /** Evictions that have failed, in the order in which they were granted. */
  failures(): readonly Eviction[] {
    return this.#ended.filter((eviction) => eviction?.result === 'failed').filter((eviction) => eviction !== undefined);
  }

  /** Counts; the evictions must have ended. */
  tally(): Tally {
    const refused = this.#refused.size;
    return { proposed: this.#ended.length + refused, evicted: this.#ended.length - this.failures().length, refused };
  }

  /** A strategy may skip a pod because of what `check` has told it; a limit then needs no second notice. */
  #skip(pod: Pod, { by, reason }: Veto): Verdict {
    const met = this.#met.get(`${pod.uid} ${by}`);
    this.#refuse(pod, met === undefined ? { by, reason } : { by, reason, notice: met });
    return { granted: false, scope: 'pod', by, reason };
  }

  #evict(proposal: Extract<Proposal, { readonly evict: Pod }>): Verdict {
    const verdict = this.#pipeline.grant(proposal.evict, proposal.destinations);
    if (!verdict.granted) {
      this.#noteLimit(proposal.evict, verdict);
      this.#refuse(proposal.evict, verdict);
      return verdict;
    }
    this.#carryOut(verdict, proposal.reason);
    return verdict;
  }

  #evictAll(pods: readonly Pod[], reason: string): Verdict {
    const verdict = this.#pipeline.grantAll(pods);
    if ('refused' in verdict) {
      this.#noteLimit(verdict.pod, verdict.refused);
      this.#refuseTogether(pods, verdict.pod, verdict.refused);
      return verdict.refused;
    }
    for (const granted of verdict) this.#carryOut(granted, reason);
    return { granted: true };
  }

  #carryOut(granted: Granted, reason: string): void {
    const { carryOut, journal, gracePeriodSeconds } = this.#view;
    const place = this.#ended.push(undefined) - 1;
    const report = journal.expectEviction();
    const done = (eviction: Eviction) => {
      this.#ended[place] = eviction;
      report(eviction);
    };
    carryOut.submit({ granted, request: { ...this.#requester, pod: granted.pod, reason, gracePeriodSeconds }, done });
  }

  /** The others of the group stay because of the one. A limit needs no such words: it speaks for all further pods. */
  #refuseTogether(pods: readonly Pod[], blocking: Pod, veto: Veto): void {
    this.#refuse(blocking, veto);
    if (noticeOf(veto, blocking) !== undefined) return;
    const reason = `goes only together with ${podName(blocking)}, which stays: ${veto.reason}`;
    for (const pod of pods) {
      if (pod !== blocking) this.#refuse(pod, { by: veto.by, reason });
    }
  }

  #refuse(pod: Pod, veto: Veto): void {
    const { by, reason } = veto;
    const limit = noticeOf(veto, pod);
    const key = limit ?? `${pod.uid} ${by}`;
    if (this.#refused.has(key) || (limit !== undefined && this.#view.noticed.has(limit))) return;
    this.#refused.add(key);
    if (limit !== undefined) this.#view.noticed.add(limit);
    this.#view.journal.add({ kind: 'refusal', ...this.#requester, pod, refusedBy: by, reason });
  }

  #noteLimit(pod: Pod, refused: Refused): void {
    const { by, scope } = refused;
    const limit = noticeOf(refused, pod);
    if (limit === undefined) return;
    this.#met.set(`${pod.uid} ${by}`, limit);
    if (!this.#openLimits.has(limit)) this.#openLimits.set(limit, { pod, veto: refused });
    if (scope === 'total') this.#cycleEnd ??= `${by} is reached`;
  }
}

/** What one notice is enough for, of a refusal by a limit; undefined for other refusals. */
function noticeOf({ by, notice }: Veto, pod: Pod): string | undefined {
  return notice ?? noticeKey(by, pod);
}
