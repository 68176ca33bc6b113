import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { suiteNeeding } from './suites.ts';

/**
 * Every row of the specification's tables is a test that names it: rows of tables with a hyphen in their name by their id
 * (`TS-15`), since no two documents share these, the others with the document (`framework L3`). This holds the tests against
 * the tables, so that no row is lost; `npm test` prints at its end how many rows of each table hold.
 */

const folder = join(import.meta.dirname, '..', '..', 'shared', 'spec');

/** Which sections of a document hold rows, by the beginning of their number, and how many rows there are at least. */
const DOCUMENTS: readonly (readonly [document: string, sections: RegExp, rows: number])[] = [
  ['strategies', /^(?:2|3|4|5|6|7|8|9|10|11|12|13|16)(?:\.|$)/u, 448],
  ['framework', /^(?:1\.10|1\.11|2\.6|3\.9|4\.14)$/u, 102],
  ['scheduler', /^[67]$/u, 155],
  ['node-lifecycle', /^6(?:\.|$)/u, 54],
];

const BACKGROUND = 'evictions in the background are not built: nothing waits for what an external actor does';
const SANDBOX = 'a dry run needs no mirrored cluster';

/** Rows without a test of their own, and why. */
const WITHOUT: Readonly<Record<string, string>> = {
  'RDY-10': 'a list of nodes cannot hold a foreign item here: decode drops what is no node',
  'framework F7': 'there are no instances of plugins, hence no ids for them',
  'framework F8': 'there are no informers that a strategy could register',
  'framework V7': BACKGROUND,
  'framework V8': BACKGROUND,
  'framework V9': BACKGROUND,
  'framework V10': BACKGROUND,
  'framework V11': BACKGROUND,
  'framework V12': BACKGROUND,
  'framework V14': 'each category is a constraint of its own (default-evictor tests)',
  'framework L7': SANDBOX,
  'framework L9': SANDBOX,
  'framework L10': SANDBOX,
  'framework L11': SANDBOX,
  'framework L12': SANDBOX,
  'framework L13': 'leader election is held by test/kube/leader-election.test.ts and end to end',
  'framework L14': 'the same as RDY-1 to RDY-10',
  'framework L15': 'the same as IDX-1 to IDX-5',
};

suiteNeeding({ group: 'conformance', isMet: existsSync(folder) }, 'conformance', () => {
  const named = new Set<string>();
  before(() => {
    for (const file of readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })) {
      if (!file.endsWith('.ts') || file === 'conformance.test.ts') continue;
      for (const row of rowsIn(withoutComments(readFileSync(join(import.meta.dirname, file), 'utf8')))) named.add(row);
    }
  });

  for (const [document, sections, count] of DOCUMENTS) {
    it(`every row of ${document}.md is a test that names it`, () => {
      const rows = rowsOf(document, readFileSync(join(folder, `${document}.md`), 'utf8'), sections);
      assert.ok(rows.length >= count, `${rows.length} rows are found`);
      assert.deepEqual(
        rows.filter((row) => !named.has(row) && WITHOUT[row] === undefined),
        [],
      );
    });
  }

  it('no row is excused that has a test, or that there is not', () => {
    const rows = DOCUMENTS.flatMap(([document, sections]) =>
      rowsOf(document, readFileSync(join(folder, `${document}.md`), 'utf8'), sections),
    );
    assert.deepEqual(
      Object.keys(WITHOUT).filter((row) => named.has(row) || !rows.includes(row)),
      [],
    );
  });
});

describe('names of rows', () => {
  const NAMES: readonly (readonly [text: string, rows: readonly string[]])[] = [
    ['TS-15 too many', ['TS-15']],
    ['RD-F1..3 and RD-U1', ['RD-F1', 'RD-F2', 'RD-F3', 'RD-U1']],
    ['HNU-12, 13 memory missing', ['HNU-12', 'HNU-13']],
    ['W-1, framework L1 a taint', ['W-1', 'framework L1']],
    ['framework P9, V9 and 11', ['framework P9', 'framework V9', 'framework V11']],
    ['node-lifecycle L1 to L3', ['node-lifecycle L1', 'node-lifecycle L2', 'node-lifecycle L3']],
    ['L3 of nobody knows which document, not even after framework', []],
    ['a longer name: XTS-15, A-TS-15, framework.md L3', ['XTS-15']],
  ];
  for (const [text, rows] of NAMES) it(`reads ${text}`, () => assert.deepEqual(rowsIn(text), rows));

  it('a comment names none', () =>
    assert.deepEqual(rowsIn(withoutComments("it('TS-1 a', f); // TS-2\n/** TS-3 */ https://example.org TS-4")), [
      'TS-1',
      'TS-4',
    ]));
});

const NEXT = /(?:, | and | \/ |\/)([A-Z]{1,5}(?:-[A-Z]?)?)?(\d+)\b/gu;
const NAME =
  /(?<![\w-])(?:(framework|node-lifecycle) )?([A-Z]{1,5}(?:-[A-Z]?)?)(\d+)\b(?:(?:\.\.| to )([A-Z]{1,5}(?:-[A-Z]?)?)?(\d+)\b|((?:(?:, | and | \/ |\/)(?:[A-Z]{1,5}(?:-[A-Z]?)?)?\d+\b)+))?/gu;

/** Rows that a text names, with ranges (`W-8..17`) and lists (`HNU-12, 13`) written out. */
function rowsIn(text: string): readonly string[] {
  return [...text.matchAll(NAME)].flatMap(
    ([, document, table = '', first = '', lastTable = table, last, more = '']) => {
      const to = last === undefined || lastTable !== table ? Number(first) : Number(last);
      const range = Array.from(
        { length: Math.max(1, to - Number(first) + 1) },
        (_, i) => `${table}${Number(first) + i}`,
      );
      let current = table;
      const listed = [...more.matchAll(NEXT)].map(([, own, number = '']) => `${(current = own ?? current)}${number}`);
      return [...range, ...listed].flatMap((id) => rowName(document, id) ?? []);
    },
  );
}

function rowName(document: string | undefined, id: string): string | undefined {
  if (id.includes('-')) return id;
  return document && `${document} ${id}`;
}

/** Rows in the first cells of the tables of these sections. */
function rowsOf(document: string, text: string, sections: RegExp): readonly string[] {
  let section = '';
  return text.split('\n').flatMap((line) => {
    section = /^#+ (\d+(?:\.\d+)?)/u.exec(line)?.[1] ?? section;
    const cell = /^\| ([A-Z]{1,5}-?[A-Z]?\d+[^|]*) \|/u.exec(line)?.[1];
    return cell === undefined || !sections.test(section)
      ? []
      : rowsIn(cell.includes('-') ? cell : `${document} ${cell}`);
  });
}

function withoutComments(code: string): string {
  return code.replaceAll(/\/\*.*?\*\/|(?<!:)\/\/[^\n]*/gsu, '');
}
