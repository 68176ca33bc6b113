import { Incomplete, JsonProblem, type JsonScanner } from '../cluster/bytes/json-scanner.ts';
import type { ByteSource } from './byte-source.ts';
import { Window } from './window.ts';

/** JSON that cannot be read on; `byte` is its place in the file, decompressed. */
export class BrokenJson extends Error {
  override readonly name = 'BrokenJson';
  readonly byte: number;

  constructor(problem: string, byte: number) {
    super(problem);
    this.byte = byte;
  }
}

/** Runs a scanner over a file that is larger than what is in memory. */
export class Stepper<S extends JsonScanner> {
  readonly scanner: S;
  readonly #window: Window;
  #done = 0;

  constructor(source: ByteSource, scanner: S) {
    this.#window = new Window(source);
    this.scanner = scanner;
    scanner.moveTo(0, this.#window.bytes, 0);
  }

  /**
   * Does one step, which reads from the scanner. If the bytes in memory end within it, more are read and the step is
   * done again from where it began, or from its last `commit`; so it must not have done anything that counts twice.
   */
  async step<T>(work: () => T): Promise<T> {
    const done = await this.#attempt(work, Infinity);
    this.commit();
    return (done as { readonly found: T }).found;
  }

  /** What was read so far is not read again. */
  commit(): void {
    this.#done = this.scanner.pos;
  }

  /**
   * Does what only looks ahead, and goes back; undefined if it does not end within so many bytes. What it reads may be
   * broken: then it throws, as reading it in earnest would.
   */
  async ahead<T>(work: () => T, bytes: number): Promise<{ readonly found: T } | undefined> {
    const found = await this.#attempt(work, bytes);
    this.scanner.moveTo(this.#done);
    return found;
  }

  /** Whether anything but white space is left; that is not kept. */
  async hasMore(): Promise<boolean> {
    for (;;) {
      try {
        this.scanner.peek();
        this.commit();
        return true;
      } catch (error) {
        if (!(error instanceof Incomplete)) throw error;
      }
      this.#done = this.#window.end;
      if (!(await this.#more())) return false;
    }
  }

  /** Where in the file the scanner stands. */
  get offset(): number {
    return this.#window.offset + this.scanner.pos;
  }

  /** Goes forward to a place in the file. */
  async skipTo(offset: number): Promise<void> {
    while (this.#window.offset + this.#window.end < offset) {
      this.#done = this.#window.end;
      if (!(await this.#more())) return;
    }
    this.scanner.moveTo(offset - this.#window.offset);
    this.commit();
  }

  /** The unread bytes, at least as many of them as `isEnough` asks for, or all there are. They stay unread. */
  async readUntil(isEnough: (bytes: Buffer) => boolean): Promise<Buffer> {
    for (;;) {
      const bytes = this.#window.bytes.subarray(this.#done, this.#window.end);
      if (isEnough(bytes)) return bytes;
      if (!(await this.#doubled())) return this.#window.bytes.subarray(this.#done, this.#window.end);
    }
  }

  /** Until it succeeds; undefined once more bytes than that are kept for it. */
  async #attempt<T>(work: () => T, bytes: number): Promise<{ readonly found: T } | undefined> {
    for (;;) {
      try {
        return { found: work() };
      } catch (error) {
        if (error instanceof JsonProblem) throw new BrokenJson(error.message, this.#window.offset + error.at);
        if (!(error instanceof Incomplete)) throw error;
      }
      if (this.#kept > bytes) return undefined;
      await this.#readOn();
    }
  }

  get #kept(): number {
    return this.#window.end - this.#done;
  }

  async #readOn(): Promise<void> {
    if (this.#window.isOverfull) throw new BrokenJson('one value is larger than any Kubernetes object', this.offset);
    if (await this.#doubled()) return;
    throw new BrokenJson('the file ends inside a value: it is truncated', this.#window.offset + this.#window.end);
  }

  /** Doubles what is kept, since that is looked through from its beginning each time; false at the end of the file. */
  async #doubled(): Promise<boolean> {
    const wanted = this.#kept * 2;
    if (!(await this.#more())) return false;
    while (this.#kept < wanted) if (!(await this.#more())) break;
    return true;
  }

  async #more(): Promise<boolean> {
    const more = await this.#window.more(this.#done);
    this.#done = 0;
    this.scanner.moveTo(0, this.#window.bytes, this.#window.end);
    return more;
  }
}
