import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import http, { type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import https, { type ServerOptions } from 'node:https';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { createApiServer, type ApiServer, type ApiServerOptions } from '../../src/kube/http/api-server.ts';
import { CredentialSource } from '../../src/kube/auth/credentials.ts';
import { systemClock, type Cancel, type Clock } from '../../src/lib/clock.ts';

/** One recorded answer. */
export interface Reply {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  /** An object is sent as JSON. */
  readonly body?: unknown;
  /** The connection is cut: before an answer, or after so many bytes of the body. */
  readonly cut?: 'at once' | number;
  /** No answer comes, or none after the head. */
  readonly hang?: 'at once' | 'after head';
}

/** A request as the server saw it. */
export interface Heard {
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly body: unknown;
}

/** A server that plays recorded answers, one after another, and has no behaviour of its own. */
export interface Conversation {
  readonly url: string;
  readonly heard: readonly Heard[];
  /** How many connections were made. */
  readonly connections: () => number;
  readonly close: () => void;
}

/** Answers in order, or in order for each path (without its query); what is not recorded is 404, as for a missing kind. */
export type Script = readonly Reply[] | Readonly<Record<string, readonly Reply[]>>;

/** Starts the server on loopback; with `tls` over HTTPS. */
export async function play(script: Script, tls?: ServerOptions): Promise<Conversation> {
  const heard: Heard[] = [];
  let connections = 0;
  const next = repliesOf(script);
  const listener: RequestListener = (request, response) => {
    void text(request).then((body) => {
      const { method = '', url = '', headers } = request;
      heard.push({ method, path: url, headers, body: body === '' ? undefined : (JSON.parse(body) as unknown) });
      give(next(url.replace(/\?.*/, '')), response);
    });
  };
  const server = tls ? https.createServer(tls, listener) : http.createServer(listener);
  server.on('connection', () => connections++);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const url = `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const close = () => {
    server.close();
    server.closeAllConnections();
  };
  return { url, heard, connections: () => connections, close };
}

function repliesOf(script: Script): (path: string) => Reply {
  if (Array.isArray(script)) {
    const queue = [...(script as readonly Reply[])];
    return () => queue.shift() ?? NOT_RECORDED;
  }
  const queues = new Map(Object.entries(script).map(([path, replies]) => [path, [...(replies as readonly Reply[])]]));
  return (path) => queues.get(path)?.shift() ?? NOT_RECORDED;
}

function give(reply: Reply, response: ServerResponse): void {
  if (reply.cut === 'at once') response.destroy();
  if (reply.cut === 'at once' || reply.hang === 'at once') return;
  const body = typeof reply.body === 'string' ? reply.body : JSON.stringify(reply.body ?? {});
  const length = { 'content-length': String(Buffer.byteLength(body)) };
  response.writeHead(reply.status ?? 200, { 'content-type': 'application/json', ...length, ...reply.headers });
  if (reply.hang === 'after head') response.flushHeaders();
  else if (reply.cut === undefined) response.end(body);
  else response.write(body.slice(0, reply.cut), () => response.destroy());
}

/** A Status object of the API. */
export function status(code: number, message: string, details?: object): Reply {
  const body = { kind: 'Status', apiVersion: 'v1', status: 'Failure', message, code, ...(details ? { details } : {}) };
  return { status: code, body };
}

const NOT_RECORDED = status(404, 'the server could not find the requested resource');

/** A page of a list. */
export function page(items: readonly object[], metadata: object = {}): Reply {
  return { body: { kind: 'List', apiVersion: 'v1', metadata: { resourceVersion: '7', ...metadata }, items } };
}

/** A folder for kubeconfigs, removed by `remove`. */
export class Folder {
  readonly path = mkdtempSync(join(tmpdir(), 'evenkeel-kube-'));

  /** Writes a file and returns its path. */
  write(name: string, content: string | object): string {
    const file = join(this.path, name);
    writeFileSync(file, typeof content === 'string' ? content : JSON.stringify(content));
    return file;
  }

  remove(): void {
    rmSync(this.path, { recursive: true, force: true });
  }
}

/** A kubeconfig for one cluster and one user. */
export function kubeconfig(server: string, user: object = { token: 't1' }, cluster: object = {}): object {
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'c', cluster: { server, ...cluster } }],
    users: [{ name: 'u', user }],
    contexts: [{ name: 'x', context: { cluster: 'c', user: 'u' } }],
    'current-context': 'x',
  };
}

/** The way to the server of this kubeconfig. */
export function connectBy(file: string, options: Partial<ApiServerOptions> = {}): ApiServer {
  const { clock = systemClock } = options;
  const source = new CredentialSource({ kubeconfig: file, context: undefined, env: {} }, clock);
  return createApiServer(source, { clock, userAgent: 'test', timeoutMs: 5_000, ...options });
}

/** Plays a script to what is given the way to the server, and tells what that heard. */
export async function converse<T>(
  script: Script,
  talk: (server: ApiServer, conversation: Conversation) => Promise<T>,
  options: Partial<ApiServerOptions> = {},
): Promise<{ readonly result: T; readonly heard: readonly Heard[]; readonly connections: number }> {
  const folder = new Folder();
  const conversation = await play(script);
  const server = connectBy(folder.write('config', kubeconfig(conversation.url)), options);
  try {
    const result = await talk(server, conversation);
    return { result, heard: conversation.heard, connections: conversation.connections() };
  } finally {
    server.close();
    conversation.close();
    folder.remove();
  }
}

/** A clock on which every wait is over at once; it remembers how long each would have been, in ms. */
export class HastyClock implements Clock {
  readonly waits: number[] = [];
  #now = Date.parse('2026-01-15T09:00:00Z');

  now(): number {
    return this.#now;
  }

  wall(): number {
    return this.#now;
  }

  schedule(at: number, run: () => void): Cancel {
    this.waits.push(at - this.#now);
    const turn = setImmediate(() => {
      this.#now = Math.max(this.#now, at);
      run();
    });
    return () => clearImmediate(turn);
  }
}
