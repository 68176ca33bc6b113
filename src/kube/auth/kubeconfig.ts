import { existsSync, readFileSync, statSync } from 'node:fs';
import { isIPv6 } from 'node:net';
import { homedir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
// The parts of the library that are needed: its entry would bring the models of the whole API, megabytes of them.
import {
  newClusters,
  newContexts,
  newUsers,
  type Cluster,
  type Context,
  type User,
} from '@kubernetes/client-node/dist/config_types.js';
import type { Finding } from '../../findings/finding.ts';
import { readYaml } from '../../findings/yaml-source.ts';
import { ConnectError, messageOf } from '../http/connect-error.ts';

/** Where the cluster is and who we are, as flags and environment say. */
export interface ConnectOptions {
  readonly kubeconfig: string | undefined;
  readonly context: string | undefined;
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Where a pod finds its service account; the usual place by default. */
  readonly serviceAccountFolder?: string;
}

/** The entries of a kubeconfig that its context, or the flag, chooses. */
export interface Chosen {
  readonly cluster: Cluster;
  readonly server: URL;
  readonly user: Login;
}

/** A user of a kubeconfig; the library passes over `tokenFile`. */
export interface Login extends User {
  readonly tokenFile?: string;
}

/** What was chosen, and how it is read again: from the same files and by the same context, so that it stays the same cluster. */
export interface Choice {
  readonly first: Chosen;
  /** Throws ConnectError. */
  readonly again: () => Chosen;
}

interface Kubeconfig {
  readonly clusters: readonly Cluster[];
  readonly users: readonly Login[];
  readonly contexts: readonly Context[];
  readonly currentContext: string | undefined;
}

/** Characters; certificates of hundreds of clusters take more than a policy ever does. */
const LONGEST_KUBECONFIG = 16 << 20;
const SERVICE_ACCOUNT = '/var/run/secrets/kubernetes.io/serviceaccount';

/** The cluster and user of --kubeconfig, else of the pod's service account, else of $KUBECONFIG, else of ~/.kube/config. Throws ConnectError. */
export function chooseCluster(options: ConnectOptions): Choice {
  const { kubeconfig, context, env } = options;
  const account = options.serviceAccountFolder ?? SERVICE_ACCOUNT;
  if (kubeconfig === undefined && context === undefined && isInPod(env, account)) {
    const first = ofPod(env, account);
    return { first, again: () => first };
  }
  const files = kubeconfig === undefined ? usualFiles(env) : [kubeconfig];
  const config = readAll(files);
  const name = context ?? config.currentContext;
  if (name === undefined) {
    const has = contextsOf(config);
    throw new ConnectError(`kubeconfig ${nameOf(files)} has no current context; name one with --context (${has})`);
  }
  return { first: chosenIn(config, name, files), again: () => chosenIn(readAll(files, 'again'), name, files) };
}

/** What is no file, such as a pipe, can be read once; a second time would wait forever. */
function readAll(files: readonly string[], time: 'first' | 'again' = 'first'): Kubeconfig {
  try {
    const pipe = time === 'again' ? files.find((file) => !statSync(file).isFile()) : undefined;
    if (pipe !== undefined) throw new Error(`${pipe} is not a file, so that it cannot be read again`);
    return merged(files.map(readKubeconfig));
  } catch (error) {
    if (error instanceof ConnectError) throw error;
    throw new ConnectError(`kubeconfig ${nameOf(files)} cannot be read: ${messageOf(error)}`);
  }
}

function nameOf(files: readonly string[]): string {
  return files.join(delimiter);
}

function isInPod(env: ConnectOptions['env'], account: string): boolean {
  return (env['KUBERNETES_SERVICE_HOST'] ?? '') !== '' && existsSync(join(account, 'token'));
}

function ofPod(env: ConnectOptions['env'], account: string): Chosen {
  const { KUBERNETES_SERVICE_HOST: host = '', KUBERNETES_SERVICE_PORT: port = '443' } = env;
  const server = `https://${isIPv6(host) ? `[${host}]` : host}:${port}`;
  return {
    server: serverOf('in-cluster', server),
    cluster: { name: 'in-cluster', server, skipTLSVerify: false, caFile: join(account, 'ca.crt') },
    user: { name: 'service-account', tokenFile: join(account, 'token') },
  };
}

function usualFiles(env: ConnectOptions['env']): readonly string[] {
  // As kubectl does it: files of the list that do not exist count as empty.
  const listed = (env['KUBECONFIG'] ?? '').split(delimiter).filter((file) => file !== '');
  const existing = listed.filter((file) => existsSync(file));
  if (listed.length > 0) return existing.length > 0 ? existing : listed;
  const usual = join(env['HOME'] ?? homedir(), '.kube', 'config');
  if (existsSync(usual)) return [usual];
  throw new ConnectError(
    'no cluster to connect to: give --kubeconfig FILE, set KUBECONFIG, or run in a pod with a service account; ' +
      '--from-dump PATH works without a cluster',
  );
}

function readKubeconfig(file: string): Kubeconfig {
  const { value, findings } = readYaml(readFileSync(file, 'utf8'), { longest: LONGEST_KUBECONFIG });
  const [first] = findings;
  if (first && first.code !== 'empty') throw new ConnectError(unreadable(file, first));
  const raw = (value ?? {}) as RawKubeconfig;
  if (typeof raw !== 'object' || (raw.clusters === undefined && raw.contexts === undefined))
    throw new ConnectError(`kubeconfig ${file} holds no clusters and no contexts: is it a kubeconfig?`);
  const tokenFiles = new Map((raw.users ?? []).map(({ name, user }) => [name, user?.tokenFile]));
  const at = (path: string) => resolve(dirname(file), path);
  return {
    clusters: newClusters(raw.clusters).map((cluster) => withPaths(cluster, ['caFile'], at)),
    users: newUsers(raw.users).map((user) => {
      const tokenFile = tokenFiles.get(user.name);
      const absolute = withCommand(withPaths(user, ['certFile', 'keyFile'], at), at);
      return tokenFile === undefined ? absolute : { ...absolute, tokenFile: at(tokenFile) };
    }),
    contexts: newContexts(raw.contexts),
    currentContext: raw['current-context'],
  };
}

function unreadable(file: string, { line, column, message }: Finding): string {
  return `kubeconfig ${file} cannot be read: line ${line}, column ${column}: ${message}`;
}

/** What is considered before the library reads it. */
interface RawKubeconfig {
  readonly clusters?: unknown;
  readonly contexts?: unknown;
  readonly users?: readonly { readonly name: string; readonly user?: { readonly tokenFile?: string } | null }[];
  readonly 'current-context'?: string;
}

function withPaths<T extends object>(entry: T, keys: readonly (keyof T)[], at: (path: string) => string): T {
  const paths = keys.flatMap((key) => (typeof entry[key] === 'string' ? [[key, at(entry[key])] as const] : []));
  return { ...entry, ...Object.fromEntries(paths) };
}

/** A plugin's path counts from the kubeconfig's folder, as for kubectl; a mere name is looked up in PATH. */
function withCommand(user: User, at: (path: string) => string): User {
  const exec = user.exec as { readonly command?: unknown } | null | undefined;
  const { command } = exec ?? {};
  return typeof command === 'string' && command.includes('/')
    ? { ...user, exec: { ...exec, command: at(command) } }
    : user;
}

/** Of entries with one name the first counts, as for kubectl. */
function merged(configs: readonly Kubeconfig[]): Kubeconfig {
  return {
    clusters: configs.flatMap(({ clusters }) => clusters),
    users: configs.flatMap(({ users }) => users),
    contexts: configs.flatMap(({ contexts }) => contexts),
    currentContext: configs.map(({ currentContext }) => currentContext).find((name) => name),
  };
}

function chosenIn(config: Kubeconfig, name: string, files: readonly string[]): Chosen {
  const file = nameOf(files);
  const context = config.contexts.find((entry) => entry.name === name);
  if (!context) throw new ConnectError(`kubeconfig ${file} has no context "${name}"; ${contextsOf(config)}`);
  const cluster = config.clusters.find((entry) => entry.name === context.cluster);
  if (!cluster)
    throw new ConnectError(
      `kubeconfig ${file}: context "${name}" names the cluster "${context.cluster}", which is not in it`,
    );
  const user = config.users.find((entry) => entry.name === context.user);
  if (!user && context.user)
    throw new ConnectError(`kubeconfig ${file}: context "${name}" names the user "${context.user}", who is not in it`);
  return { cluster, server: serverOf(cluster.name, cluster.server), user: user ?? { name: '' } };
}

function contextsOf({ contexts }: Kubeconfig): string {
  const names = contexts.map(({ name }) => name).sort();
  return `it has: ${names.join(', ') || 'none'}`;
}

function serverOf(name: string, address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'https:' || url?.protocol === 'http:') return url;
  throw new ConnectError(`cluster "${name}" of the kubeconfig has no valid server address: "${address}"`);
}
