import { readFileSync, statSync } from 'node:fs';
import { validateHeaderValue } from 'node:http';
import { OpenIDConnectAuth } from '@kubernetes/client-node/dist/oidc_auth.js';
import { getProxyForUrl } from 'proxy-from-env';
import type { Clock } from '../../lib/clock.ts';
import { messageOf } from '../http/connect-error.ts';
import { ExecPlugin, type Environment } from './exec-plugin.ts';
import { type ApiAnswer, noAnswer } from '../http/failure.ts';
import { chooseCluster, type Choice, type Chosen, type ConnectOptions, type Login } from './kubeconfig.ts';

/** TLS material and headers for a request; `tls` changes only when certificates do. */
export interface Credentials {
  readonly server: URL;
  readonly proxy: string | undefined;
  readonly tls: {
    readonly ca: unknown;
    readonly cert: unknown;
    readonly key: unknown;
    /** Undefined leaves it to Node.js, and so to NODE_TLS_REJECT_UNAUTHORIZED. */
    readonly rejectUnauthorized: false | undefined;
    readonly servername: string | undefined;
  };
  readonly headers: Readonly<Record<string, string>>;
}

/** What a user is known by: an `Authorization` header, a client certificate, or both. */
interface Proof {
  readonly authorization?: string | undefined;
  readonly cert?: unknown;
  readonly key?: unknown;
}

/** What plugins run with. */
interface Using {
  readonly env: Environment;
  readonly clock: Clock;
}

/** Reads the kubeconfig (or the pod's service account) and what authenticates us. */
export class CredentialSource {
  readonly #choice: Choice;
  readonly #using: Using;
  #chosen: Chosen;
  /** The kubeconfig is to be read again. */
  #isStale = false;
  #prove: (() => Promise<Proof>) | undefined;

  /** Throws ConnectError where no cluster can be made out. */
  constructor(options: ConnectOptions, clock: Clock) {
    this.#choice = chooseCluster(options);
    this.#using = { env: options.env, clock };
    this.#chosen = this.#choice.first;
  }

  /** Of the API server. */
  get address(): string {
    return this.#chosen.server.origin;
  }

  /** Forgets cached tokens: the next credentials are read from file, or asked of the exec plugin, again. */
  reload(): void {
    this.#isStale = true;
  }

  /** Current credentials; tokens and certificates from files and plugins are renewed as they expire. Never rejects. */
  async get(): Promise<ApiAnswer<Credentials>> {
    try {
      if (this.#isStale) {
        this.#chosen = this.#choice.again();
        this.#prove = undefined;
        this.#isStale = false;
      }
      this.#prove ??= proverOf(this.#chosen.user, this.#using);
      return { ok: true, value: credentialsOf(this.#chosen, await this.#prove()) };
    } catch (error) {
      return {
        ok: false,
        failure: noAnswer('no-credentials', `no credentials for ${this.address}: ${messageOf(error)}`),
      };
    }
  }
}

function credentialsOf({ cluster, server, user }: Chosen, proof: Proof): Credentials {
  const tls = {
    ca: fileOrData('certificate authority', cluster.caFile, cluster.caData),
    cert: proof.cert ?? fileOrData('client certificate', user.certFile, user.certData),
    key: proof.key ?? fileOrData('client key', user.keyFile, user.keyData),
    rejectUnauthorized: cluster.skipTLSVerify ? (false as const) : undefined,
    servername: cluster.tlsServerName,
  };
  const headers = {
    ...(proof.authorization !== undefined && { Authorization: proof.authorization }),
    ...(user.impersonateUser && { 'Impersonate-User': user.impersonateUser }),
  };
  for (const [name, value] of Object.entries(headers)) validateHeaderValue(name, value);
  return { server, proxy: cluster.proxyUrl ?? (getProxyForUrl(server.href) || undefined), tls, headers };
}

/** How a user proves who he is, by the first of these that he has. Throws or rejects with why he cannot. */
function proverOf(user: Login, { env, clock }: Using): () => Promise<Proof> {
  const { username, password = '', token, tokenFile } = user;
  const provider = user.authProvider as { readonly name?: string } | null | undefined;
  const given = (authorization: string) => () => Promise.resolve({ authorization });
  if (username) return given(`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`);
  if (tokenFile !== undefined) return () => Promise.resolve({ authorization: `Bearer ${tokenIn(tokenFile)}` });
  if (token) return given(`Bearer ${token}`);
  if (user.exec) return byPlugin(new ExecPlugin(user.exec, env, clock));
  if (provider) return byProvider(user, provider.name ?? '');
  return () => Promise.resolve({});
}

function byPlugin(plugin: ExecPlugin): () => Promise<Proof> {
  return async () => {
    const { token, cert, key } = await plugin.credential();
    return { authorization: token === undefined ? undefined : `Bearer ${token}`, cert, key };
  };
}

function byProvider(user: Login, name: string): () => Promise<Proof> {
  const provider = new OpenIDConnectAuth();
  return async () => {
    if (!provider.isAuthProvider(user))
      throw new Error(`the auth-provider "${name}" is not supported: use an exec plugin`);
    const options: { headers: Record<string, string> } = { headers: {} };
    await provider.applyAuthentication(user, options).catch((error: unknown) => {
      throw new Error(`the auth-provider "oidc" fails: ${messageOf(error)}`, { cause: error });
    });
    const { Authorization: authorization } = options.headers;
    if (authorization === undefined) throw new Error('the auth-provider "oidc" gives no token: log in again');
    return { authorization };
  };
}

function tokenIn(file: string): string {
  const token = readAs('token', file).toString('utf8').trim();
  if (token === '') throw new Error(`the token file ${file} is empty`);
  return token;
}

function fileOrData(what: string, file: string | undefined, data: string | undefined): Buffer | undefined {
  if (file) return readAs(what, file);
  return data ? Buffer.from(data, 'base64') : undefined;
}

function readAs(what: string, file: string): Buffer {
  try {
    // A pipe would keep everything waiting.
    if (statSync(file).isFile()) return readFileSync(file);
  } catch (error) {
    throw new Error(`the ${what} cannot be read: ${messageOf(error)}`, { cause: error });
  }
  throw new Error(`the ${what} cannot be read: ${file} is not a file`);
}
