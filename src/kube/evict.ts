import type { EvictionAnswer, EvictionRequest, EvictPod, StandAside } from '../evictor/carry-out.ts';
import { sleep, type Clock } from '../lib/clock.ts';
import { isOtherPod, leavesOpen, waitBefore } from './evict-failure.ts';
import { evictionCall } from './evict-call.ts';
import { NOT_SENT, type ApiFailure } from './failure.ts';
import { send, type Call } from './call.ts';
import { graceOf, type Grace } from './grace.ts';
import { Patience } from './patience.ts';

/** How evictions are asked for. Times in ms. */
export interface EvictOptions {
  readonly clock: Clock;
  /** From the first try to giving up. */
  readonly deadlineMs?: number;
  /** For one try. */
  readonly timeoutMs?: number;
  /** After the signal to end: how long an answer to what was asked before is waited for. */
  readonly graceMs?: number;
}

const DEADLINE_MS = 60_000;
const TIMEOUT_MS = 30_000;
const GRACE_MS = 10_000;

/**
 * The eviction subresource with a UID precondition (framework.md 3.4, 7.3), so that a try can be repeated safely: a pod
 * made again under the same name is never hit. An abort starts no further try; the one in flight is waited for. To be made
 * for each cycle: all evictions share the patience with a server that is away.
 */
export function createEvict(call: Call, options: EvictOptions): EvictPod {
  const patience = new Patience(options.clock, options.deadlineMs ?? DEADLINE_MS);
  return async (request, signal, standAside = (wait) => wait) => {
    const grace = graceOf(signal, options.clock, options.graceMs ?? GRACE_MS);
    try {
      return await evict(request, { call, options, signal, standAside, grace, patience });
    } finally {
      grace.end();
    }
  };
}

interface Asking {
  readonly call: Call;
  readonly options: EvictOptions;
  readonly signal: AbortSignal;
  readonly standAside: StandAside;
  readonly grace: Grace;
  readonly patience: Patience;
}

async function evict(request: EvictionRequest, asking: Asking): Promise<EvictionAnswer> {
  const { options, patience, signal, standAside } = asking;
  const { clock, timeoutMs = TIMEOUT_MS } = options;
  const sent = { ...evictionCall(request), timeoutMs, signal: asking.grace.signal, unlessAborted: signal };
  const deadline = patience.deadline();
  for (let attempt = 1, isOpen = false; ; attempt++) {
    const answer = await send(asking.call, sent);
    patience.note(answer.ok || !leavesOpen(answer.failure));
    if (answer.ok) return { result: 'evicted' };
    const { failure } = answer;
    // What was asked before and had no answer has worked after all.
    if (isOpen && (failure.kind === 'not-found' || isOtherPod(failure))) return { result: 'evicted' };
    isOpen ||= leavesOpen(failure);
    const wait = waitBefore(failure, attempt);
    if (wait === undefined || clock.now() + wait > deadline) return failed(failure, { attempt, isOpen, ended: false });
    if (!signal.aborted) await standAside(sleep(clock, wait, signal));
    if (isAborted(signal)) return failed(failure, { attempt, isOpen, ended: true });
  }
}

/** Asked anew each time: the signal may fire during any wait. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

interface End {
  readonly attempt: number;
  /** Whether some try may have worked without our knowing. */
  readonly isOpen: boolean;
  /** Whether a signal kept us from trying again. */
  readonly ended: boolean;
}

function failed(failure: ApiFailure, { attempt, isOpen, ended }: End): EvictionAnswer {
  const tries = attempt === 1 ? '' : ` (tried ${attempt} times)`;
  const open = isOpen ? '; whether the pod was evicted is unknown' : '';
  const lead = ended ? 'the run was ended before it succeeded: ' : '';
  const kind = isOpen && (ended || failure.kind === 'aborted') ? 'unknown' : ended ? 'aborted' : failure.kind;
  return { result: 'failed', failure: kind, error: `${lead}${wordsFor(failure)}${open}${tries}` };
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
    case 'aborted':
      return failure === NOT_SENT
        ? 'the run was ended before this eviction was asked for'
        : 'the run was ended before the API server answered';
    case 'too-many-requests':
      return failure.retryAfterMs
        ? `${failure.message} (ask again in ${failure.retryAfterMs / 1000} s)`
        : failure.message;
    default:
      return failure.message;
  }
}
