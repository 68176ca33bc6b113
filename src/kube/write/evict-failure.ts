import type { Random } from '../../lib/random.ts';
import { retryDelay } from '../../lib/retry.ts';
import type { EvictionFailure } from '../../outcomes/eviction-result.ts';
import { NOT_SENT, type ApiFailure } from '../http/failure.ts';

const BACKOFF = { baseMs: 200, capMs: 5_000 };

/**
 * How long to wait before the eviction is tried again, in ms; undefined where that would be of no use. A budget that says
 * no and names no time, says no for now: the next cycle asks again.
 */
export function waitBefore(failure: ApiFailure, attempt: number, random: Random): number | undefined {
  const { retryAfterMs } = failure;
  return mayPass(failure) ? retryDelay(BACKOFF, attempt - 1, { random, retryAfterMs }) : undefined;
}

function mayPass(failure: ApiFailure): boolean {
  switch (failure.kind) {
    case 'too-many-requests':
      return !isOfBudget(failure) || failure.retryAfterMs !== undefined;
    case 'transient':
      return !isFinal(failure);
    case 'conflict':
      return !isOtherPod(failure);
    default:
      return failure.kind === 'timeout' || failure.kind === 'no-credentials';
  }
}

/** Whether the eviction may have been carried out all the same: no answer came, or one from a server that failed midway. */
export function leavesOpen(failure: ApiFailure): boolean {
  return isWithoutAnswer(failure) && !failure.isUnsent;
}

/** Whether the server did not get to the eviction, and may not get to others either. */
export function isUnserved(failure: ApiFailure): boolean {
  if (failure.kind === 'too-many-requests') return !isOfBudget(failure);
  return isWithoutAnswer(failure) || failure.kind === 'no-credentials';
}

function isWithoutAnswer(failure: ApiFailure): boolean {
  if (failure.kind === 'transient') return !isFinal(failure);
  return failure.kind === 'timeout' || failure.kind === 'aborted';
}

/**
 * Whether the pod that was meant is there no more: nothing has its name, or another pod by now. A 404 that names no object
 * comes from a path that nobody serves, such as a proxy's, and says nothing of the pod.
 */
export function isGone(failure: ApiFailure): boolean {
  return (failure.kind === 'not-found' && failure.objectName !== undefined) || isOtherPod(failure);
}

/** How an eviction has ended whose last answer was this one, if no earlier try was left open. */
export function resultOf(failure: ApiFailure): EvictionFailure {
  if (failure.isUnsent || failure.kind === 'no-credentials') return 'not-started';
  if (isGone(failure)) return 'gone';
  if (failure.kind !== 'too-many-requests') return 'rejected';
  return isOfBudget(failure) ? 'refused-by-budget' : 'overloaded';
}

/** The failure in words, with what would mend it. */
export function wordsFor(failure: ApiFailure): string {
  switch (failure.kind) {
    case 'not-found':
      return isGone(failure)
        ? 'the pod is gone already'
        : `nothing serves evictions at this address; check the server in the kubeconfig: ${failure.message}`;
    case 'conflict':
      return isOtherPod(failure) ? 'another pod has its name by now' : failure.message;
    case 'forbidden':
      return `not allowed; the service account needs create on pods/eviction: ${failure.message}`;
    case 'unauthorized':
      return `the API server does not accept our token: ${failure.message}`;
    case 'aborted':
      return failure === NOT_SENT
        ? 'the run was ended before this eviction was asked for'
        : 'the run was ended before the API server answered';
    case 'too-many-requests':
      return `${isOfBudget(failure) ? '' : 'the API server is overloaded: '}${failure.message}${askAgain(failure)}`;
    default:
      return failure.message;
  }
}

function askAgain({ retryAfterMs }: ApiFailure): string {
  return retryAfterMs ? ` (ask again in ${retryAfterMs / 1000} s)` : '';
}

/** The API names this cause for a PodDisruptionBudget alone; any other 429 is a server with too much to do. */
function isOfBudget({ causes }: ApiFailure): boolean {
  return causes.includes('DisruptionBudget');
}

/** The precondition failed: the name belongs to another pod now. Other conflicts are concurrent writes. */
function isOtherPod(failure: ApiFailure): boolean {
  return failure.kind === 'conflict' && failure.message.includes('UID');
}

/** Several budgets on one pod: the API answers 500 and always will. */
function isFinal(failure: ApiFailure): boolean {
  return failure.status === 500 && failure.message.includes('PodDisruptionBudget');
}
