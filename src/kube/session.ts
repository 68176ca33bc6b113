import http from 'node:http';
import https from 'node:https';
import { createSecureContext, type SecureContextOptions } from 'node:tls';
import { HttpProxyAgent, HttpsProxyAgent } from 'hpagent';
import { SocksProxyAgent } from 'socks-proxy-agent';
import type { Clock } from '../lib/clock.ts';
import { backoffDelay } from '../lib/retry.ts';
import { messageOf } from './http/connect-error.ts';
import type { Credentials, CredentialSource } from './auth/credentials.ts';
import { type ApiAnswer, type ApiFailure, noAnswer } from './http/failure.ts';

/** Credentials, and the agent whose connections were made with them. */
export interface Access {
  readonly credentials: Credentials;
  readonly agent: http.Agent;
}

/** What a session works with. */
export interface SessionOptions {
  readonly clock: Clock;
  /** Sockets at the same time. */
  readonly maxSockets: number;
  /** Told once when credentials cannot be had, and with undefined once they can be had again. */
  readonly onCredentials?: ((failure: ApiFailure | undefined) => void) | undefined;
}

/** Credentials are read again after this time; a 401 reads at once, but not again within it. */
const FRESH_MS = 10_000;

/** Between two tries to read them while that fails. */
const BACKOFF = { baseMs: 1_000, capMs: 10_000 };

/** Who we are towards one API server: credentials and the keep-alive agent made from them, renewed together. */
export class Session {
  readonly #source: CredentialSource;
  readonly #options: SessionOptions;
  /** What the server takes, as far as we know. */
  #access: Access | undefined;
  #answer: ApiAnswer<Access> | undefined;
  #reading: Promise<ApiAnswer<Access>> | undefined;
  /** When to read again, and from when on a refusal may ask for that, as `clock.now()` has it. */
  #dueAt = -Infinity;
  #renewableAt = -Infinity;
  #failures = 0;
  #agent: { readonly agent: http.Agent; readonly madeOf: string } | undefined;

  constructor(source: CredentialSource, options: SessionOptions) {
    this.#source = source;
    this.#options = options;
  }

  /** What the next request is made with, or why there is nothing to make it with. Never rejects. */
  current(): Promise<ApiAnswer<Access>> {
    if (this.#answer && this.#options.clock.now() < this.#dueAt) return Promise.resolve(this.#answer);
    this.#reading ??= this.#read();
    return this.#reading;
  }

  /** The server no longer takes these. Answers with others, read for all that find that out at the same time; or with the same, if they have just been read. */
  renewed(used: Access): Promise<ApiAnswer<Access>> {
    const now = this.#options.clock.now();
    if (this.#access === used && now >= this.#renewableAt) {
      this.#source.reload();
      this.#access = undefined;
      this.#dueAt = -Infinity;
      this.#renewableAt = now + FRESH_MS;
    }
    return this.current();
  }

  /** Closes all connections. */
  close(): void {
    this.#agent?.agent.destroy();
    this.#agent = undefined;
  }

  /** While new credentials cannot be had, those that the server has not refused are used on. */
  async #read(): Promise<ApiAnswer<Access>> {
    const { clock, onCredentials } = this.#options;
    const credentials = await this.#source.get();
    const read = credentials.ok ? this.#accessOf(credentials.value) : credentials;
    this.#reading = undefined;
    if (read.ok) this.#access = read.value;
    if (read.ok ? this.#failures > 0 : this.#failures === 0) onCredentials?.(read.ok ? undefined : read.failure);
    this.#failures = read.ok ? 0 : this.#failures + 1;
    this.#dueAt = clock.now() + (read.ok ? FRESH_MS : backoffDelay(BACKOFF, this.#failures - 1));
    this.#answer = this.#access ? { ok: true, value: this.#access } : read;
    return this.#answer;
  }

  #accessOf(credentials: Credentials): ApiAnswer<Access> {
    try {
      return { ok: true, value: { credentials, agent: this.#agentFor(credentials) } };
    } catch (error) {
      const what = `the certificates or the proxy for ${credentials.server.origin} cannot be used: ${messageOf(error)}`;
      const advice = 'check certificate-authority, client-certificate, client-key and proxy-url of the kubeconfig';
      return { ok: false, failure: noAnswer('no-credentials', `${what}; ${advice}`) };
    }
  }

  /** A renewed token keeps its connections; other certificates or another way to the server need new ones. */
  #agentFor(credentials: Credentials): http.Agent {
    const madeOf = JSON.stringify([credentials.server.origin, credentials.proxy, credentials.tls]);
    if (this.#agent?.madeOf !== madeOf) {
      this.#agent = { agent: createAgent(credentials, this.#options.maxSockets), madeOf };
    }
    return this.#agent.agent;
  }
}

/** Throws where a certificate, a key or the proxy's address cannot be read. */
function createAgent({ server, proxy, tls }: Credentials, maxSockets: number): http.Agent {
  const secure = server.protocol === 'https:';
  const kept = { keepAlive: true, keepAliveMsecs: 30_000, maxSockets };
  const options = { ...kept, ...(tls as https.AgentOptions) };
  // Made here, for else the first connection would throw, and each would read the certificates anew.
  const secureContext = secure ? createSecureContext(tls as SecureContextOptions) : undefined;
  if (proxy?.startsWith('socks')) return new SocksProxyAgent(proxy, options);
  if (proxy !== undefined) {
    return secure ? new HttpsProxyAgent({ ...options, proxy }) : new HttpProxyAgent({ ...options, proxy });
  }
  if (!secureContext) return new http.Agent(kept);
  const { rejectUnauthorized, servername } = tls;
  return new https.Agent({
    ...{ ...kept, secureContext },
    ...(rejectUnauthorized === undefined ? {} : { rejectUnauthorized }),
    ...(servername === undefined ? {} : { servername }),
  });
}
