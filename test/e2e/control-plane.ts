import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import https from 'node:https';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** Folder with etcd, kube-apiserver, kube-scheduler and kube-controller-manager (the envtest convention). */
export const assets = process.env['KUBEBUILDER_ASSETS'] ?? '';

/** An answer of the API server, parsed. */
export interface ApiAnswer {
  readonly status: number;
  readonly body: ApiObject;
}

/** A JSON object of the API; tests pick what they need. */
// eslint-disable-next-line @typescript-eslint/no-explicit-any
export type ApiObject = Record<string, any>;

/** What to start besides etcd and kube-apiserver. */
export interface ControlPlaneOptions {
  readonly scheduler?: boolean;
  /** Controllers of kube-controller-manager, or nothing to leave it out. */
  readonly controllers?: string;
  readonly controllerFlags?: readonly string[];
  readonly apiServerFlags?: readonly string[];
}

const ADMIN = 'e2e-admin';

/** A real control plane on loopback, with state of its own; `stop` ends it and removes its folder. */
export class ControlPlane {
  readonly folder = mkdtempSync(join(tmpdir(), 'evenkeel-e2e-'));
  readonly #options: ControlPlaneOptions;
  readonly #processes = new Map<string, ChildProcess>();
  readonly #agent = new https.Agent({ keepAlive: true, maxSockets: 32, rejectUnauthorized: false });
  #ports: readonly number[] = [];

  private constructor(options: ControlPlaneOptions) {
    this.#options = options;
  }

  /** Starts the programs and waits until the API server is ready. */
  static async start(options: ControlPlaneOptions = {}): Promise<ControlPlane> {
    const plane = new ControlPlane(options);
    plane.#ports = await freePorts(5);
    plane.#prepare();
    plane.#startEtcd();
    await plane.startApiServer();
    if (options.scheduler) plane.#startScheduler();
    if (options.controllers !== undefined) plane.#startControllers();
    return plane;
  }

  /** Address of the API server. */
  get server(): string {
    return `https://127.0.0.1:${this.#port(0)}`;
  }

  /** The API server's own certificate, which is its authority, too. */
  get authority(): string {
    return join(this.folder, 'certs', 'apiserver.crt');
  }

  /** Writes a kubeconfig for a user entry and returns its path. */
  kubeconfig(name: string, user: ApiObject = { token: ADMIN }, cluster: ApiObject = {}): string {
    const file = join(this.folder, `${name}.kubeconfig`);
    writeFileSync(
      file,
      JSON.stringify({
        apiVersion: 'v1',
        kind: 'Config',
        clusters: [
          { name: 'e2e', cluster: { server: this.server, 'certificate-authority': this.authority, ...cluster } },
        ],
        users: [{ name, user }],
        contexts: [{ name: 'e2e', context: { cluster: 'e2e', user: name } }],
        'current-context': 'e2e',
      }),
    );
    return file;
  }

  /** One request as administrator. */
  api(method: string, path: string, body?: unknown, type = 'application/json'): Promise<ApiAnswer> {
    const data = body === undefined ? undefined : JSON.stringify(body);
    return new Promise((resolve, reject) => {
      const request = https.request(`${this.server}${path}`, {
        method,
        agent: this.#agent,
        headers: {
          authorization: `Bearer ${ADMIN}`,
          ...(data === undefined ? {} : { 'content-type': type, 'content-length': Buffer.byteLength(data) }),
        },
      });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        response.on('data', (chunk: Buffer) => chunks.push(chunk));
        response.on('end', () => {
          const text = Buffer.concat(chunks).toString();
          resolve({
            status: response.statusCode ?? 0,
            body: text.startsWith('{') ? (JSON.parse(text) as ApiObject) : { text },
          });
        });
        response.on('error', reject);
      });
      request.end(data);
    });
  }

  /** Creates an object (and its status, if it has one); answers what the server stored. */
  async create(object: ApiObject): Promise<ApiObject> {
    const path = collection(object);
    const made = await this.api('POST', path, object);
    if (made.status >= 300) throw new Error(`POST ${path}: ${made.status} ${JSON.stringify(made.body)}`);
    if (object['status'] === undefined || !['Pod', 'Node', 'PodDisruptionBudget'].includes(object['kind'] as string))
      return made.body;
    const named = `${path}/${(made.body['metadata'] as { name: string }).name}/status`;
    const status = await this.api(
      'PATCH',
      named,
      { status: object['status'] as unknown },
      'application/merge-patch+json',
    );
    if (status.status >= 300) throw new Error(`PATCH ${named}: ${status.status} ${JSON.stringify(status.body)}`);
    return status.body;
  }

  /** Starts kube-apiserver (again, after `killApiServer`; with more flags, if they are given) and waits for it. */
  async startApiServer(...flags: readonly string[]): Promise<void> {
    const [port, etcd] = [this.#port(0), this.#port(1)];
    this.#run('kube-apiserver', [
      `--etcd-servers=http://127.0.0.1:${etcd}`,
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--cert-dir=${join(this.folder, 'certs')}`,
      `--token-auth-file=${join(this.folder, 'tokens.csv')}`,
      '--authorization-mode=RBAC',
      '--service-cluster-ip-range=10.96.0.0/16',
      '--service-account-issuer=https://kubernetes.default.svc',
      `--service-account-key-file=${join(this.folder, 'sa.pub')}`,
      `--service-account-signing-key-file=${join(this.folder, 'sa.key')}`,
      '--disable-admission-plugins=ServiceAccount,TaintNodesByCondition,StorageObjectInUseProtection',
      '--allow-privileged=true',
      '--endpoint-reconciler-type=none',
      ...(this.#options.apiServerFlags ?? []),
      ...flags,
    ]);
    await until(`kube-apiserver on port ${port}`, () => this.#ready());
  }

  /** Ends the API server without a goodbye. */
  async killApiServer(): Promise<void> {
    await end(this.#processes.get('kube-apiserver'), 'SIGKILL');
  }

  /** Stops everything and removes the folder. */
  async stop(): Promise<void> {
    for (const name of [...this.#processes.keys()].reverse()) await end(this.#processes.get(name), 'SIGKILL');
    this.#agent.destroy();
    rmSync(this.folder, { recursive: true, force: true });
  }

  async #ready(): Promise<boolean> {
    const { status } = await this.api('GET', '/readyz').catch(() => ({ status: 0 }));
    const namespace = status === 200 ? await this.api('GET', '/api/v1/namespaces/default') : { status: 0 };
    return namespace.status === 200;
  }

  #prepare(): void {
    mkdirSync(join(this.folder, 'certs'), { recursive: true });
    const key = join(this.folder, 'sa.key');
    execFileSync('openssl', ['genrsa', '-out', key, '2048'], { stdio: 'ignore' });
    execFileSync('openssl', ['rsa', '-in', key, '-pubout', '-out', join(this.folder, 'sa.pub')], { stdio: 'ignore' });
    this.admit();
  }

  /** Writes which tokens the API server takes from its next start on, besides that of the administrator; all may do all. */
  admit(...tokens: readonly string[]): void {
    const lines = [ADMIN, ...tokens].map((token) => `${token},${token},${token},system:masters\n`);
    writeFileSync(join(this.folder, 'tokens.csv'), lines.join(''));
  }

  #startEtcd(): void {
    const [client, peer] = [`http://127.0.0.1:${this.#port(1)}`, `http://127.0.0.1:${this.#port(2)}`];
    this.#run('etcd', [
      ...['--data-dir', join(this.folder, 'etcd')],
      ...['--listen-client-urls', client, '--advertise-client-urls', client],
      ...['--listen-peer-urls', peer, '--initial-advertise-peer-urls', peer, '--initial-cluster', `default=${peer}`],
      ...['--unsafe-no-fsync', '--log-level', 'error'],
    ]);
  }

  #startScheduler(): void {
    this.#run('kube-scheduler', [
      `--kubeconfig=${this.kubeconfig('scheduler')}`,
      '--leader-elect=false',
      `--secure-port=${this.#port(3)}`,
      `--cert-dir=${join(this.folder, 'certs-scheduler')}`,
    ]);
  }

  #startControllers(): void {
    this.#run('kube-controller-manager', [
      `--kubeconfig=${this.kubeconfig('controllers')}`,
      '--leader-elect=false',
      `--secure-port=${this.#port(4)}`,
      `--cert-dir=${join(this.folder, 'certs-controllers')}`,
      `--controllers=${this.#options.controllers ?? ''}`,
      `--service-account-private-key-file=${join(this.folder, 'sa.key')}`,
      ...(this.#options.controllerFlags ?? []),
    ]);
  }

  #run(program: string, args: readonly string[]): void {
    const log = openSync(join(this.folder, `${program}.log`), 'a');
    this.#processes.set(program, spawn(join(assets, program), args, { stdio: ['ignore', log, log] }));
  }

  /** The end of a program's log, for messages. */
  log(program: string): string {
    const file = join(this.folder, `${program}.log`);
    return existsSync(file) ? readFileSync(file, 'utf8').split('\n').slice(-20).join('\n') : '';
  }

  #port(index: number): number {
    return this.#ports[index] ?? 0;
  }
}

/** Asks again and again until the answer is yes; an error naming what was awaited after the time is over. */
export async function until(what: string, ask: () => Promise<boolean>, seconds = 60): Promise<void> {
  const deadline = Date.now() + seconds * 1000;
  while (!(await ask())) {
    if (Date.now() > deadline) throw new Error(`waited ${seconds} s in vain for ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Path of the collection an object belongs to. */
export function collection(object: ApiObject): string {
  const version = object['apiVersion'] as string;
  const namespace = (object['metadata'] as { namespace?: string }).namespace;
  const kind = (object['kind'] as string).toLowerCase();
  const plural = kind.endsWith('s') ? `${kind}es` : kind.endsWith('y') ? `${kind.slice(0, -1)}ies` : `${kind}s`;
  return `/${version.includes('/') ? 'apis' : 'api'}/${version}${namespace === undefined ? '' : `/namespaces/${namespace}`}/${plural}`;
}

async function end(child: ChildProcess | undefined, signal: NodeJS.Signals): Promise<void> {
  if (!child || child.exitCode !== null || child.signalCode !== null) return;
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill(signal);
  await gone;
}

async function freePorts(count: number): Promise<number[]> {
  const servers = await Promise.all(
    Array.from({ length: count }, () => {
      const server = createServer();
      return new Promise<typeof server>((resolve) => server.listen(0, '127.0.0.1', () => resolve(server)));
    }),
  );
  const ports = servers.map((server) => (server.address() as { port: number }).port);
  await Promise.all(servers.map((server) => new Promise((resolve) => server.close(resolve))));
  return ports;
}
