/** Fields that many objects have alike, and what is built from them once. */
export class Shared<F> {
  #fields: F | undefined;
  #built: unknown;
  readonly #number: number;
  /** Whether a value among the fields could not be read; known only where they were read from bytes. */
  readonly hasUnreadable: boolean;

  /** `number` tells it from other boxes where boxes are parts of what is shared. */
  constructor(fields: F, number = 0, hasUnreadable = false) {
    this.#fields = fields;
    this.#number = number;
    this.hasUnreadable = hasUnreadable;
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

function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const key in value) freezeDeep(value[key]);
  }
  return value;
}
