import type { Requirement } from '../../src/cluster/objects/terms.ts';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import { SelectorSyntaxError } from '../../src/cluster/rules/selector-tokens.ts';
import { formatRequirement, matchesRequirements, parseSelector } from '../../src/cluster/rules/selectors.ts';

describe('parseSelector', () => {
  const rows: readonly [text: string, requirements: readonly (readonly [string, string, ...string[]])[]][] = [
    ['', []],
    ['  ', []],
    ['a', [['a', 'Exists']]],
    ['!a', [['a', 'DoesNotExist']]],
    ['! a', [['a', 'DoesNotExist']]],
    ['a=b', [['a', 'In', 'b']]],
    ['a==b', [['a', 'In', 'b']]],
    ['a != b', [['a', 'NotIn', 'b']]],
    ['a=', [['a', 'In', '']]],
    [
      'a!=,b',
      [
        ['a', 'NotIn', ''],
        ['b', 'Exists'],
      ],
    ],
    ['a>3', [['a', 'Gt', '3']]],
    ['a<5', [['a', 'Lt', '5']]],
    ['a in (b)', [['a', 'In', 'b']]],
    ['a in (b,c,b)', [['a', 'In', 'b', 'c']]],
    ['a notin (b, c)', [['a', 'NotIn', 'b', 'c']]],
    ['a in(b)', [['a', 'In', 'b']]],
    ['a in (,)', [['a', 'In', '']]],
    ['a in (b,)', [['a', 'In', 'b', '']]],
    ['a in (,b)', [['a', 'In', '', 'b']]],
    ['a in (b,,c)', [['a', 'In', 'b', '', 'c']]],
    ['in=notin', [['in', 'In', 'notin']]],
    ['in', [['in', 'Exists']]],
    ['in in (in,notin)', [['in', 'In', 'in', 'notin']]],
    [
      'x=a,y!=b',
      [
        ['x', 'In', 'a'],
        ['y', 'NotIn', 'b'],
      ],
    ],
    [
      'app.kubernetes.io/name=web,\ttier in (a,b),\n!old,cores>3',
      [
        ['app.kubernetes.io/name', 'In', 'web'],
        ['tier', 'In', 'a', 'b'],
        ['old', 'DoesNotExist'],
        ['cores', 'Gt', '3'],
      ],
    ],
  ];
  for (const [text, requirements] of rows) {
    it(`reads ${JSON.stringify(text)}`, () => {
      const expected = requirements.map(([key, operator, ...values]) => ({ key, operator, values }));
      assert.deepEqual(parseSelector(text), expected);
    });
  }

  const NAME = '1 to 63 letters, digits, "-", "_" or ".", with a letter or digit at both ends';
  const refused: readonly [text: string, offset: number, problem: string][] = [
    ['a,', 2, 'the selector ends, expected a label key'],
    [',a', 0, 'found ",", expected a label key'],
    ['a,,b', 2, 'found ",", expected a label key'],
    ['=b', 0, 'found "=", expected a label key'],
    ['!', 1, 'the selector ends, expected a label key'],
    ['!a=b', 2, 'found "=", expected "," or the end'],
    ['a b', 2, 'found "b", expected one of =, ==, !=, in, notin, >, < or ","'],
    ['a=b c', 4, 'found "c", expected "," or the end'],
    ['a===b', 3, 'found "=", expected a value'],
    ['a=(b)', 2, 'found "(", expected a value'],
    ['a IN (b)', 2, 'found "IN", expected one of =, ==, !=, in, notin, >, < or ","'],
    ['a ! b', 2, 'found "!", expected one of =, ==, !=, in, notin, >, < or ","'],
    ['a in b', 5, 'found "b", expected "("'],
    ['a in', 4, 'the selector ends, expected "("'],
    ['a in (b', 7, 'the selector ends, expected "," or ")"'],
    ['a in (b c)', 8, 'found "c", expected "," or ")"'],
    ['a in (b))', 8, 'found ")", expected "," or the end'],
    ['x,a in ()', 2, 'In on "a" needs at least one value'],
    ['a notin ()', 0, 'NotIn on "a" needs at least one value'],
    ['a>b', 0, 'Gt on "a" needs exactly one value, a whole number'],
    ['a<3.5', 0, 'Lt on "a" needs exactly one value, a whole number'],
    ['a>', 0, 'Gt on "a" needs exactly one value, a whole number'],
    ['a=b/c', 0, `value "b/c" is not valid: ${NAME}`],
    ['x,a/b/c=d', 2, 'key "a/b/c" has more than one slash'],
    ['-a', 0, `key "-a": "-a" is not a name: ${NAME}`],
  ];
  for (const [text, offset, problem] of refused) {
    it(`refuses ${JSON.stringify(text)} at ${offset}: ${problem}`, () => {
      assert.throws(
        () => parseSelector(text),
        (error) => {
          assert.ok(error instanceof SelectorSyntaxError);
          assert.deepEqual([error.name, error.message, error.offset], ['SelectorSyntaxError', problem, offset]);
          return true;
        },
      );
    });
  }

  const name = fc.constantFrom('a', 'in', 'notin', 'b.c/d', 'x_1');
  const value = fc.constantFrom('', 'x', 'in', 'a-b');
  const valued = fc.tuple(name, fc.constantFrom('In', 'NotIn'), fc.uniqueArray(value, { minLength: 1, maxLength: 3 }));
  const bare = fc.tuple(name, fc.constantFrom('Exists', 'DoesNotExist'), fc.constant<string[]>([]));
  const bound = fc.tuple(
    name,
    fc.constantFrom('Gt', 'Lt'),
    fc.nat(9).map((limit) => [String(limit)]),
  );
  const written = fc
    .oneof(valued, bare, bound)
    .map(([key, operator, values]): Requirement => ({ key, operator, values }));

  it('reads what formatRequirement writes', () => {
    fc.assert(
      fc.property(fc.array(written, { maxLength: 4 }), (requirements) => {
        assert.deepEqual(parseSelector(requirements.map(formatRequirement).join()), requirements);
      }),
    );
  });

  it('spaces around signs change nothing', () => {
    const spaced = (text: string, space: string): string =>
      text.replace(/!=|[=!(),<>]/g, (sign) => space + sign + space);
    fc.assert(
      fc.property(fc.array(written, { maxLength: 3 }), fc.constantFrom(' ', '\t', ' \n '), (requirements, space) => {
        const text = requirements.map(formatRequirement).join();
        assert.deepEqual(parseSelector(spaced(text, space)), parseSelector(text));
      }),
    );
  });

  it('whatever the text, it is read or refused with a place inside it', () => {
    const piece = fc.constantFrom('a', 'in', 'notin', '=', '!', '(', ')', ',', '<', '>', ' ', '1', '/');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 10 }), (pieces) => {
        const text = pieces.join('');
        try {
          matchesRequirements(parseSelector(text), { a: '1' });
        } catch (error) {
          assert.ok(error instanceof SelectorSyntaxError);
          assert.ok(error.offset >= 0 && error.offset <= text.length);
        }
      }),
      { numRuns: 1_000 },
    );
  });
});
