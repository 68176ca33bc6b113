import fc from 'fast-check';
import type { Shape } from '../../src/cluster/decode/decode-fields.ts';
import { TABLE, type ReadKind } from '../../src/cluster/decode/decode-table.ts';

type Json = Readonly<Record<string, unknown>>;

/** The kinds that are read. */
export const KINDS = Object.keys(TABLE) as readonly ReadKind[];

/** An object of the kind as an API server could have it, with fields missing, null, unknown or of the wrong type. */
export function apiObject(kind: ReadKind): fc.Arbitrary<Json> {
  return fc.tuple(untidy(TABLE[kind]), fc.string({ minLength: 1 })).map(([json, name]) => {
    const object = isObject(json) ? json : {};
    const metadata = isObject(object['metadata']) ? object['metadata'] : {};
    return { ...object, kind, metadata: { ...metadata, name } };
  });
}

/** An object of any kind that is read. */
export const anyApiObject: fc.Arbitrary<Json> = fc.constantFrom(...KINDS).chain(apiObject);

function untidy(shape: Shape): fc.Arbitrary<unknown> {
  return fc.oneof(
    { arbitrary: tidy(shape), weight: 20 },
    { arbitrary: fc.constant(null), weight: 1 },
    { arbitrary: fc.jsonValue({ maxDepth: 2 }), weight: 1 },
  );
}

function tidy(shape: Shape): fc.Arbitrary<unknown> {
  switch (shape.is) {
    case 'object':
      return objectOf(shape.keys, shape.fields);
    case 'split':
      return objectOf([...shape.rest.keys, shape.key], [...shape.rest.fields, shape.apart]);
    case 'list':
      return fc.array(untidy(shape.item), { maxLength: 3 });
    case 'map': {
      const key = shape.only ? fc.constantFrom(...shape.only, 'other') : fc.string({ unit: 'grapheme', maxLength: 8 });
      return fc.dictionary(key, untidy(shape.item), { maxKeys: 4 });
    }
    case 'shared':
      return tidy(shape.item);
    default:
      return leaf(shape.is);
  }
}

function objectOf(keys: readonly string[], fields: readonly Shape[]): fc.Arbitrary<unknown> {
  const model = Object.fromEntries(keys.map((key, index) => [key, untidy(fields[index]!)]));
  const unknown = fc.dictionary(fc.string({ maxLength: 5 }), fc.option(fc.jsonValue({ maxDepth: 1 })), { maxKeys: 1 });
  return fc
    .tuple(fc.record(model, { requiredKeys: [] }), unknown, fc.boolean())
    .map(([known, more, first]) => (first ? { ...more, ...known } : { ...known, ...more }));
}

function leaf(type: Exclude<Shape['is'], 'object' | 'list' | 'map' | 'shared' | 'split'>): fc.Arbitrary<unknown> {
  switch (type) {
    case 'text':
    case 'unique':
      return fc.oneof(
        fc.constantFrom('Always', 'a', '100m', '1Gi', 'metadata.name', 'In'),
        fc.string({ unit: 'grapheme' }),
        fc.boolean(),
        fc.double(),
      );
    case 'quantity':
      return fc.oneof(
        fc.constantFrom('100m', '1Gi', '2', '1e3', 'lots', '1GB', '', '1e999', ' 5 '),
        fc.string(),
        fc.double(),
        fc.boolean(),
      );
    case 'number':
      return fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }));
    case 'flag':
      return fc.boolean();
    case 'time':
    case 'deadline':
    case 'time-text':
      return fc.oneof(
        fc.date({ noInvalidDate: true, min: new Date(0), max: new Date(4e12) }).map((date) => date.toISOString()),
        fc.date({ noInvalidDate: true, min: new Date(-1e13), max: new Date(4e12) }).map(toSeconds),
        fc.constantFrom(
          '2026-02-30T00:00:00Z',
          '2026-01-01T24:00:00Z',
          '2026-13-01T00:00:00Z',
          '2026-01-01',
          '0001-01-01T00:00:00Z',
          '2024-02-29T23:59:59Z',
        ),
      );
    case 'number-or-text':
      return fc.oneof(fc.integer(), fc.constantFrom('50%', '3', ''));
    case 'present':
      return fc.constantFrom({}, { path: '/x' });
  }
}

function toSeconds(date: Date): string {
  return `${date.toISOString().slice(0, 19)}Z`;
}

function isObject(json: unknown): json is Json {
  return typeof json === 'object' && json !== null && !Array.isArray(json);
}
