import { execFile } from 'node:child_process';
import { isRecord } from '../../cluster/decode/decode-json.ts';
import { parseTime } from '../../cluster/decode/decode-time.ts';
import type { Clock } from '../../lib/clock.ts';

/** `exec` of a user in a kubeconfig. */
export interface ExecConfig {
  readonly apiVersion?: string;
  readonly command: string;
  readonly args?: readonly string[] | null;
  readonly env?: readonly { readonly name: string; readonly value: string }[] | null;
}

/** Environment variables by name. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** What a plugin gives: a token, a client certificate with its key, or both. */
export interface ExecCredential {
  readonly token: string | undefined;
  readonly cert: string | undefined;
  readonly key: string | undefined;
  /** Ms since the epoch; undefined: until the server refuses it. */
  readonly expiresAt: number | undefined;
}

/** Nobody sits in front of a daemon, so a plugin that waits for somebody never answers. */
const TIMEOUT_MS = 30_000;
const MOST_BYTES = 1_000_000;

/**
 * A plugin that is asked for credentials, and again when they have expired
 * (https://kubernetes.io/docs/reference/access-authn-authz/authentication/#client-go-credential-plugins).
 */
export class ExecPlugin {
  readonly #exec: ExecConfig;
  readonly #env: Environment;
  readonly #clock: Clock;
  #known: ExecCredential | undefined;

  /** The plugin sees the environment `env`, and what its configuration adds to it. Throws where that makes no sense. */
  constructor(exec: unknown, env: Environment, clock: Clock) {
    if (!isExecConfig(exec))
      throw new Error('exec takes a command, a list of args and a list of env with names and values');
    this.#exec = exec;
    this.#env = env;
    this.#clock = clock;
  }

  /** Rejects with why there are none, in words that tell nothing of what the plugin printed. */
  async credential(): Promise<ExecCredential> {
    const { expiresAt = Infinity } = this.#known ?? { expiresAt: -Infinity };
    if (this.#known && this.#clock.wall() < expiresAt) return this.#known;
    this.#known = undefined;
    const { command } = this.#exec;
    const credential = credentialIn(await printed(this.#exec, this.#env));
    if (!credential)
      throw new Error(`exec plugin ${command}: what it prints is not an ExecCredential with a token or a certificate`);
    this.#known = credential;
    return credential;
  }
}

function isExecConfig(exec: unknown): exec is ExecConfig {
  if (!isRecord(exec)) return false;
  const { command, args, env } = exec;
  const isText = (it: unknown) => typeof it === 'string';
  const isVariable = (it: unknown) => isRecord(it) && isText(it['name']) && isText(it['value']);
  return isText(command) && command !== '' && isListOf(args, isText) && isListOf(env, isVariable);
}

function isListOf(list: unknown, isOne: (item: unknown) => boolean): boolean {
  return list === undefined || list === null || (Array.isArray(list) && list.every(isOne));
}

function printed({ apiVersion, command, args, env }: ExecConfig, inherited: Environment): Promise<string> {
  const info = { apiVersion, kind: 'ExecCredential', spec: { interactive: false } };
  const extra = Object.fromEntries((env ?? []).map(({ name, value }) => [name, value]));
  const options = {
    env: { ...inherited, ...extra, KUBERNETES_EXEC_INFO: JSON.stringify(info) },
    timeout: TIMEOUT_MS,
    killSignal: 'SIGKILL',
    maxBuffer: MOST_BYTES,
  } as const;
  return new Promise((resolve, reject) => {
    const child = execFile(command, args ?? [], options, (error, stdout, stderr) => {
      if (error) reject(new Error(`exec plugin ${command}: ${reasonOf(error, stderr)}`));
      else resolve(stdout);
    });
    child.stdin?.end();
  });
}

function reasonOf({ code, killed, message }: Error & { code?: unknown; killed?: boolean }, stderr: string): string {
  if (code === 'ERR_CHILD_PROCESS_STDIO_MAXBUFFER') return 'it prints more than a megabyte';
  if (killed) return `no answer within ${TIMEOUT_MS / 1000} s`;
  if (typeof code !== 'number') return message;
  return `exit code ${code}${stderr.trim() === '' ? '' : `: ${stderr.trim().slice(0, 500)}`}`;
}

function credentialIn(text: string): ExecCredential | undefined {
  const status = statusIn(text);
  const { token, clientCertificateData, clientKeyData, expirationTimestamp } = status;
  const cert = textOf(clientCertificateData);
  if (textOf(token) === undefined && cert === undefined) return undefined;
  return {
    token: textOf(token),
    cert,
    key: textOf(clientKeyData),
    expiresAt: parseTime(textOf(expirationTimestamp) ?? ''),
  };
}

function statusIn(text: string): Readonly<Record<string, unknown>> {
  try {
    const printed: unknown = JSON.parse(text);
    return isRecord(printed) && isRecord(printed['status']) ? printed['status'] : {};
  } catch {
    return {};
  }
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
