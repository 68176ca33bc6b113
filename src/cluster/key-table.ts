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

function hashOf(key: Uint8Array): number {
  let hash = 0;
  for (const byte of key) hash = (Math.imul(hash, 31) + byte) | 0;
  return hash;
}
