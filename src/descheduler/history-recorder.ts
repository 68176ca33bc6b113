import type { Pod } from '../cluster/objects/pod.ts';
import type { History, HistoryEvent, Remembered } from '../evictor/limits/history.ts';
import { attemptId, EMPTY_HISTORY } from '../evictor/limits/history.ts';
import { memoryKeys, type EvictionLimits } from '../evictor/limits/limits.ts';
import type { Reservation } from '../evictor/reservation.ts';
import type { Consequences } from '../outcomes/eviction-result.ts';
import type { HistoryWriter } from './history-writer.ts';

/** The history can't be read, so that limits would not hold; the message says what to do. */
export class HistoryError extends Error {
  override readonly name = 'HistoryError';
}

/** What earlier cycles and runs have left; nothing where no limit looks back. Throws HistoryError. */
export async function recall(
  limits: EvictionLimits,
  history: History | undefined,
  signal: AbortSignal,
): Promise<Remembered> {
  const keys = memoryKeys(limits).join(', ');
  if (keys === '') return { state: EMPTY_HISTORY, warnings: [] };
  if (!history)
    return { state: EMPTY_HISTORY, warnings: [`${keys}: there is no history here, so earlier evictions do not count`] };
  const answer = await history.load(signal);
  if (answer.ok) return answer.value;
  throw new HistoryError(`${keys} cannot hold: ${answer.failure.message}`);
}

/** The history of a cycle that really evicts. */
export interface HistoryRecorder {
  /** Enters an eviction before it is asked for; answers with why it must not be, if it can't be entered. */
  announce(reservation: Reservation): Promise<string | undefined> | undefined;
  /** Enters how it ended, with the next write. */
  remember(reservation: Reservation, what: Consequences['history']): void;
  /** Enters, with the next write, that the pod's budget holds it back; a pod counts once in a cycle. */
  blocked(pod: Pod): void;
  /** Writes what waits. */
  flush(): Promise<void>;
}

/** For dry runs, and for policies in which no limit looks back. */
export const NO_RECORDER: HistoryRecorder = {
  announce: () => undefined,
  remember: () => undefined,
  blocked: () => undefined,
  flush: () => Promise.resolve(),
};

/** What recording takes. */
export interface RecorderView {
  readonly writer: HistoryWriter;
  /** When the cycle began, in ms since the epoch. */
  readonly startedAt: number;
  readonly now: () => number;
  /** Whether limits look at pods that their budget has held back. */
  readonly countsBlocks: boolean;
  /** Told what the operator must know. */
  readonly warn: (text: string) => void;
}

/**
 * Writes ahead: an eviction is in the history before the API server is asked, and is taken out again if the pod stays, so
 * that a crash at any moment never forgets one. What can't be written is not evicted.
 */
export function createHistoryRecorder({ writer, startedAt, now, countsBlocks, warn }: RecorderView): HistoryRecorder {
  const known = new Set<string>();
  const announced = new Set<Reservation>();
  const blocked = ({ uid }: Pod): void => {
    if (!countsBlocks || known.has(uid)) return;
    known.add(uid);
    writer.later({ kind: 'blocked', uid, at: now() });
  };
  return {
    blocked,
    async announce(reservation) {
      announced.add(reservation);
      const failure = await writer.write(evictedAt(now() + LONGEST_EVICTION_MS, reservation, startedAt));
      return failure && `${NOT_WRITTEN}: ${failure.message}`;
    },
    remember(reservation, what) {
      if (what === 'block') blocked(reservation.request.pod);
      if (what === 'eviction') writer.later(evictedAt(now(), reservation, startedAt));
      // A write that failed may have been carried out all the same.
      else if (announced.has(reservation)) writer.later({ kind: 'reverted', id: idOf(reservation, startedAt) });
    },
    async flush() {
      const failure = await writer.write();
      if (failure) warn(`the history could not be brought up to date: ${failure.message}`);
    },
  };
}

/** By then the port has ended or given up; an eviction of a crashed run counts until then at most. */
const LONGEST_EVICTION_MS = 180_000;

const NOT_WRITTEN = 'not evicted, because limits only hold for what the history knows, and it could not be written';

function evictedAt(at: number, reservation: Reservation, startedAt: number): HistoryEvent {
  const { request, owner } = reservation;
  const { namespace, nodeName: node } = request.pod;
  return { kind: 'evicted', at, namespace, owner, node, id: idOf(reservation, startedAt) };
}

function idOf({ request }: Reservation, startedAt: number): string {
  return attemptId(request.pod.uid, startedAt);
}
