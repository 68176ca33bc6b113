import { readFile } from 'node:fs/promises';
import http from 'node:http';
import https from 'node:https';
import { rootCertificates } from 'node:tls';
import type { Resources } from '../cluster/amounts/resources.ts';
import type { UsageAnswer } from '../descheduler/ports.ts';
import { messageOf } from './http/connect-error.ts';
import { readAll, send, type Call } from './http/call.ts';

/** Where a Prometheus server is, and what proves who asks. */
export interface PrometheusServer {
  readonly url: string;
  /** The Secret that holds a bearer token; without it the pod's own token is used, if there is one. */
  readonly authSecret: { readonly namespace: string; readonly name: string } | undefined;
}

/** What asking takes. `accountFolder`: where a pod finds its token and the authority of its cluster. */
export interface PrometheusParts {
  readonly call: Call;
  readonly signal: AbortSignal;
  readonly accountFolder?: string;
  /** For the whole answer, in ms. */
  readonly timeoutMs?: number;
}

const ACCOUNT_FOLDER = '/var/run/secrets/kubernetes.io/serviceaccount';
const TIMEOUT_MS = 30_000;
/** An instant query answers with one number a node. */
const MOST_BYTES = 64 * 1024 * 1024;
/** The key of the Secret, as the Go descheduler reads it. */
const TOKEN_KEY = 'prometheusAuthToken';
/** As the strategies name what a query measures, in whole percent. */
const METRIC_RESOURCE = 'MetricResource';

/** Something that keeps usage from being had; the message completes "usage …". */
class Lacking extends Error {}

/**
 * Asks for the usage of nodes by an instant query: a vector with one sample of 0 to 1 for each node, whose label `instance` is the
 * node's name (rule C12; https://prometheus.io/docs/prometheus/latest/querying/api/#instant-queries). Never rejects.
 */
export async function prometheusUsage(
  server: PrometheusServer,
  query: string,
  parts: PrometheusParts,
): Promise<UsageAnswer> {
  try {
    const nodes = await samples(server, query, parts);
    return { usage: { source: 'Prometheus', node: (name) => nodes.get(name), pod: () => undefined } };
  } catch (error) {
    return { problem: `from Prometheus cannot be had: ${messageOf(error)}` };
  }
}

async function samples(
  server: PrometheusServer,
  query: string,
  parts: PrometheusParts,
): Promise<ReadonlyMap<string, Resources>> {
  const address = `${server.url.replace(/\/+$/u, '')}/api/v1/query?query=${encodeURIComponent(query)}`;
  const token = await tokenFor(server, parts);
  const { status, text } = await get(address, token, parts);
  const said = `GET ${address} answered ${status}`;
  const body = parsed(text);
  if (body?.status !== 'success') throw new Lacking(`${said}: ${body?.error ?? excerpt(text)}`);
  return new Map(vectorOf(body, said).map((sample) => entryOf(sample, said)));
}

interface QueryResponse {
  readonly status?: unknown;
  readonly error?: string;
  readonly data?: { readonly resultType?: unknown; readonly result?: unknown };
}

function parsed(text: string): QueryResponse | undefined {
  try {
    return JSON.parse(text) as QueryResponse | undefined;
  } catch {
    return undefined;
  }
}

function excerpt(text: string): string {
  const line = text.replaceAll(/\s+/gu, ' ').trim();
  if (line === '') return 'an empty body';
  return `what is not an answer of Prometheus: ${line.length > 120 ? `${line.slice(0, 120)}…` : line}`;
}

function vectorOf({ data }: QueryResponse, said: string): readonly unknown[] {
  if (data?.resultType === 'vector' && Array.isArray(data.result)) return data.result as readonly unknown[];
  throw new Lacking(`${said}: a ${String(data?.resultType)}, not a vector with one sample for each node`);
}

/** Truncated to whole percents, as the Go descheduler does. */
function entryOf(sample: unknown, said: string): readonly [string, Resources] {
  const { metric, value } = sample as { metric?: Record<string, string>; value?: readonly unknown[] };
  const instance = metric?.['instance'];
  if (instance === undefined || instance === '')
    throw new Lacking(
      `${said}: a sample without the label instance, which names the node: ${JSON.stringify(metric ?? {})}`,
    );
  const share = Number(value?.[1]);
  if (!(share >= 0 && share <= 1))
    throw new Lacking(
      `${said}: ${String(value?.[1])} for ${instance}, which is not between 0 and 1; divide the query by 100 if it gives percents`,
    );
  return [instance, { [METRIC_RESOURCE]: Math.trunc(share * 100) }];
}

/** Read before each query, so that a rotated token is used at once. */
async function tokenFor({ authSecret }: PrometheusServer, parts: PrometheusParts): Promise<string | undefined> {
  if (!authSecret) return ownFile('token', parts);
  const { namespace, name } = authSecret;
  const path = `/api/v1/namespaces/${encodeURIComponent(namespace)}/secrets/${encodeURIComponent(name)}`;
  const answer = await send(parts.call, { method: 'GET', path, signal: parts.signal });
  const secret = `the Secret ${namespace}/${name}`;
  if (!answer.ok) {
    const remedy = answer.failure.kind === 'forbidden' ? '; let the service account get it' : '';
    throw new Lacking(`${secret} with its token cannot be read: ${answer.failure.message}${remedy}`);
  }
  const { data } = JSON.parse(answer.value.toString('utf8')) as { data?: Record<string, string> };
  const token = Buffer.from(data?.[TOKEN_KEY] ?? '', 'base64')
    .toString('utf8')
    .trim();
  if (token === '') throw new Lacking(`${secret} has no token under the key ${TOKEN_KEY}`);
  if (/[^\u0021-\u007e]/u.test(token)) throw new Lacking(`${secret} holds no token but other text under ${TOKEN_KEY}`);
  return token;
}

/** Undefined outside of a pod. */
async function ownFile(name: string, { accountFolder = ACCOUNT_FOLDER }: PrometheusParts): Promise<string | undefined> {
  try {
    return (await readFile(`${accountFolder}/${name}`, 'utf8')).trim();
  } catch {
    return undefined;
  }
}

/** The authorities of the system count, and that of the cluster. */
async function get(address: string, token: string | undefined, parts: PrometheusParts) {
  const ca = await ownFile('ca.crt', parts);
  const url = urlOf(address);
  const { timeoutMs = TIMEOUT_MS } = parts;
  const options = {
    headers: { accept: 'application/json', ...(token !== undefined && { authorization: `Bearer ${token}` }) },
    signal: AbortSignal.any([parts.signal, AbortSignal.timeout(timeoutMs)]),
    agent: false as const,
    ...(ca !== undefined && { ca: [...rootCertificates, ca] }),
  };
  const response = await new Promise<http.IncomingMessage>((resolve, reject) => {
    const client = url.protocol === 'https:' ? https : http;
    client.get(url, options, resolve).on('error', (error) => reject(unanswered(address, error, timeoutMs)));
  });
  const body = await readAll(response, MOST_BYTES);
  if (!body.ok) throw new Lacking(`GET ${address}: ${body.failure.message}`);
  return { status: `HTTP ${response.statusCode ?? 0}`, text: body.value.toString('utf8') };
}

function urlOf(address: string): URL {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  throw new Lacking(`the url of metricsProviders must begin with http:// or https://, not as ${address.slice(0, 60)}`);
}

function unanswered(address: string, error: Error, timeoutMs: number): Lacking {
  const isLate = error.name === 'TimeoutError' || (error.cause as Error | undefined)?.name === 'TimeoutError';
  return new Lacking(`GET ${address}: ${isLate ? `no answer within ${timeoutMs / 1000} s` : messageOf(error)}`);
}
