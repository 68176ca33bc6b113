import { ByteTexts } from './byte-texts.ts';
import type { Field, LeafType, Shape } from './decode-fields.ts';
import type { Interner } from './decode-interner.ts';
import { parseTime, secondsOf } from './decode-time.ts';
import { BYTE, JsonProblem, JsonScanner } from './json-scanner.ts';
import { KeyTable } from './key-table.ts';

/** A shape prepared for reading bytes: its keys stand in a hash table. */
type Compiled =
  | { readonly is: LeafType }
  | { readonly is: 'list'; readonly item: Compiled }
  | { readonly is: 'map'; readonly item: Compiled; readonly only: KeyTable | undefined }
  | {
      readonly is: 'object';
      readonly keys: KeyTable;
      readonly fields: readonly Compiled[];
      /** All keys, undefined: copies of it have one layout in memory. */
      readonly blank: Readonly<Record<string, unknown>>;
    };

const NULL = 110;
const TRUE = 116;
const FALSE = 102;
const MINUS = 45;
const NUMBER = /^-?(0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?$/;

type CompiledObject = Extract<Compiled, { is: 'object' }>;

/**
 * Reads fields straight from JSON bytes by the field table, with the same result as `readJson` on the parsed text, but
 * what the table does not name is only passed over. Throws `JsonProblem`, or `Incomplete` where the bytes end too early.
 */
export class FieldReader extends JsonScanner {
  readonly #interner: Interner;
  readonly #texts = new ByteTexts();
  readonly #compiled = new Map<Shape, Compiled>();

  constructor(interner: Interner) {
    super();
    this.#interner = interner;
  }

  /** Reads the value at the present position. */
  read<T>(field: Field<T>): T | undefined {
    return this.#value(this.#compile(field)) as T | undefined;
  }

  /** The string at the present position, or undefined after passing over another value. */
  readText(): string | undefined {
    return this.#text(this.peek(), true);
  }

  #value(field: Compiled): unknown {
    const first = this.peek();
    switch (field.is) {
      case 'object':
        return first === BYTE.brace ? this.#object(field) : this.#pass();
      case 'list':
        return first === BYTE.open ? this.#list(field.item) : this.#pass();
      case 'map':
        return first === BYTE.brace ? this.#map(field.item, field.only) : this.#pass();
      default:
        return first === NULL ? this.#pass() : this.#leaf(field.is, first);
    }
  }

  #pass(): unknown {
    this.skipValue();
    return undefined;
  }

  #object(shape: CompiledObject): Readonly<Record<string, unknown>> {
    const result: Record<string, unknown> = { ...shape.blank };
    let more = this.enter(BYTE.unbrace);
    while (more) {
      this.key();
      const index = this.#find(shape.keys);
      const field = shape.fields[index];
      if (field) result[shape.keys.keys[index] ?? ''] = this.#value(field);
      else this.skipValue();
      more = this.more(BYTE.unbrace);
    }
    return result;
  }

  #list(item: Compiled): readonly unknown[] {
    const result: unknown[] = [];
    let more = this.enter(BYTE.close);
    while (more) {
      const value = this.#value(item);
      if (value !== undefined) result.push(value);
      more = this.more(BYTE.close);
    }
    return result;
  }

  #map(item: Compiled, only: KeyTable | undefined): Readonly<Record<string, unknown>> {
    const result: Record<string, unknown> = {};
    let more = this.enter(BYTE.unbrace);
    while (more) {
      this.key();
      const key = only ? only.keys[this.#find(only)] : this.#keyText();
      const value = key === undefined || key === '__proto__' ? this.#pass() : this.#value(item);
      if (key !== undefined && value !== undefined) result[key] = value;
      more = this.more(BYTE.unbrace);
    }
    return result;
  }

  /** The number of the key just read, -1 if the table does not have it. */
  #find(table: KeyTable): number {
    return this.keyEscaped ? table.keys.indexOf(this.keyText()) : table.find(this);
  }

  #keyText(): string {
    return this.#shared(this.keyStart, this.keyEnd);
  }

  #leaf(type: LeafType, first: number): unknown {
    switch (type) {
      case 'text':
        return this.#text(first, true);
      case 'unique':
        return this.#text(first, false);
      case 'number':
        return isNumberStart(first) ? this.#number() : this.#pass();
      case 'flag':
        return this.#flag(first);
      case 'time':
        return this.#time(first, true);
      case 'deadline':
        return this.#time(first, false);
      case 'number-or-text':
        return first === BYTE.quote ? this.#text(first, true) : isNumberStart(first) ? this.#number() : this.#pass();
      case 'present':
        this.skipValue();
        return true;
    }
  }

  #text(first: number, shared: boolean): string | undefined {
    if (first !== BYTE.quote) {
      const value = isNumberStart(first) ? this.#number() : this.#flag(first);
      return value === undefined ? undefined : String(value);
    }
    const start = this.pos + 1;
    this.skipString();
    const end = this.pos - 1;
    return shared ? this.#shared(start, end) : this.textBetween(start, end);
  }

  #shared(start: number, end: number): string {
    const known = this.#texts.find(this.bytes, start, end);
    if (known !== undefined) return known;
    const text = this.#interner.text(this.textBetween(start, end));
    this.#texts.add(text, end - start);
    return text;
  }

  #number(): number | undefined {
    const start = this.pos;
    this.skipNumber();
    const text = this.bytes.toString('latin1', start, this.pos);
    if (!NUMBER.test(text)) throw new JsonProblem('no JSON number', start);
    const value = Number(text);
    return Number.isFinite(value) ? value : undefined;
  }

  #flag(first: number): boolean | undefined {
    this.skipValue();
    return first === TRUE ? true : first === FALSE ? false : undefined;
  }

  #time(first: number, counts: boolean): number | undefined {
    const start = this.pos + 1;
    this.skipValue();
    if (first !== BYTE.quote) return undefined;
    const end = this.pos - 1;
    const ms = secondsOf(this.bytes, start, end) ?? parseTime(this.textBetween(start, end));
    if (counts && ms !== undefined) this.#interner.noteTime(ms);
    return ms;
  }

  #compile(shape: Shape): Compiled {
    let compiled = this.#compiled.get(shape);
    if (!compiled) {
      compiled = this.#prepare(shape);
      this.#compiled.set(shape, compiled);
    }
    return compiled;
  }

  #prepare(shape: Shape): Compiled {
    switch (shape.is) {
      case 'list':
        return { is: 'list', item: this.#compile(shape.item) };
      case 'map':
        return { is: 'map', item: this.#compile(shape.item), only: shape.only && new KeyTable([...shape.only]) };
      case 'object':
        return {
          is: 'object',
          keys: new KeyTable(shape.keys),
          fields: shape.fields.map((field) => this.#compile(field)),
          blank: Object.fromEntries(shape.keys.map((key) => [key, undefined])),
        };
      default:
        return shape;
    }
  }
}

function isNumberStart(byte: number): boolean {
  return byte === MINUS || (byte >= 48 && byte <= 57);
}
