import { backoffDelay } from '../lib/retry.ts';
import { NOT_SENT, type ApiFailure } from './failure.ts';

const BACKOFF = { baseMs: 200, capMs: 5_000 };

/**
 * How long to wait before the eviction is tried again, in ms; undefined where that would be of no use. A budget that says
 * no, says no for now: the next cycle asks again. A server that names a time is asked then.
 */
export function waitBefore(failure: ApiFailure, attempt: number): number | undefined {
  switch (failure.kind) {
    case 'too-many-requests':
      return failure.retryAfterMs === 0 ? undefined : failure.retryAfterMs;
    case 'transient':
      return isFinal(failure) ? undefined : (failure.retryAfterMs ?? backoffDelay(BACKOFF, attempt - 1));
    case 'timeout':
    case 'no-credentials':
      return backoffDelay(BACKOFF, attempt - 1);
    case 'conflict':
      return isOtherPod(failure) ? undefined : backoffDelay(BACKOFF, attempt - 1);
    default:
      return undefined;
  }
}

/** The precondition failed: the name belongs to another pod now. Other conflicts are concurrent writes. */
export function isOtherPod(failure: ApiFailure): boolean {
  return failure.kind === 'conflict' && failure.message.includes('UID');
}

/** Whether the eviction may have been carried out all the same: no answer came, or one from a server that failed midway. */
export function leavesOpen(failure: ApiFailure): boolean {
  if (failure.kind === 'timeout' || failure.kind === 'aborted') return failure !== NOT_SENT;
  return failure.kind === 'transient' && !isFinal(failure);
}

/** Several budgets on one pod: the API answers 500 and always will (framework.md 7.3). */
function isFinal(failure: ApiFailure): boolean {
  return failure.status === 500 && failure.message.includes('PodDisruptionBudget');
}
