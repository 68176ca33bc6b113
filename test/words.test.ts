import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import ts from 'typescript';

/** Names of an earlier time that say less than the field's. The right words are in docs/words.md. */
const OLD_NAMES = new Set(
  `Resident Residents ResidentIndex residents residentsOf Question Rulebook rulebook Misfit Attraction Tolerance
  Openings Settlement Standing stray Rooms Meter Cast SpoolFile spool Intake PodFate ZoneCourse Share Pausing Places
  Answers Journal Veto veto Roster roster wish condemn areDark isBlind sightings Countdown posting StandAside spared
  WiderLimits withdraw standAside bookings`.split(/\s+/u),
);

/** What is not said to users any more, and what is said. */
const OLD_PHRASES: readonly (readonly [RegExp, string])[] = [
  [/\d %|\} %/u, '50%'],
  [/\blooked at\b/u, 'checked, considered'],
  [/\bmade up\b/u, 'generated'],
  [/\bfor ever\b/u, 'forever'],
  [/\bforeseen\b/u, 'predicted'],
  [/\bplays an outage\b/u, 'simulates an outage'],
  [/\b(?:stays|stay) because\b/u, 'is kept because'],
  [/\bmay well\b/u, 'is likely to'],
  [/strategy asks for it|of this policy asks/u, 'selects it'],
  [/(?<!there )\bis no (?:pod|file|cron|list|Lease|ConfigMap|event|node)\b/u, 'is not a valid …; expected …'],
  [/\b(?:the|a|its|no) budgets?\b/u, 'PodDisruptionBudget'],
  [/\bthe reference\b/u, 'the Go descheduler'],
  [/\bto no purpose\b|\bstays? its hand\b/u, 'plain words'],
];

const root = join(import.meta.dirname, '..');
const sources = filesIn('src', '.ts');

describe('the words of the project', () => {
  it('are the field’s in names', () => {
    assert.deepEqual(sources.flatMap(oldNames), []);
  });

  it('are the field’s in messages', () => {
    assert.deepEqual(
      sources.flatMap((file) => literalsOf(file).flatMap((text) => oldPhrases(file, text))),
      [],
    );
  });

  for (const file of ['README.md', ...filesIn('docs', '.md').filter((it) => !/decisions|rules/u.test(it))]) {
    it(`are the field’s in ${file}`, () => {
      const lines = readFileSync(join(root, file), 'utf8').split('\n');
      assert.deepEqual(
        lines.flatMap((line, i) => oldPhrases(`${file}:${i + 1}`, line)),
        [],
      );
    });
  }

  it('would be found', () => {
    assert.deepEqual(oldPhrases('a', 'cpu 91.7 % of 128'), ['a: "cpu 91.7 % of 128": say 50%']);
    assert.deepEqual(oldPhrases('a', 'the pod stays because the budget says so').length, 2);
  });
});

function filesIn(folder: string, end: string): readonly string[] {
  const found = readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' });
  return found.filter((file) => file.endsWith(end)).map((file) => `${folder}/${file}`);
}

function oldPhrases(where: string, text: string): readonly string[] {
  return OLD_PHRASES.filter(([phrase]) => phrase.test(text)).map(
    ([, instead]) => `${where}: "${text}": say ${instead}`,
  );
}

function oldNames(file: string): readonly string[] {
  const found = new Set<string>();
  visit(file, (node) => {
    if (ts.isIdentifier(node) && OLD_NAMES.has(node.text)) found.add(`${file}: ${node.text}`);
  });
  return [...found];
}

/** The texts of a file that may be shown, templates with their parts in place. */
function literalsOf(file: string): readonly string[] {
  const found: string[] = [];
  visit(file, (node, source) => {
    const isText = ts.isStringLiteral(node) || ts.isNoSubstitutionTemplateLiteral(node);
    if ((isText && !ts.isImportDeclaration(node.parent)) || ts.isTemplateExpression(node))
      found.push(node.getText(source));
  });
  return found;
}

function visit(file: string, look: (node: ts.Node, source: ts.SourceFile) => void): void {
  const source = ts.createSourceFile(file, readFileSync(join(root, file), 'utf8'), ts.ScriptTarget.ES2023, true);
  const walk = (node: ts.Node): void => {
    look(node, source);
    ts.forEachChild(node, walk);
  };
  walk(source);
}
