import type { Shared } from './decode-shared.ts';

declare const READS: unique symbol;

/** What a leaf of the field table holds; see the constants below for their meaning. */
export type LeafType =
  'text' | 'unique' | 'quantity' | 'number' | 'flag' | 'time' | 'deadline' | 'time-text' | 'number-or-text' | 'present';

/** One place of the API that is read, as data: every reader walks these. */
export type Shape =
  | { readonly is: LeafType }
  | { readonly is: 'list'; readonly item: Shape; readonly least: number }
  | { readonly is: 'map'; readonly item: Shape; readonly only: ReadonlySet<string> | undefined }
  | { readonly is: 'shared'; readonly item: Shape }
  | { readonly is: 'split'; readonly key: string; readonly apart: Shape; readonly rest: ObjectShape }
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

/** What reading an object with these fields gives. */
export type ReadObject<S> = { readonly [K in keyof S]: ReadOf<S[K]> | undefined };

/** A string that many objects share (a label, a kind): kept once. Numbers and booleans are written out as text. */
export const text: Field<string> = { is: 'text' };
/** A string that few objects share (a name, a UID): not looked up among the known ones. */
export const unique: Field<string> = { is: 'unique' };
/** An amount as it is written, which `parseQuantity` reads later. */
export const quantity: Field<string> = { is: 'quantity' };
/** A whole number of at most 64 bits. */
export const number: Field<number> = { is: 'number' };
/** A boolean. */
export const flag: Field<boolean> = { is: 'flag' };
/** RFC 3339, read as milliseconds since the epoch; counts for the latest timestamp of a dump. */
export const time: Field<number> = { is: 'time' };
/** The same for a moment that may lie ahead, such as the end of a grace period: it says nothing about when a dump was made. */
export const deadline: Field<number> = { is: 'deadline' };
/** A time as it is written, for what is written back; `parseTime` reads it later. */
export const timeText: Field<string> = { is: 'time-text' };
/** IntOrString of the API. */
export const numberOrText: Field<number | string> = { is: 'number-or-text' };
/** Only whether there is a value. */
export const present: Field<true> = { is: 'present' };

/** An object with these fields. */
export function object<S extends Readonly<Record<string, Shape>>>(fields: S): Field<ReadObject<S>> {
  return { is: 'object', keys: Object.keys(fields), fields: Object.values(fields) };
}

/** A list; entries that cannot be read are left out. */
export function list<T>(item: Field<T>): Field<readonly T[]> {
  return { is: 'list', item, least: 0 };
}

/** A list of objects; those that have something else than these fields, and fewer than `least` of these, are left out. */
export function listWithoutOthers<T extends object>(least: number, item: Field<T>): Field<readonly T[]> {
  return { is: 'list', item, least };
}

/** A value that many objects have alike: equal ones are read into one box. */
export function shared<T>(item: Field<T>): Field<Shared<T>> {
  return { is: 'shared', item };
}

/** An object that many have alike but for one field, which is read apart. */
export function sharedBut<A, S extends Readonly<Record<string, Shape>>>(
  key: string,
  apart: Field<A>,
  fields: S,
): Field<{ readonly apart: A | undefined; readonly shared: Shared<ReadObject<S>> }> {
  return { is: 'split', key, apart, rest: { is: 'object', keys: Object.keys(fields), fields: Object.values(fields) } };
}

/** An object with any keys. */
export function map<T>(item: Field<T>): Field<Readonly<Record<string, T>>> {
  return { is: 'map', item, only: undefined };
}

/** An object of which only these keys are read, each if it is there: annotations. */
export function onlyKeys(...keys: readonly string[]): Field<Readonly<Record<string, string>>> {
  return { is: 'map', item: text, only: new Set(keys) };
}
