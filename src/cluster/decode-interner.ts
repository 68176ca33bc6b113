import type { Shape } from './decode-fields.ts';

/** Fields that many objects have alike, and what is built from them once. */
export class Shared<F> {
  #fields: F | undefined;
  #built: unknown;
  readonly #number: number;

  /** `number` tells it from other boxes where boxes are parts of what is shared. */
  constructor(fields: F, number = 0) {
    this.#fields = fields;
    this.#number = number;
  }

  /** What stands for it when equal values are looked for. */
  toJSON(): number {
    return this.#number;
  }

  /** What these fields stand for. Built at the first call and frozen; a box is only ever asked for one thing. */
  as<T>(build: (fields: F) => T): T {
    if (this.#fields !== undefined) {
      this.#built = freezeDeep(build(this.#fields));
      this.#fields = undefined;
    }
    return this.#built as T;
  }
}

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

function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key in value) freezeDeep(value[key]);
  }
  return value;
}
