import { sleep, type Clock } from '../lib/clock.ts';
import { backoffDelay } from '../lib/retry.ts';
import { type Answer, type ApiFailure, noAnswer } from './failure.ts';
import type { Transport } from './transport.ts';

/** How a list is fetched. */
export interface ListOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Objects per page. */
  readonly pageSize?: number;
  /** How long failing pages are tried again before the list is given up. */
  readonly patienceMs?: number;
  /** Told how many objects have come, and how many are left where the server says so. */
  readonly onProgress?: (fetched: number, remaining: number | undefined) => void;
}

/** A whole list, decoded, and the version it was taken at. */
export interface Listed<T> {
  readonly items: T[];
  readonly resourceVersion: string;
}

interface Page {
  readonly items: unknown[];
  readonly next: string;
  readonly resourceVersion: string;
  readonly remaining: number | undefined;
}

const PAGE_SIZE = 500;
const PATIENCE_MS = 60_000;
const BACKOFF = { baseMs: 250, capMs: 8_000 };

/**
 * Fetches a collection page by page; each page is decoded and dropped, and the next one is on its way meanwhile. A token
 * that has expired (410) starts the list again. `decode` answers undefined for what is not to be kept.
 */
export async function listAll<T>(
  transport: Transport,
  target: { readonly path: string; readonly decode: (item: unknown) => T | undefined },
  options: ListOptions,
): Promise<Answer<Listed<T>>> {
  const deadline = options.clock.now() + (options.patienceMs ?? PATIENCE_MS);
  for (;;) {
    const answer = await listOnce(transport, target, { ...options, deadline });
    if (answer.ok || answer.failure.kind !== 'gone' || options.clock.now() >= deadline) return answer;
  }
}

async function listOnce<T>(
  transport: Transport,
  target: { readonly path: string; readonly decode: (item: unknown) => T | undefined },
  options: ListOptions & { readonly deadline: number },
): Promise<Answer<Listed<T>>> {
  const items: T[] = [];
  let coming = fetchPage(transport, target.path, { ...options, next: '' });
  for (let fetched = 0; ;) {
    const answer = await coming;
    if (!answer.ok) return answer;
    const page = answer.value;
    if (page.next !== '') coming = fetchPage(transport, target.path, { ...options, next: page.next });
    for (const item of page.items) {
      const decoded = target.decode(item);
      if (decoded !== undefined) items.push(decoded);
    }
    fetched += page.items.length;
    options.onProgress?.(fetched, page.remaining);
    if (page.next === '') return { ok: true, value: { items, resourceVersion: page.resourceVersion } };
  }
}

type PageOptions = ListOptions & { readonly deadline: number; readonly next: string };

/** One page, tried again while the server fails and there is time. */
async function fetchPage(transport: Transport, path: string, options: PageOptions): Promise<Answer<Page>> {
  const token = options.next === '' ? '' : `&continue=${encodeURIComponent(options.next)}`;
  const url = `${path}${path.includes('?') ? '&' : '?'}limit=${options.pageSize ?? PAGE_SIZE}${token}`;
  for (let attempt = 0; ; attempt++) {
    const answer = await transport.send({ method: 'GET', path: url, timeoutMs: 60_000, signal: options.signal });
    const page = answer.ok ? readPage(answer.value) : answer;
    if (page.ok || !mayPass(page.failure)) return page;
    const wait = page.failure.retryAfterMs ?? backoffDelay(BACKOFF, attempt);
    if (options.clock.now() + wait > options.deadline) return page;
    await sleep(options.clock, wait, options.signal);
    if (options.signal?.aborted) return { ok: false, failure: noAnswer('aborted', 'given up') };
  }
}

function mayPass(failure: ApiFailure): boolean {
  return failure.kind === 'transient' || failure.kind === 'timeout' || failure.kind === 'too-many-requests';
}

function readPage(bytes: Buffer): Answer<Page> {
  let list: unknown;
  try {
    list = JSON.parse(bytes.toString('utf8'));
  } catch {
    return { ok: false, failure: noAnswer('transient', `the answer is not JSON: ${bytes.toString('utf8', 0, 80)}`) };
  }
  const { metadata, items } = (list ?? {}) as { metadata?: Record<string, unknown> | null; items?: unknown };
  if (typeof metadata !== 'object' || metadata === null || (items !== null && !Array.isArray(items))) {
    const failure = { ...noAnswer('transient', 'the answer is no Kubernetes list'), kind: 'invalid' as const };
    return { ok: false, failure };
  }
  const remaining = metadata['remainingItemCount'];
  return {
    ok: true,
    value: {
      items: (items ?? []) as unknown[],
      next: textOf(metadata['continue']),
      resourceVersion: textOf(metadata['resourceVersion']),
      remaining: typeof remaining === 'number' ? remaining : undefined,
    },
  };
}

function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '';
}
