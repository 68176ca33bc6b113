import type { Shape } from '../../src/cluster/decode-fields.ts';
import { TABLE, type ReadKind } from '../../src/cluster/decode-table.ts';

/** What no output may hold as it is: it acts on a terminal, hides, or turns the direction of reading. */
export const SIGNS = [
  '\u001b',
  '\u0007',
  '\r',
  '\0',
  '\u007f',
  '\u009b',
  '\u0085',
  '\u202e',
  '\u2066',
  '\u200b',
].concat([...['\u2028', '\ufeff', '\u00ad', '\ud800', '\u{e0041}']]);

/** A text with all of them, a forged line, and what Markdown and HTML would act on. */
export const HOSTILE = `\u001b[38;5;9m${SIGNS.join('')}\nFORGED: |\`*_<img src=x onerror=a()>[a](https://b.example)www.b.example @all #1`;

/** Where a text is read: a kind and a path; `[]` stands for every entry of a list, `{}` for every one of a map. */
export interface TextPath {
  readonly kind: ReadKind;
  readonly path: readonly string[];
}

/** Every text that is read, from the table of fields. */
export function textPaths(): readonly TextPath[] {
  return (Object.keys(TABLE) as ReadKind[]).flatMap((kind) => pathsOf(TABLE[kind]).map((path) => ({ kind, path })));
}

function pathsOf(shape: Shape): readonly (readonly string[])[] {
  const below = (key: string, field: Shape) => pathsOf(field).map((path) => [key, ...path]);
  switch (shape.is) {
    case 'object':
      return shape.keys.flatMap((key, i) => below(key, shape.fields[i]!));
    case 'split':
      return [...below(shape.key, shape.apart), ...pathsOf(shape.rest)];
    case 'list':
      return below('[]', shape.item);
    case 'map':
      return [...(shape.only ?? ['{}'])].flatMap((key) => below(key, shape.item));
    case 'shared':
      return pathsOf(shape.item);
    default:
      return shape.is === 'text' || shape.is === 'unique' || shape.is === 'number-or-text' ? [[]] : [];
  }
}

type Json = Record<string, unknown>;

/** The object with the hostile text behind each text that stands there, or alone where none does. Entries of maps get a hostile key beside them. */
export function polluted(object: object, path: readonly string[]): object {
  return put(object, path) as object;
}

function put(value: unknown, path: readonly string[]): unknown {
  const [step, ...rest] = path;
  if (step === undefined) return `${typeof value === 'string' ? value : ''}${HOSTILE}`;
  if (step === '[]') return Array.isArray(value) ? value.map((item) => put(item, rest)) : [put(undefined, rest)];
  const object = (value ?? {}) as Json;
  if (step !== '{}') return { ...object, [step]: put(object[step], rest) };
  const entries = Object.entries(object).map(([key, text]) => [key, put(text, rest)] as const);
  return Object.fromEntries([...entries, [HOSTILE, HOSTILE]]);
}
