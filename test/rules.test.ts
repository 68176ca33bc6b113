import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

const root = join(import.meta.dirname, '..');
const rulesFolder = join(root, 'docs', 'rules');

/** `- **S7. TaintToleration.** …` and `- **T11.** …` define a rule. */
const DEFINITION = /^- \*\*([CELST]\d+)\./gmu;
/** `rule S7`, `rules S7 and S8`, `rules S7, S8`: names rules. */
const NAMED = /\brules? ((?:[CELST]\d+(?:, | and | to )?)+)/gu;
/** A document that stands outside the repository, with a section of it. */
const OUTSIDE = /\b(?:framework|strategies|scheduler|node-lifecycle|kubevirt|operators)\.md,? (?:section )?[D\d]/u;

const defined = new Map<string, string>();
for (const file of readdirSync(rulesFolder).sort()) {
  for (const [, id = ''] of readFileSync(join(rulesFolder, file), 'utf8').matchAll(DEFINITION)) {
    assert.equal(defined.get(id), undefined, `${id} is defined twice`);
    defined.set(id, file);
  }
}

/** All text that people read beside the rules themselves: code, tests, benches, documents. */
const files = ['src', 'test', 'bench', 'docs', 'manifests', 'policies']
  .flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).map((f) => join(root, folder, f)),
  )
  .filter((file) => /\.(?:ts|md|ya?ml)$/u.test(file) && file !== import.meta.filename);

describe('the rules that code refers to', () => {
  it('are numbered without gaps in each of their files', () => {
    for (const letter of ['C', 'E', 'L', 'S', 'T']) {
      const numbers = [...defined.keys()].filter((id) => id.startsWith(letter)).map((id) => Number(id.slice(1)));
      assert.deepEqual(
        numbers,
        numbers.map((_, i) => i + 1),
      );
    }
  });

  it('stand in docs/rules, each that is named', () => {
    const dangling = files.flatMap((file) =>
      namedIn(readFileSync(file, 'utf8'))
        .filter((id) => !defined.has(id))
        .map((id) => `${relative(root, file)} names rule ${id}`),
    );
    assert.deepEqual(dangling, []);
  });

  it('are not those of a document outside the repository', () => {
    const outside = files.filter((file) => OUTSIDE.test(readFileSync(file, 'utf8')));
    assert.deepEqual(
      outside.map((file) => relative(root, file)),
      [],
    );
  });

  it('are found in a text that names one, two or several', () => {
    assert.deepEqual(namedIn('as rule S7, and rules T1 and L2'), ['S7', 'T1', 'L2']);
  });
});

function namedIn(text: string): readonly string[] {
  return [...text.matchAll(NAMED)].flatMap(([, list = '']) => list.match(/[CELST]\d+/gu) ?? []);
}
