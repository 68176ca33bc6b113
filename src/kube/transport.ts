import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { HttpProxyAgent, HttpsProxyAgent } from 'hpagent';
import { SocksProxyAgent } from 'socks-proxy-agent';
import type { Credentials, CredentialSource } from './credentials.ts';
import { type Answer, type ApiFailure, failureOf, noAnswer } from './failure.ts';

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
}

/** Speaks to one API server over one keep-alive agent. */
export interface Transport {
  /** The whole answer as bytes. Failures are data; throws ConnectError only when credentials cannot be had. */
  send(call: ApiCall): Promise<Answer<Buffer>>;
  /** A running answer, for watches; the caller reads and destroys it. */
  stream(call: ApiCall): Promise<Answer<IncomingMessage>>;
  /** The server's address, for messages. */
  readonly server: () => string;
  /** Closes idle connections. */
  close(): void;
}

/** What a transport needs. */
export interface TransportOptions {
  readonly userAgent: string;
  readonly timeoutMs?: number;
  /** Sockets at the same time. */
  readonly maxSockets?: number;
}

/** Tokens are looked at again after this time; a 401 looks at once. */
const CREDENTIALS_FRESH_MS = 10_000;

/** A transport over `node:https`; every request carries our agent, so connections are kept and reused. */
export function createTransport(source: CredentialSource, options: TransportOptions): Transport {
  const session = new Session(source, options);
  const once = (call: ApiCall) => attempt(session, call, options);
  const open = async (call: ApiCall): Promise<Answer<IncomingMessage>> => {
    const answer = await once(call);
    if (answer.ok || answer.failure.kind !== 'unauthorized' || call.signal?.aborted) return answer;
    session.renew();
    return once(call);
  };
  return {
    stream: open,
    async send(call) {
      const deadline = Date.now() + (call.timeoutMs ?? options.timeoutMs ?? 30_000);
      const answer = await open(call);
      return answer.ok ? readAll(answer.value, { deadline, signal: call.signal }) : answer;
    },
    server: () => session.server,
    close: () => session.close(),
  };
}

/** Credentials and the agent made from them, renewed together. */
class Session {
  readonly #source: CredentialSource;
  readonly #options: TransportOptions;
  #credentials: Promise<Credentials> | undefined;
  #readAt = 0;
  #agent: http.Agent | undefined;
  #agentOf: Credentials | undefined;
  #made = '';
  server = '';

  constructor(source: CredentialSource, options: TransportOptions) {
    this.#source = source;
    this.#options = options;
  }

  async current(): Promise<{ credentials: Credentials; agent: http.Agent }> {
    if (!this.#credentials || Date.now() - this.#readAt > CREDENTIALS_FRESH_MS) {
      this.#readAt = Date.now();
      this.#credentials = this.#source.get();
    }
    const credentials = await this.#credentials;
    this.server = credentials.server.origin;
    return { credentials, agent: this.#agentFor(credentials) };
  }

  renew(): void {
    this.#source.reload();
    this.#credentials = undefined;
  }

  close(): void {
    this.#agent?.destroy();
    this.#agent = undefined;
  }

  #agentFor(credentials: Credentials): http.Agent {
    if (this.#agent && this.#agentOf === credentials) return this.#agent;
    this.#agentOf = credentials;
    const made = JSON.stringify([credentials.server.origin, credentials.proxy, credentials.tls]);
    if (!this.#agent || made !== this.#made) this.#agent = createAgent(credentials, this.#options.maxSockets ?? 100);
    this.#made = made;
    return this.#agent;
  }
}

function createAgent({ server, proxy, tls }: Credentials, maxSockets: number): http.Agent {
  const secure = server.protocol === 'https:';
  const options = { keepAlive: true, keepAliveMsecs: 30_000, maxSockets, ...(tls as https.AgentOptions) };
  if (proxy?.startsWith('socks')) return new SocksProxyAgent(proxy, options);
  if (proxy !== undefined) {
    return secure ? new HttpsProxyAgent({ ...options, proxy }) : new HttpProxyAgent({ ...options, proxy });
  }
  return secure ? new https.Agent(options) : new http.Agent(options);
}

async function attempt(session: Session, call: ApiCall, options: TransportOptions): Promise<Answer<IncomingMessage>> {
  const { credentials, agent } = await session.current();
  const timeoutMs = call.timeoutMs ?? options.timeoutMs ?? 30_000;
  const response = await open({ call, credentials, agent, timeoutMs, userAgent: options.userAgent });
  if (!response.ok) return response;
  const { statusCode = 0, headers } = response.value;
  if (statusCode >= 200 && statusCode < 300) return response;
  const body = await readAll(response.value, { deadline: Date.now() + timeoutMs, signal: call.signal });
  const text = body.ok ? body.value.toString('utf8') : '';
  return { ok: false, failure: failureOf(statusCode, headers, { body: text, now: Date.now() }) };
}

interface Opening {
  readonly call: ApiCall;
  readonly credentials: Credentials;
  readonly agent: http.Agent;
  readonly timeoutMs: number;
  readonly userAgent: string;
}

function open({ call, credentials, agent, timeoutMs, userAgent }: Opening): Promise<Answer<IncomingMessage>> {
  const body = call.body === undefined ? undefined : Buffer.from(JSON.stringify(call.body));
  const url = new URL(credentials.server.pathname.replace(/\/$/, '') + call.path, credentials.server);
  const headers = {
    ...credentials.headers,
    accept: 'application/json',
    'user-agent': userAgent,
    ...(body ? { 'content-type': call.contentType ?? 'application/json', 'content-length': body.length } : {}),
  };
  return new Promise((resolve) => {
    const request = (url.protocol === 'https:' ? https : http).request(url, { method: call.method, agent, headers });
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
    const timer = setTimeout(
      () => fail(noAnswer('timeout', `no answer from ${url.origin} within ${timeoutMs / 1000} s`)),
      timeoutMs,
    );
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

/** Network errors in words; a bad certificate is the user's to mend and never passes. */
function unreachable(url: URL, error: Error): ApiFailure {
  const { code = '' } = error as NodeJS.ErrnoException;
  if (/CERT|SSL|TLS|SELF_SIGNED|UNABLE_TO/.test(code) && code !== 'ERR_TLS_HANDSHAKE_TIMEOUT') {
    return noAnswer(
      'certificate',
      `the certificate of ${url.origin} is not accepted (${error.message}): check certificate-authority and the server's name in the kubeconfig`,
    );
  }
  return noAnswer('transient', `${url.origin}: ${code === 'ECONNREFUSED' ? 'connection refused' : error.message}`);
}

/** Reads an answer to its end; a cut one, or one that takes too long, is a failure. */
export function readAll(
  response: IncomingMessage,
  limits: { readonly deadline: number; readonly signal: AbortSignal | undefined },
): Promise<Answer<Buffer>> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    const end = (answer: Answer<Buffer>) => {
      clearTimeout(timer);
      limits.signal?.removeEventListener('abort', abort);
      resolve(answer);
    };
    const fail = (failure: ApiFailure) => {
      end({ ok: false, failure });
      response.destroy();
    };
    const abort = () => fail(noAnswer('aborted', 'given up'));
    const timer = setTimeout(
      () => fail(noAnswer('timeout', 'the answer stopped coming')),
      Math.max(0, limits.deadline - Date.now()),
    );
    limits.signal?.addEventListener('abort', abort);
    response.on('data', (chunk: Buffer) => chunks.push(chunk));
    response.on('end', () => end(response.complete ? { ok: true, value: Buffer.concat(chunks) } : cut()));
    response.on('error', () => end(cut()));
    response.on('close', () => end(cut()));
  });
}

function cut(): Answer<Buffer> {
  return { ok: false, failure: noAnswer('transient', 'the connection was cut in the middle of an answer') };
}
