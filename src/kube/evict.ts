import type { EvictionAnswer, EvictionRequest, EvictPod } from '../evictor/carry-out.ts';
import type { EvictionFailure } from '../outcomes/outcome.ts';
import { sleep, type Clock } from '../lib/clock.ts';
import { backoffDelay } from '../lib/retry.ts';
import type { ApiFailure } from './failure.ts';
import type { Transport } from './transport.ts';

/** How evictions are asked for. */
export interface EvictOptions {
  readonly clock: Clock;
  /** From the first try to giving up. */
  readonly deadlineMs?: number;
  /** For one try. */
  readonly timeoutMs?: number;
  /** Takes a KubeVirt answer as an eviction that is under way (framework.md 3.7). */
  readonly background?: boolean;
}

const DEADLINE_MS = 60_000;
const TIMEOUT_MS = 30_000;
const BACKOFF = { baseMs: 200, capMs: 5_000 };
const REQUEST_ONLY = 'descheduler.alpha.kubernetes.io/request-evict-only';

/**
 * The eviction subresource with a UID precondition (framework.md 3.4, 7.3), so that a try can be repeated safely: a pod
 * made again under the same name is never hit. An abort starts no further try; the one in flight is waited for.
 */
export function createEvict(transport: Transport, options: EvictOptions): EvictPod {
  return async (request, signal) => {
    const deadline = options.clock.now() + (options.deadlineMs ?? DEADLINE_MS);
    for (let attempt = 0; ; attempt++) {
      const answer = await transport.send(callFor(request, options.timeoutMs ?? TIMEOUT_MS));
      if (answer.ok) return { result: 'evicted' };
      if (options.background && isRequested(request, answer.failure)) return { result: 'requested' };
      const wait = waitBefore(answer.failure, attempt);
      const end = wait === undefined || signal.aborted || options.clock.now() + wait > deadline;
      if (end) return failed(answer.failure, { attempt, retryable: wait !== undefined, aborted: signal.aborted });
      await sleep(options.clock, wait, signal);
      if (isAborted(signal)) return failed(answer.failure, { attempt, retryable: true, aborted: true });
    }
  };
}

/** Asked anew each time: the signal may fire during any wait. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function callFor({ pod, reason, profile, strategy, gracePeriodSeconds }: EvictionRequest, timeoutMs: number) {
  const path = `/api/v1/namespaces/${encodeURIComponent(pod.namespace)}/pods/${encodeURIComponent(pod.name)}/eviction`;
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: {
      name: pod.name,
      namespace: pod.namespace,
      annotations: { 'requested-by': 'evenkeel', reason: `profile ${profile}, strategy ${strategy}: ${reason}` },
    },
    deleteOptions: {
      preconditions: { uid: pod.uid },
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    },
  };
  return { method: 'POST' as const, path, body, timeoutMs };
}

/** A budget that says no, says no for now: the next cycle asks again. A server that names a time is asked then. */
function waitBefore(failure: ApiFailure, attempt: number): number | undefined {
  switch (failure.kind) {
    case 'too-many-requests':
      return failure.retryAfterMs === undefined || failure.retryAfterMs === 0 ? undefined : failure.retryAfterMs;
    case 'transient':
      return isFinal(failure) ? undefined : (failure.retryAfterMs ?? backoffDelay(BACKOFF, attempt));
    case 'timeout':
      return backoffDelay(BACKOFF, attempt);
    case 'conflict':
      return isOtherPod(failure) ? undefined : backoffDelay(BACKOFF, attempt);
    default:
      return undefined;
  }
}

/** Several budgets on one pod: the API answers 500 and always will. */
function isFinal(failure: ApiFailure): boolean {
  return failure.status === 500 && failure.message.includes('PodDisruptionBudget');
}

/** The precondition failed: the name belongs to another pod now. Other conflicts are concurrent writes. */
function isOtherPod(failure: ApiFailure): boolean {
  return failure.message.includes('UID');
}

function isRequested({ pod }: EvictionRequest, failure: ApiFailure): boolean {
  return (
    failure.kind === 'too-many-requests' &&
    pod.annotations[REQUEST_ONLY] !== undefined &&
    failure.message.includes('Eviction triggered evacuation')
  );
}

interface End {
  readonly attempt: number;
  readonly retryable: boolean;
  readonly aborted: boolean;
}

function failed(failure: ApiFailure, end: End): EvictionAnswer {
  const tries = end.attempt === 0 ? '' : ` (tried ${end.attempt + 1} times)`;
  if (end.aborted && end.retryable) {
    return { result: 'failed', failure: 'aborted', error: `ended before it succeeded: ${failure.message}${tries}` };
  }
  return { result: 'failed', failure: kindOf(failure), error: `${wordsFor(failure)}${tries}` };
}

function kindOf(failure: ApiFailure): EvictionFailure {
  switch (failure.kind) {
    case 'not-found':
    case 'conflict':
    case 'too-many-requests':
    case 'forbidden':
    case 'invalid':
    case 'aborted':
      return failure.kind;
    case 'gone':
      return 'not-found';
    case 'unauthorized':
    case 'certificate':
      return 'forbidden';
    case 'transient':
      return 'transient';
    case 'timeout':
      return 'unknown';
  }
}

function wordsFor(failure: ApiFailure): string {
  switch (failure.kind) {
    case 'not-found':
      return 'the pod is gone already';
    case 'conflict':
      return isOtherPod(failure) ? 'another pod has its name by now' : failure.message;
    case 'forbidden':
      return `not allowed; the service account needs create on pods/eviction: ${failure.message}`;
    case 'unauthorized':
      return `the API server does not accept our token: ${failure.message}`;
    case 'timeout':
      return `${failure.message}; whether the pod was evicted is unknown`;
    default:
      return failure.message;
  }
}
