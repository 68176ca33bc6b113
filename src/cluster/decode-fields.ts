import type { Interner } from './decode-interner.ts';
import { parseTime } from './decode-time.ts';

declare const READS: unique symbol;

/** What a leaf of the field table holds; see the constants below for their meaning. */
export type LeafType = 'text' | 'unique' | 'number' | 'flag' | 'time' | 'deadline' | 'number-or-text' | 'present';

/** One place of the API that is read, as data: every reader walks these. */
export type Shape =
  | { readonly is: LeafType }
  | { readonly is: 'list'; readonly item: Shape }
  | { readonly is: 'map'; readonly item: Shape; readonly only: ReadonlySet<string> | undefined }
  | ObjectShape;

/** An object of which the named fields are read; everything else is passed over. */
export interface ObjectShape {
  readonly is: 'object';
  readonly keys: readonly string[];
  readonly fields: readonly Shape[];
}

/** A shape together with the type that reading it gives. Absent, null and unreadable are all `undefined`. */
export type Field<T> = Shape & { readonly [READS]?: T };

/** What reading a field gives. */
export type ReadOf<F> = F extends { readonly [READS]?: infer T } ? Exclude<T, undefined> : never;

/** A string that many objects share (a label, a kind): kept once. Numbers and booleans are written out as text. */
export const text: Field<string> = { is: 'text' };
/** A string that few objects share (a name, a UID): not looked up among the known ones. */
export const unique: Field<string> = { is: 'unique' };
/** A JSON number. */
export const number: Field<number> = { is: 'number' };
/** A boolean. */
export const flag: Field<boolean> = { is: 'flag' };
/** RFC 3339, read as milliseconds since the epoch; counts for the latest timestamp of a dump. */
export const time: Field<number> = { is: 'time' };
/** The same for a moment that may lie ahead, such as the end of a grace period: it says nothing about when a dump was made. */
export const deadline: Field<number> = { is: 'deadline' };
/** IntOrString of the API. */
export const numberOrText: Field<number | string> = { is: 'number-or-text' };
/** Only whether there is a value. */
export const present: Field<true> = { is: 'present' };

/** An object with these fields. */
export function object<S extends Readonly<Record<string, Shape>>>(
  fields: S,
): Field<{ readonly [K in keyof S]: ReadOf<S[K]> | undefined }> {
  return { is: 'object', keys: Object.keys(fields), fields: Object.values(fields) };
}

/** A list; entries that cannot be read are left out. */
export function list<T>(item: Field<T>): Field<readonly T[]> {
  return { is: 'list', item };
}

/** An object with any keys. */
export function map<T>(item: Field<T>): Field<Readonly<Record<string, T>>> {
  return { is: 'map', item, only: undefined };
}

/** An object of which only these keys are read, each if it is there: annotations. */
export function onlyKeys(...keys: readonly string[]): Field<Readonly<Record<string, string>>> {
  return { is: 'map', item: text, only: new Set(keys) };
}

/** Reads parsed JSON by the table. Never throws: what has the wrong type is absent. */
export function readJson<T>(field: Field<T>, json: unknown, interner: Interner): T | undefined {
  return readShape(field, json, interner) as T | undefined;
}

/** The part of the JSON that the table reads, still shaped as the API has it; reading it gives what reading the whole gives. */
export function pruneJson(shape: Shape, json: unknown): unknown {
  if (json === null || json === undefined) return undefined;
  if (shape.is === 'list') {
    return Array.isArray(json) ? json.map((item) => pruneJson(shape.item, item)).filter(isDefined) : undefined;
  }
  if (shape.is !== 'object' && shape.is !== 'map') return pruneLeaf(shape.is, json);
  if (!isRecord(json)) return undefined;
  const pruned = Object.entries(json).map(([key, value]) => {
    const field = fieldOf(shape, key);
    return [key, field && pruneJson(field, value)] as const;
  });
  return Object.fromEntries(pruned.filter(([, value]) => value !== undefined));
}

/** Whether JSON is an object, not an array or null. */
export function isRecord(json: unknown): json is Readonly<Record<string, unknown>> {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

function fieldOf(shape: Extract<Shape, { is: 'object' | 'map' }>, key: string): Shape | undefined {
  if (shape.is === 'object') return shape.fields[shape.keys.indexOf(key)];
  return key === '__proto__' || (shape.only && !shape.only.has(key)) ? undefined : shape.item;
}

function pruneLeaf(type: LeafType, json: unknown): unknown {
  if (type === 'present') return {};
  const value = readLeaf(type, json);
  return type === 'time' || type === 'deadline' ? value && json : value;
}

function readShape(shape: Shape, json: unknown, interner: Interner): unknown {
  if (json === null || json === undefined) return undefined;
  switch (shape.is) {
    case 'list':
      return Array.isArray(json)
        ? json.map((item) => readShape(shape.item, item, interner)).filter(isDefined)
        : undefined;
    case 'map':
      return isRecord(json) ? readMap(shape, json, interner) : undefined;
    case 'object':
      return isRecord(json) ? readObject(shape, json, interner) : undefined;
    default:
      return noted(shape.is, readLeaf(shape.is, json), interner);
  }
}

function readMap(
  shape: Extract<Shape, { is: 'map' }>,
  json: Readonly<Record<string, unknown>>,
  interner: Interner,
): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  for (const key of shape.only ?? Object.keys(json)) {
    const value =
      Object.hasOwn(json, key) && key !== '__proto__' ? readShape(shape.item, json[key], interner) : undefined;
    if (value !== undefined) result[interner.text(key)] = value;
  }
  return result;
}

function readObject(
  shape: ObjectShape,
  json: Readonly<Record<string, unknown>>,
  interner: Interner,
): Readonly<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  shape.keys.forEach((key, index) => {
    const field = shape.fields[index];
    result[key] = field && Object.hasOwn(json, key) ? readShape(field, json[key], interner) : undefined;
  });
  return result;
}

/** Keeps one copy of shared strings and remembers the latest time. */
function noted(type: LeafType, value: unknown, interner: Interner): unknown {
  if (type === 'text' && typeof value === 'string') return interner.text(value);
  if (type === 'time' && typeof value === 'number') interner.noteTime(value);
  return value;
}

function readLeaf(type: LeafType, json: unknown): unknown {
  switch (type) {
    case 'text':
    case 'unique':
      return readText(json);
    case 'number':
      return typeof json === 'number' && Number.isFinite(json) ? json : undefined;
    case 'flag':
      return typeof json === 'boolean' ? json : undefined;
    case 'time':
    case 'deadline':
      return typeof json === 'string' ? parseTime(json) : undefined;
    case 'number-or-text':
      return typeof json === 'string' || (typeof json === 'number' && Number.isFinite(json)) ? json : undefined;
    case 'present':
      return true;
  }
}

function readText(json: unknown): string | undefined {
  if (typeof json === 'string') return json;
  return typeof json === 'number' || typeof json === 'boolean' ? String(json) : undefined;
}

function isDefined(value: unknown): boolean {
  return value !== undefined;
}
