import type { Reply } from '../../lib/answer.ts';
import { replied } from '../../lib/answer.ts';
import { compareText } from '../../cluster/snapshot.ts';
import type { Retention } from './limits.ts';
import { growthSteps, lastStreak, quietMs } from './backoff.ts';
import { ownerScope } from './limit-scope.ts';

/** An eviction of this run or an earlier one. */
export interface PastEviction {
  /** When it ended, in ms since the epoch; while that is not known, the latest that it can. */
  readonly at: number;
  readonly namespace: string;
  /** `Deployment/web`; the pod itself where it had no owner. */
  readonly owner: string;
  readonly node: string;
  /** Of the attempt, for two runs may try the same pod: `attemptId`. */
  readonly id: string;
}

/** The pod's UID and when the cycle began that tries it, in ms since the epoch: a cycle tries a pod once. */
export function attemptId(uid: string, startedAt: number): string {
  return `${uid}@${startedAt.toString(36)}`;
}

/** When the cycle began that made the attempt; the time of the eviction where its ID does not tell. */
export function triedAt({ id, at }: Pick<PastEviction, 'id' | 'at'>): number {
  const startedAt = Number.parseInt(id.includes('@') ? id.slice(id.lastIndexOf('@') + 1) : '', 36);
  return startedAt <= at ? startedAt : at;
}

/** A pod that its budget has held back `count` times in a row, the last time `at`. */
export interface PastBlock {
  readonly uid: string;
  readonly count: number;
  readonly at: number;
}

/** What is remembered of earlier cycles and runs. Evictions by time, then ID; blocks by UID. */
export interface HistoryState {
  readonly evictions: readonly PastEviction[];
  readonly blocks: readonly PastBlock[];
}

/** What is to be remembered, or no longer. */
export type HistoryEvent =
  /** A second event for the same attempt moves its time. */
  | ({ readonly kind: 'evicted' } & PastEviction)
  /** The eviction did not take place after all. */
  | { readonly kind: 'reverted'; readonly id: string }
  | { readonly kind: 'blocked'; readonly uid: string; readonly at: number };

/** What has happened, and by which rules the rest is forgotten. */
export interface HistoryChange {
  readonly events: readonly HistoryEvent[];
  readonly retention: Retention;
  readonly now: number;
}

/** What a history holds, and what the operator must know about it. */
export interface Remembered {
  readonly state: HistoryState;
  readonly warnings: readonly string[];
}

/**
 * The port that remembers evictions and blocks between cycles and runs. A dry run only reads. A failure to load or save
 * means that limits would not hold, so nothing may be evicted then.
 */
export interface History {
  load(signal?: AbortSignal): Reply<Remembered>;
  /** Applies a change to whatever is remembered by now; answers with what the operator must know. */
  save(change: HistoryChange): Reply<readonly string[]>;
}

const FAR_AHEAD_MS = 24 * 3_600_000;

/** Nothing remembered yet. */
export const EMPTY_HISTORY: HistoryState = { evictions: [], blocks: [] };

/** Remembers nothing; `warning` says what that means for the limits. */
export function noHistory(warning: string): History {
  return {
    load: () => replied({ state: EMPTY_HISTORY, warnings: [warning] }),
    save: () => replied([]),
  };
}

/** Remembers as long as the process lives: enough for cycles in a loop. */
export function memoryHistory(state: HistoryState = EMPTY_HISTORY): History {
  let current = state;
  return {
    load: () => replied({ state: current, warnings: [] }),
    save: (change) => {
      current = changed(current, change);
      return replied([]);
    },
  };
}

/**
 * A history after a change. Changes can be applied twice, and to the state that another run has left in the meantime:
 * an eviction is known by its ID, a block by its time. So a save that met a conflict, or whose answer got lost, is
 * simply tried again on what is there.
 */
export function changed(state: HistoryState, { events, retention, now }: HistoryChange): HistoryState {
  const evictions = new Map(state.evictions.map((eviction) => [eviction.id, eviction]));
  const blocks = new Map(state.blocks.map((block) => [block.uid, block]));
  for (const event of events) {
    if (event.kind === 'reverted') evictions.delete(event.id);
    else if (event.kind === 'blocked') blocks.set(event.uid, blockedAgain(blocks.get(event.uid), event, retention));
    else evictions.set(event.id, evictionOf(event));
  }
  return pruned({ evictions: [...evictions.values()], blocks: [...blocks.values()] }, retention, now);
}

function evictionOf({ at, namespace, owner, node, id }: PastEviction): PastEviction {
  return { at, namespace, owner, node, id };
}

function blockedAgain(known: PastBlock | undefined, { uid, at }: Pick<PastBlock, 'uid' | 'at'>, retention: Retention) {
  if (known && at <= known.at) return known;
  const inRow = known !== undefined && at - known.at <= retention.blockMs;
  return { uid, count: inRow ? known.count + 1 : 1, at };
}

/**
 * Without what no limit can need any more: evictions that have left the longest window, unless they are the last ones of
 * a row of their owner that is still going on (as many as it takes for the pause to have stopped growing), and blocks
 * that are long over. A time more than a day ahead is from a clock gone wrong and counts as now.
 */
export function pruned(state: HistoryState, retention: Retention, now: number): HistoryState {
  const sane = <T extends { readonly at: number }>(one: T): T =>
    one.at > now + FAR_AHEAD_MS ? { ...one, at: now } : one;
  const evictions = state.evictions.map(sane).toSorted((a, b) => a.at - b.at || compareText(a.id, b.id));
  const resting = inRows(evictions, retention, now);
  return {
    evictions: evictions.filter((one) => one.at > now - retention.windowMs || resting.has(one)),
    blocks: state.blocks
      .map(sane)
      .filter(({ at }) => at > now - retention.blockMs)
      .toSorted((a, b) => compareText(a.uid, b.uid)),
  };
}

/** Evictions that still make a pause longer. One that is still under way counts as of now. */
function inRows(evictions: readonly PastEviction[], { cooldown }: Retention, now: number): ReadonlySet<PastEviction> {
  if (!cooldown) return new Set();
  const byOwner = new Map<string, PastEviction[]>();
  for (const one of evictions) {
    const scope = ownerScope(one.namespace, one.owner);
    const ofOwner = byOwner.get(scope);
    if (ofOwner) ofOwner.push(one);
    else byOwner.set(scope, [one]);
  }
  const kept = [...byOwner.values()].flatMap((ofOwner) => {
    const moments = ofOwner.map((one) => ({ since: triedAt(one), at: Math.min(one.at, now) }));
    if (now - (moments.at(-1)?.at ?? 0) > quietMs(cooldown)) return [];
    const steps = Math.min(lastStreak(moments, cooldown).length, growthSteps(cooldown));
    return ofOwner.slice(-steps);
  });
  return new Set(kept);
}
