import type { EvictPod, ReleaseSlot } from '../../evictor/carry-out.ts';
import type { EvictionRequest } from '../../evictor/reservation.ts';
import { sleep, type Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { retryDelay } from '../../lib/retry.ts';
import type { EvictionEnding, EvictionFailure } from '../../outcomes/eviction-result.ts';
import { readAll, type ApiRequest, type ApiResult, type Call } from '../http/call.ts';
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

/** Admission webhooks and audit rules for the Go descheduler look for this name. */
const REQUESTED_BY = 'sigs.k8s.io/descheduler';

/** The request of an eviction, with the UID of the pod that was decided on. */
function evictionCall({ pod, reason, profile, strategy, gracePeriodSeconds }: EvictionRequest): ApiRequest {
  const [namespace, name] = [encodeURIComponent(pod.namespace), encodeURIComponent(pod.name)];
  const body = {
    apiVersion: 'policy/v1',
    kind: 'Eviction',
    metadata: {
      name: pod.name,
      namespace: pod.namespace,
      annotations: { 'requested-by': REQUESTED_BY, reason: `profile ${profile}, strategy ${strategy}: ${reason}` },
    },
    deleteOptions: {
      preconditions: { uid: pod.uid },
      ...(gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds }),
    },
  };
  return { method: 'POST', path: `/api/v1/namespaces/${namespace}/pods/${name}/eviction`, body };
}

const BACKOFF = { baseMs: 200, capMs: 5_000 };

/**
 * How long to wait before the eviction is tried again, in ms; undefined where that would be of no use. A budget that says
 * no and names no time, says no for now: the next cycle asks again.
 */
function waitBefore(failure: ApiFailure, attempt: number, random: Random): number | undefined {
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
function leavesOpen(failure: ApiFailure): boolean {
  return isWithoutAnswer(failure) && !failure.isUnsent;
}

/** Whether the server did not get to the eviction, and may not get to others either. */
function isUnserved(failure: ApiFailure): boolean {
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
function isGone(failure: ApiFailure): boolean {
  return (failure.kind === 'not-found' && failure.objectName !== undefined) || isOtherPod(failure);
}

/** How an eviction has ended whose last answer was this one, if no earlier try was left open. */
function resultOf(failure: ApiFailure): EvictionFailure {
  if (failure.isUnsent || failure.kind === 'no-credentials') return 'not-started';
  if (isGone(failure)) return 'gone';
  if (failure.kind !== 'too-many-requests') return 'rejected';
  return isOfBudget(failure) ? 'refused-by-budget' : 'overloaded';
}

/** The failure in words, with what would mend it. */
function wordsFor(failure: ApiFailure): string {
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
