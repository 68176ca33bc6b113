import { addToHash } from './key-table.ts';

/** The bytes that are there end before the value does: read on, or it is truncated. */
export class Incomplete extends Error {
  override readonly name = 'Incomplete';
}

/** Not JSON. `at` is the index of the offending byte. */
export class JsonProblem extends Error {
  override readonly name = 'JsonProblem';
  readonly at: number;

  constructor(problem: string, at: number) {
    super(problem);
    this.at = at;
  }
}

/** Bytes of the characters that JSON is made of. */
export const BYTE = {
  quote: 34,
  comma: 44,
  colon: 58,
  open: 91,
  backslash: 92,
  close: 93,
  brace: 123,
  unbrace: 125,
} as const;

/** How many bytes a buffer must have behind its end: loops look at four at once. */
export const SLACK = 4;

const FOUR_SPACES = 0x20202020;
const INCOMPLETE = new Incomplete('the input ends inside a value');
const NO_VALUE = 'a value must stand here';
const NO_KEY = 'a key in double quotes must stand here';
const MAXIMAL_DEPTH = 500;
const WORDS: ReadonlyMap<number, Uint8Array> = new Map(
  ['true', 'false', 'null'].map((word) => [word.charCodeAt(0), Uint8Array.from(word, (c) => c.charCodeAt(0))]),
);

/**
 * Steps through JSON in a buffer, value by value, without making anything of them. The byte at `end` must be 0 (no JSON
 * contains it, so loops stop there without asking) and `SLACK` bytes of any content must follow within the buffer. After an exception `pos` is meaningless; who wants to go on restores it.
 */
export class JsonScanner {
  bytes: Buffer = Buffer.alloc(1 + SLACK);
  pos = 0;
  end = 0;
  keyStart = 0;
  keyEnd = 0;
  keyHash = 0;
  /** Whether the key contains an escape, so that its bytes are not its text. */
  keyEscaped = false;
  #depth = 0;
  #words = new DataView(this.bytes.buffer, this.bytes.byteOffset, this.bytes.length);

  /** Starts over at a position, in a buffer whose content ends at `end`. */
  moveTo(pos: number, bytes: Buffer = this.bytes, end: number = this.end): void {
    if (bytes !== this.bytes) this.#words = new DataView(bytes.buffer, bytes.byteOffset, bytes.length);
    this.bytes = bytes;
    this.pos = pos;
    this.end = end;
    this.#depth = 0;
  }

  /** The next byte that is not white space; it stays unread. */
  peek(): number {
    const { bytes } = this;
    let p = this.pos;
    let byte = bytes[p] ?? 0;
    while (byte <= 32 && (byte === 32 || byte === 10 || byte === 13 || byte === 9)) {
      p++;
      while (this.#words.getInt32(p) === FOUR_SPACES) p += 4;
      byte = bytes[p] ?? 0;
    }
    this.pos = p;
    if (byte === 0 && p >= this.end) throw INCOMPLETE;
    return byte;
  }

  /** After an entry: true if another one follows, false after the closing byte. Both are consumed. */
  more(close: number): boolean {
    const byte = this.peek();
    if (byte === BYTE.comma) {
      this.pos++;
      return true;
    }
    if (byte !== close) this.fail(`',' or '${String.fromCharCode(close)}' must stand here`);
    this.pos++;
    this.#depth--;
    return false;
  }

  /** Enters an array or object at its opening byte: false if it is empty, and then it is already behind us. */
  enter(close: number): boolean {
    this.pos++;
    if (this.peek() === close) {
      this.pos++;
      return false;
    }
    if (++this.#depth > MAXIMAL_DEPTH) this.fail('nested too deeply');
    return true;
  }

  /** Reads a key and its colon: between `keyStart` and `keyEnd`, its hash in `keyHash`. */
  key(): void {
    if (this.peek() !== BYTE.quote) this.fail(NO_KEY);
    const { bytes } = this;
    let p = this.pos + 1;
    this.keyStart = p;
    let hash = 0;
    for (let word = this.#words.getInt32(p); isPlain(word); word = this.#words.getInt32(p)) {
      hash = addToHash(hash, word);
      p += 4;
    }
    let byte = bytes[p] ?? 0;
    while (byte !== BYTE.quote && byte !== BYTE.backslash && byte >= 32) {
      hash = addToHash(hash, byte);
      byte = bytes[++p] ?? 0;
    }
    this.pos = p;
    this.keyEscaped = byte === BYTE.backslash;
    if (byte !== BYTE.quote) this.#finishString();
    this.keyEnd = this.pos;
    this.keyHash = hash;
    this.pos++;
    this.#colon();
  }

  /** The text of the key just read. */
  keyText(): string {
    return this.textBetween(this.keyStart, this.keyEnd);
  }

  /** Passes over one value. */
  skipValue(): void {
    const byte = this.peek();
    if (byte === BYTE.quote) this.skipString();
    else if (byte === BYTE.brace) this.#skipObject();
    else if (byte === BYTE.open) this.#skipArray();
    else if (byte > 97) this.skipWord();
    else this.skipNumber();
  }

  /** Passes over a string, from its opening quote. */
  skipString(): void {
    const { bytes } = this;
    let p = this.pos + 1;
    while (isPlain(this.#words.getInt32(p))) p += 4;
    let byte = bytes[p] ?? 0;
    while (byte !== BYTE.quote && byte !== BYTE.backslash && byte >= 32) byte = bytes[++p] ?? 0;
    this.pos = p;
    if (byte !== BYTE.quote) this.#finishString();
    this.pos++;
  }

  /** Passes over `true`, `false` or `null`. */
  skipWord(): void {
    const start = this.pos;
    const word = WORDS.get(this.bytes[start] ?? 0);
    if (!word) return this.fail(NO_VALUE);
    for (const byte of word) {
      if (this.bytes[this.pos] !== byte) this.fail(this.pos < this.end ? 'no JSON value' : '', start);
      this.pos++;
    }
  }

  /** Passes over a number. */
  skipNumber(): void {
    const { bytes } = this;
    const start = this.pos;
    let p = start;
    let byte = bytes[p] ?? 0;
    while ((byte >= 48 && byte <= 57) || byte === 46 || byte === 45 || byte === 43 || (byte | 32) === 101) {
      byte = bytes[++p] ?? 0;
    }
    this.pos = p;
    if (p === start || p >= this.end) this.fail(NO_VALUE);
  }

  /** The string between two positions of its inside, escapes resolved. */
  textBetween(start: number, end: number): string {
    const raw = this.bytes.toString('utf8', start, end);
    if (!raw.includes('\\')) return raw;
    try {
      return JSON.parse(`"${raw}"`) as string;
    } catch {
      throw new JsonProblem('a string with a broken escape', start);
    }
  }

  /** Ends with what is wrong at this position, or with `Incomplete` if the bytes end here. */
  fail(problem: string, at: number = this.pos): never {
    throw this.pos >= this.end ? INCOMPLETE : new JsonProblem(problem, at);
  }

  /** From a backslash or control byte to the closing quote. */
  #finishString(): void {
    const { bytes, end } = this;
    let p = this.pos;
    for (;;) {
      const byte = bytes[p] ?? 0;
      if (byte === BYTE.quote) break;
      if (byte < 32 || p >= end) {
        this.pos = p;
        this.fail('a string that does not end on its line');
      }
      p += byte === BYTE.backslash ? 2 : 1;
    }
    this.pos = p;
    if (p >= end) throw INCOMPLETE;
  }

  #skipObject(): void {
    let more = this.enter(BYTE.unbrace);
    while (more) {
      if (this.peek() !== BYTE.quote) this.fail(NO_KEY);
      this.skipString();
      this.#colon();
      this.skipValue();
      more = this.more(BYTE.unbrace);
    }
  }

  #colon(): void {
    if (this.peek() !== BYTE.colon) this.fail("':' must stand here");
    this.pos++;
  }

  #skipArray(): void {
    let more = this.enter(BYTE.close);
    while (more) {
      this.skipValue();
      more = this.more(BYTE.close);
    }
  }
}

/**
 * Whether none of four bytes is a quote, a backslash or below 32. The usual trick: a byte is below n if subtracting n from
 * each sets its high bit, which was not set before; a byte equals m if its difference from m is below 1. It may say no too
 * often (above 127, and behind a byte that borrows), never yes too often.
 */
function isPlain(word: number): boolean {
  const quote = word ^ 0x22222222;
  const backslash = word ^ 0x5c5c5c5c;
  const found = (word - 0x20202020) | (quote - 0x01010101) | (backslash - 0x01010101) | word;
  return (found & 0x80808080) === 0;
}
