import { compareText } from '../cluster/snapshot.ts';
import { Heap, type HeapItem } from '../lib/heap.ts';
import { TokenBucket } from '../lib/token-bucket.ts';

/** Whether a queue lets nodes through, and how many a second. Differs from the reference: a rate never stands for "blocked". */
export type QueueMode = { readonly kind: 'blocked' } | { readonly kind: 'rate'; readonly perSecond: number };

/** A node that waits for its NoExecute taint. */
export interface Waiting {
  readonly name: string;
  /** When it was first seen failing, in ms of the monotonic clock: the order of the queue. */
  readonly since: number;
  /** Decides between nodes first seen failing at once: the transition of their Ready condition, in ms since the epoch. */
  readonly failedAt: number;
}

interface Entry extends Waiting, HeapItem {
  /** Not before this moment: after a write that failed. */
  notBefore: number;
}

/**
 * The nodes of one zone that wait to be tainted, at the zone's rate with a burst of one. A token is spent by `take` and given
 * back by `giveBack` when nothing had to be written.
 *
 * Differs from the reference: the oldest failure comes first; there each pass shuffles the queue, so that none has a bounded wait.
 */
export class TaintQueue {
  readonly #entries = new Map<string, Entry>();
  readonly #heap = new Heap<Entry>(isBefore);
  #mode: QueueMode;
  #bucket: TokenBucket | undefined;

  /** A new zone's first failing node is let through at once. */
  constructor(mode: QueueMode, now: number) {
    this.#mode = mode;
    this.#bucket = bucketOf(mode, now, false);
  }

  get mode(): QueueMode {
    return this.#mode;
  }

  get size(): number {
    return this.#entries.size;
  }

  /** Names in the order in which they come to their turn, those waiting after a failed write at their place. */
  names(): readonly string[] {
    return [...this.#entries.values()].toSorted((a, b) => (isBefore(a, b) ? -1 : 1)).map(({ name }) => name);
  }

  /** Puts a node in; one that is in already keeps its place. Says whether it is new. */
  add(waiting: Waiting): boolean {
    if (this.#entries.has(waiting.name)) return false;
    const entry: Entry = { ...waiting, notBefore: -Infinity, heapIndex: -1 };
    this.#entries.set(entry.name, entry);
    this.#heap.push(entry);
    return true;
  }

  /** Takes a node out; what was known of it goes with it, so that it can wait elsewhere. */
  remove(name: string): Waiting | undefined {
    const entry = this.#entries.get(name);
    if (!entry) return undefined;
    this.#entries.delete(name);
    this.#heap.remove(entry);
    return { name, since: entry.since, failedAt: entry.failedAt };
  }

  /** Empties the queue. */
  clear(): void {
    for (const name of [...this.#entries.keys()]) this.remove(name);
  }

  /**
   * Changes the mode. The same mode changes nothing. Otherwise a bucket that had no token has none afterwards either, so
   * that no change grants a free one; leaving `blocked` starts without a token.
   */
  setMode(mode: QueueMode, now: number): void {
    if (isSameMode(this.#mode, mode)) return;
    const isEmpty = !this.#bucket?.has(now);
    this.#mode = mode;
    this.#bucket = bucketOf(mode, now, isEmpty);
  }

  /** The node whose turn it is, if it has waited long enough and there is a token for it. Stays in the queue. */
  ready(now: number): string | undefined {
    if (!this.#bucket?.has(now)) return undefined;
    return this.#first(now)?.name;
  }

  /** When `ready` will next have an answer, in ms of the monotonic clock; Infinity if nothing waits or the zone is blocked. */
  readyAt(now: number): number {
    if (!this.#bucket || this.#entries.size === 0) return Infinity;
    let earliest = Infinity;
    for (const { notBefore } of this.#entries.values()) earliest = Math.min(earliest, notBefore);
    return Math.max(now, earliest, this.#bucket.nextAt(now));
  }

  /** Spends a token and takes the node out. */
  take(name: string, now: number): Waiting | undefined {
    this.#bucket?.take(now);
    return this.remove(name);
  }

  /** The token of a node for which nothing had to be, or could be, written. */
  giveBack(now: number): void {
    this.#bucket?.giveBack(now);
  }

  /** Puts a node back whose taint could not be written, at its old place but not before that moment. */
  retry(waiting: Waiting, notBefore: number): void {
    if (!this.add(waiting)) return;
    const entry = this.#entries.get(waiting.name);
    if (entry) entry.notBefore = notBefore;
  }

  /** The oldest failure that need not wait any longer. Entries that must are few: they are looked through in order. */
  #first(now: number): Entry | undefined {
    const head = this.#heap.peek();
    if (!head || head.notBefore <= now) return head;
    const able = [...this.#entries.values()].filter(({ notBefore }) => notBefore <= now);
    return able.toSorted((a, b) => (isBefore(a, b) ? -1 : 1))[0];
  }
}

function bucketOf(mode: QueueMode, now: number, empty: boolean): TokenBucket | undefined {
  return mode.kind === 'blocked' ? undefined : new TokenBucket(mode.perSecond, 1, { now, empty });
}

function isSameMode(a: QueueMode, b: QueueMode): boolean {
  if (a.kind === 'blocked' || b.kind === 'blocked') return a.kind === b.kind;
  return a.perSecond === b.perSecond;
}

function isBefore(a: Waiting, b: Waiting): boolean {
  return (a.since - b.since || a.failedAt - b.failedAt || compareText(a.name, b.name)) < 0;
}
