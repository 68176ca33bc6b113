import type { LabelSelector, Labels, Requirement } from '../../src/cluster/objects/terms.ts';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  formatSelector,
  matchesLabels,
  matchesRequirements,
  matchesSelector,
  parseInteger,
  selectorProblems,
} from '../../src/cluster/rules/selectors.ts';

const LABELS: Labels = { app: 'web', tier: '', cores: '8', odd: '3.5', padded: '+007' };

function requirement(key: string, operator: string, ...values: string[]): Requirement {
  return { key, operator, values };
}

describe('matchesRequirements', () => {
  const rows: readonly [text: string, requirement: Requirement, holds: boolean][] = [
    ['In with the value', requirement('app', 'In', 'db', 'web'), true],
    ['In without the value', requirement('app', 'In', 'db'), false],
    ['In on an absent label', requirement('gone', 'In', 'web', ''), false],
    ['In with the empty value', requirement('tier', 'In', ''), true],
    ['In without values', requirement('app', 'In'), false],
    ['NotIn with the value', requirement('app', 'NotIn', 'db', 'web'), false],
    ['NotIn without the value', requirement('app', 'NotIn', 'db'), true],
    ['NotIn on an absent label', requirement('gone', 'NotIn', 'web'), true],
    ['NotIn without values', requirement('gone', 'NotIn'), false],
    ['Exists', requirement('tier', 'Exists'), true],
    ['Exists on an absent label', requirement('gone', 'Exists'), false],
    ['Exists with values', requirement('app', 'Exists', 'web'), false],
    ['DoesNotExist', requirement('tier', 'DoesNotExist'), false],
    ['DoesNotExist on an absent label', requirement('gone', 'DoesNotExist'), true],
    ['DoesNotExist with values', requirement('gone', 'DoesNotExist', 'web'), false],
    ['a key that every object has', requirement('constructor', 'Exists'), false],
    ['absence of a key that every object has', requirement('toString', 'DoesNotExist'), true],
    ['Gt below', requirement('cores', 'Gt', '7'), true],
    ['Gt equal', requirement('cores', 'Gt', '8'), false],
    ['Lt above', requirement('cores', 'Lt', '9'), true],
    ['Lt equal', requirement('cores', 'Lt', '8'), false],
    ['Gt with leading zeros and a sign on both sides', requirement('padded', 'Gt', '+006'), true],
    ['Gt with a negative bound', requirement('cores', 'Gt', '-1'), true],
    ['Gt compares numbers, not text', requirement('cores', 'Lt', '10'), true],
    ['Gt on a label that is no whole number', requirement('odd', 'Gt', '1'), false],
    ['Lt on a label that is no whole number', requirement('odd', 'Lt', '9'), false],
    ['Gt on an absent label', requirement('gone', 'Gt', '-1'), false],
    ['Gt on an empty label', requirement('tier', 'Gt', '-1'), false],
    ['Gt with a bound that is no number', requirement('cores', 'Gt', 'x'), false],
    ['Gt with two bounds', requirement('cores', 'Gt', '1', '2'), false],
    ['Gt without a bound', requirement('cores', 'Gt'), false],
    ['Gt with a bound beyond 64 bits', requirement('cores', 'Lt', '9223372036854775808'), false],
    ['Lt with the largest bound', requirement('cores', 'Lt', '9223372036854775807'), true],
    ['an unknown operator', requirement('app', 'Near', 'web'), false],
    ['an operator in lower case', requirement('app', 'in', 'web'), false],
  ];
  for (const [text, tested, holds] of rows) {
    it(`${text} ${holds ? 'holds' : 'does not hold'}`, () => {
      assert.equal(matchesRequirements([tested], LABELS), holds);
    });
  }

  it('all requirements must hold; none always do', () => {
    const [yes, no] = [requirement('app', 'Exists'), requirement('app', 'DoesNotExist')];
    const answers = [[], [yes], [yes, yes], [yes, no], [no, yes]].map((all) => matchesRequirements(all, LABELS));
    assert.deepEqual(answers, [true, true, true, false, false]);
  });
});

describe('matchesSelector', () => {
  const rows: readonly [text: string, selector: LabelSelector, matches: boolean][] = [
    ['an empty selector', { matchLabels: {}, matchExpressions: [] }, true],
    ['pairs that are there', { matchLabels: { app: 'web', tier: '' }, matchExpressions: [] }, true],
    ['a pair with another value', { matchLabels: { app: 'web', tier: 'x' }, matchExpressions: [] }, false],
    ['a pair whose key every object has', { matchLabels: { constructor: '' }, matchExpressions: [] }, false],
    ['pairs and expressions', { matchLabels: { app: 'web' }, matchExpressions: [requirement('tier', 'Exists')] }, true],
    ['an expression fails', { matchLabels: { app: 'web' }, matchExpressions: [requirement('x', 'Exists')] }, false],
    ['Gt, which label selectors lack', { matchLabels: {}, matchExpressions: [requirement('cores', 'Gt', '1')] }, false],
    ['Lt, which label selectors lack', { matchLabels: {}, matchExpressions: [requirement('cores', 'Lt', '9')] }, false],
  ];
  for (const [text, selector, matches] of rows) {
    it(`${text}: ${matches ? 'selected' : 'not selected'}`, () => {
      assert.equal(matchesSelector(selector, LABELS), matches);
    });
  }

  it('selects exactly the sets of pairs that its sentences allow', () => {
    fc.assert(
      fc.property(selectors(), labelSets(), (selector, labels) => {
        assert.equal(matchesSelector(selector, labels), saysSelected(selector, Object.entries(labels)));
      }),
      { numRuns: 1_000 },
    );
  });

  it('is an intersection: two selectors in one select what both select', () => {
    fc.assert(
      fc.property(selectors(), selectors(), labelSets(), (a, b, labels) => {
        const both = {
          matchLabels: a.matchLabels,
          matchExpressions: [...a.matchExpressions, ...b.matchExpressions],
        };
        const second = { matchLabels: {}, matchExpressions: b.matchExpressions };
        assert.equal(matchesSelector(both, labels), matchesSelector(a, labels) && matchesSelector(second, labels));
      }),
    );
  });
});

describe('matchesLabels', () => {
  it('wants every pair and nothing else', () => {
    const answers = [{}, { app: 'web' }, { app: 'web', tier: '' }, { app: 'db' }, { gone: '' }].map((wanted) =>
      matchesLabels(wanted, LABELS),
    );
    assert.deepEqual(answers, [true, true, true, false, false]);
  });
});

describe('parseInteger', () => {
  const rows: readonly [text: string, value: bigint | undefined][] = [
    ['0', 0n],
    ['-0', 0n],
    ['+5', 5n],
    ['007', 7n],
    ['-9223372036854775808', -(2n ** 63n)],
    ['-9223372036854775809', undefined],
    ['9223372036854775808', undefined],
    ['', undefined],
    ['-', undefined],
    ['3.5', undefined],
    ['1e3', undefined],
    [' 1', undefined],
    ['0x1', undefined],
    ['1_000', undefined],
  ];
  for (const [text, value] of rows) {
    it(`${JSON.stringify(text)} is ${value ?? 'no integer'}`, () => {
      assert.equal(parseInteger(text), value);
    });
  }
});

describe('selectorProblems', () => {
  const NAME = '1 to 63 letters, digits, "-", "_" or ".", with a letter or digit at both ends';
  const long = 'a'.repeat(64);
  const rows: readonly [text: string, selector: LabelSelector, problems: readonly string[]][] = [
    ['nothing at all', { matchLabels: {}, matchExpressions: [] }, []],
    [
      'everything that is allowed',
      {
        matchLabels: { 'app.kubernetes.io/name': 'Web_1.a-b', A: '', [long.slice(1)]: long.slice(1) },
        matchExpressions: [
          requirement('a', 'In', 'x', ''),
          requirement('b', 'NotIn', 'y'),
          requirement('c', 'Exists'),
          requirement('d', 'DoesNotExist'),
        ],
      },
      [],
    ],
    [
      'keys',
      {
        matchLabels: {},
        matchExpressions: ['', '-a', 'a/b/c', '/a', 'a/', 'Big.io/a', 'a..b/c', 'a b', long].map((key) =>
          requirement(key, 'Exists'),
        ),
      },
      [
        `key "": "" is not a name: ${NAME}`,
        `key "-a": "-a" is not a name: ${NAME}`,
        'key "a/b/c" has more than one slash',
        'key "/a": "" is not a lower-case domain name of at most 253 characters',
        `key "a/": "" is not a name: ${NAME}`,
        'key "Big.io/a": "Big.io" is not a lower-case domain name of at most 253 characters',
        'key "a..b/c": "a..b" is not a lower-case domain name of at most 253 characters',
        `key "a b": "a b" is not a name: ${NAME}`,
        `key "${long}": "${long}" is not a name: ${NAME}`,
      ],
    ],
    [
      'a domain that is too long',
      { matchLabels: { [`${'a'.repeat(254)}/b`]: '' }, matchExpressions: [] },
      [`key "${'a'.repeat(254)}/b": "${'a'.repeat(254)}" is not a lower-case domain name of at most 253 characters`],
    ],
    [
      'values',
      { matchLabels: { a: 'b/c', b: '-' }, matchExpressions: [requirement('c', 'In', 'ok', long)] },
      [`value "b/c" is not valid: ${NAME}`, `value "-" is not valid: ${NAME}`, `value "${long}" is not valid: ${NAME}`],
    ],
    [
      'operators and numbers of values, all at once',
      {
        matchLabels: {},
        matchExpressions: [
          requirement('a', 'In'),
          requirement('b', 'NotIn'),
          requirement('c', 'Exists', 'x'),
          requirement('d', 'DoesNotExist', 'x'),
          requirement('e', 'Gt', '1'),
          requirement('f', 'Lt', '1'),
          requirement('g', 'in', 'x'),
        ],
      },
      [
        'In on "a" needs at least one value',
        'NotIn on "b" needs at least one value',
        'Exists on "c" takes no values',
        'DoesNotExist on "d" takes no values',
        'operator "Gt" is for node affinity only: use In, NotIn, Exists or DoesNotExist',
        'operator "Lt" is for node affinity only: use In, NotIn, Exists or DoesNotExist',
        'operator "in" on "g" is not one of In, NotIn, Exists, DoesNotExist',
      ],
    ],
  ];
  for (const [text, selector, problems] of rows) {
    it(text, () => {
      assert.deepEqual(
        selectorProblems(selector).map(({ message }) => message),
        problems,
      );
    });
  }

  it('says where each one stands', () => {
    const selector = {
      matchLabels: { app: 'a b', ok: '', 'x y': '' },
      matchExpressions: [
        requirement('a', 'In', 'x'),
        requirement('b', 'In', 'x', '-'),
        requirement('c', 'Gt', '1'),
        requirement('', 'is', 'x'),
        requirement('d', 'Exists', 'x'),
      ],
    };
    assert.deepEqual(
      selectorProblems(selector).map(({ path }) => path.join('.')),
      [
        'matchLabels.app',
        'matchLabels.x y',
        'matchExpressions.1.values.1',
        'matchExpressions.2.operator',
        'matchExpressions.3.key',
        'matchExpressions.3.operator',
        'matchExpressions.4.values',
      ],
    );
  });
});

describe('formatSelector', () => {
  it('writes pairs by key, then expressions as given', () => {
    const selector = {
      matchLabels: { b: '2', a: '1' },
      matchExpressions: [
        requirement('z', 'In', 'x', 'y'),
        requirement('c', 'NotIn', 'x'),
        requirement('d', 'Exists'),
        requirement('e', 'DoesNotExist'),
        requirement('f', 'Gt', '3'),
        requirement('g', 'Lt', '4'),
        requirement('h', 'In', 'x'),
        requirement('i', 'NotIn', 'x', 'y'),
        requirement('j', 'Near', 'x', 'y'),
      ],
    };
    assert.equal(formatSelector(selector), 'a=1,b=2,z in (x,y),c!=x,d,!e,f>3,g<4,h=x,i notin (x,y),j Near (x,y)');
  });

  it('a selector of everything is the empty text', () => {
    assert.equal(formatSelector({ matchLabels: {}, matchExpressions: [] }), '');
  });
});

const key = () => fc.constantFrom('a', 'b', 'constructor');
const value = () => fc.constantFrom('', 'x', 'y', '1');

function labelSets(): fc.Arbitrary<Labels> {
  return fc.dictionary(key(), value(), { noNullPrototype: true });
}

function selectors(): fc.Arbitrary<LabelSelector> {
  const expression = fc.record({
    key: key(),
    operator: fc.constantFrom('In', 'NotIn', 'Exists', 'DoesNotExist'),
    values: fc.array(value(), { maxLength: 2 }),
  });
  return fc.record({
    matchLabels: fc.dictionary(key(), value(), { maxKeys: 1, noNullPrototype: true }),
    matchExpressions: fc.array(expression, { maxLength: 2 }),
  });
}

/** The rule over a set of pairs, sentence by sentence. */
function saysSelected(selector: LabelSelector, pairs: readonly (readonly [string, string])[]): boolean {
  const has = (key: string, values?: readonly string[]): boolean =>
    pairs.some(([name, text]) => name === key && (values === undefined || values.includes(text)));
  const sentences = {
    In: ({ key, values }: Requirement) => has(key, values),
    NotIn: ({ key, values }: Requirement) => values.length > 0 && !has(key, values),
    Exists: ({ key, values }: Requirement) => values.length === 0 && has(key),
    DoesNotExist: ({ key, values }: Requirement) => values.length === 0 && !has(key),
  };
  return (
    Object.entries(selector.matchLabels).every(([name, text]) => has(name, [text])) &&
    selector.matchExpressions.every((each) => sentences[each.operator as keyof typeof sentences](each))
  );
}
