import type { Pod } from '../../cluster/objects/pod.ts';
import type { Eviction } from '../../outcomes/outcome.ts';
import type { Cancel, Clock } from '../../lib/clock.ts';
import type { Random } from '../../lib/random.ts';
import { retryDelay } from '../../lib/retry.ts';
import { send, type ApiRequest, type Call } from '../http/call.ts';
import type { ApiFailure } from '../http/failure.ts';

/** Who speaks in events: users' dashboards match on it. */
const CONTROLLER = 'evenkeel-descheduler';

/** Most events waiting to be written; beyond that they are dropped, an eviction is never held up by them. */
const MOST_WAITING = 5_000;
/** Events are written together every so often, so that a cycle of a few seconds has the API server for its evictions. */
const BATCH_MS = 5_000;
const IN_FLIGHT = 16;
const TIMEOUT_MS = 10_000;
const BACKOFF = { baseMs: 5_000, capMs: 60_000 };
/** After so many in a row at the end of the program the rest is given up. */
const LAST_FAILURES = 3;

/** An event to write, regarding one object. */
export interface ClusterEvent {
  readonly type: 'Normal' | 'Warning';
  readonly reason: string;
  readonly action: string;
  readonly note: string;
  /** Who speaks; the descheduler by default. */
  readonly reportingController?: string;
  readonly regarding: {
    readonly kind: string;
    readonly namespace: string;
    readonly name: string;
    readonly uid: string;
  };
}

/** What an event writer works with. */
export interface EventOptions {
  readonly clock: Clock;
  /** Which of us speaks, such as the name of the host. */
  readonly instance: string;
  /** Spreads the retries of those who failed together. */
  readonly random?: Random;
}

/** What writes events. */
export interface EventWriter {
  /** Never waits and never fails. */
  write(event: ClusterEvent): void;
  /** Resolves when nothing is waiting any more, or after that time. */
  flush(ms: number): Promise<void>;
  /** Events that could not be written or were too many. */
  readonly dropped: () => number;
}

/**
 * Events of events.k8s.io/v1, off the critical path: together every few seconds. While the server fails they wait, and one at a
 * time asks whether it is back.
 */
export function createEventWriter(call: Call, options: EventOptions): EventWriter {
  return new BatchedEvents(call, options);
}

class BatchedEvents implements EventWriter {
  readonly #call: Call;
  readonly #clock: Clock;
  readonly #random: Random;
  readonly #instance: string;
  readonly #waiting: ApiRequest[] = [];
  readonly #whenIdle: (() => void)[] = [];
  #cancelTimer: Cancel | undefined;
  /** How many of those that wait may go. */
  #due = 0;
  /** Whether the server took the last event. */
  #isServed = false;
  #failures = 0;
  /** No request before that, as `clock.now()` has it. */
  #notBefore = -Infinity;
  #isEnding = false;
  #busy = 0;
  #dropped = 0;
  #count = 0;

  constructor(call: Call, { clock, instance, random = Math.random }: EventOptions) {
    this.#call = call;
    this.#clock = clock;
    this.#random = random;
    this.#instance = instance;
  }

  readonly dropped = () => this.#dropped;

  write(event: ClusterEvent): void {
    if (this.#waiting.length >= MOST_WAITING) {
      this.#dropped++;
      return;
    }
    const stamp = { at: this.#clock.wall(), instance: this.#instance, count: this.#count++ };
    this.#waiting.push(requestFor(event, stamp));
    this.#schedule(BATCH_MS);
  }

  flush(ms: number): Promise<void> {
    this.#isEnding = true;
    this.#writeAll();
    if (this.#busy === 0) return Promise.resolve();
    return new Promise((resolve) => {
      const cancel = this.#clock.schedule(this.#clock.now() + ms, resolve);
      this.#whenIdle.push(() => {
        cancel();
        resolve();
      });
    });
  }

  #schedule(ms: number): void {
    const at = Math.max(this.#clock.now() + ms, this.#notBefore);
    this.#cancelTimer ??= this.#clock.schedule(at, () => this.#writeAll());
  }

  #writeAll(): void {
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#due = this.#waiting.length;
    this.#fill();
  }

  /** One goes ahead of the others, so that a server that fails is not asked by all of them. */
  #fill(): void {
    const most = this.#isServed ? IN_FLIGHT : 1;
    for (; this.#busy < most && this.#due > 0; this.#due--) {
      const request = this.#waiting.shift();
      if (request) void this.#send(request);
    }
    if (this.#busy === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  async #send(request: ApiRequest): Promise<void> {
    this.#busy++;
    const answer = await send(this.#call, request);
    this.#busy--;
    if (!answer.ok && !isOfEvent(answer.failure)) this.#putBack(request, answer.failure);
    else {
      this.#isServed = true;
      this.#failures = 0;
      // Its name is its own, so that one that exists is an event whose answer got lost.
      if (!answer.ok && answer.failure.kind !== 'conflict') this.#dropped++;
    }
    this.#fill();
  }

  /** Those that were in flight together count as one failure. */
  #putBack(request: ApiRequest, { retryAfterMs }: ApiFailure): void {
    this.#isServed = false;
    if (this.#isEnding) {
      this.#dropped++;
      if (++this.#failures >= LAST_FAILURES) this.#dropped += this.#waiting.splice(0).length;
      return;
    }
    this.#waiting.unshift(request);
    this.#due = 0;
    const now = this.#clock.now();
    if (now >= this.#notBefore) {
      this.#notBefore = now + retryDelay(BACKOFF, this.#failures++, { random: this.#random, retryAfterMs });
    }
    this.#cancelTimer?.();
    this.#cancelTimer = undefined;
    this.#schedule(0);
  }
}

/** Whether the server has considered the event and refuses it: its namespace is gone, we may not write there, it exists… */
function isOfEvent({ kind, status = 0 }: ApiFailure): boolean {
  return kind === 'conflict' || kind === 'forbidden' || kind === 'not-found' || (kind === 'invalid' && status >= 400);
}

/** The event of an eviction, or of a failed one where the policy asks for those; undefined for a dry run. */
export function eventOf(eviction: Eviction, notifyFailures: boolean): ClusterEvent | undefined {
  const { pod, strategy, reason, result, error } = eviction;
  if (result === 'would-evict') return undefined;
  if (error === undefined) {
    const note = `${noteOn(pod)}: ${reason}`;
    return { type: 'Normal', reason: strategy, action: 'Descheduled', note, regarding: regardingOf(pod) };
  }
  return notifyFailures && result !== 'gone' ? failureEvent(pod, error) : undefined;
}

/** The event of a pod that is not evicted, for an eviction that failed or was held back. */
export function failureEvent(pod: Pod, why: string): ClusterEvent {
  const note = `${noteOn(pod)} failed: ${why}`;
  return { type: 'Warning', reason: 'EvictionFailed', action: 'Descheduled', note, regarding: regardingOf(pod) };
}

function noteOn({ nodeName }: Pod): string {
  return `pod eviction from ${nodeName} node by sigs.k8s.io/descheduler`;
}

function regardingOf({ namespace, name, uid }: Pod): ClusterEvent['regarding'] {
  return { kind: 'Pod', namespace, name, uid };
}

/** When it happened, who says so, and what tells it from others of the same moment. */
interface Stamp {
  readonly at: number;
  readonly instance: string;
  readonly count: number;
}

function requestFor({ regarding, note, ...event }: ClusterEvent, { at, instance, count }: Stamp): ApiRequest {
  const namespace = regarding.namespace === '' ? 'default' : regarding.namespace;
  const suffix = `${at.toString(16)}${count.toString(16).padStart(4, '0')}`;
  const body = {
    apiVersion: 'events.k8s.io/v1',
    kind: 'Event',
    metadata: { name: `${regarding.name.slice(0, 200).replace(/[^a-z0-9]+$/, '')}.${suffix}`, namespace },
    eventTime: new Date(at).toISOString().replace('Z', '000Z'),
    reportingController: CONTROLLER,
    reportingInstance: instance.slice(0, 128),
    note: note.slice(0, 1024),
    regarding: { apiVersion: 'v1', ...regarding },
    ...event,
  };
  return {
    method: 'POST',
    path: `/apis/events.k8s.io/v1/namespaces/${namespace}/events`,
    body,
    timeoutMs: TIMEOUT_MS,
  };
}
