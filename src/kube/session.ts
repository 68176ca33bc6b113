import http from 'node:http';
import https from 'node:https';
import { HttpProxyAgent, HttpsProxyAgent } from 'hpagent';
import { SocksProxyAgent } from 'socks-proxy-agent';
import type { Credentials, CredentialSource } from './credentials.ts';

/** Credentials, and the agent whose connections were made with them. */
export interface Access {
  readonly credentials: Credentials;
  readonly agent: http.Agent;
}

/** Tokens are looked at again after this time; a 401 looks at once. */
const CREDENTIALS_FRESH_MS = 10_000;

/** Who we are towards one API server: credentials and the keep-alive agent made from them, renewed together. */
export class Session {
  readonly #source: CredentialSource;
  readonly #maxSockets: number;
  #access: Promise<Access> | undefined;
  #readAt = 0;
  #agent: { readonly agent: http.Agent; readonly madeOf: string } | undefined;
  #server = 'the API server';

  constructor(source: CredentialSource, maxSockets: number) {
    this.#source = source;
    this.#maxSockets = maxSockets;
  }

  /** The server's address, once it is known. */
  get server(): string {
    return this.#server;
  }

  /** What the next request is made with. Rejects with ConnectError. */
  current(): Promise<Access> {
    if (!this.#access || Date.now() - this.#readAt > CREDENTIALS_FRESH_MS) {
      this.#readAt = Date.now();
      this.#access = this.#read();
    }
    return this.#access;
  }

  /** The server no longer takes these: the next request gets others. Many requests may find that out at the same time. */
  async renew(used: Access): Promise<void> {
    const access = this.#access;
    if (access && (await access.catch(() => undefined)) !== used) return;
    if (this.#access !== access) return;
    this.#source.reload();
    this.#access = undefined;
  }

  /** Closes all connections. */
  close(): void {
    this.#agent?.agent.destroy();
    this.#agent = undefined;
  }

  async #read(): Promise<Access> {
    const credentials = await this.#source.get();
    this.#server = credentials.server.origin;
    return { credentials, agent: this.#agentFor(credentials) };
  }

  /** A renewed token keeps its connections; other certificates or another way to the server need new ones. */
  #agentFor(credentials: Credentials): http.Agent {
    const madeOf = JSON.stringify([credentials.server.origin, credentials.proxy, credentials.tls]);
    if (this.#agent?.madeOf !== madeOf) this.#agent = { agent: createAgent(credentials, this.#maxSockets), madeOf };
    return this.#agent.agent;
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
