import type { IncomingHttpHeaders } from 'node:http';

/** What can go wrong with a call to the API server, decided once: callers branch on `kind`, never on text. */
export interface ApiFailure {
  readonly kind:
    | 'not-found'
    | 'conflict'
    | 'too-many-requests'
    | 'gone'
    | 'unauthorized'
    | 'forbidden'
    | 'invalid'
    /** The server failed, or nothing that can be read came back: the call may or may not have been carried out. */
    | 'transient'
    /** The server's certificate is not accepted. */
    | 'certificate'
    /** The time allowed for the call was over. */
    | 'timeout'
    /** The caller gave up. */
    | 'aborted';
  /** HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** In the server's words where it gave some. */
  readonly message: string;
  readonly retryAfterMs: number | undefined;
  /** `details.causes[].reason` of the Status object, such as DisruptionBudget. */
  readonly causes: readonly string[];
}

/** An answer of the API server. */
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: ApiFailure };

const BY_STATUS: Readonly<Record<number, ApiFailure['kind']>> = {
  400: 'invalid',
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  405: 'invalid',
  406: 'invalid',
  409: 'conflict',
  410: 'gone',
  413: 'invalid',
  415: 'invalid',
  422: 'invalid',
  429: 'too-many-requests',
};

/** Reads a failed answer: a `Status` object, or whatever stands there instead. `now` is for dates in Retry-After. */
export function failureOf(
  status: number,
  headers: IncomingHttpHeaders,
  answer: { body: string; now: number },
): ApiFailure {
  const parsed = readStatus(answer.body);
  return {
    kind: BY_STATUS[status] ?? 'transient',
    status,
    message: parsed.message ?? `HTTP ${status}${excerpt(answer.body)}`,
    retryAfterMs: retryAfter(headers['retry-after'], answer.now),
    causes: parsed.causes,
  };
}

/** A failure without an answer. */
export function noAnswer(kind: 'transient' | 'certificate' | 'timeout' | 'aborted', message: string): ApiFailure {
  return { kind, status: undefined, message, retryAfterMs: undefined, causes: [] };
}

/** `Retry-After` as RFC 9110 has it: seconds or a date. Milliseconds from now; undefined if absent or unreadable. */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  if (header === undefined) return undefined;
  if (/^\d+$/.test(header.trim())) return Number(header) * 1000;
  const date = Date.parse(header);
  return Number.isNaN(date) ? undefined : Math.max(0, date - now);
}

function readStatus(body: string): { message: string | undefined; causes: string[] } {
  let status: unknown;
  try {
    status = JSON.parse(body);
  } catch {
    return { message: undefined, causes: [] };
  }
  const { kind, message, details } = (status ?? {}) as {
    kind?: unknown;
    message?: unknown;
    details?: { causes?: unknown } | null;
  };
  if (kind !== 'Status') return { message: undefined, causes: [] };
  const causes = Array.isArray(details?.causes) ? (details.causes as unknown[]) : [];
  return {
    message: typeof message === 'string' && message !== '' ? message : undefined,
    causes: causes
      .map((cause) => (cause as { reason?: unknown } | null)?.reason)
      .filter((it) => typeof it === 'string'),
  };
}

function excerpt(body: string): string {
  const text = body.replace(/\s+/g, ' ').trim();
  return text === '' ? '' : `: ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`;
}
