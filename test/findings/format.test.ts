import assert from 'node:assert/strict';
import type { Finding } from '../../src/findings/finding.ts';
import { compareFindings, formatPath } from '../../src/findings/finding.ts';
import { formatFinding, formatFindings } from '../../src/findings/format.ts';
import { PolicyError } from '../../src/findings/policy-error.ts';

const finding: Finding = {
  code: 'unknown-key',
  severity: 'error',
  path: 'profiles[0].nodefit',
  line: 3,
  column: 3,
  message: 'unknown key "nodefit"',
  hint: 'did you mean "nodeFit"?',
};
const text = 'a: 1\nprofiles:\n- nodefit: true\n';
const shown = `policy.yaml:3:3: error: profiles[0].nodefit: unknown key "nodefit" [unknown-key]
  3 | - nodefit: true
        ^
  hint: did you mean "nodeFit"?`;

describe('a finding as text', () => {
  it('place, message, line with a caret, hint', () =>
    assert.equal(formatFinding(finding, { file: 'policy.yaml', text }), shown));

  it('without path, hint and line', () => {
    const bare: Finding = {
      code: 'empty',
      severity: 'error',
      path: '',
      line: 1,
      column: 1,
      message: 'there is nothing in it',
    };
    assert.equal(formatFinding(bare, { file: '-', text: '' }), '-:1:1: error: there is nothing in it [empty]');
  });

  it('tabs count as one column', () => {
    const tabbed = { ...finding, line: 1, column: 3, path: '' };
    assert.equal(
      formatFinding(tabbed, { file: 'f', text: '\t\tx' }).split('\n').slice(1, 3).join('\n'),
      '  1 |   x\n        ^',
    );
  });

  it('what could act on the terminal is visible, in every part, and the caret stays under its place', () => {
    const strange = { ...finding, line: 1, column: 4, path: 'a\u001b', message: 'has "\u202e"', hint: 'drop\nit' };
    assert.equal(
      formatFinding(strange, { file: 'f\u0007', text: 'a\u001b\u202eb\u0000' }),
      'f␇:1:4: error: a␛: has "\\u202e" [unknown-key]\n  1 | a␛\\u202eb␀\n              ^\n  hint: drop␊it',
    );
  });

  it('the caret stands under its place behind wide letters', () => {
    const wide = { ...finding, line: 1, column: 6, path: '' };
    const [, line, caret] = formatFinding(wide, { file: 'f', text: '名前🙂:x' }).split('\n');
    assert.deepEqual([line, caret], ['  1 | 名前🙂:x', `${' '.repeat(6 + 7)}^`]);
  });

  it('a long line is cut around the place', () => {
    const lines = formatFinding(
      { ...finding, line: 1, column: 301 },
      { file: 'f', text: `${'a'.repeat(300)}b${'c'.repeat(300)}` },
    ).split('\n');
    const caret = lines[2] ?? '';
    assert.equal(lines[1], `  1 | …${'a'.repeat(50)}b${'c'.repeat(49)}…`);
    assert.equal(lines[1][caret.indexOf('^')], 'b');
  });

  it('an error of all findings shows them one below the other', () => {
    const error = new PolicyError([finding, finding], { file: 'policy.yaml', text });
    assert.equal(error.message, `${shown}\n\n${shown}`);
    assert.equal(error.message, formatFindings(error.findings, { file: 'policy.yaml', text }));
    assert.equal(error.name, 'PolicyError');
  });

  it('of more than a hundred the first are shown, errors before warnings, and the others counted', () => {
    const at = (line: number, severity: Finding['severity']) => ({ ...finding, severity, line, column: 1 });
    const warnings = Array.from({ length: 120 }, (_, index) => at(index + 1, 'warning'));
    const errors = Array.from({ length: 30 }, (_, index) => at(index + 200, 'error'));
    const partsOf = (findings: readonly Finding[]) => formatFindings(findings, { file: 'f', text: '' }).split('\n\n');
    const mixed = partsOf([...warnings, ...errors]);
    assert.equal(mixed.length, 101);
    assert.deepEqual(
      [0, 69, 70, 99, 100].map((index) => mixed[index]?.split('\n')[0]?.slice(0, 14)),
      ['f:1:1: warning', 'f:70:1: warnin', 'f:200:1: error', 'f:229:1: error', 'and 50 warning'],
    );
    assert.equal(mixed.at(-1), 'and 50 warnings more');
    assert.equal(
      partsOf([...errors, ...errors, ...errors, ...errors, at(9, 'warning')]).at(-1),
      'and 20 errors and 1 warning more',
    );
    assert.equal(partsOf(warnings.slice(0, 100)).length, 100);
  });

  it('what repeats long parts of a text is cut', () => {
    const long = 'x'.repeat(10_000);
    const lines = formatFinding({ ...finding, path: long, message: long, hint: long }, { file: 'f', text: '' }).split(
      '\n',
    );
    assert.deepEqual(
      lines.map(({ length }) => length),
      ['f:3:3: error: '.length + 200 + 2 + 500 + ' [unknown-key]'.length, '  hint: '.length + 1000],
    );
  });

  it('paths quote keys that are no plain words', () => {
    assert.equal(formatPath(['a', 0, 'b c', 'd/e']), 'a[0]["b c"].d/e');
    assert.equal(formatPath([]), '');
  });

  it('are ordered by place', () => {
    const at = (line: number, column: number) => ({ ...finding, line, column });
    const sorted = [at(2, 1), at(1, 5), at(1, 2)].sort(compareFindings);
    assert.deepEqual(
      sorted.map(({ line, column }) => [line, column]),
      [
        [1, 2],
        [1, 5],
        [2, 1],
      ],
    );
  });
});
