import type { Failure, FailureKind } from '../../lib/answer.ts';
import type { IncomingHttpHeaders } from 'node:http';

/**
 * What can go wrong with a call to the API server, decided once: callers branch on `kind`, never on text. `transient`: the
 * server failed, or nothing that can be read came back, so that the call may or may not have been carried out.
 */
export interface ApiFailure extends Failure {
  /** HTTP status, if there was an answer. */
  readonly status: number | undefined;
  /** `details.causes[].reason` of the Status object, such as DisruptionBudget. */
  readonly causes: readonly string[];
  /** `details.name` of the Status object: the object that the answer speaks of. Paths that nobody serves have none. */
  readonly objectName?: string;
  /** Set where nothing was sent, so that the server cannot have acted. */
  readonly isUnsent?: true;
}

/** An answer of the API server. */
export type ApiAnswer<T> =
  { readonly ok: true; readonly value: T } | { readonly ok: false; readonly failure: ApiFailure };

const BY_STATUS: Readonly<Record<number, FailureKind>> = {
  401: 'unauthorized',
  403: 'forbidden',
  404: 'not-found',
  408: 'timeout',
  409: 'conflict',
  410: 'gone',
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
    kind: kindOf(status),
    status,
    message: parsed.message ?? `HTTP ${status}${excerpt(answer.body)}`,
    retryAfterMs: retryAfter(headers['retry-after'], serverTime(headers) ?? answer.now) ?? parsed.retryAfterMs,
    causes: parsed.causes,
    ...(parsed.objectName === undefined ? {} : { objectName: parsed.objectName }),
  };
}

/**
 * The failure that a 2xx holds: a `Status` that says Failure, as some gateways pass it on, is none the better for its HTTP status.
 * Undefined for every other body.
 */
export function failureWithin(body: Buffer): ApiFailure | undefined {
  if (body.length > MOST_STATUS_BYTES || !body.includes('"Status"')) return undefined;
  const text = body.toString('utf8');
  const { kind, status, code } = parsedStatus(text);
  if (kind !== 'Status' || status !== 'Failure') return undefined;
  return failureOf(typeof code === 'number' && code >= 300 ? code : 500, {}, { body: text, now: 0 });
}

/** A `Status` is small; what is longer is an object. */
const MOST_STATUS_BYTES = 64 * 1024;

/** Redirects and requests that are wrong in another way stay wrong; what the server fails at may pass. */
function kindOf(status: number): FailureKind {
  return BY_STATUS[status] ?? (status >= 300 && status < 500 ? 'invalid' : 'transient');
}

/** A failure without an answer, or with one that is of no use. */
export function noAnswer(kind: FailureKind, message: string): ApiFailure {
  return { kind, status: undefined, message, retryAfterMs: undefined, causes: [] };
}

/** A failure before anything was sent. */
export function unsent(kind: FailureKind, message: string): ApiFailure {
  return { ...noAnswer(kind, message), isUnsent: true };
}

/** A call that was given up before anything was sent. */
export const NOT_SENT: ApiFailure = Object.freeze(unsent('aborted', 'given up before it was sent'));

/**
 * `Retry-After` as RFC 9110 has it: seconds or a date. Milliseconds from now; undefined if it is absent, cannot be read, or asks
 * for no wait.
 */
export function retryAfter(header: string | undefined, now: number): number | undefined {
  const text = header?.trim() ?? '';
  return waitOf(/^\d+$/.test(text) ? Number(text) * 1000 : dateIn(text) - now);
}

/** How long to wait as a `Status` object says it. */
export function retryAfterSeconds(seconds: unknown): number | undefined {
  return typeof seconds === 'number' ? waitOf(seconds * 1000) : undefined;
}

function waitOf(ms: number): number | undefined {
  return ms > 0 && Number.isFinite(ms) ? ms : undefined;
}

/** A date counts from what the server's own clock showed. */
function serverTime({ date = '' }: IncomingHttpHeaders): number | undefined {
  const at = dateIn(date);
  return Number.isNaN(at) ? undefined : at;
}

/** NaN for what is no date of HTTP: JavaScript takes many other texts for dates, such as "-5". */
function dateIn(text: string): number {
  return /^[A-Z][a-z]{2,8},? .*\d\d:\d\d:\d\d/.test(text) ? Date.parse(text) : Number.NaN;
}

/** What a `Status` object says (https://kubernetes.io/docs/reference/kubernetes-api/common-definitions/status/). */
interface StatusObject {
  readonly kind?: unknown;
  readonly status?: unknown;
  readonly code?: unknown;
  readonly message?: unknown;
  readonly details?: {
    readonly name?: unknown;
    readonly causes?: unknown;
    readonly retryAfterSeconds?: unknown;
  } | null;
}

interface ReadStatus {
  readonly message: string | undefined;
  readonly causes: readonly string[];
  readonly retryAfterMs: number | undefined;
  readonly objectName: string | undefined;
}

function readStatus(body: string): ReadStatus {
  const { kind, message, details } = parsedStatus(body);
  if (kind !== 'Status') return { message: undefined, causes: [], retryAfterMs: undefined, objectName: undefined };
  const causes = Array.isArray(details?.causes) ? (details.causes as unknown[]) : [];
  return {
    message: typeof message === 'string' && message !== '' ? message : undefined,
    causes: causes
      .map((cause) => (cause as { reason?: unknown } | null)?.reason)
      .filter((reason) => typeof reason === 'string'),
    retryAfterMs: retryAfterSeconds(details?.retryAfterSeconds),
    objectName: typeof details?.name === 'string' && details.name !== '' ? details.name : undefined,
  };
}

function parsedStatus(body: string): StatusObject {
  try {
    return (JSON.parse(body) ?? {}) as StatusObject;
  } catch {
    return {};
  }
}

function excerpt(body: string): string {
  const text = body.replace(/\s+/g, ' ').trim();
  return text === '' ? '' : `: ${text.length > 200 ? `${text.slice(0, 200)}…` : text}`;
}
