import type { Shared } from '../decode/decode-shared.ts';
import { addToHash, mix } from './key-table.ts';

interface Entry {
  readonly print: Buffer;
  readonly box: Shared<unknown>;
}

/** Where more values differ from each other than this, no more are kept. */
const MOST_ENTRIES = 20_000;
/** A longer print is hardly met again. */
const LARGEST_PRINT = 1 << 16;
/** After so many values it shows whether looking for equal ones pays: in one of four cases at least. */
const TRIAL = 500;

/** The prints of one kind of value that came before, with the boxes made for them. */
export class KnownPrints {
  readonly #entries = new Map<number, Entry[]>();
  #hits = 0;
  #misses = 0;

  /** Whether equal values are frequent enough to look for them. */
  get pays(): boolean {
    return this.#misses < TRIAL || this.#hits * 3 > this.#misses;
  }

  /** The box of an equal print. */
  find(hash: number, isEqual: (print: Buffer) => boolean): Shared<unknown> | undefined {
    const box = this.#entries.get(hash)?.find(({ print }) => isEqual(print))?.box;
    if (box) this.#hits++;
    else this.#misses++;
    return box;
  }

  /** Keeps a box for a print. */
  keep(hash: number, print: Buffer, box: Shared<unknown>): void {
    if (this.#entries.size >= MOST_ENTRIES || print.length > LARGEST_PRINT) return;
    const entries = this.#entries.get(hash);
    const entry = { print: Buffer.from(print), box };
    if (entries) entries.push(entry);
    else this.#entries.set(hash, [entry]);
  }
}

/**
 * The bytes of one value that are read, without those that are passed over: two values with equal prints read alike. Being
 * compared with the prints of before, most values are found without making anything of them.
 */
export class BytePrint {
  #bytes = Buffer.allocUnsafeSlow(1 << 12);
  #words = new Int32Array(this.#bytes.buffer);
  #length = 0;
  #hash = 0;
  readonly #isEqual = (print: Buffer): boolean => print.compare(this.#bytes, 0, this.#length) === 0;

  /** Starts a new print. */
  clear(): void {
    this.#length = 0;
  }

  /** How long the print is; `cut` goes back to there. */
  get length(): number {
    return this.#length;
  }

  /** Takes back what was added after the print had this length. */
  cut(length: number): void {
    this.#length = length;
  }

  /** Adds one byte of structure, below 32: no JSON token contains it. */
  mark(byte: number): void {
    if (this.#length + 5 >= this.#bytes.length) this.#grow(1);
    this.#bytes[this.#length++] = byte;
  }

  /** Adds the bytes between two positions. */
  add(bytes: Buffer, start: number, end: number): void {
    const length = end - start;
    if (this.#length + length + 4 >= this.#bytes.length) this.#grow(length);
    const target = this.#bytes;
    let at = this.#length;
    if (length > 64) bytes.copy(target, at, start, end);
    else for (let p = start; p < end; p++) target[at++] = bytes[p] ?? 0;
    this.#length += length;
  }

  /** The box that was kept for an equal print. */
  find(known: KnownPrints): Shared<unknown> | undefined {
    this.#hash = this.#hashed();
    return known.find(this.#hash, this.#isEqual);
  }

  /** Keeps a box for the print that `find` just did not know. */
  keep(known: KnownPrints, box: Shared<unknown>): void {
    known.keep(this.#hash, this.#bytes.subarray(0, this.#length), box);
  }

  /** Four bytes at a time; the last ones are filled up with zeros. */
  #hashed(): number {
    const end = this.#length;
    this.#bytes.fill(0, end, end + 4);
    const words = this.#words;
    const last = (end + 3) >> 2;
    let hash = end;
    for (let i = 0; i < last; i++) hash = addToHash(hash, words[i] ?? 0);
    return mix(hash);
  }

  #grow(by: number): void {
    const larger = Buffer.allocUnsafeSlow(roundUp((this.#bytes.length + by) * 2));
    this.#bytes.copy(larger, 0, 0, this.#length);
    this.#bytes = larger;
    this.#words = new Int32Array(larger.buffer);
  }
}

function roundUp(length: number): number {
  return (length + 3) & ~3;
}
