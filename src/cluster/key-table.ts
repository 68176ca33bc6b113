/** Where a key stands among bytes, with its hash (`hash * 31 + byte`, 32 bits). */
interface Key {
  readonly bytes: Uint8Array;
  readonly keyStart: number;
  readonly keyEnd: number;
  readonly keyHash: number;
}

/** A fixed set of ASCII keys, found by their bytes. */
export class KeyTable {
  readonly keys: readonly string[];
  /** Open addressing: number of a key plus one, 0 where free. */
  readonly #slots: Int16Array;
  readonly #mask: number;

  constructor(keys: readonly string[]) {
    this.keys = keys;
    const size = 2 ** Math.ceil(Math.log2(keys.length * 4 + 4));
    this.#mask = size - 1;
    this.#slots = new Int16Array(size);
    keys.forEach((key, index) => {
      let slot = mix(hashOf(key)) & this.#mask;
      while (this.#slots[slot] !== 0) slot = (slot + 1) & this.#mask;
      this.#slots[slot] = index + 1;
    });
  }

  /** The number of the key in the set, or -1. */
  find(key: Key): number {
    const { keyStart, bytes } = key;
    const length = key.keyEnd - keyStart;
    let slot = mix(key.keyHash) & this.#mask;
    for (;;) {
      const index = (this.#slots[slot] ?? 0) - 1;
      if (index < 0) return -1;
      const candidate = this.keys[index] ?? '';
      if (candidate.length === length && isAt(candidate, bytes, keyStart)) return index;
      slot = (slot + 1) & this.#mask;
    }
  }
}

/** Whether the ASCII text stands in the bytes at this position. */
export function isAt(text: string, bytes: Uint8Array, start: number): boolean {
  for (let i = text.length - 1; i >= 0; i--) {
    if (text.charCodeAt(i) !== bytes[start + i]) return false;
  }
  return true;
}

/** Spreads a hash over its low bits, which choose the slot. */
export function mix(hash: number): number {
  return hash ^ (hash >>> 15) ^ (hash >>> 7);
}

function hashOf(key: string): number {
  let hash = 0;
  for (let i = 0; i < key.length; i++) hash = (Math.imul(hash, 31) + key.charCodeAt(i)) | 0;
  return hash;
}
