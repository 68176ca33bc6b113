import type { LeafType, ObjectShape, Shape } from './decode-fields.ts';
import { isKept, isRecord, readLeaf } from './decode-json.ts';
import { parseTime } from './decode-time.ts';
import { parseQuantity } from '../amounts/quantity.ts';

/** A value that is there and cannot be read, so that it counts as absent. */
export interface Unreadable {
  /** Keys and indexes that lead to it from the object. */
  readonly path: readonly (string | number)[];
  readonly value: unknown;
  readonly kind: UnreadableKind;
  /** What should stand there, in words that follow "not". */
  readonly wanted: string;
}

/** What is wrong with it: no amount, no moment, or something else than the API has there. */
export type UnreadableKind = 'quantity' | 'time' | 'type';

/**
 * The values of an object that the table reads and nobody can: of the wrong type, no quantity, no time. No API server has
 * such values, but dumps are edited and made by hand. For every reader: `FieldReader.hasUnreadable` is true if there are any.
 */
export function unreadableValues(shape: Shape, json: unknown): readonly Unreadable[] {
  const found: Unreadable[] = [];
  visit(shape, json, { path: [], found });
  return found;
}

interface Visit {
  readonly path: Unreadable['path'];
  readonly found: Unreadable[];
}

function visit(shape: Shape, json: unknown, { path, found }: Visit): void {
  if (json === null || json === undefined) return;
  const below = (child: Shape, key: string | number, value: unknown): void => {
    visit(child, value, { path: [...path, key], found });
  };
  if (shape.is === 'shared') visit(shape.item, json, { path, found });
  else if (shape.is === 'list') {
    if (Array.isArray(json)) {
      for (const [index, item] of json.entries()) if (isKept(shape, item)) below(shape.item, index, item);
    } else found.push({ path, value: json, kind: 'type', wanted: 'a list' });
  } else if (shape.is === 'object' || shape.is === 'split' || shape.is === 'map') {
    if (!isRecord(json)) found.push({ path, value: json, kind: 'type', wanted: 'a map of keys' });
    else for (const [key, child] of childrenOf(shape, json)) below(child, key, own(json, key));
  } else if (!isReadable(shape.is, json)) found.push({ path, value: json, ...WANTED[shape.is] });
}

function childrenOf(
  shape: Extract<Shape, { is: 'object' | 'split' | 'map' }>,
  json: Readonly<Record<string, unknown>>,
): readonly (readonly [string, Shape])[] {
  if (shape.is === 'split') return [...fieldsOf(shape.rest), [shape.key, shape.apart]];
  if (shape.is === 'object') return fieldsOf(shape);
  return [...(shape.only ?? Object.keys(json))].map((key) => [key, shape.item]);
}

function fieldsOf({ keys, fields }: ObjectShape): readonly (readonly [string, Shape])[] {
  return fields.map((field, index) => [keys[index] ?? '', field]);
}

function own(json: Readonly<Record<string, unknown>>, key: string): unknown {
  return Object.hasOwn(json, key) && key !== '__proto__' ? json[key] : undefined;
}

function isReadable(type: LeafType, json: unknown): boolean {
  const value = readLeaf(type, json);
  if (type === 'quantity') return typeof value === 'string' && parseQuantity(value) !== undefined;
  if (type === 'time-text') return typeof value === 'string' && parseTime(value) !== undefined;
  return value !== undefined;
}

const TEXT = { kind: 'type', wanted: 'text' } as const;
const TIME = { kind: 'time', wanted: 'a time such as 2026-01-31T09:00:00Z' } as const;
const WANTED: Readonly<Record<LeafType, Pick<Unreadable, 'kind' | 'wanted'>>> = {
  text: TEXT,
  unique: TEXT,
  quantity: { kind: 'quantity', wanted: 'a quantity such as 500m or 2Gi' },
  number: { kind: 'type', wanted: 'a whole number of 64 bits' },
  flag: { kind: 'type', wanted: 'true or false' },
  time: TIME,
  deadline: TIME,
  'time-text': TIME,
  'number-or-text': { kind: 'type', wanted: 'a whole number of 64 bits or text' },
  present: { kind: 'type', wanted: 'a value' },
};
