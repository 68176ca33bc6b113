import type { EvictionEnding } from '../outcomes/eviction-result.ts';
import type { EvictionRequest, Reservation } from './reservation.ts';

/**
 * Gives the slot in the pool back while waiting, so that an eviction that has to wait holds up no other. Resolves when
 * the wait is over and a slot is taken again.
 */
export type ReleaseSlot = (wait: Promise<void>) => Promise<void>;

/** The port that evicts. It may take its time, and ends early when the signal says so. A failure is data, never thrown. */
export type EvictPod = (
  request: EvictionRequest,
  signal: AbortSignal,
  releaseSlot?: ReleaseSlot,
) => Promise<EvictionEnding>;

/** The port of a dry run: changes nothing. */
export const dryRunEvict: EvictPod = () => Promise.resolve({ result: 'would-evict' });

/** What carrying out takes. */
export interface CarryOutPorts {
  readonly evict: EvictPod;
  /**
   * Enters the eviction in the history before it is asked for; answers with why it must not be asked for, if so.
   * Undefined where there is nothing to enter.
   */
  readonly announce: (reservation: Reservation) => Promise<string | undefined> | undefined;
  /** Told once for each reservation, at the moment its eviction has ended. */
  readonly finish: (reservation: Reservation, ending: EvictionEnding) => void;
  /** Nothing new starts once it fires. */
  readonly signal: AbortSignal;
}

/** Carries reserved evictions out. */
export interface CarryOut {
  /** Starts the eviction as soon as there is room for it. */
  submit(reservation: Reservation): void;
  /** Resolves when nothing is waiting or in flight. */
  idle(): Promise<void>;
}

/**
 * An eviction takes about 100 ms at the API server, most of it waiting for a list of budgets that is up to date, so many are
 * kept in flight. Measured (bench/live): 40 take 1.5 times as long as 64, 100 a fifth less, and more save nothing.
 */
const IN_FLIGHT = 100;

/**
 * A bounded pool: never more in flight than that. One at a time per budget, because the server updates the budget's
 * status with each eviction. After an abort nothing new starts; what waits ends as not started.
 */
export function createCarryOut(ports: CarryOutPorts, inFlight = IN_FLIGHT): CarryOut {
  return new Pool(ports, inFlight);
}

class Pool implements CarryOut {
  readonly #ports: CarryOutPorts;
  /** Slots that nobody holds. */
  #free: number;
  /** Those that have waited without a slot go on before others start. */
  readonly #returning: (() => void)[] = [];
  readonly #ready: Reservation[] = [];
  /** By budget that has an eviction ready or in flight: those that come after it. */
  readonly #behind = new Map<string, Reservation[]>();
  /** Submitted and not ended. */
  #open = 0;
  #whenIdle: (() => void)[] = [];

  constructor(ports: CarryOutPorts, inFlight: number) {
    this.#ports = ports;
    this.#free = inFlight;
  }

  submit(reservation: Reservation): void {
    this.#open += 1;
    const budget = budgetOf(reservation);
    const behind = budget === undefined ? undefined : this.#behind.get(budget);
    if (behind) {
      behind.push(reservation);
      return;
    }
    if (budget !== undefined) this.#behind.set(budget, []);
    this.#ready.push(reservation);
    this.#fill();
  }

  idle(): Promise<void> {
    if (this.#open === 0) return Promise.resolve();
    return new Promise((resolve) => this.#whenIdle.push(resolve));
  }

  #fill(): void {
    while (this.#free > 0) {
      const resume = this.#returning.shift();
      const next = resume ? undefined : this.#ready.shift();
      if (!resume && !next) return;
      this.#free -= 1;
      resume?.();
      if (next) void this.#run(next);
    }
  }

  async #run(reservation: Reservation): Promise<void> {
    this.#ports.finish(reservation, await this.#ask(reservation));
    const budget = budgetOf(reservation);
    if (budget !== undefined) this.#handOn(budget);
    this.#open -= 1;
    this.#free += 1;
    this.#fill();
    if (this.#open === 0) for (const resolve of this.#whenIdle.splice(0)) resolve();
  }

  /** The next one of a budget comes before others: it has waited longest, and a budget is what takes longest. */
  #handOn(budget: string): void {
    const next = this.#behind.get(budget)?.shift();
    if (next) this.#ready.unshift(next);
    else this.#behind.delete(budget);
  }

  /** A port that throws all the same has a defect; nobody knows then what has become of the pod. */
  async #ask(reservation: Reservation): Promise<EvictionEnding> {
    const { evict, announce, signal } = this.#ports;
    if (signal.aborted) return ENDED;
    const announced = announce(reservation);
    if (announced) {
      const obstacle = await announced;
      if (obstacle !== undefined) return { result: 'not-started', error: obstacle };
      if (isAborted(signal)) return ENDED;
    }
    try {
      return await evict(reservation.request, signal, (wait) => this.#release(wait));
    } catch (error) {
      return { result: 'uncertain', error: error instanceof Error ? error.message : String(error) };
    }
  }

  /** Its budget stays taken: the next one would be told to wait, too. */
  async #release(wait: Promise<void>): Promise<void> {
    this.#free += 1;
    this.#fill();
    await wait;
    await new Promise<void>((resume) => {
      this.#returning.push(resume);
      this.#fill();
    });
  }
}

const ENDED: EvictionEnding = {
  result: 'not-started',
  error: 'the run was ended before this eviction was asked for',
};

/** Asked anew each time: the signal may fire during any wait. */
function isAborted(signal: AbortSignal): boolean {
  return signal.aborted;
}

function budgetOf({ budget }: Reservation): string | undefined {
  return budget && `${budget.namespace}/${budget.name}`;
}
