import { mix } from './key-table.ts';

/** Longer strings are rare and rarely equal. */
const LONGEST = 200;
/** Where so many differ, few are met again. */
const MOST_TEXTS = 1_000_000;

/** Strings that were read before, found by their bytes, so that equal ones are made once. Holds ASCII text without escapes. */
export class ByteTexts {
  #texts: (string | undefined)[] = new Array<string | undefined>(4096).fill(undefined);
  #hashes = new Int32Array(4096);
  /** The bytes of all strings, and where in them each slot's begin. */
  #bytes = Buffer.allocUnsafeSlow(1 << 16);
  #starts = new Int32Array(4096);
  #length = 0;
  #size = 0;
  #lastHash = 0;

  /** The string that stands between two positions, if it is known. */
  find(bytes: Uint8Array, start: number, end: number): string | undefined {
    const length = end - start;
    if (length > LONGEST) return undefined;
    let hash = length;
    for (let p = start; p < end; p++) hash = (Math.imul(hash, 31) + (bytes[p] ?? 0)) | 0;
    this.#lastHash = hash;
    const mask = this.#hashes.length - 1;
    for (let slot = mix(hash) & mask; ; slot = (slot + 1) & mask) {
      const text = this.#texts[slot];
      if (text === undefined) return undefined;
      if (
        this.#hashes[slot] === hash &&
        text.length === length &&
        this.#isAt(this.#starts[slot] ?? 0, bytes, { start, end })
      )
        return text;
    }
  }

  /** Adds what `find` just did not know. Text that is not as long as its bytes has escapes or is not ASCII: it stays out. */
  add(text: string, byteLength: number): void {
    if (text.length !== byteLength || byteLength > LONGEST || this.#size >= MOST_TEXTS) return;
    if (++this.#size * 2 > this.#texts.length) this.#growTable();
    if (this.#length + byteLength > this.#bytes.length) this.#growBytes();
    this.#bytes.write(text, this.#length, 'latin1');
    this.#insert(text, this.#lastHash, this.#length);
    this.#length += byteLength;
  }

  #isAt(known: number, bytes: Uint8Array, { start, end }: { readonly start: number; readonly end: number }): boolean {
    const pool = this.#bytes;
    for (let p = start, at = known; p < end; p++, at++) {
      if (pool[at] !== bytes[p]) return false;
    }
    return true;
  }

  #insert(text: string, hash: number, start: number): void {
    const mask = this.#hashes.length - 1;
    let slot = mix(hash) & mask;
    while (this.#texts[slot] !== undefined) slot = (slot + 1) & mask;
    this.#texts[slot] = text;
    this.#hashes[slot] = hash;
    this.#starts[slot] = start;
  }

  #growTable(): void {
    const texts = this.#texts;
    const hashes = this.#hashes;
    const starts = this.#starts;
    this.#texts = new Array<string | undefined>(texts.length * 2).fill(undefined);
    this.#hashes = new Int32Array(texts.length * 2);
    this.#starts = new Int32Array(texts.length * 2);
    texts.forEach((text, slot) => {
      if (text !== undefined) this.#insert(text, hashes[slot] ?? 0, starts[slot] ?? 0);
    });
  }

  #growBytes(): void {
    const larger = Buffer.allocUnsafeSlow(this.#bytes.length * 2);
    this.#bytes.copy(larger);
    this.#bytes = larger;
  }
}
