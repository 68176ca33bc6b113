import { sleep, type Clock } from '../lib/clock.ts';
import type { Random } from '../lib/random.ts';
import { retryDelay } from '../lib/retry.ts';
import type { ApiServer } from './http/api-server.ts';
import { send, type Call } from './http/call.ts';
import { ClusterError, clusterError } from './http/cluster-error.ts';
import { type ApiAnswer, type ApiFailure, noAnswer } from './http/failure.ts';

/** How the server is first spoken to. */
export interface ProbeOptions {
  readonly clock: Clock;
  /** Spreads the retries of those who failed together. */
  readonly random?: Random;
  readonly signal?: AbortSignal | undefined;
  /** For one try. */
  readonly timeoutMs?: number;
}

/** The oldest version that has all we ask for as we ask for it, and the newest that we are tested with (rule C14). */
const OLDEST_MINOR = 27;
const NEWEST_MINOR = 36;

/** A server this much newer may have changed what we rely on (rule C14). */
const TOLERATED_SKEW = 3;

/** Unlike in a list that is half done, a server that does not answer at first is not waited for long. */
const PATIENCE = { tries: 3, timeoutMs: 15_000 };
const BACKOFF = { baseMs: 500, capMs: 1_000 };

/**
 * The first words with an API server: whether it is one, takes our credentials and can evict, and what its version makes
 * us warn of. Throws ClusterError.
 */
export async function probeServer(server: ApiServer, options: ProbeOptions): Promise<readonly string[]> {
  const resources = await ask(server.call, '/api/v1', options);
  if (resources.ok) requireEviction(resources.value, server.address());
  // Discovery may be closed to us; then the lists and evictions will show.
  else if (resources.failure.kind !== 'forbidden') throw unusable(resources.failure, server.address());
  const version = await ask(server.call, '/version', options);
  return version.ok ? versionWarnings(version.value) : [];
}

function unusable(failure: ApiFailure, server: string): ClusterError {
  const about = failure.message.includes(server) ? failure.message : `${server}: ${failure.message}`;
  return clusterError(`cannot use the cluster: ${about}`, failure, server);
}

type Json = Readonly<Record<string, unknown>>;

async function ask(call: Call, path: string, options: ProbeOptions): Promise<ApiAnswer<Json>> {
  const { clock, random = Math.random, signal, timeoutMs = PATIENCE.timeoutMs } = options;
  for (let attempt = 1; ; attempt++) {
    const answer = await send(call, { method: 'GET', path, signal, timeoutMs });
    if (answer.ok) return jsonOf(answer.value);
    const mayPass = answer.failure.kind === 'transient' || answer.failure.kind === 'too-many-requests';
    if (!mayPass || attempt >= PATIENCE.tries) return answer;
    const { retryAfterMs } = answer.failure;
    await sleep(clock, retryDelay(BACKOFF, attempt - 1, { random, retryAfterMs }), signal);
  }
}

function jsonOf(bytes: Buffer): ApiAnswer<Json> {
  try {
    return { ok: true, value: (JSON.parse(bytes.toString('utf8')) ?? {}) as Json };
  } catch {
    return { ok: false, failure: noAnswer('invalid', 'the answer is not JSON') };
  }
}

/** Pods must have the subresource `eviction` of policy/v1 (rule E14; 7.2, number 12). */
function requireEviction(list: Json, server: string): void {
  const resources = list['resources'];
  if (!Array.isArray(resources))
    throw unusable(noAnswer('invalid', 'the answer is not a list of API resources'), server);
  const eviction = (resources as (Json | null)[]).find((resource) => resource?.['name'] === 'pods/eviction');
  if (eviction?.['kind'] === 'Eviction' && eviction['version'] === 'v1') return;
  const has = eviction ? `policy/${String(eviction['version'])} only` : 'no eviction of pods';
  throw new ClusterError(`${server} offers ${has}: policy/v1 is needed, which every API server from 1.22 on has`);
}

function versionWarnings({ minor, gitVersion }: Json): readonly string[] {
  const number = Number.parseInt(typeof minor === 'string' ? minor : '', 10);
  if (Number.isNaN(number))
    return ['the API server does not tell its version: Kubernetes 1.27 and later are supported'];
  const name = typeof gitVersion === 'string' ? gitVersion : `1.${number}`;
  if (number < OLDEST_MINOR)
    return [`Kubernetes ${name} is older than 1.${OLDEST_MINOR}, the oldest that is supported`];
  if (number <= NEWEST_MINOR + TOLERATED_SKEW) return [];
  return [
    `Kubernetes ${name} is much newer than 1.${NEWEST_MINOR}, which this version is tested with: upgrade evenkeel`,
  ];
}
