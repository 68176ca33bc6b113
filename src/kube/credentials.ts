import { existsSync } from 'node:fs';
import { homedir } from 'node:os';
import { delimiter, join } from 'node:path';
import type { RequestOptions } from 'node:https';
import { KubeConfig } from '@kubernetes/client-node';
import { getProxyForUrl } from 'proxy-from-env';

/** The user's connection settings are wrong or missing; `message` says what to do. */
export class ConnectError extends Error {
  override readonly name = 'ConnectError';
}

/** Where the cluster is and who we are, as flags and environment say. */
export interface ConnectOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** TLS material and headers for a request; `tls` changes only when certificates do. */
export interface Credentials {
  readonly server: URL;
  readonly proxy: string | undefined;
  readonly tls: {
    readonly ca: unknown;
    readonly cert: unknown;
    readonly key: unknown;
    readonly rejectUnauthorized: boolean;
    readonly servername: string | undefined;
  };
  readonly headers: Readonly<Record<string, string>>;
}

const IN_CLUSTER_TOKEN = '/var/run/secrets/kubernetes.io/serviceaccount/token';

/** Reads the kubeconfig (or the pod's service account) and what authenticates us. Throws ConnectError. */
export class CredentialSource {
  readonly #options: ConnectOptions;
  #config: KubeConfig;

  constructor(options: ConnectOptions) {
    this.#options = options;
    this.#config = load(options);
  }

  /** Forgets cached tokens: the next credentials are read from file, or asked of the exec plugin, again. */
  reload(): void {
    this.#config = load(this.#options);
  }

  /** Current credentials; tokens from files and plugins are renewed as they expire. */
  async get(): Promise<Credentials> {
    const cluster = this.#config.getCurrentCluster();
    if (!cluster)
      throw new ConnectError(
        `context "${this.#config.getCurrentContext()}" names a cluster that the kubeconfig does not have`,
      );
    const options: RequestOptions = { headers: {} };
    try {
      await this.#config.applyToHTTPSOptions(options);
    } catch (error) {
      throw new ConnectError(`could not get credentials for ${cluster.server}: ${messageOf(error)}`);
    }
    return {
      server: new URL(cluster.server),
      proxy: cluster.proxyUrl ?? (getProxyForUrl(cluster.server) || undefined),
      tls: {
        ca: options.ca,
        cert: options.cert,
        key: options.key,
        rejectUnauthorized: options.rejectUnauthorized !== false,
        servername: options.servername,
      },
      headers: authHeaders(options),
    };
  }
}

function load(options: ConnectOptions): KubeConfig {
  const config = new KubeConfig();
  const from = origin(options);
  try {
    if (from.kind === 'cluster') config.loadFromCluster();
    else loadFiles(config, from.files);
  } catch (error) {
    throw new ConnectError(`kubeconfig ${from.name} cannot be read: ${messageOf(error)}`);
  }
  if (options.context !== undefined) selectContext(config, options.context, from.name);
  if (!config.getContextObject(config.getCurrentContext())) {
    throw new ConnectError(
      `kubeconfig ${from.name} has no current context; name one with --context (it has: ${contextNames(config)})`,
    );
  }
  return config;
}

type Origin =
  | { readonly kind: 'cluster'; readonly name: string }
  | { readonly kind: 'files'; readonly name: string; readonly files: readonly string[] };

/** --kubeconfig, else the pod's service account, else $KUBECONFIG, else ~/.kube/config (cli.md). */
function origin({ kubeconfig, context, env }: ConnectOptions): Origin {
  if (kubeconfig !== undefined) return { kind: 'files', name: kubeconfig, files: [kubeconfig] };
  if (context === undefined && env['KUBERNETES_SERVICE_HOST'] && existsSync(IN_CLUSTER_TOKEN)) {
    return { kind: 'cluster', name: 'of the pod' };
  }
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  if (listed.length > 0) return { kind: 'files', name: listed.join(delimiter), files: listed };
  const usual = join(env['HOME'] ?? homedir(), '.kube', 'config');
  if (existsSync(usual)) return { kind: 'files', name: usual, files: [usual] };
  throw new ConnectError(
    'no cluster to connect to: give --kubeconfig FILE, set KUBECONFIG, or run in a pod with a service account; ' +
      '--from-dump PATH works without a cluster',
  );
}

function loadFiles(config: KubeConfig, files: readonly string[]): void {
  for (const [index, file] of files.entries()) {
    if (index === 0) config.loadFromFile(file);
    else {
      const next = new KubeConfig();
      next.loadFromFile(file);
      config.mergeConfig(next, true);
    }
  }
}

function selectContext(config: KubeConfig, context: string, name: string): void {
  if (!config.getContextObject(context)) {
    throw new ConnectError(`kubeconfig ${name} has no context "${context}"; it has: ${contextNames(config)}`);
  }
  config.setCurrentContext(context);
}

function contextNames(config: KubeConfig): string {
  return (
    config
      .getContexts()
      .map(({ name }) => name)
      .sort()
      .join(', ') || 'none'
  );
}

function authHeaders(options: RequestOptions): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const [name, value] of Object.entries(options.headers ?? {}))
    if (typeof value === 'string') headers[name] = value.trim();
  if (options.auth) headers['Authorization'] ??= `Basic ${Buffer.from(options.auth).toString('base64')}`;
  return headers;
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message.trim() : String(error);
}
