import type { History, HistoryEvent } from '../evictor/limits/history.ts';
import type { Retention } from '../evictor/limits/limits.ts';
import type { Failure } from '../lib/answer.ts';

/** What writing takes. */
export interface WriterView {
  readonly history: History;
  readonly retention: Retention;
  readonly now: () => number;
  /** Told what the operator must know. */
  readonly warn: (text: string) => void;
}

/** Failures that no second try in this cycle would mend. */
const FINAL: ReadonlySet<Failure['kind']> = new Set([
  'forbidden',
  'unauthorized',
  'invalid',
  'not-found',
  'certificate',
]);

/**
 * Gathers events and writes them into a history, one write at a time: what comes while one is under way goes along with
 * the next. So there are far fewer writes than events.
 */
export class HistoryWriter {
  readonly #view: WriterView;
  /** Whoever asked for these waits for them to be written. */
  #ahead: HistoryEvent[] = [];
  /** These go along with the next write. */
  #after: HistoryEvent[] = [];
  #next: Promise<Failure | undefined> | undefined;
  #running: Promise<unknown> = Promise.resolve();
  #final: Failure | undefined;

  constructor(view: WriterView) {
    this.#view = view;
  }

  /** Goes along with the next write, and with the one after it as long as writes fail. */
  later(...events: readonly HistoryEvent[]): void {
    this.#after.push(...events);
  }

  /** Resolves once these events, and all that waited, are written; or with why they are not. They are not tried again. */
  write(...events: readonly HistoryEvent[]): Promise<Failure | undefined> {
    if (this.#final) return Promise.resolve(this.#final);
    this.#ahead.push(...events);
    this.#next ??= this.#afterRunning();
    return this.#next;
  }

  async #afterRunning(): Promise<Failure | undefined> {
    await this.#running;
    this.#next = undefined;
    const write = this.#save();
    this.#running = write;
    return write;
  }

  async #save(): Promise<Failure | undefined> {
    const [ahead, after] = [this.#ahead, this.#after];
    if (this.#final || ahead.length + after.length === 0) return this.#final;
    [this.#ahead, this.#after] = [[], []];
    const { history, retention, now, warn } = this.#view;
    const answer = await history.save({ events: [...after, ...ahead], retention, now: now() });
    if (answer.ok) {
      for (const text of answer.value) warn(text);
      return undefined;
    }
    this.#after = [...after, ...this.#after];
    if (FINAL.has(answer.failure.kind)) this.#final = answer.failure;
    return answer.failure;
  }
}
