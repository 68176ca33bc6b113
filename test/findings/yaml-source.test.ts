import assert from 'node:assert/strict';
import type { Path } from '../../src/findings/finding.ts';
import { readYaml } from '../../src/findings/yaml-source.ts';

const text = [
  'a: &base {x: 1, y: yes}', // 1
  'b:', // 2
  '  <<: *base', // 3
  '  y: "on"', // 4
  '  z:', // 5
  '  - 1', // 6
  '  -   two', // 7
  'on: off', // 8
  'c: *base', // 9
].join('\n');

describe('a text of YAML with its places', () => {
  const source = readYaml(text);

  it('has its value: merges, aliases, old booleans as values only', () => {
    assert.deepEqual(source.value, {
      a: { x: 1, y: true },
      b: { x: 1, y: 'on', z: [1, 'two'] },
      on: false,
      c: { x: 1, y: true },
    });
    assert.deepEqual(source.findings, []);
  });

  const places: readonly (readonly [Path, 'key' | 'value', number, number])[] = [
    [[], 'value', 1, 1],
    [['a', 'x'], 'key', 1, 11],
    [['a', 'x'], 'value', 1, 14],
    [['b'], 'value', 2, 1],
    [['b', 'y'], 'value', 4, 6],
    [['b', 'z', 1], 'value', 7, 7],
    [['b', 'z', 7, 'gone'], 'value', 5, 3],
    [['b', 'x'], 'value', 1, 14],
    [['on'], 'key', 8, 1],
    [['c', 'y'], 'value', 1, 20],
    [['gone'], 'value', 1, 1],
  ];
  for (const [path, part, line, column] of places) {
    it(`${part} of ${path.join('.') || 'the whole'} is at ${line}:${column}`, () => {
      assert.deepEqual(source.positionOf(path, part), { line, column });
    });
  }

  const wrong: readonly (readonly [string, string, readonly string[]])[] = [
    ['a duplicate key', 'a: 1\nb: 2\na: 3', ['3:1 duplicate-key the key "a" is given twice (first given on line 1)']],
    ['a key that is no text', '? [a]\n: b', ['1:3 wrong-type a key must be text']],
    ['an alias to nothing', 'a: *b', ['1:4 not-yaml no anchor is called &b']],
    ['an alias to itself', 'a: &b [*b]', ['1:8 not-yaml an alias that contains itself']],
    ['an unknown tag', 'a: !b c', ['1:4 not-yaml not valid YAML: unresolved tag: !b']],
    [
      'a control character',
      'a: 1\r\nb: \u001b[31m',
      [
        '2:4 not-yaml not text: it has the character U+001B (it may be packed, binary or UTF-16; save it as UTF-8 text)',
      ],
    ],
    [
      'too deep',
      '['.repeat(200),
      [
        '1:101 too-large nested more than 100 levels deep (no such file comes near that; check that it is the right one)',
      ],
    ],
    [
      'too long',
      'a: 1\n'.repeat(300_000),
      [
        '1:1 too-large 1.4 MB of text; at most 1 MB is read (no such file comes near that; check that it is the right one)',
      ],
    ],
    [
      'too many words',
      'a: 1\n'.repeat(20_000),
      [
        '14286:3 too-large more than 100000 words and signs (no such file comes near that; check that it is the right one)',
      ],
    ],
    [
      'too many values, by aliases',
      `a: &a [${'1,'.repeat(1000)}]\nb: [${'*a,'.repeat(30)}]\n`,
      ['1:1964 too-large it has more than 20000 values once its aliases are resolved'],
    ],
    [
      'a key that is too long',
      `? ${'k'.repeat(2000)}\n: 1\n`,
      ['1:3 too-large a key of 2000 characters; the longest has 1024'],
    ],
  ];
  for (const [title, bad, expected] of wrong) {
    it(title, () => {
      const lines = readYaml(bad).findings.map(({ line, column, code, message, hint }) => {
        return `${line}:${column} ${code} ${message}${hint === undefined ? '' : ` (${hint})`}`;
      });
      assert.deepEqual(lines, expected);
    });
  }
});
