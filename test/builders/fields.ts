import type { LeafType, Shape } from '../../src/cluster/decode/decode-fields.ts';
import { TABLE, type ReadKind } from '../../src/cluster/decode/decode-table.ts';

/** Where a value is read: a kind and a path; `[]` stands for every entry of a list, `{}` for every one of a map. */
export interface FieldPath {
  readonly kind: ReadKind;
  readonly path: readonly string[];
}

/** All places where a value of these types is read, from the table of fields. */
export function fieldPaths(...types: readonly LeafType[]): readonly FieldPath[] {
  const kinds = Object.keys(TABLE) as ReadKind[];
  return kinds.flatMap((kind) => pathsOf(TABLE[kind], types).map((path) => ({ kind, path })));
}

function pathsOf(shape: Shape, types: readonly LeafType[]): readonly (readonly string[])[] {
  const below = (key: string, field: Shape) => pathsOf(field, types).map((path) => [key, ...path]);
  switch (shape.is) {
    case 'object':
      return shape.keys.flatMap((key, i) => below(key, shape.fields[i]!));
    case 'split':
      return [...below(shape.key, shape.apart), ...pathsOf(shape.rest, types)];
    case 'list':
      return below('[]', shape.item);
    case 'map':
      return [...(shape.only ?? ['{}'])].flatMap((key) => below(key, shape.item));
    case 'shared':
      return pathsOf(shape.item, types);
    default:
      return types.includes(shape.is) ? [[]] : [];
  }
}

type Json = Readonly<Record<string, unknown>>;

/** A copy of the object in which the values at the path are changed; where nothing stands there, what leads to it is made. */
export function changed<T extends object>(object: T, path: readonly string[], change: (value: unknown) => unknown): T {
  return put(object, path, change) as T;
}

function put(value: unknown, [step, ...rest]: readonly string[], change: (value: unknown) => unknown): unknown {
  if (step === undefined) return change(value);
  if (step === '[]')
    return Array.isArray(value) ? value.map((it) => put(it, rest, change)) : [put(undefined, rest, change)];
  const object = (value ?? {}) as Json;
  if (step !== '{}') return { ...object, [step]: put(object[step], rest, change) };
  return Object.fromEntries(Object.entries(object).map(([key, it]) => [key, put(it, rest, change)]));
}
