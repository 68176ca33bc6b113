import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { readAll } from './body.ts';
import { type Answer, type ApiFailure, failureOf, noAnswer } from './failure.ts';
import type { Access } from './session.ts';

/** One call to the API server. */
export interface ApiCall {
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, such as `/api/v1/nodes?limit=500`. */
  readonly path: string;
  readonly body?: unknown;
  readonly contentType?: string;
  /** For the whole call, headers and body; a stream: until its headers. */
  readonly timeoutMs?: number;
  readonly signal?: AbortSignal | undefined;
  /** Once it fires nothing more is sent; what has been sent goes on. */
  readonly unlessAborted?: AbortSignal | undefined;
}

/** What goes with every call. */
export interface CallSettings {
  readonly access: Access;
  readonly timeoutMs: number;
  readonly userAgent: string;
}

/** Sends a request and answers with the running response of a 2xx, or with why there is none. */
export async function exchange(call: ApiCall, settings: CallSettings): Promise<Answer<IncomingMessage>> {
  const answer = await open(call, settings);
  if (!answer.ok) return answer;
  const { statusCode = 0, headers } = answer.value;
  if (statusCode >= 200 && statusCode < 300) return answer;
  const body = await readAll(answer.value, { deadline: Date.now() + settings.timeoutMs, signal: call.signal });
  const text = body.ok ? body.value.toString('utf8') : '';
  return { ok: false, failure: failureOf(statusCode, headers, { body: text, now: Date.now() }) };
}

function open(call: ApiCall, settings: CallSettings): Promise<Answer<IncomingMessage>> {
  const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
  const { url, options } = requestOf(call, settings, body?.length);
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, options);
    const give = (answer: Answer<IncomingMessage>) => {
      clearTimeout(timer);
      if (!answer.ok) call.signal?.removeEventListener('abort', abort);
      resolve(answer);
    };
    const fail = (failure: ApiFailure) => {
      give({ ok: false, failure });
      request.destroy();
    };
    const abort = () => fail(noAnswer('aborted', 'given up'));
    const late = noAnswer('timeout', `no answer from ${url.origin} within ${settings.timeoutMs / 1000} s`);
    const timer = setTimeout(() => fail(late), settings.timeoutMs);
    request.on('response', (response) => {
      response.on('close', () => call.signal?.removeEventListener('abort', abort));
      give({ ok: true, value: response });
    });
    request.on('error', (error) => give({ ok: false, failure: unreachable(url, error) }));
    call.signal?.addEventListener('abort', abort);
    if (call.signal?.aborted) abort();
    request.end(body);
  });
}

function requestOf(call: ApiCall, { access, userAgent }: CallSettings, length: number | undefined) {
  const { server, headers } = access.credentials;
  const content = { 'content-type': call.contentType ?? 'application/json', 'content-length': length };
  return {
    url: new URL(server.pathname.replace(/\/$/, '') + call.path, server),
    options: {
      method: call.method,
      agent: access.agent,
      headers: {
        ...headers,
        accept: 'application/json',
        'user-agent': userAgent,
        ...(length === undefined ? {} : content),
      },
    },
  };
}

/** Network errors in words; a bad certificate is the user's to mend and never passes. */
function unreachable(url: URL, error: Error): ApiFailure {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code) && code !== 'ERR_TLS_HANDSHAKE_TIMEOUT') {
    return noAnswer(
      'certificate',
      `the certificate of ${url.origin} is not accepted (${error.message}): ` +
        "check certificate-authority and the server's name in the kubeconfig",
    );
  }
  return noAnswer('transient', `${url.origin}: ${wordsFor(code, error)}`);
}

function wordsFor(code: string, error: Error): string {
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'its name cannot be resolved';
  if (code === 'ETIMEDOUT' || code === 'EHOSTUNREACH' || code === 'ENETUNREACH') return 'cannot be reached';
  return error.message || code;
}
