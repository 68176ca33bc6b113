import { z } from 'zod';
import type { Path } from '../../findings/finding.ts';

/** A schema without what only says that it may be missing, or what becomes of its value later. */
export function bareSchema(schema: unknown): unknown {
  if (
    schema instanceof z.ZodOptional ||
    schema instanceof z.ZodDefault ||
    schema instanceof z.ZodReadonly ||
    schema instanceof z.ZodNullable
  ) {
    return bareSchema(schema.def.innerType);
  }
  return schema instanceof z.ZodPipe ? bareSchema(schema.def.in) : schema;
}

/** The schema that holds at a path below another; undefined where anything goes. */
export function schemaAt(schema: unknown, path: Path): unknown {
  const bare = bareSchema(schema);
  const [step, ...rest] = path;
  if (step === undefined) return bare;
  if (bare instanceof z.ZodObject) return schemaAt(bare.shape[step], rest);
  if (bare instanceof z.ZodArray) return schemaAt(bare.element, rest);
  if (bare instanceof z.ZodRecord) return schemaAt(bare.valueType, rest);
  return undefined;
}

/** The keys that a schema knows; undefined if it takes any key, or none. */
export function knownKeys(schema: unknown): readonly string[] | undefined {
  const bare = bareSchema(schema);
  return bare instanceof z.ZodObject ? Object.keys(bare.shape) : undefined;
}

/** What a user has to write there, in words that follow "expected". */
export function describeSchema(schema: unknown): string {
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodArray) return 'a list';
  if (bare instanceof z.ZodObject || bare instanceof z.ZodRecord) return 'a map of keys';
  if (bare instanceof z.ZodBoolean) return 'true or false';
  if (bare instanceof z.ZodEnum) return `one of ${bare.options.join(', ')}`;
  if (bare instanceof z.ZodNumber) return describeNumber(bare);
  return 'text';
}

function describeNumber({ format, minValue, maxValue }: z.ZodNumber): string {
  const kind = format?.includes('int') === true ? 'a whole number' : 'a number';
  const min = minValue !== null && minValue > -(2 ** 31) ? minValue : undefined;
  const max = maxValue !== null && maxValue < 2 ** 31 - 1 ? maxValue : undefined;
  if (min !== undefined && max !== undefined) return `${kind} from ${min} to ${max}`;
  if (min !== undefined) return `${kind} ≥ ${min}`;
  return max === undefined ? kind : `${kind} ≤ ${max}`;
}

/** A key that a schema does not know, where it stands, and what stands below it. */
export interface UnknownKey {
  readonly path: Path;
  readonly value: unknown;
}

/** The part of a value that a schema knows, without keys set to null, which count as unset; and the keys left out. */
export function knownPart(
  schema: unknown,
  value: unknown,
  path: Path,
): { readonly value: unknown; readonly unknown: readonly UnknownKey[] } {
  const unknown: UnknownKey[] = [];
  return { value: prune({ schema, unknown }, value, path), unknown };
}

interface Pruning {
  readonly schema: unknown;
  readonly unknown: UnknownKey[];
}

function prune({ schema, unknown }: Pruning, value: unknown, path: Path): unknown {
  const bare = bareSchema(schema);
  if (bare instanceof z.ZodArray && Array.isArray(value)) {
    return value.map((item: unknown, index) => prune({ schema: bare.element, unknown }, item, [...path, index]));
  }
  if (bare instanceof z.ZodRecord && isMap(value)) {
    const entries = Object.entries(value);
    return Object.fromEntries(
      entries.map(([key, item]) => [
        key,
        prune({ schema: bare.valueType, unknown }, item ?? emptyOf(bare), [...path, key]),
      ]),
    );
  }
  if (!(bare instanceof z.ZodObject) || !isMap(value)) return value;
  const kept: [string, unknown][] = [];
  for (const [key, item] of Object.entries(value)) {
    if (!Object.hasOwn(bare.shape, key)) unknown.push({ path: [...path, key], value: item });
    else if (item !== null) kept.push([key, prune({ schema: bare.shape[key], unknown }, item, [...path, key])]);
  }
  return Object.fromEntries(kept);
}

/** What null stands for in a map: the zero value of a map of maps, which has no keys. */
function emptyOf({ valueType }: z.ZodRecord): unknown {
  return bareSchema(valueType) instanceof z.ZodObject ? {} : null;
}

/** Whether a value read from a text is a map of keys. */
export function isMap(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value under a key if there is one; for reading texts that may be misshapen. */
export function fieldOf(value: unknown, key: string): unknown {
  return isMap(value) && Object.hasOwn(value, key) ? value[key] : undefined;
}

/** The list under a key; empty if there is none. */
export function listOf(value: unknown, key: string): readonly unknown[] {
  const list = fieldOf(value, key);
  return Array.isArray(list) ? list : [];
}
