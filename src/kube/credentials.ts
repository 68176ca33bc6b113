import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import type { Cluster, User } from '@kubernetes/client-node/dist/config_types.js';
import { ExecAuth } from '@kubernetes/client-node/dist/exec_auth.js';
import { FileAuth } from '@kubernetes/client-node/dist/file_auth.js';
import { OpenIDConnectAuth } from '@kubernetes/client-node/dist/oidc_auth.js';
import { getProxyForUrl } from 'proxy-from-env';
import { ConnectError, messageOf } from './connect-error.ts';
import { chooseCluster, type Chosen, type ConnectOptions } from './kubeconfig.ts';

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

/** Reads the kubeconfig (or the pod's service account) and what authenticates us. Throws ConnectError. */
export class CredentialSource {
  readonly #options: ConnectOptions;
  #chosen: Chosen;
  #providers = providers();

  constructor(options: ConnectOptions) {
    this.#options = options;
    this.#chosen = chooseCluster(options);
  }

  /** Forgets cached tokens: the next credentials are read from file, or asked of the exec plugin, again. */
  reload(): void {
    this.#chosen = chooseCluster(this.#options);
    this.#providers = providers();
  }

  /** Current credentials; tokens and certificates from files and plugins are renewed as they expire. Rejects with ConnectError. */
  async get(): Promise<Credentials> {
    const { cluster, user } = this.#chosen;
    const server = serverOf(cluster);
    try {
      const { cert, key, headers } = await this.#authenticate(user);
      const tls = {
        ca: fileOrData(cluster.caFile, cluster.caData),
        cert: cert ?? fileOrData(user.certFile, user.certData),
        key: key ?? fileOrData(user.keyFile, user.keyData),
        rejectUnauthorized: cluster.skipTLSVerify ? (false as const) : undefined,
        servername: cluster.tlsServerName,
      };
      return { server, proxy: cluster.proxyUrl ?? (getProxyForUrl(server.href) || undefined), tls, headers };
    } catch (error) {
      const advice = 'check the exec plugin, the token file and the certificate files of the kubeconfig';
      throw new ConnectError(`no credentials for ${cluster.server}: ${messageOf(error)}; ${advice}`, 1);
    }
  }

  /** What the user's provider gives, if there is one, and what the kubeconfig itself says. */
  async #authenticate(user: User): Promise<Pick<RequestOptions, 'cert' | 'key'> & { headers: Record<string, string> }> {
    const options: RequestOptions & { headers: Record<string, string> } = { headers: {} };
    await this.#providers
      .find((provider) => provider.isAuthProvider(user))
      ?.applyAuthentication(withExecInfo(user), options);
    const headers = Object.fromEntries(Object.entries(options.headers).map(([name, value]) => [name, value.trim()]));
    if (user.token) headers['Authorization'] = `Bearer ${user.token}`;
    if (user.username)
      headers['Authorization'] = `Basic ${Buffer.from(`${user.username}:${user.password ?? ''}`).toString('base64')}`;
    if (user.impersonateUser) headers['Impersonate-User'] = user.impersonateUser;
    return { cert: options.cert, key: options.key, headers };
  }
}

function providers() {
  return [new ExecAuth(), new FileAuth(), new OpenIDConnectAuth()];
}

function serverOf({ name, server }: Cluster): URL {
  try {
    return new URL(server);
  } catch {
    throw new ConnectError(`cluster "${name}" of the kubeconfig has no valid server address: "${server}"`);
  }
}

function fileOrData(file: string | undefined, data: string | undefined): Buffer | undefined {
  if (file) return readFileSync(file);
  return data ? Buffer.from(data, 'base64') : undefined;
}

/** Plugins ask this variable for the version to answer in, as kubectl sets it (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins). */
function withExecInfo(user: User): User {
  const exec = user.exec as ExecConfig | null | undefined;
  if (!exec) return user;
  const info = { apiVersion: exec.apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const env = [...(exec.env ?? []), { name: 'KUBERNETES_EXEC_INFO', value: JSON.stringify(info) }];
  return { ...user, exec: { ...exec, env } };
}

/** What of `user.exec` is looked at here. */
interface ExecConfig {
  readonly apiVersion?: string;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
}
