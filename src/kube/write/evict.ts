import type { EvictPod, ReleaseSlot } from '../../evictor/carry-out.ts';
import type { EvictionRequest } from '../../evictor/reservation.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import type { EvictionEnding } from '../../outcomes/eviction-result.ts';
import { readAll, type ApiResult, type Call } from '../http/call.ts';
import { evictionCall } from './evict-call.ts';
import { isGone, isUnserved, leavesOpen, resultOf, waitBefore, wordsFor } from './evict-failure.ts';
import { failureWithin, NOT_SENT, type ApiFailure } from '../http/failure.ts';
import { graceOf, type Grace } from '../http/grace.ts';
import { Patience, type Asked } from '../http/patience.ts';

/** How evictions are asked for. Times in ms. */
export interface EvictOptions {
  readonly clock: Clock;
  /** Spreads the next tries of evictions that were told to wait for the same time. */
  readonly random: Random;
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
 * The eviction subresource with a UID precondition, so that a try can be repeated safely: a pod made again under the same
 * name is never hit. An abort starts no further try; the one in flight is waited for. To be made for each cycle: all
 * evictions share the patience with a server that is away or overloaded.
 */
export function createEvict(call: Call, options: EvictOptions): EvictPod {
  const { clock, random, deadlineMs = DEADLINE_MS } = options;
  const patience = new Patience({ clock, random, ms: deadlineMs });
  return async (request, signal, releaseSlot = (wait) => wait) => {
    const grace = graceOf(signal, clock, options.graceMs ?? GRACE_MS);
    try {
      return await evict(request, { call, options, signal, releaseSlot, grace, patience });
    } finally {
      grace.end();
    }
  };
}

interface Asking {
  readonly call: Call;
  readonly options: EvictOptions;
  readonly signal: AbortSignal;
  readonly releaseSlot: ReleaseSlot;
  readonly grace: Grace;
  readonly patience: Patience;
}

async function evict(request: EvictionRequest, asking: Asking): Promise<EvictionEnding> {
  const { options, patience, signal, releaseSlot } = asking;
  const { clock, random, timeoutMs = TIMEOUT_MS } = options;
  const sent = { ...evictionCall(request), timeoutMs, signal: asking.grace.signal, unlessAborted: signal };
  const deadline = patience.deadline();
  let failure: ApiFailure | undefined;
  for (let attempt = 1, isOpen = false; ; attempt++) {
    const turn = await patience.turn(deadline, signal);
    if (turn === 'never') return failure ? ended(failure, { attempt: attempt - 1, isOpen, isCut: false }) : GIVEN_UP;
    const answer = await said(await asking.call(sent));
    patience.note({ turn, ...whatCameOf(answer) });
    if (answer.ok) return { result: 'evicted' };
    // Where the signal has kept a further try from being sent, the last one tells more.
    if (answer.failure !== NOT_SENT || !failure) failure = answer.failure;
    // Most likely our own eviction, whose answer got lost; it counts as ours, so that no limit is exceeded.
    if (isOpen && isGone(failure)) return { result: 'evicted' };
    isOpen ||= leavesOpen(failure);
    const wait = waitBefore(failure, attempt, random);
    if (wait === undefined || clock.now() + wait >= deadline) return ended(failure, { attempt, isOpen, isCut: false });
    if (!signal.aborted) await releaseSlot(sleep(clock, wait, signal));
    if (isAborted(signal)) return ended(failure, { attempt, isOpen, isCut: true });
  }
}

/** The status is the answer, whatever comes of the rest, unless the body says that it failed. */
async function said(answer: ApiResult): Promise<ApiResult> {
  if (!answer.ok) return answer;
  const body = await readAll(answer.value);
  const failure = body.ok ? failureWithin(body.value) : undefined;
  return failure ? { ok: false, failure } : answer;
}

/** Others that the server failed at have waited for it in vain. */
const GIVEN_UP: EvictionEnding = {
  result: 'not-started',
  error: 'not asked for: the API server serves no eviction, and was waited for long enough',
};

function whatCameOf(answer: ApiResult): Omit<Asked, 'turn'> {
  if (answer.ok) return { isServed: true };
  return { isServed: !isUnserved(answer.failure), retryAfterMs: answer.failure.retryAfterMs };
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
  readonly isCut: boolean;
}

function ended(failure: ApiFailure, { attempt, isOpen, isCut }: End): EvictionEnding {
  const tries = attempt === 1 ? '' : ` (tried ${attempt} times)`;
  const open = isOpen ? '; whether the pod was evicted is unknown' : '';
  const lead = isCut ? 'the run was ended before it succeeded: ' : '';
  const result = isOpen ? 'uncertain' : resultOf(failure);
  return { result, error: `${lead}${wordsFor(failure)}${open}${tries}` };
}
