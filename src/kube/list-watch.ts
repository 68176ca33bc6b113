import { Decoder, type Decoded } from '../cluster/decode.ts';
import { isRecord } from '../cluster/decode-json.ts';
import type { ReadKind } from '../cluster/decode-table.ts';
import type { ClusterStore } from '../cluster/store.ts';
import { sleep, type Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { backoffDelay } from '../lib/retry.ts';
import type { ApiFailure } from './failure.ts';
import { listAll } from './list.ts';
import { parsedPages } from './page.ts';
import type { Transport } from './transport.ts';
import { readWatch, type WatchEvent } from './watch-stream.ts';

/** What a list-watch is doing. */
export type WatchState = 'listing' | 'watching' | 'backing-off' | 'stopped';

/** What a list-watch works with. */
export interface ListWatchParts {
  readonly kind: ReadKind;
  /** Of the collection, without query. */
  readonly path: string;
  readonly transport: Transport;
  readonly store: ClusterStore;
  readonly clock: Clock;
  /** Spreads the ends of watches, so that not all kinds begin anew at once. */
  readonly random: Random;
  /** Told each time it changes. */
  readonly onState?: (state: WatchState) => void;
  /** Told of each failure; it is tried again in any case. */
  readonly onFailure?: (failure: ApiFailure) => void;
}

const BACKOFF = { baseMs: 500, capMs: 30_000 };

/** Longest silence of a server that sends bookmarks about once a minute. */
const SILENCE_MS = 150_000;

/** A watch is asked to end after this long at least, and twice that at most (as client-go does). */
const WATCH_SECONDS = 300;

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
    for (let failures = 0; !this.#isStopped();) {
      const before = version;
      version = version === undefined ? await this.#list() : await this.#watch(version);
      // A watch that ends without anything new is a failure like any other, or a server that closes at once would be flooded.
      const moved = version !== undefined && version !== before;
      failures = moved ? 0 : failures + 1;
      if (!moved && version !== undefined && before !== undefined && failures === 1) continue;
      if (!moved && !this.#isStopped()) await this.#backOff(failures);
    }
    this.#enter('stopped');
  }

  /** The version of the list, or undefined if it could not be had. */
  async #list(): Promise<string | undefined> {
    this.#enter('listing');
    const { transport, path, clock, store, kind } = this.#parts;
    const answer = await listAll(transport, { path, open: parsedPages }, { clock, signal: this.#stop.signal });
    if (!answer.ok) {
      this.#failed(answer.failure);
      return undefined;
    }
    store.replaceAll(
      kind,
      answer.value.items.map((item) => this.#decode(item)).filter((it) => it !== undefined),
    );
    return answer.value.resourceVersion;
  }

  /** The version that was reached, or undefined if the next step must be a list. */
  async #watch(from: string): Promise<string | undefined> {
    const { transport, path, random } = this.#parts;
    const seconds = Math.floor(WATCH_SECONDS * (1 + random()));
    const query = `watch=1&allowWatchBookmarks=true&timeoutSeconds=${seconds}&resourceVersion=${encodeURIComponent(from)}`;
    const answer = await transport.stream({ method: 'GET', path: `${path}?${query}`, signal: this.#stop.signal });
    if (!answer.ok) {
      this.#failed(answer.failure);
      return answer.failure.kind === 'gone' ? undefined : from;
    }
    this.#enter('watching');
    let version: string | undefined = from;
    const onEvent = (event: WatchEvent) => {
      if (version !== undefined) version = this.#take(event, version);
      if (version === undefined) answer.value.destroy();
    };
    const end = await readWatch(answer.value, onEvent, { silenceMs: SILENCE_MS, signal: this.#stop.signal });
    if (end === 'garbage' || end === 'silent') this.#parts.onFailure?.(endFailure(end));
    return version;
  }

  /** Applies an event; answers with the version it brings the kind to, or undefined if only a list can help. */
  #take({ type, object }: WatchEvent, version: string): string | undefined {
    if (type === 'ERROR') {
      const expired = object['code'] === 410;
      this.#parts.onFailure?.(errorEvent(object, expired));
      return expired ? undefined : version;
    }
    const next = versionOf(object) ?? version;
    if (type === 'BOOKMARK') return next;
    const decoded = this.#decode(object);
    if (decoded) this.#parts.store.apply({ ...decoded, type: type === 'DELETED' ? 'delete' : 'put' });
    return next;
  }

  #decode(item: unknown): Decoded | undefined {
    if (++this.#decoded % OBJECTS_PER_DECODER === 0) this.#decoder = new Decoder();
    return this.#decoder.decodeObject(item, this.#parts.kind);
  }

  #failed(failure: ApiFailure): void {
    if (failure.kind !== 'aborted') this.#parts.onFailure?.(failure);
    this.#retryAfterMs = failure.retryAfterMs;
  }

  async #backOff(failures: number): Promise<void> {
    this.#enter('backing-off');
    const { clock, random } = this.#parts;
    const wait = this.#retryAfterMs ?? backoffDelay(BACKOFF, failures - 1, random);
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

function errorEvent({ message, code }: Readonly<Record<string, unknown>>, expired: boolean): ApiFailure {
  const text = typeof message === 'string' ? message : 'the watch ended with an error';
  const status = typeof code === 'number' ? code : undefined;
  return { kind: expired ? 'gone' : 'transient', status, message: text, retryAfterMs: undefined, causes: [] };
}

function endFailure(end: 'garbage' | 'silent'): ApiFailure {
  const message = end === 'garbage' ? 'the watch sent what is no event' : 'the watch fell silent';
  return { kind: 'transient', status: undefined, message, retryAfterMs: undefined, causes: [] };
}
