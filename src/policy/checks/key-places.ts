import { z } from 'zod';
import { nearest } from '../../findings/nearest.ts';
import { didYouMean } from './issues.ts';
import type { Plugin } from '../plugins.ts';
import { bareSchema, isMap } from './schema-walk.ts';

/** Where a key is legal: a few words for each place that follow "legal", in the order of the docs. */
export type KeyPlaces = ReadonlyMap<string, readonly string[]>;

/** A part of a policy whose keys users may mistake for those of another part. */
export interface Part {
  readonly name: string;
  readonly schema: unknown;
}

/** All keys of the given parts, at whatever depth, with the places where they are legal. */
export function keyPlaces(parts: readonly Part[]): KeyPlaces {
  const places = new Map<string, string[]>();
  for (const { name, schema } of parts) collect(schema, name, places);
  return places;
}

/** The parts that plugins' arguments are. */
export function partsOf(plugins: ReadonlyMap<string, Plugin>): readonly Part[] {
  return [...plugins.values()].map(({ name, args }) => ({ name: `in the args of ${name}`, schema: args }));
}

function collect(schema: unknown, place: string, places: Map<string, string[]>): void {
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodArray) collect(bare.element, place, places);
  if (bare instanceof z.ZodRecord) collect(bare.valueType, place, places);
  if (!(bare instanceof z.ZodObject)) return;
  for (const [key, child] of Object.entries(bare.shape)) {
    const known = places.get(key) ?? [];
    places.set(key, known.includes(place) ? known : [...known, place]);
    collect(child, under(place, key), places);
  }
}

/** Where keys of the policy itself are legal that stand under no other. */
export const TOP_LEVEL = 'at the top level';

function under(place: string, key: string): string {
  if (place === TOP_LEVEL) return `under ${key}`;
  return /\bunder /.test(place) ? `${place}.${key}` : `${place}, under ${key}`;
}

/** A key that is not known where it stands. */
export interface Misplaced {
  readonly key: string;
  readonly value: unknown;
  /** The keys that are known there. */
  readonly legal: readonly string[];
  readonly places: KeyPlaces;
}

/** What to do about an unknown key: where it would be legal, or which known key is nearest here or elsewhere. */
export function hintFor({ key, value, legal, places }: Misplaced): string | undefined {
  const children = isMap(value) ? Object.keys(value) : [];
  if (children.length > 0 && children.every((child) => legal.includes(child))) {
    return `leave out "${key}" and put ${children.map((child) => `"${child}"`).join(', ')} in its place`;
  }
  const elsewhere = places.get(key);
  const near = nearest(key, legal);
  if (elsewhere !== undefined) return `"${key}" is legal ${listPlaces(elsewhere)}`;
  if (near !== undefined) return didYouMean(near);
  const far = nearest(key, [...places.keys()]);
  return far === undefined ? undefined : `did you mean "${far}"? It is legal ${listPlaces(places.get(far) ?? [])}`;
}

const MOST_PLACES = 3;

function listPlaces(places: readonly string[]): string {
  const shown = places.slice(0, MOST_PLACES).join('; ');
  return places.length > MOST_PLACES ? `${shown}; and at ${places.length - MOST_PLACES} other places` : shown;
}
