import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Every row of the specification's tables is a test that names it. This holds the tests against the tables, so that no row
 * is lost; `npm test` prints at its end how many rows of each table hold.
 */

const folder = join(import.meta.dirname, '..', '..', 'shared', 'spec');

/** Which sections of a document hold rows, by the beginning of their number. */
const DOCUMENTS: readonly (readonly [string, RegExp])[] = [
  ['strategies.md', /^(?:2|3|4|5|6|7|8|9|10|11|12|13|16)(?:\.|$)/u],
  ['framework.md', /^(?:1\.10|1\.11|2\.6|3\.9|4\.14)$/u],
  ['scheduler.md', /^[67]$/u],
  ['node-lifecycle.md', /^6(?:\.|$)/u],
];

/** Rows without a test of their own, and why. */
const WITHOUT: Readonly<Record<string, string>> = {
  'RDY-10': 'a list of nodes cannot hold a foreign item here: decode drops what is no node',
  'UC-2': 'the Prometheus source is not built',
  'UC-3': 'the Prometheus source is not built',
  'UC-4': 'the Prometheus source is not built',
  'UC-5': 'the Prometheus source is not built',
  F5: 'a strategy has one extension point by its type; enabling it elsewhere is a finding (policy tests)',
  F7: 'there are no instances of plugins, hence no ids for them',
  F8: 'there are no informers that a strategy could register',
  V10: 'background evictions are requests whose end nobody waits for; their cache is not built',
  V11: 'background evictions are requests whose end nobody waits for; their cache is not built',
  V12: 'background evictions are requests whose end nobody waits for; their cache is not built',
  V14: 'each category is a constraint of its own (default-evictor tests)',
  L9: 'a dry run needs no mirrored cluster',
  L10: 'a dry run needs no mirrored cluster',
  L11: 'a dry run needs no mirrored cluster',
  L12: 'a dry run needs no mirrored cluster',
  L13: 'leader election is held by test/kube/leader-election.test.ts and end to end',
  L14: 'the same as RDY-1 to RDY-10',
  L15: 'the same as IDX-1 to IDX-5',
};

const ID =
  /\b([A-Z]{1,5}-?[A-Z]?)(\d+)(?:(?:\.\.| to )(?:[A-Z]{1,5}-?[A-Z]?)?(\d+)|((?:(?:, | and | \/ |\/)(?:[A-Z]{1,5}-?[A-Z]?)?\d+)+))?/gu;

if (existsSync(folder)) {
  describe('conformance', () => {
    const texts = readdirSync(import.meta.dirname, { recursive: true, encoding: 'utf8' })
      .filter((file) => file.endsWith('.ts') && file !== 'conformance.test.ts')
      .map((file) => readFileSync(join(import.meta.dirname, file), 'utf8'));
    const named = new Set(texts.flatMap(idsIn));
    for (const [document, sections] of DOCUMENTS) {
      it(`every row of ${document} is a test that names it`, () => {
        const rows = rowsOf(readFileSync(join(folder, document), 'utf8'), sections);
        assert.ok(rows.length > 50, 'the tables are found');
        assert.deepEqual(
          rows.filter((id) => !named.has(id) && WITHOUT[id] === undefined),
          [],
        );
      });
    }

    it('no row is excused that has a test', () => {
      // Ids of different documents meet: L9 is a row of the loop and one of the Leases.
      const ambiguous = /^[FLV]\d+$/u;
      assert.deepEqual(
        Object.keys(WITHOUT).filter((id) => named.has(id) && !ambiguous.test(id)),
        [],
      );
    });
  });
}

/** Ids in a text, with ranges (`W-8..17`) and lists (`HNU-12, 13`, `P9, V9`) written out. */
function idsIn(text: string): readonly string[] {
  return [...text.matchAll(ID)].flatMap(([, prefix = '', first = '', last, more = '']) => {
    const from = Number(first);
    const range =
      last === undefined ? [] : Array.from({ length: Math.max(0, Number(last) - from) }, (_, i) => from + i + 1);
    const listed = [...more.matchAll(/([A-Z]{1,5}-?[A-Z]?)?(\d+)/gu)].map(([, own = prefix, n = '']) => `${own}${n}`);
    return [...[from, ...range].map((n) => `${prefix}${n}`), ...listed];
  });
}

/** Ids in the first cells of the tables of these sections. */
function rowsOf(document: string, sections: RegExp): readonly string[] {
  let section = '';
  return document.split('\n').flatMap((line) => {
    section = /^#+ (\d+(?:\.\d+)?)/u.exec(line)?.[1] ?? section;
    const cell = /^\| ([A-Z]{1,5}-?[A-Z]?\d+[^|]*) \|/u.exec(line)?.[1];
    return cell === undefined || !sections.test(section) ? [] : idsIn(cell);
  });
}
