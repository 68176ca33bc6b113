import { setImmediate as nextTurn } from 'node:timers/promises';
import { sleep, type Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { retryDelay, type Backoff } from '../../lib/retry.ts';
import { type ApiAnswer, type ApiFailure, noAnswer } from '../http/failure.ts';
import type { OpenPage, Page } from './page.ts';
import { send, type Call } from '../http/call.ts';

/** How a list is fetched. */
export interface ListOptions {
  readonly clock: Clock;
  /** Spreads the retries of those who failed together. */
  readonly random?: Random;
  readonly signal?: AbortSignal | undefined;
  /** Objects per page. */
  readonly pageSize?: number;
  /** How often the list may begin, where its tokens expire or a page is damaged. */
  readonly mostStarts?: number;
  /** How long one failing page is tried again before the list is given up. */
  readonly patienceMs?: number;
  /** For one page. */
  readonly timeoutMs?: number;
  /** Told how many objects have come, and how many are left where the server says so. */
  readonly onProgress?: ((fetched: number, remaining: number | undefined) => void) | undefined;
}

/** A collection, and where its pages go. */
export interface ListTarget<T> {
  readonly path: string;
  readonly open: OpenPage<T>;
  /** Takes the objects of a page. */
  readonly take: (items: readonly T[]) => void | Promise<void>;
  /** The list starts again: what was taken is void. */
  readonly restart: () => void | Promise<void>;
}

const PAGE_SIZE = 500;
const PATIENCE_MS = 60_000;
const TIMEOUT_MS = 60_000;
const BACKOFF = { baseMs: 250, capMs: 8_000 };
const RESTART_BACKOFF = { baseMs: 1_000, capMs: 8_000 };

/** A list whose tokens expire this often takes too long, and would never end. */
const MOST_STARTS = 4;

/**
 * Fetches a collection page by page; each page is read and dropped, and the next one is on its way meanwhile. A token that
 * has expired (410), or a page that turns out to be damaged, starts the list again. Answers with the version that the list was taken at.
 */
export async function listPages<T>(
  call: Call,
  target: ListTarget<T>,
  options: ListOptions,
): Promise<ApiAnswer<string>> {
  for (let starts = 1; ; starts++) {
    const { answer, again } = await listOnce(call, target, options);
    if (answer.ok || !again || starts >= (options.mostStarts ?? MOST_STARTS)) return answer;
    await sleep(
      options.clock,
      delay(RESTART_BACKOFF, starts - 1, { options, failure: answer.failure }),
      options.signal,
    );
    if (options.signal?.aborted) return { ok: false, failure: noAnswer('aborted', 'given up') };
    await target.restart();
  }
}

/** The same with all objects kept. */
export async function listAll<T>(
  call: Call,
  target: Pick<ListTarget<T>, 'path' | 'open'>,
  options: ListOptions,
): Promise<ApiAnswer<{ readonly items: readonly T[]; readonly resourceVersion: string }>> {
  const items: T[] = [];
  const take = (page: readonly T[]) => {
    for (const item of page) items.push(item);
  };
  const restart = () => void items.splice(0);
  const answer = await listPages(call, { ...target, take, restart }, options);
  return answer.ok ? { ok: true, value: { items, resourceVersion: answer.value } } : answer;
}

/** How one pass over the pages ended, and whether another one may end better. */
interface Pass {
  readonly answer: ApiAnswer<string>;
  readonly again: boolean;
}

async function listOnce<T>(call: Call, target: ListTarget<T>, options: ListOptions): Promise<Pass> {
  const tokens = new Set<string>();
  let coming = fetchPage(call, target, { ...options, next: '' });
  for (let fetched = 0; ;) {
    const answer = await coming;
    if (!answer.ok) return { answer, again: answer.failure.kind === 'gone' };
    const { head, items } = answer.value;
    if (tokens.has(head.next)) return { answer: { ok: false, failure: noAnswer('invalid', CIRCLE) }, again: false };
    tokens.add(head.next);
    if (head.next !== '') ({ page: coming } = await started(fetchPage(call, target, { ...options, next: head.next })));
    const page = items();
    if (!page.ok) return { answer: page, again: true };
    await target.take(page.value);
    fetched += page.value.length;
    options.onProgress?.(fetched, head.remaining);
    if (head.next === '') return { answer: { ok: true, value: head.resourceVersion }, again: false };
  }
}

const CIRCLE = 'the server answers with a continue token that it has given before, so that the list would never end';

/** The request leaves before the reading of a page keeps the thread busy. The promise comes boxed, so that it is not awaited. */
async function started<T>(coming: Promise<T>): Promise<{ readonly page: Promise<T> }> {
  // If nobody waits for the page in the end, its failure concerns nobody.
  coming.catch(() => undefined);
  await nextTurn();
  return { page: coming };
}

type PageOptions = ListOptions & { readonly next: string };

/** One page, tried again while the server fails and there is patience. */
async function fetchPage<T>(call: Call, target: ListTarget<T>, options: PageOptions): Promise<ApiAnswer<Page<T>>> {
  const request = {
    method: 'GET' as const,
    path: pagePath(target.path, options),
    timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    signal: options.signal,
  };
  const deadline = options.clock.now() + (options.patienceMs ?? PATIENCE_MS);
  for (let attempt = 0; ; attempt++) {
    const answer = await send(call, request);
    const page = answer.ok ? target.open(answer.value) : answer;
    if (page.ok || !mayPass(page.failure)) return page;
    const wait = delay(BACKOFF, attempt, { options, failure: page.failure });
    if (options.clock.now() + wait > deadline) return page;
    await sleep(options.clock, wait, options.signal);
    if (options.signal?.aborted) return { ok: false, failure: noAnswer('aborted', 'given up') };
  }
}

interface Failed {
  readonly options: ListOptions;
  readonly failure: ApiFailure;
}

function delay(backoff: Backoff, attempt: number, { options: { random = Math.random }, failure }: Failed): number {
  return retryDelay(backoff, attempt, { random, retryAfterMs: failure.retryAfterMs });
}

function pagePath(path: string, { pageSize, next }: PageOptions): string {
  const token = next === '' ? '' : `&continue=${encodeURIComponent(next)}`;
  return `${path}${path.includes('?') ? '&' : '?'}limit=${pageSize ?? PAGE_SIZE}${token}`;
}

function mayPass(failure: ApiFailure): boolean {
  return (
    failure.kind === 'transient' ||
    failure.kind === 'no-credentials' ||
    failure.kind === 'timeout' ||
    failure.kind === 'too-many-requests'
  );
}
