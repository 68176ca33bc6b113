import type { Field, LeafType, ObjectShape, Shape } from './decode-fields.ts';
import type { Interner } from './decode-interner.ts';
import { parseTime } from './decode-time.ts';

type Json = Readonly<Record<string, unknown>>;

/** Reads parsed JSON by the table. Never throws: what has the wrong type is absent. */
export function readJson<T>(field: Field<T>, json: unknown, interner: Interner): T | undefined {
  return readShape(field, json, interner) as T | undefined;
}

/** The part of the JSON that the table reads, still shaped as the API has it; reading it gives what reading the whole gives. */
export function pruneJson(shape: Shape, json: unknown): unknown {
  if (json === null || json === undefined) return undefined;
  if (shape.is === 'shared') return pruneJson(shape.item, json);
  if (shape.is === 'list')
    return Array.isArray(json) ? entriesOf(shape, json, (entry) => pruneJson(shape.item, entry)) : undefined;
  if (shape.is !== 'object' && shape.is !== 'map' && shape.is !== 'split') return pruneLeaf(shape.is, json);
  if (!isRecord(json)) return undefined;
  const pruned = Object.entries(json).map(([key, value]) => {
    const field = fieldOf(shape, key);
    return [key, field && pruneJson(field, value)] as const;
  });
  return Object.fromEntries(pruned.filter(([, value]) => value !== undefined));
}

/** Whether JSON is an object, not an array or null. */
export function isRecord(json: unknown): json is Json {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}

type ListShape = Extract<Shape, { is: 'list' }>;

/** Whether an entry of a list is read: one with other keys than the table's must have values under `least` of those. */
export function isKept({ item, least }: ListShape, entry: unknown): boolean {
  if (least === 0 || item.is !== 'object' || !isRecord(entry)) return true;
  const given = Object.keys(entry).filter((key) => entry[key] !== null);
  const known = given.filter((key) => item.keys.includes(key)).length;
  return known === given.length || known >= least;
}

function entriesOf(shape: ListShape, json: readonly unknown[], read: (entry: unknown) => unknown): readonly unknown[] {
  const kept = json.filter((entry) => isKept(shape, entry));
  return kept.map(read).filter((value) => value !== undefined);
}

function fieldOf(shape: Extract<Shape, { is: 'object' | 'map' | 'split' }>, key: string): Shape | undefined {
  if (shape.is === 'split') return key === shape.key ? shape.apart : fieldOf(shape.rest, key);
  if (shape.is === 'object') return shape.fields[shape.keys.indexOf(key)];
  return key === '__proto__' || (shape.only && !shape.only.has(key)) ? undefined : shape.item;
}

function pruneLeaf(type: LeafType, json: unknown): unknown {
  if (type === 'present') return {};
  const value = readLeaf(type, json);
  return value !== undefined && (type === 'time' || type === 'deadline') ? json : value;
}

function readShape(shape: Shape, json: unknown, interner: Interner): unknown {
  if (json === null || json === undefined) return undefined;
  switch (shape.is) {
    case 'list':
      return Array.isArray(json)
        ? entriesOf(shape, json, (entry) => readShape(shape.item, entry, interner))
        : undefined;
    case 'map':
      return isRecord(json) ? readMap(shape, json, interner) : undefined;
    case 'object':
      return isRecord(json) ? readObject(shape, json, interner) : undefined;
    case 'shared': {
      const value = readShape(shape.item, json, interner);
      return value === undefined ? undefined : interner.share(shape, value);
    }
    case 'split':
      return isRecord(json) ? readSplit(shape, json, interner) : undefined;
    default:
      return noted(shape.is, readLeaf(shape.is, json), interner);
  }
}

function readMap({ item, only }: Extract<Shape, { is: 'map' }>, json: Json, interner: Interner): Json {
  const result: Record<string, unknown> = {};
  for (const key of only ?? Object.keys(json)) {
    const value = key === '__proto__' ? undefined : readShape(item, own(json, key), interner);
    if (value !== undefined) result[interner.text(key)] = value;
  }
  return result;
}

function readObject(shape: ObjectShape, json: Json, interner: Interner): Json {
  const result: Record<string, unknown> = {};
  shape.keys.forEach((key, index) => {
    const field = shape.fields[index];
    result[key] = field && readShape(field, own(json, key), interner);
  });
  return result;
}

function readSplit(shape: Extract<Shape, { is: 'split' }>, json: Json, interner: Interner): Json {
  const apart = readShape(shape.apart, own(json, shape.key), interner);
  return { apart, shared: interner.share(shape, readObject(shape.rest, json, interner)) };
}

function own(json: Json, key: string): unknown {
  return Object.hasOwn(json, key) ? json[key] : undefined;
}

/** Keeps one copy of shared strings and remembers the latest time. */
function noted(type: LeafType, value: unknown, interner: Interner): unknown {
  if ((type === 'text' || type === 'quantity' || type === 'time-text') && typeof value === 'string')
    return interner.text(value);
  if (type === 'time' && typeof value === 'number') interner.noteTime(value);
  return value;
}

/** One value of a field without parts, from parsed JSON; undefined if it has the wrong type. */
export function readLeaf(type: LeafType, json: unknown): unknown {
  switch (type) {
    case 'text':
    case 'unique':
    case 'quantity':
    case 'time-text':
      return readText(json);
    case 'number':
      return isWhole(json) ? json : undefined;
    case 'flag':
      return typeof json === 'boolean' ? json : undefined;
    case 'time':
    case 'deadline':
      return typeof json === 'string' ? parseTime(json) : undefined;
    case 'number-or-text':
      return typeof json === 'string' || isWhole(json) ? json : undefined;
    case 'present':
      return true;
  }
}

/** Whether it is a whole number of 64 bits: the API has no others, but for quantities. */
export function isWhole(json: unknown): json is number {
  return Number.isInteger(json) && Math.abs(Number(json)) <= MOST;
}

const MOST = 2 ** 63;

function readText(json: unknown): string | undefined {
  if (typeof json === 'string') return json;
  return typeof json === 'boolean' || (typeof json === 'number' && Number.isFinite(json)) ? String(json) : undefined;
}
