import { FieldReader } from '../../cluster/bytes/decode-bytes.ts';
import { Decoder } from '../../cluster/decode/decode.ts';
import { isRecord } from '../../cluster/decode/decode-json.ts';
import type { ReadKind } from '../../cluster/decode/decode-table.ts';
import type { ClusterStore } from '../../cluster/store.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { retryDelay } from '../../lib/retry.ts';
import type { Call } from '../http/call.ts';
import { retryAfterSeconds, type ApiFailure } from '../http/failure.ts';
import { listAll } from './list.ts';
import { decodedPages } from './page.ts';
import { readWatch, type WatchEvent } from './watch-stream.ts';

/** What a list-watch is doing. */
export type WatchState = 'listing' | 'watching' | 'backing-off' | 'stopped';

/** What a list-watch works with. */
export interface ListWatchParts {
  readonly kind: ReadKind;
  /** Of the collection, without query. */
  readonly path: string;
  readonly call: Call;
  readonly store: ClusterStore;
  readonly clock: Clock;
  /** Spreads the ends of watches, so that not all kinds begin anew at once. */
  readonly random: Random;
  /** Longest silence of a watch before it counts as dead, in ms. */
  readonly silenceMs?: number;
  /** Told each time it changes. */
  readonly onState?: (state: WatchState) => void;
  /** Told of each failure; it is tried again in any case. */
  readonly onFailure?: (failure: ApiFailure) => void;
}

/** How a list or a watch has ended. */
interface Step {
  /** The version to go on from; undefined: only a list can help. */
  readonly version: string | undefined;
  /** Whether it failed, or ended too soon, so that the next step has to wait. */
  readonly isBad: boolean;
  /** Whether it was a watch that went on for a while. */
  readonly hasLasted: boolean;
}

const BACKOFF = { baseMs: 1_000, capMs: 30_000 };

/** Longest silence of a server that sends bookmarks about once a minute. */
const SILENCE_MS = 150_000;

/** A watch is asked to end after this long at least, and twice that at most (as client-go does). */
const WATCH_SECONDS = 300;

/** A watch that ends within this time is begun again after a wait: servers let them go on for minutes. */
const SHORT_WATCH_MS = 5_000;

/** After so many objects the tables of shared values begin anew, so that a long-lived daemon does not collect old ones. */
const OBJECTS_PER_DECODER = 100_000;

/**
 * Keeps one kind of the store as the API server has it: a paged list, then a watch from its version on, again and again. A
 * version that has expired (410) begins with a new list, in which what was deleted meanwhile is found missing by UID; any
 * other end of a watch goes on from the last version that was read.
 */
export class ListWatch {
  readonly #parts: ListWatchParts;
  readonly #stop = new AbortController();
  #decoder = new Decoder();
  #decoded = 0;
  #state: WatchState = 'listing';
  #running: Promise<void> = Promise.resolve();
  #retryAfterMs: number | undefined;

  constructor(parts: ListWatchParts) {
    this.#parts = parts;
  }

  get state(): WatchState {
    return this.#state;
  }

  /** Begins; the store announces when the first list is complete. */
  start(): void {
    this.#running = this.#run();
  }

  /** Ends the watch and resolves when nothing is under way any more. */
  async stop(): Promise<void> {
    this.#stop.abort();
    await this.#running;
  }

  async #run(): Promise<void> {
    let version: string | undefined;
    // Only a watch that lasts ends a row of failures: lists that succeed before watches that never do would flood the server.
    for (let failures = 0; !this.#isStopped();) {
      const step: Step = version === undefined ? await this.#list() : await this.#watch(version);
      ({ version } = step);
      if (step.hasLasted) failures = 0;
      if (step.isBad && !this.#isStopped()) await this.#backOff(failures++);
    }
    this.#enter('stopped');
  }

  async #list(): Promise<Step> {
    this.#enter('listing');
    const { call, path, clock, random, store, kind } = this.#parts;
    const open = decodedPages(kind, this.#decoder, new FieldReader(this.#decoder.interner));
    const answer = await listAll(call, { path, open }, { clock, random, mostStarts: 1, signal: this.#stop.signal });
    if (!answer.ok) return this.#failed(answer.failure, undefined);
    this.#renewDecoder(answer.value.items.length);
    if (!this.#isStopped()) store.replaceAll(kind, answer.value.items);
    return { version: answer.value.resourceVersion, isBad: false, hasLasted: false };
  }

  /** Goes on from a version, until the watch ends. */
  async #watch(from: string): Promise<Step> {
    const { call, path, random, clock, silenceMs = SILENCE_MS } = this.#parts;
    const seconds = Math.floor(WATCH_SECONDS * (1 + random()));
    const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=${seconds}&resourceVersion=${encodeURIComponent(from)}`;
    const answer = await call({
      ...{ method: 'GET', path: `${path}?${query}` },
      ...{ streams: true, signal: this.#stop.signal },
    });
    if (!answer.ok) return this.#failed(answer.failure, answer.failure.kind === 'gone' ? undefined : from);
    this.#enter('watching');
    const startedAt = clock.now();
    let version: string | undefined = from;
    let error: ApiFailure | undefined;
    const onEvent = ({ type, object }: WatchEvent) => {
      if (error) return;
      if (type === 'ERROR') error = errorEvent(object);
      else version = this.#take(type, object) ?? version;
      if (error) answer.value.destroy();
    };
    const end = await readWatch(answer.value, onEvent, { silenceMs });
    const hasLasted = clock.now() - startedAt >= SHORT_WATCH_MS;
    if (error) return this.#failed(error, error.kind === 'gone' ? undefined : version, hasLasted);
    // What could not be read may have been a change: only a list tells.
    if (end === 'garbage') return this.#failed(endFailure(end), undefined, hasLasted);
    if (end === 'silent') return this.#failed(endFailure(end), version, hasLasted);
    if (!hasLasted && version === from) return this.#failed(endFailure('short'), version);
    return { version, isBad: !hasLasted, hasLasted };
  }

  /** Applies an event; answers with the version it brings the kind to. */
  #take(type: Exclude<WatchEvent['type'], 'ERROR'>, object: WatchEvent['object']): string | undefined {
    if (type !== 'BOOKMARK' && !this.#isStopped()) {
      this.#renewDecoder(1);
      const decoded = this.#decoder.decodeObject(object, this.#parts.kind);
      if (decoded) this.#parts.store.apply({ ...decoded, type: type === 'DELETED' ? 'delete' : 'put' });
    }
    return versionOf(object);
  }

  #renewDecoder(objects: number): void {
    this.#decoded += objects;
    if (this.#decoded < OBJECTS_PER_DECODER) return;
    this.#decoded = 0;
    this.#decoder = new Decoder();
  }

  #failed(failure: ApiFailure, version: string | undefined, hasLasted = false): Step {
    if (!this.#isStopped()) this.#parts.onFailure?.(failure);
    this.#retryAfterMs = failure.retryAfterMs;
    return { version, isBad: true, hasLasted };
  }

  async #backOff(failures: number): Promise<void> {
    this.#enter('backing-off');
    const { clock, random } = this.#parts;
    const wait = retryDelay(BACKOFF, failures, { random, retryAfterMs: this.#retryAfterMs });
    this.#retryAfterMs = undefined;
    await sleep(clock, wait, this.#stop.signal);
  }

  #isStopped(): boolean {
    return this.#stop.signal.aborted;
  }

  #enter(state: WatchState): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#parts.onState?.(state);
  }
}

function versionOf({ metadata }: Readonly<Record<string, unknown>>): string | undefined {
  const version = isRecord(metadata) ? metadata['resourceVersion'] : undefined;
  return typeof version === 'string' && version !== '' ? version : undefined;
}

function errorEvent({ message, code, details }: Readonly<Record<string, unknown>>): ApiFailure {
  const status = typeof code === 'number' ? code : undefined;
  return {
    kind: status === 410 ? 'gone' : 'transient',
    status,
    message: typeof message === 'string' ? message : 'the watch ended with an error',
    retryAfterMs: isRecord(details) ? retryAfterSeconds(details['retryAfterSeconds']) : undefined,
    causes: [],
  };
}

const ENDS = {
  garbage: 'the watch sent something that is not an event',
  silent: 'the watch fell silent',
  short: 'the watch ended at once',
} as const;

function endFailure(end: keyof typeof ENDS): ApiFailure {
  return { kind: 'transient', status: undefined, message: ENDS[end], retryAfterMs: undefined, causes: [] };
}
