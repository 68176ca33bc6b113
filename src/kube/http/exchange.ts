import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import type { Clock } from '../../lib/clock.ts';
import { type ApiRequest, type ApiResult, BodyCut, readAll } from './call.ts';
import { type ApiAnswer, type ApiFailure, failureOf, noAnswer, NOT_SENT, unsent } from './failure.ts';
import type { Access } from '../session.ts';

/** A request, and who asks whom. */
export interface AuthenticatedRequest extends ApiRequest {
  readonly access: Access;
}

/** What goes with every request. */
export interface ExchangeOptions {
  readonly clock: Clock;
  readonly userAgent: string;
  /** For a request that names no time of its own. */
  readonly timeoutMs: number;
}

/** A Status object is much shorter. */
const MOST_ERROR_BYTES = 1024 * 1024;

/** The innermost call: sends over `node:http` or `node:https`, and answers with the running body of a 2xx. */
export function exchanging(options: ExchangeOptions): (request: AuthenticatedRequest) => Promise<ApiResult> {
  return async (request) => {
    if (request.signal?.aborted || request.unlessAborted?.aborted) return { ok: false, failure: NOT_SENT };
    const answer = await open(request, options);
    if (!answer.ok) return answer;
    const { statusCode = 0, headers } = answer.value;
    if (statusCode >= 200 && statusCode < 300) return answer;
    const body = await readAll(answer.value, MOST_ERROR_BYTES);
    const text = body.ok ? body.value.toString('utf8') : '';
    return { ok: false, failure: failureOf(statusCode, headers, { body: text, now: options.clock.wall() }) };
  };
}

/** Answers with the head; time-out and abort stay in force until the body has ended. */
function open(request: AuthenticatedRequest, options: ExchangeOptions): Promise<ApiAnswer<IncomingMessage>> {
  const { clock, timeoutMs } = options;
  const { url, sent, body } = requestOf(request, options);
  const limitMs = request.timeoutMs ?? timeoutMs;
  return new Promise((resolve) => {
    const outgoing = (url.protocol === 'https:' ? https : http).request(url, sent);
    let response: IncomingMessage | undefined;
    const end = (failure: ApiFailure) => {
      resolve({ ok: false, failure });
      (response ?? outgoing).destroy(new BodyCut(failure));
    };
    const abort = () => end(noAnswer('aborted', 'given up'));
    const silent = `no answer from ${url.origin} within ${limitMs / 1000} s`;
    const cancel = clock.schedule(clock.now() + limitMs, () =>
      end(noAnswer('timeout', response ? 'the answer stopped coming' : silent)),
    );
    request.signal?.addEventListener('abort', abort);
    outgoing.on('response', (head) => {
      response = head;
      if (request.streams) cancel();
      // Whoever reads the body hears of errors; until somebody does they concern nobody.
      head.on('error', () => undefined);
      resolve({ ok: true, value: head });
    });
    outgoing.on('error', (error) => resolve({ ok: false, failure: unreachable(url, error) }));
    outgoing.on('close', () => {
      cancel();
      request.signal?.removeEventListener('abort', abort);
    });
    outgoing.end(body);
  });
}

function requestOf({ access, ...request }: AuthenticatedRequest, { userAgent }: ExchangeOptions) {
  const { server, headers } = access.credentials;
  const body = request.body === undefined ? undefined : Buffer.from(JSON.stringify(request.body));
  const content = { 'content-type': request.contentType ?? 'application/json', 'content-length': body?.length };
  return {
    url: new URL(server.pathname.replace(/\/$/, '') + request.path, server),
    sent: {
      method: request.method,
      agent: access.agent,
      headers: { ...headers, accept: 'application/json', 'user-agent': userAgent, ...(body && content) },
    },
    body,
  };
}

/** Codes of errors that come before there is a connection, and at no other time. */
const NO_CONNECTION: ReadonlySet<string> = new Set(['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN']);

/** Network errors in words; a bad certificate is the user's to mend and never passes, one of ours may be renewed. */
function unreachable(url: URL, error: Error): ApiFailure {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (/ALERT_\w*(?:CERTIFICATE|UNKNOWN_CA|ACCESS_DENIED)/.test(code)) {
    const alert = /\w+ alert [\w ]+/.exec(error.message)?.[0] ?? error.message;
    return noAnswer('unauthorized', `${url.origin} does not accept our client certificate (${alert})`);
  }
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code) && code !== 'ERR_TLS_HANDSHAKE_TIMEOUT') {
    return noAnswer(
      'certificate',
      `the certificate of ${url.origin} is not accepted (${error.message}): ` +
        "check certificate-authority and the server's name in the kubeconfig",
    );
  }
  const failed = NO_CONNECTION.has(code) ? unsent : noAnswer;
  return failed('transient', `${url.origin}: ${wordsFor(code, error)}`);
}

function wordsFor(code: string, error: Error): string {
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its name cannot be resolved';
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'cannot be reached';
  return error.message || code;
}
