import { BytePrint } from './byte-print.ts';
import { compile, type Compiled } from './compiled-shape.ts';
import type { Field, LeafType, Shape } from '../decode/decode-fields.ts';
import type { Interner } from '../decode/decode-interner.ts';
import { Shared } from '../decode/decode-shared.ts';
import { isWhole } from '../decode/decode-json.ts';
import { parseTime, secondsOf } from '../decode/decode-time.ts';
import { parseQuantity } from '../amounts/quantity.ts';
import { BYTE, JsonProblem } from './json-scanner.ts';
import { PrintScanner } from './print-scanner.ts';

const NULL = 110;
const TRUE = 116;
const FALSE = 102;
const MINUS = 45;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

/**
 * Reads fields straight from JSON bytes by the field table, with the same result as `readJson` on the parsed text, but
 * what the table does not name is only passed over. Throws `JsonProblem`, or `Incomplete` where the bytes end too early.
 */
export class FieldReader extends PrintScanner {
  readonly #interner: Interner;
  readonly #prints: BytePrint[] = [];
  #printing = 0;
  readonly #compiled = new Map<Shape, Compiled>();

  /** Whether something in the value read last was unreadable: of the wrong type, no quantity, no time. */
  hasUnreadable = false;

  constructor(interner: Interner) {
    super();
    this.#interner = interner;
  }

  /** Reads the value at the present position. */
  read<T>(field: Field<T>): T | undefined {
    this.#printing = 0;
    this.hasUnreadable = false;
    return this.#value(compile(field, this.#compiled)) as T | undefined;
  }

  /** The string at the present position, or undefined after passing over another value. */
  readText(): string | undefined {
    return this.#text(this.peek());
  }

  #value(field: Compiled): unknown {
    const first = this.peek();
    switch (field.is) {
      case 'object':
        return first === BYTE.brace ? this.#object(field) : this.#unreadable(first);
      case 'list':
        return first === BYTE.open ? this.#list(field) : this.#unreadable(first);
      case 'map':
      case 'filtered-map':
        return first === BYTE.brace ? this.#map(field) : this.#unreadable(first);
      case 'shared':
        return first === NULL ? this.#pass() : this.#shared(field);
      case 'split':
        return first === BYTE.brace ? this.#split(field) : this.#unreadable(first);
      case 'apart':
        this.apartAt = this.pos;
        return this.#pass();
      default:
        return first === NULL ? this.#pass() : this.#leaf(field.is, first);
    }
  }

  #pass(): unknown {
    this.skipValue();
    return undefined;
  }

  /** Passes over a value of another type than is wanted. */
  #unreadable(first: number): unknown {
    if (first !== NULL) this.hasUnreadable = true;
    return this.#pass();
  }

  #object({ keys, fields, least }: Compiled): Readonly<Record<string, unknown>> {
    const result: Record<string, unknown> = {};
    let known = 0;
    let others = 0;
    let more = this.enter(BYTE.unbrace);
    while (more) {
      this.key();
      const index = this.find(keys);
      const field = index < 0 ? undefined : fields[index];
      const isGiven = least > 0 && this.peek() !== NULL ? 1 : 0;
      if (field) {
        known += isGiven;
        const value = this.#value(field);
        const key = keys.keys[index] ?? '';
        // The last of several equal keys wins, also if it has no value.
        if (value !== undefined || result[key] !== undefined) result[key] = value;
      } else {
        others += isGiven;
        this.skipValue();
      }
      more = this.more(BYTE.unbrace);
    }
    this.known = known;
    this.others = others;
    return result;
  }

  #list({ item, least }: Compiled): readonly unknown[] {
    const result: unknown[] = [];
    let more = this.enter(BYTE.close);
    while (more && item) {
      const before = this.hasUnreadable;
      const value = this.#value(item);
      if (!this.isKept(least)) this.hasUnreadable = before;
      else if (value !== undefined) result.push(value);
      more = this.more(BYTE.close);
    }
    return result;
  }

  #map(shape: Compiled): Readonly<Record<string, unknown>> {
    const isFiltered = shape.is === 'filtered-map';
    const result: Record<string, unknown> = {};
    let more = this.enter(BYTE.unbrace);
    while (more && shape.item) {
      this.key();
      const key = isFiltered ? shape.keys.keyAt(this.find(shape.keys)) : this.textBetween(this.keyStart, this.keyEnd);
      const value = key === undefined || key === '__proto__' ? this.#pass() : this.#value(shape.item);
      if (key !== undefined && value !== undefined) result[key] = value;
      more = this.more(BYTE.unbrace);
    }
    return result;
  }

  /** Finds the box by what the value's bytes are, and only reads it if there is none. Shared values hold no times. */
  #shared(field: Compiled): Shared<unknown> | undefined {
    if (!field.known.pays) return this.#boxed(field);
    const start = this.pos;
    const print = (this.#prints[this.#printing] ??= new BytePrint());
    print.clear();
    if (field.item) this.print(field.item, print);
    const known = print.find(field.known);
    if (known) {
      this.hasUnreadable ||= known.hasUnreadable;
      return known;
    }
    this.pos = start;
    // Shared values inside of this one have prints of their own.
    this.#printing++;
    const box = this.#boxed(field);
    this.#printing--;
    if (box) print.keep(field.known, box);
    return box;
  }

  #boxed({ item }: Compiled): Shared<unknown> | undefined {
    const before = this.hasUnreadable;
    this.hasUnreadable = false;
    const value = item && this.#value(item);
    const box = value === undefined ? undefined : new Shared(value, 0, this.hasUnreadable);
    this.hasUnreadable ||= before;
    return box;
  }

  #split(field: Compiled): { readonly apart: unknown; readonly shared: unknown } {
    this.apartAt = -1;
    const shared = this.#shared(field);
    if (this.apartAt < 0 || !field.apart) return { apart: undefined, shared };
    const end = this.pos;
    this.pos = this.apartAt;
    const apart = this.#value(field.apart);
    this.pos = end;
    return { apart, shared };
  }

  #leaf(type: LeafType, first: number): unknown {
    switch (type) {
      case 'text':
      case 'unique':
        return this.#text(first);
      case 'quantity':
        return this.#checked(this.#text(first), parseQuantity);
      case 'time-text':
        return this.#checked(this.#text(first), parseTime);
      case 'number':
        return isNumberStart(first) ? this.#whole() : this.#unreadable(first);
      case 'flag':
        return this.#flag(first);
      case 'time':
        return this.#time(first, true);
      case 'deadline':
        return this.#time(first, false);
      case 'number-or-text':
        if (first === BYTE.quote) return this.#text(first);
        return isNumberStart(first) ? this.#whole() : this.#unreadable(first);
      case 'present':
        this.skipValue();
        return true;
    }
  }

  /** The text as it is, but noted as unreadable if it is none of these. */
  #checked(text: string | undefined, parse: (text: string) => unknown): string | undefined {
    if (text !== undefined && parse(text) === undefined) this.hasUnreadable = true;
    return text;
  }

  #text(first: number): string | undefined {
    if (first !== BYTE.quote) {
      const value = isNumberStart(first) ? this.#number() : this.#flag(first);
      return value === undefined ? undefined : String(value);
    }
    const start = this.pos + 1;
    this.skipString();
    const end = this.pos - 1;
    return this.textBetween(start, end);
  }

  #whole(): number | undefined {
    const value = this.#number();
    if (isWhole(value)) return value;
    this.hasUnreadable = true;
    return undefined;
  }

  #number(): number | undefined {
    const start = this.pos;
    this.skipNumber();
    if (this.pos - start < 10) {
      const value = wholeAt(this.bytes, start, this.pos);
      if (value !== undefined) return value;
    }
    const text = this.bytes.toString('latin1', start, this.pos);
    if (!NUMBER.test(text)) throw new JsonProblem('no JSON number', start);
    const value = Number(text);
    if (Number.isFinite(value)) return value;
    this.hasUnreadable = true;
    return undefined;
  }

  #flag(first: number): boolean | undefined {
    if (first !== TRUE && first !== FALSE) {
      this.#unreadable(first);
      return undefined;
    }
    this.skipValue();
    return first === TRUE;
  }

  #time(first: number, counts: boolean): number | undefined {
    const start = this.pos + 1;
    this.skipValue();
    const end = this.pos - 1;
    const ms =
      first === BYTE.quote ? (secondsOf(this.bytes, start, end) ?? parseTime(this.textBetween(start, end))) : undefined;
    if (ms === undefined) this.hasUnreadable = true;
    else if (counts) this.#interner.noteTime(ms);
    return ms;
  }
}

function isNumberStart(byte: number): boolean {
  return byte === MINUS || (byte >= 48 && byte <= 57);
}

/** The number that these bytes are, if they are only digits and no zero leads. */
function wholeAt(bytes: Buffer, start: number, end: number): number | undefined {
  let value = 0;
  for (let p = start; p < end; p++) {
    const digit = (bytes[p] ?? 0) - 48;
    if (digit < 0 || digit > 9) return undefined;
    value = value * 10 + digit;
  }
  return end - start > 1 && bytes[start] === 48 ? undefined : value;
}
