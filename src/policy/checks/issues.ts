import { z } from 'zod';
import type { Path } from '../../findings/finding.ts';
import { nearest } from '../../findings/nearest.ts';
import type { Remark, Report } from '../report.ts';
import { bareSchema, describeSchema, isMap, schemaAt } from './schema-walk.ts';

/** Checks a value against a schema; every issue goes to the report, below `path`. Undefined if there was one. */
export function parseInto<T>(
  { schema, path }: { readonly schema: z.ZodType<T>; readonly path: Path },
  value: unknown,
  report: Report,
): { readonly data: T } | undefined {
  const result = schema.safeParse(value, { reportInput: true });
  if (result.success) return { data: result.data };
  for (const issue of result.error.issues) report.error([...path, ...steps(issue)], remarkOn(issue, schema));
  return undefined;
}

/** A zod issue in the words of a finding. */
export function remarkOn(issue: z.core.$ZodIssue, schema: unknown): Remark {
  const path = steps(issue);
  const there = schemaAt(schema, path);
  if (issue.code === 'custom') return { code: 'not-allowed', message: issue.message };
  if (issue.input === undefined && issue.code !== 'too_small') {
    const wanted = describeSchema(there);
    return { code: 'missing', message: `"${String(path.at(-1) ?? '')}" is required: ${wanted}`, at: 'key' };
  }
  if (issue.code === 'invalid_value') {
    const hint = didYouMean(nearest(String(issue.input), issue.values.map(String)));
    return { code: 'not-allowed', message: expected(there, issue.input), hint };
  }
  if (issue.code === 'invalid_type') {
    return { code: 'wrong-type', message: expected(there, issue.input), hint: typeHint(schema, path, issue.input) };
  }
  if ((issue.code === 'too_small' || issue.code === 'too_big') && bareSchema(there) instanceof z.ZodNumber) {
    return { code: 'out-of-range', message: expected(there, issue.input) };
  }
  return { code: 'not-allowed', message: issue.message };
}

/** "did you mean …?", or nothing if nothing is near. */
export function didYouMean(word: string | undefined): string | undefined {
  return word === undefined ? undefined : `did you mean "${word}"?`;
}

function steps({ path }: z.core.$ZodIssue): Path {
  return path.map((step) => (typeof step === 'number' ? step : String(step)));
}

function expected(schema: unknown, input: unknown): string {
  return `expected ${describeSchema(schema)}, got ${shown(input)}`;
}

function shown(value: unknown): string {
  if (Array.isArray(value)) return 'a list';
  if (isMap(value)) return 'a map of keys';
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (typeof value !== 'string') return 'nothing';
  return `the text ${quoted(value)}`;
}

const LONGEST_QUOTE = 40;

/** A value of the user's text as JSON; of a long text its beginning. */
export function quoted(value: unknown): string {
  if (typeof value !== 'string') return shown(value);
  return `"${value.length > LONGEST_QUOTE ? `${value.slice(0, LONGEST_QUOTE - 1)}…` : value}"`;
}

/** How to write what was probably meant. */
function typeHint(schema: unknown, path: Path, input: unknown): string | undefined {
  const bare = schemaAt(schema, path);
  const isScalar = typeof input === 'string' || typeof input === 'number' || typeof input === 'boolean';
  if (!isScalar) return undefined;
  if (bare instanceof z.ZodArray) return `write it as a list: [${input}]`;
  if (bare instanceof z.ZodString && typeof input !== 'string') return textHint(wholeSchemaAt(schema, path), input);
  if (typeof input !== 'string') return undefined;
  const percent = /^(\d+(?:\.\d+)?) ?%$/.exec(input);
  if (bare instanceof z.ZodNumber && percent !== null) return `write it without the percent sign: ${percent[1]}`;
  const isQuotedNumber = bare instanceof z.ZodNumber && /^-?\d+(\.\d+)?$/.test(input);
  const isQuotedBoolean = bare instanceof z.ZodBoolean && /^(true|false)$/i.test(input);
  return isQuotedNumber || isQuotedBoolean ? `write it without quotes: ${input.toLowerCase()}` : undefined;
}

/** The schema of a key with what becomes of its text; `schemaAt` leaves that out. */
function wholeSchemaAt(schema: unknown, path: Path): unknown {
  const parent = schemaAt(schema, path.slice(0, -1));
  return parent instanceof z.ZodObject ? parent.shape[path.at(-1) ?? ''] : undefined;
}

/** Quotes help only where the text in them is right. */
function textHint(schema: unknown, input: number | boolean): string | undefined {
  const asText = schema instanceof z.ZodType ? schema.safeParse(String(input)) : undefined;
  return asText?.success === false ? asText.error.issues[0]?.message : `put it in quotes: "${input}"`;
}
