/** Where a key stands among bytes, with its hash (see `addToHash`). */
interface Key {
  readonly bytes: Uint8Array;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly keyHash: number;
}

/** A fixed set of ASCII keys, found by their bytes. */
export class KeyTable {
  readonly keys: readonly string[];
  readonly #bytes: readonly Uint8Array[];
  /** Open addressing: number of a key plus one, 0 where free. */
  readonly #slots: Int16Array;
  readonly #mask: number;

  constructor(keys: readonly string[]) {
    this.keys = keys;
    this.#bytes = keys.map((key) => Uint8Array.from(key, (char) => char.charCodeAt(0)));
    const size = 2 ** Math.ceil(Math.log2(keys.length * 4 + 4));
    this.#mask = size - 1;
    this.#slots = new Int16Array(size);
    this.#bytes.forEach((key, index) => {
      let slot = mix(hashOf(key)) & this.#mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = index + 1;
    });
  }

  /** The number of the key in the set, or -1. */
  find(key: Key): number {
    const { keyStart, bytes } = key;
    const length = key.keyEnd - keyStart;
    for (let slot = mix(key.keyHash) & this.#mask; ; slot = (slot + 1) & this.#mask) {
      const index = (this.#slots[slot] ?? 0) - 1;
      if (index < 0) return -1;
      const candidate = this.#bytes[index];
      if (candidate?.length === length && areAt(candidate, bytes, keyStart)) return index;
    }
  }

  /** The key of a number, undefined for -1. */
  keyAt(index: number): string | undefined {
    return index < 0 ? undefined : this.keys[index];
  }
}

/** A hash with one more part, a byte or a word of four. */
export function addToHash(hash: number, part: number): number {
  return (Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d) + part) | 0;
}

/** Spreads a hash over its low bits, which choose the slot. */
export function mix(hash: number): number {
  return hash ^ (hash >>> 15) ^ (hash >>> 7);
}

function areAt(wanted: Uint8Array, bytes: Uint8Array, start: number): boolean {
  for (let i = 0; i < wanted.length; i++) {
    if (wanted[i] !== bytes[start + i]) return false;
  }
  return true;
}

/** Four bytes at a time as one number (first byte highest), then the rest one by one: so the scanner reads them. */
function hashOf(key: Uint8Array): number {
  const words = new DataView(key.buffer, key.byteOffset, key.length);
  let hash = 0;
  let p = 0;
  for (; p + 4 <= key.length; p += 4) hash = addToHash(hash, words.getInt32(p));
  for (; p < key.length; p++) hash = addToHash(hash, key[p] ?? 0);
  return hash;
}
