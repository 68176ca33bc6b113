import { Incomplete, JsonProblem, type JsonScanner } from '../cluster/json-scanner.ts';
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
    for (;;) {
      try {
        const result = work();
        this.commit();
        return result;
      } catch (error) {
        if (error instanceof JsonProblem) throw new BrokenJson(error.message, this.#window.offset + error.at);
        if (!(error instanceof Incomplete)) throw error;
      }
      await this.#readOn();
    }
  }

  /** What was read so far is not read again. */
  commit(): void {
    this.#done = this.scanner.pos;
  }

  /** Whether anything but white space is left. */
  async hasMore(): Promise<boolean> {
    for (;;) {
      try {
        this.scanner.peek();
        this.commit();
        return true;
      } catch (error) {
        if (!(error instanceof Incomplete)) throw error;
      }
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

  /** The unread bytes, as many of them as `isEnough` asks for, or all there are. They stay unread. */
  async readUntil(isEnough: (bytes: Buffer) => boolean): Promise<Buffer> {
    do {
      const bytes = this.#window.bytes.subarray(this.#done, this.#window.end);
      if (isEnough(bytes)) return bytes;
    } while (await this.#more());
    return this.#window.bytes.subarray(this.#done, this.#window.end);
  }

  async #readOn(): Promise<void> {
    if (this.#window.isOverfull) throw new BrokenJson('one value is larger than any Kubernetes object', this.offset);
    if (await this.#more()) return;
    throw new BrokenJson('the file ends inside a value: it is truncated', this.#window.offset + this.#window.end);
  }

  async #more(): Promise<boolean> {
    const more = await this.#window.more(this.#done);
    this.#done = 0;
    this.scanner.moveTo(0, this.#window.bytes, this.#window.end);
    return more;
  }
}
