import { isAt, mix } from './key-table.ts';

/** Longer strings are rare and rarely equal. */
const LONGEST = 200;

/** Strings that were read before, found by their bytes, so that equal ones are made once. Holds ASCII text without escapes. */
export class ByteTexts {
  #texts: (string | undefined)[] = new Array<string | undefined>(4096).fill(undefined);
  #hashes = new Int32Array(4096);
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
      if (this.#hashes[slot] === hash && text.length === length && isAt(text, bytes, start)) return text;
    }
  }

  /** Adds what `find` just did not know. Text that is not as long as its bytes has escapes or is not ASCII: it stays out. */
  add(text: string, byteLength: number): void {
    if (text.length !== byteLength || byteLength > LONGEST) return;
    if (++this.#size * 2 > this.#texts.length) this.#grow();
    this.#insert(text, this.#lastHash);
  }

  #insert(text: string, hash: number): void {
    const mask = this.#hashes.length - 1;
    let slot = mix(hash) & mask;
    while (this.#texts[slot] !== undefined) slot = (slot + 1) & mask;
    this.#texts[slot] = text;
    this.#hashes[slot] = hash;
  }

  #grow(): void {
    const texts = this.#texts;
    const hashes = this.#hashes;
    this.#texts = new Array<string | undefined>(texts.length * 2).fill(undefined);
    this.#hashes = new Int32Array(texts.length * 2);
    texts.forEach((text, slot) => {
      if (text !== undefined) this.#insert(text, hashes[slot] ?? 0);
    });
  }
}
