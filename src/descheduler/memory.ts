import type { Pod } from '../cluster/pod.ts';
import type { EvictionAnswer, EvictPod } from '../evictor/carry-out.ts';
import type { CycleAccount } from '../evictor/account.ts';
import type { History, HistoryEvent, Remembered } from '../evictor/history.ts';
import { EMPTY_HISTORY } from '../evictor/history.ts';
import { memoryKeys, retentionOf, type EvictionLimits } from '../evictor/limits.ts';
import type { Failure } from '../lib/answer.ts';
import type { Clock } from '../lib/clock.ts';
import { HistoryWriter } from './history-writer.ts';

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

/** What writing into the history takes. */
export interface MemoryView {
  readonly history: History;
  readonly limits: EvictionLimits;
  readonly account: CycleAccount;
  readonly clock: Clock;
  /** Told what the operator must know. */
  readonly warn: (text: string) => void;
}

/** The memory of a cycle that really evicts. */
export interface Memory {
  /** The port, with every eviction entered in the history before it is asked for. */
  readonly remembering: (evict: EvictPod) => EvictPod;
  /** Enters what has come of the evictions, and which pods are blocked; at the end of each strategy. */
  readonly settle: () => Promise<void>;
}

/** A memory for dry runs, and for policies in which no limit looks back. */
export const NO_MEMORY: Memory = { remembering: (evict) => evict, settle: () => Promise.resolve() };

/**
 * Writes ahead: an eviction is in the history before the API server is asked, and is taken out again if it fails, so
 * that a crash at any moment never forgets one. What can't be written is not evicted.
 */
export function openMemory({ history, limits, account, clock, warn }: MemoryView): Memory {
  const startedAt = clock.now();
  const now = (): number => account.now.getTime() + clock.now() - startedAt;
  const writer = new HistoryWriter({ history, retention: retentionOf(limits), now, warn });
  const known = new Set<string>();
  return {
    remembering: (evict) => async (request, signal, standAside) => {
      const event = evictionEvent(request.pod, account, now());
      const failure = await writer.write({ ...event, at: now() + LONGEST_EVICTION_MS });
      if (failure) return notRemembered(failure);
      const answer = signal.aborted ? ABORTED : await evict(request, signal, standAside);
      writer.later(took(answer) ? { ...event, at: now() } : { kind: 'spared', id: event.id });
      return answer;
    },
    settle: async () => {
      if (limits.blockedPods) writer.later(...blockedEvents(account, known, now()));
      const failure = await writer.write();
      if (failure) warn(`the history could not be brought up to date: ${failure.message}`);
    },
  };
}

/** By then the port has ended or given up (kube/evict.ts); an eviction of a crashed run counts until then at most. */
const LONGEST_EVICTION_MS = 180_000;

function evictionEvent(pod: Pod, { ownerOf }: CycleAccount, at: number) {
  const { namespace, nodeName: node, uid } = pod;
  const id = `${uid}@${at.toString(36)}`;
  return { kind: 'evicted', at, namespace, owner: ownerOf(pod), node, id } as const;
}

/** Whether the pod is gone, or may be: an eviction whose fate is unknown counts. It counts from when it has ended. */
function took(answer: EvictionAnswer): boolean {
  return answer.result !== 'failed' || answer.failure === 'unknown';
}

/** The pods that have been found blocked since the last time; a pod counts once in a cycle. */
function blockedEvents({ ledger }: CycleAccount, known: Set<string>, at: number): readonly HistoryEvent[] {
  const fresh = [...ledger.blocked].filter((uid) => !known.has(uid));
  for (const uid of fresh) known.add(uid);
  return fresh.map((uid) => ({ kind: 'blocked', uid, at }));
}

const ABORTED: EvictionAnswer = {
  result: 'failed',
  failure: 'aborted',
  error: 'the run was ended before this eviction was asked for',
};

function notRemembered({ kind, message }: Failure): EvictionAnswer {
  const error = `not evicted, because limits only hold for what the history knows, and it could not be written: ${message}`;
  return { result: 'failed', failure: kind === 'too-many-requests' ? 'transient' : kind, error };
}
