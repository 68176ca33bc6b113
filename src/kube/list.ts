import { setImmediate as nextTurn } from 'node:timers/promises';
import { sleep, type Clock } from '../lib/clock.ts';
import { backoffDelay } from '../lib/retry.ts';
import { type Answer, type ApiFailure, noAnswer } from './failure.ts';
import type { OpenPage, Page } from './page.ts';
import { send, type Call } from './call.ts';

/** How a list is fetched. */
export interface ListOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Objects per page. */
  readonly pageSize?: number;
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

/** A list whose tokens expire this often takes too long, and would never end. */
const MOST_STARTS = 4;

/**
 * Fetches a collection page by page; each page is read and dropped, and the next one is on its way meanwhile. A token that
 * has expired (410), or a page that turns out to be damaged, starts the list again. Answers with the version that the list was taken at.
 */
export async function listPages<T>(call: Call, target: ListTarget<T>, options: ListOptions): Promise<Answer<string>> {
  for (let starts = 1; ; starts++) {
    const { answer, again } = await listOnce(call, target, options);
    if (!again || starts >= MOST_STARTS) return answer;
    await target.restart();
  }
}

/** The same with all objects kept. */
export async function listAll<T>(
  call: Call,
  target: Pick<ListTarget<T>, 'path' | 'open'>,
  options: ListOptions,
): Promise<Answer<{ readonly items: readonly T[]; readonly resourceVersion: string }>> {
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
  readonly answer: Answer<string>;
  readonly again: boolean;
}

async function listOnce<T>(call: Call, target: ListTarget<T>, options: ListOptions): Promise<Pass> {
  let coming = fetchPage(call, target, { ...options, next: '' });
  for (let fetched = 0; ;) {
    const answer = await coming;
    if (!answer.ok) return { answer, again: answer.failure.kind === 'gone' };
    const { head, items } = answer.value;
    if (head.next !== '') ({ page: coming } = await started(fetchPage(call, target, { ...options, next: head.next })));
    const page = items();
    if (!page.ok) return { answer: page, again: true };
    await target.take(page.value);
    fetched += page.value.length;
    options.onProgress?.(fetched, head.remaining);
    if (head.next === '') return { answer: { ok: true, value: head.resourceVersion }, again: false };
  }
}

/** The request leaves before the reading of a page keeps the thread busy. The promise comes boxed, so that it is not awaited. */
async function started<T>(coming: Promise<T>): Promise<{ readonly page: Promise<T> }> {
  // If nobody waits for the page in the end, its failure concerns nobody.
  coming.catch(() => undefined);
  await nextTurn();
  return { page: coming };
}

type PageOptions = ListOptions & { readonly next: string };

/** One page, tried again while the server fails and there is patience. */
async function fetchPage<T>(call: Call, target: ListTarget<T>, options: PageOptions): Promise<Answer<Page<T>>> {
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
    const wait = page.failure.retryAfterMs ?? backoffDelay(BACKOFF, attempt);
    if (options.clock.now() + wait > deadline) return page;
    await sleep(options.clock, wait, options.signal);
    if (options.signal?.aborted) return { ok: false, failure: noAnswer('aborted', 'given up') };
  }
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
