import type { ContainerStatus, Owner, PodSpec } from './pod.ts';
import type { Labels } from './selectors.ts';

/** Values by what they were read from: equal input gives one object. */
export class Pool<T> {
  readonly #known = new Map<string, T>();

  /** The value for these fields; `build` makes it if no equal fields came before. It is frozen, since many share it. */
  share(fields: unknown, build: () => T): T {
    const key = JSON.stringify(fields);
    let value = this.#known.get(key);
    if (value === undefined) {
      value = freezeDeep(build());
      this.#known.set(key, value);
    }
    return value;
  }

  /** Forgets all values; those in use stay valid, only later equals become objects of their own. */
  clear(): void {
    this.#known.clear();
  }
}

/** What one decoder has seen: one copy of each shared string, and the latest time. */
export class Interner {
  readonly specs = new Pool<PodSpec>();
  readonly labels = new Pool<Labels>();
  readonly owners = new Pool<readonly Owner[]>();
  readonly containerStatuses = new Pool<readonly ContainerStatus[]>();
  readonly #texts = new Map<string, string>();
  #latestTime: number | undefined;

  /** The one copy of the string. */
  text(value: string): string {
    const known = this.#texts.get(value);
    if (known !== undefined) return known;
    this.#texts.set(value, value);
    return value;
  }

  /** Remembers a time, in milliseconds since the epoch, if it is the latest so far. */
  noteTime(ms: number): void {
    if (this.#latestTime === undefined || ms > this.#latestTime) this.#latestTime = ms;
  }

  /** The latest time that was read, in milliseconds since the epoch. */
  get latestTime(): number | undefined {
    return this.#latestTime;
  }

  /** Forgets everything that is shared; a process that runs for months calls it now and then. */
  clear(): void {
    this.#texts.clear();
    this.specs.clear();
    this.labels.clear();
    this.owners.clear();
    this.containerStatuses.clear();
  }
}

function freezeDeep<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    for (const part of Object.values(value)) freezeDeep(part);
  }
  return value;
}
