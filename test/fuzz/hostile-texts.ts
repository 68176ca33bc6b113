import fc from 'fast-check';
import { stringify } from 'yaml';

/** As many bytes as one text has at most. */
export const MOST_BYTES = 100_000;

const ODD_VALUES: readonly unknown[] = [
  ...[null, true, 0, -1, 1.5, 1e308, -1e-300, 2 ** 53, '', ' ', '1E', '-0', '9'.repeat(400), '30m', 'NaN', '\0'],
  ...['2026-02-30T00:00:00Z', '\ud800', '\u202e', 'x'.repeat(5000), [], [[]], [null], {}, { '': {} }, { name: null }],
  ...[{ toString: 1, valueOf: null }, { constructor: {} }, JSON.parse('{"__proto__": {"length": 1e9}}') as unknown],
];

const TOKENS = [
  ...[
    '{',
    '}',
    '[',
    ']',
    ':',
    ': ',
    ',',
    '- ',
    '? ',
    '"',
    "'",
    '\\',
    '\n',
    '\r',
    '\t',
    ' ',
    '  ',
    '#',
    '|',
    '>',
    '%',
    '@',
    '`',
  ],
  ...[
    '&a ',
    '*a',
    '*a, ',
    '<<: *a',
    '!!binary ',
    '!!map ',
    '! ',
    '---\n',
    '...\n',
    '%YAML 1.1\n',
    '|9\n',
    '>-\n',
    '\ufeff',
    '\0',
  ],
  ...[
    '{"a":',
    '[{',
    '}]',
    '"\\u',
    '"\\ud800"',
    '1e999',
    '-',
    'null',
    '~',
    'true',
    '0x',
    '.inf',
    'a: ',
    'k',
    '\u001b[2J',
    '\u202e',
  ],
];

const token = fc.constantFrom(...TOKENS);
const oddValue = fc.constantFrom(...ODD_VALUES);
/** A place in a text or a document, as a share of its length. */
const share = fc.double({ min: 0, max: 1, noNaN: true });

/**
 * Texts that are nearly one of these documents, as JSON or YAML: a value is odd or gone, a part is cut out, moved, or said again
 * and again, tokens stand where they should not; and texts that are only tokens. At most `MOST_BYTES` long.
 */
export function nearly(
  documents: readonly unknown[],
  format: 'json' | 'yaml' | 'lines' | 'both',
): fc.Arbitrary<Buffer> {
  const document = fc.constantFrom(...documents);
  const changed = fc
    .tuple(document, fc.array(fc.tuple(share, oddValue), { maxLength: 3 }))
    .map(([whole, changes]) => changes.reduce((value: unknown, [at, odd]) => replaced(value, at, odd), whole));
  const printed = fc.tuple(changed, fc.constantFrom(...PRINTERS[format])).map(([value, print]) => print(value));
  const edited = fc.tuple(printed, fc.array(edit, { maxLength: 4 })).map(([text, edits]) => apply(text, edits));
  const tokens = fc.array(token, { maxLength: 40 }).map((list) => list.join(''));
  const many = fc
    .tuple(tokens, fc.integer({ min: 1, max: MOST_BYTES }))
    .map(([piece, times]) => piece.repeat(times % (1 + MOST_BYTES / (1 + piece.length))));
  const text = fc.oneof(
    { weight: 8, arbitrary: edited },
    { weight: 4, arbitrary: printed },
    { weight: 2, arbitrary: tokens },
    many,
  );
  return fc.oneof(
    { weight: 20, arbitrary: text.map((value) => Buffer.from(value).subarray(0, MOST_BYTES)) },
    fc.uint8Array({ maxLength: 300 }).map((bytes) => Buffer.from(bytes)),
  );
}

const PRINTERS = {
  json: [(value: unknown) => JSON.stringify(value), (value: unknown) => JSON.stringify(value, undefined, 2)],
  yaml: [(value: unknown) => stringify(value)],
  lines: [
    (value: unknown) =>
      Array.isArray(value) ? value.map((line) => `${JSON.stringify(line)}\n`).join('') : JSON.stringify(value),
  ],
  both: [(value: unknown) => JSON.stringify(value), (value: unknown) => stringify(value)],
} as const satisfies Record<string, readonly ((value: unknown) => string)[]>;

interface Edit {
  readonly from: number;
  /** In letters, of what is taken out. */
  readonly length: number;
  readonly insert: string;
  /** How often what was there is written instead. */
  readonly times: number;
}

const edit: fc.Arbitrary<Edit> = fc.record({
  from: share,
  length: fc.integer({ min: 0, max: 60 }),
  insert: fc.oneof(token, fc.constant(''), fc.string({ unit: 'binary', maxLength: 5 })),
  times: fc.oneof({ weight: 6, arbitrary: fc.integer({ min: 0, max: 3 }) }, fc.constantFrom(100, 1000, 10_000)),
});

function apply(text: string, edits: readonly Edit[]): string {
  return edits.reduce((whole, { from, length, insert, times }) => {
    const start = Math.floor(from * whole.length);
    const part = whole.slice(start, start + length);
    const fits = Math.max(0, Math.floor((MOST_BYTES - whole.length) / (1 + part.length + insert.length)));
    return whole.slice(0, start) + `${part}${insert}`.repeat(Math.min(times, fits)) + whole.slice(start + length);
  }, text);
}

/** The document with the value at a place, counted through all its values, replaced. */
function replaced(document: unknown, at: number, odd: unknown): unknown {
  let left = Math.floor(at * countValues(document));
  const walk = (value: unknown): unknown => {
    if (left-- === 0) return odd;
    if (Array.isArray(value)) return value.map(walk);
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, walk(inner)]));
  };
  return walk(document);
}

function countValues(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 1;
  return Object.values(value).reduce((sum: number, inner) => sum + countValues(inner), 1);
}
