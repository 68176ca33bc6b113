import type { Shape } from './decode-fields.ts';
import { Shared } from './decode-shared.ts';

/** What one decoder has seen: one copy of each shared string and value, and the latest time. */
export class Interner {
  readonly #texts = new Map<string, string>();
  readonly #boxes = new Map<Shape, Map<string, Shared<unknown>>>();
  #latestTime: number | undefined;

  /** The one copy of the string. */
  text(value: string): string {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    this.#texts.set(value, value);
    return value;
  }

  /** The box for all values of this shape that are equal. */
  share(shape: Shape, value: unknown): Shared<unknown> {
    let boxes = this.#boxes.get(shape);
    if (!boxes) {
      boxes = new Map();
      this.#boxes.set(shape, boxes);
    }
    const key = JSON.stringify(value);
    let box = boxes.get(key);
    if (!box) {
      box = new Shared(value, boxes.size);
      boxes.set(key, box);
    }
    return box;
  }

  /** Remembers a time, in milliseconds since the epoch, if it is the latest so far. */
  noteTime(ms: number): void {
    if (this.#latestTime === undefined || ms > this.#latestTime) this.#latestTime = ms;
  }

  /** The latest time that was read, in milliseconds since the epoch. */
  get latestTime(): number | undefined {
    return this.#latestTime;
  }

  /** Forgets what is shared, which stays valid; a process that runs for months calls it now and then. */
  clear(): void {
    this.#texts.clear();
    this.#boxes.clear();
  }
}
