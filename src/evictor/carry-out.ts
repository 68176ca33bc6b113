import type { Eviction, EvictionFailure, Requester } from '../outcomes/outcome.ts';
import type { Pod } from '../cluster/pod.ts';
import { workloadKey } from './replicas.ts';
import type { Granted } from './verdict.ts';

/** One eviction to ask for. */
export interface EvictionRequest extends Requester {
  readonly pod: Pod;
  /** Completes the sentence "pod X …"; goes into the eviction's annotations and event. */
  readonly reason: string;
  /** Undefined leaves the grace period to the pod. */
  readonly gracePeriodSeconds: number | undefined;
}

/** How it went. A failure is data; nothing is thrown for it. */
export type EvictionAnswer =
  | { readonly result: 'would-evict' | 'evicted' | 'requested' }
  | { readonly result: 'failed'; readonly failure: EvictionFailure; readonly error: string };

/** Waits without holding a place in the pool, so that a pod that has to wait holds up no other (framework.md 7.3). */
export type StandAside = (wait: Promise<void>) => Promise<void>;

/** The port that evicts. It may take its time, and ends early with a failure when the signal says so. */
export type EvictPod = (
  request: EvictionRequest,
  signal: AbortSignal,
  standAside?: StandAside,
) => Promise<EvictionAnswer>;

/** The port of a dry run: changes nothing. */
export const dryRunEvict: EvictPod = () => Promise.resolve({ result: 'would-evict' });

/** What was granted, and how an eviction of it is asked for. */
export interface Order {
  readonly granted: Granted;
  readonly request: EvictionRequest;
  /** Told once, when it has ended. */
  readonly done: (eviction: Eviction) => void;
}

/** Carries granted evictions out. */
export interface CarryOut {
  /** Starts the eviction as soon as there is room for it. */
  submit(order: Order): void;
  /** Resolves when nothing is waiting or in flight. */
  idle(): Promise<void>;
}

/** An eviction takes about 60 ms at the API server, so some are kept in flight (architecture.md 5). */
const IN_FLIGHT = 40;

/**
 * A bounded pool. One at a time per budget, because the server updates the budget's status with each eviction, and one at
 * a time per owner, so that a workload never loses several replicas in the same moment. The owner with most pods waiting
 * comes first, for it needs longest. After an abort nothing new starts; what waits ends as failed.
 */
export function createCarryOut(evict: EvictPod, signal: AbortSignal, inFlight = IN_FLIGHT): CarryOut {
  return new Pool(evict, signal, inFlight);
}

class Pool implements CarryOut {
  readonly #evict: EvictPod;
  readonly #signal: AbortSignal;
  readonly #inFlight: number;
  /** What waits, by workload. */
  readonly #waiting = new Map<string, Order[]>();
  readonly #busy = new Set<string>();
  #running = 0;
  /** Of those that run: how many only wait. */
  #aside = 0;
  #idle: { readonly promise: Promise<void>; readonly resolve: () => void } | undefined;

  constructor(evict: EvictPod, signal: AbortSignal, inFlight: number) {
    this.#evict = evict;
    this.#signal = signal;
    this.#inFlight = inFlight;
  }

  submit(order: Order): void {
    const workload = workloadOf(order);
    const orders = this.#waiting.get(workload);
    if (orders) orders.push(order);
    else this.#waiting.set(workload, [order]);
    this.#startReady();
  }

  idle(): Promise<void> {
    if (this.#running === 0) return Promise.resolve();
    this.#idle ??= deferred();
    return this.#idle.promise;
  }

  /** An order only waits while another one runs, so that an empty pool never holds any. */
  #startReady(): void {
    while (this.#running - this.#aside < this.#inFlight) {
      const order = this.#next();
      if (!order) return;
      this.#start(order);
    }
  }

  /** The first order that may start of the workload with most orders; among equals of the one that came first. */
  #next(): Order | undefined {
    let found: Order | undefined;
    let most = 0;
    for (const [workload, orders] of this.#waiting) {
      if (orders.length <= most || this.#busy.has(workload)) continue;
      const order = orders.find((it) => !this.#busy.has(budgetOf(it) ?? ''));
      if (order) [found, most] = [order, orders.length];
    }
    return found;
  }

  #start(order: Order): void {
    this.#running += 1;
    const workload = workloadOf(order);
    const others = this.#waiting.get(workload)?.filter((it) => it !== order) ?? [];
    if (others.length > 0) this.#waiting.set(workload, others);
    else this.#waiting.delete(workload);
    for (const key of keysOf(order)) this.#busy.add(key);
    void this.#ask(order).then((answer) => {
      order.done(ended(order, answer));
      this.#finish(order);
    });
  }

  /** A port that throws all the same has a defect; the pod's fate is then unknown. */
  async #ask({ request }: Order): Promise<EvictionAnswer> {
    if (this.#signal.aborted) return ABORTED;
    try {
      return await this.#evict(request, this.#signal, (wait) => this.#standAside(wait));
    } catch (error) {
      const text = error instanceof Error ? error.message : String(error);
      return { result: 'failed', failure: 'unknown', error: text };
    }
  }

  /** Its budget and its workload stay taken: they would be told to wait, too. */
  async #standAside(wait: Promise<void>): Promise<void> {
    this.#aside += 1;
    this.#startReady();
    await wait;
    this.#aside -= 1;
  }

  #finish(order: Order): void {
    this.#running -= 1;
    for (const key of keysOf(order)) this.#busy.delete(key);
    this.#startReady();
    if (this.#running > 0) return;
    this.#idle?.resolve();
    this.#idle = undefined;
  }
}

const ABORTED: EvictionAnswer = {
  result: 'failed',
  failure: 'aborted',
  error: 'the run was ended before this eviction was asked for',
};

function keysOf(order: Order): readonly string[] {
  const budget = budgetOf(order);
  return [workloadOf(order), ...(budget === undefined ? [] : [budget])];
}

/** A bare pod stands for itself. */
function workloadOf({ granted: { pod } }: Order): string {
  const workload = workloadKey(pod);
  return workload === undefined ? `pod ${pod.uid}` : `workload ${workload}`;
}

function budgetOf({ granted: { budget } }: Order): string | undefined {
  return budget && `budget ${budget.namespace}/${budget.name}`;
}

function ended({ granted, request }: Order, answer: EvictionAnswer): Eviction {
  return {
    kind: 'eviction',
    profile: request.profile,
    strategy: request.strategy,
    pod: granted.pod,
    reason: request.reason,
    destinations: granted.destinations,
    likelyNodes: granted.likelyNodes,
    result: answer.result,
    ...(answer.result === 'failed' ? { failure: answer.failure, error: answer.error } : {}),
  };
}

function deferred(): { readonly promise: Promise<void>; readonly resolve: () => void } {
  let resolve: () => void = () => undefined;
  const promise = new Promise<void>((settle) => {
    resolve = settle;
  });
  return { promise, resolve };
}
