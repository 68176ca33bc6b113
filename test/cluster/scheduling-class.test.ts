import type { NodeSelectorTerm, Requirement } from '../../src/cluster/objects/terms.ts';
import assert from 'node:assert/strict';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import {
  normalRequirements,
  normalTerms,
  normalTolerations,
  schedulingClassKey,
} from '../../src/cluster/rules/scheduling-class.ts';
import {
  apart,
  asks,
  nodeSelector,
  parseToleration,
  pod,
  priority,
  requiresNode,
  spec,
  tolerates,
  type Part,
} from '../builders/cluster.ts';

/** `k1[v2,v1]`: key In values; `k1 Exists`: another operator, with value 1 where it needs one. */
function requirement(text: string): Requirement {
  const [, key = '', list, operator] = /^(\w+)(?:\[(.*)\]| (\w+))$/.exec(text) ?? [];
  return { key, operator: operator ?? 'In', values: list?.split(',') ?? (operator === 'Gt' ? ['1'] : []) };
}

function written({ key, operator, values }: Requirement): string {
  return operator === 'In' ? `${key}[${values.join()}]` : `${key} ${operator}`;
}

/** A term with the same requirements on labels and fields. */
function both(...texts: readonly string[]): NodeSelectorTerm {
  return { matchExpressions: texts.map(requirement), matchFields: texts.map(requirement) };
}

describe('normalTolerations (rule T5)', () => {
  const rows: readonly [id: string, given: readonly string[], normal: readonly string[]][] = [
    [
      'TOL-1 unique-sort by key',
      ['key2=value2:NoSchedule', 'key3=value3:NoSchedule', 'key1=value1:NoSchedule'],
      ['key1=value1:NoSchedule', 'key2=value2:NoSchedule', 'key3=value3:NoSchedule'],
    ],
    [
      'TOL-2 by value',
      ['key1=value2:NoSchedule', 'key1=value3:NoSchedule', 'key1=value1:NoSchedule'],
      ['key1=value1:NoSchedule', 'key1=value2:NoSchedule', 'key1=value3:NoSchedule'],
    ],
    [
      'TOL-3 by effect',
      ['key1=value1:NoSchedule', 'key1=value1:NoExecute', 'key1=value1:PreferNoSchedule'],
      ['key1=value1:NoExecute', 'key1=value1:NoSchedule', 'key1=value1:PreferNoSchedule'],
    ],
    [
      'TOL-4 duplicates',
      ['key1=value1:NoSchedule', 'key2=value2:NoSchedule', 'key2=value2:NoSchedule'],
      ['key1=value1:NoSchedule', 'key2=value2:NoSchedule'],
    ],
  ];
  for (const [id, given, normal] of rows) {
    it(id, () => {
      const texts = normalTolerations(given.map(parseToleration)).map(
        ({ key, operator, value, effect }) => `${key}${operator === 'Equal' ? '=' : '?'}${value}:${effect}`,
      );
      assert.deepEqual(texts, normal);
    });
  }
});

describe('normalRequirements (rule T5)', () => {
  const rows: readonly [id: string, given: readonly string[], normal: readonly string[]][] = [
    ['REQ-1 a duplicate', ['k1[v1]', 'k1[v1]'], ['k1[v1]']],
    ['REQ-2 already sorted', ['k1[v1]', 'k2[v2]'], ['k1[v1]', 'k2[v2]']],
    ['REQ-3 values', ['k1[v2,v1]'], ['k1[v1,v2]']],
    ['REQ-4 keys', ['k3[v1,v2]', 'k2[v1,v2]', 'k1[v1,v2]'], ['k1[v1,v2]', 'k2[v1,v2]', 'k3[v1,v2]']],
    ['REQ-5 operators', ['k1[v1]', 'k1 Exists', 'k1 Gt'], ['k1 Exists', 'k1 Gt', 'k1[v1]']],
    ['REQ-6 lists of values', ['k1[v6,v5]', 'k1[v2,v1]', 'k1[v4,v1]'], ['k1[v1,v2]', 'k1[v1,v4]', 'k1[v5,v6]']],
    ['the number of values comes before the values', ['k1[v1,v2]', 'k1[v9]'], ['k1[v9]', 'k1[v1,v2]']],
  ];
  for (const [id, given, normal] of rows) {
    it(id, () => {
      assert.deepEqual(normalRequirements(given.map(requirement)).map(written), normal);
    });
  }

  it('does not touch what it is given', () => {
    const given = Object.freeze([Object.freeze({ key: 'k1', operator: 'In', values: Object.freeze(['v2', 'v1']) })]);
    assert.deepEqual(normalRequirements(given).map(written), ['k1[v1,v2]']);
    assert.deepEqual(given.map(written), ['k1[v2,v1]']);
  });
});

describe('normalTerms (rule T5)', () => {
  const rows: readonly [id: string, given: readonly NodeSelectorTerm[], normal: readonly NodeSelectorTerm[]][] = [
    ['TERM-1 duplicates in expressions and fields', [both('k1[v1]', 'k1[v1]')], [both('k1[v1]')]],
    ['TERM-2 already normal', [both('k1[v1]', 'k2[v1]')], [both('k1[v1]', 'k2[v1]')]],
    [
      'TERM-3 expressions and values',
      [both('k2[v1]', 'k1[v2,v1]', 'k1[v3,v1]')],
      [both('k1[v1,v2]', 'k1[v1,v3]', 'k2[v1]')],
    ],
    [
      'TERM-4 neighbours that become equal',
      [both('k1[v2,v1]', 'k2[v1]', 'k1[v2,v1]'), both('k2[v1]', 'k1[v2,v1]')],
      [both('k1[v1,v2]', 'k2[v1]')],
    ],
    [
      'equal terms that are no neighbours both stay',
      [both('k1[v1]'), both('k2[v1]'), both('k1[v1]')],
      [both('k1[v1]'), both('k2[v1]'), both('k1[v1]')],
    ],
  ];
  for (const [id, given, normal] of rows) {
    it(id, () => {
      assert.deepEqual(normalTerms(given), normal);
    });
  }
});

describe('schedulingClassKey', () => {
  const requires = (...terms: readonly (readonly string[])[]): Part<Pod> =>
    requiresNode(...terms.map((texts) => ({ matchExpressions: texts.map(requirement), matchFields: [] })));
  const k1 = tolerates('k1=v:NoSchedule');
  const k2 = tolerates('k2=v:NoSchedule');
  const rows: readonly [id: string, a: readonly Part<Pod>[], b: readonly Part<Pod>[], equal: boolean][] = [
    ['TOLEQ-1 identical lists of 2', [k1, k2], [k1, k2], true],
    ['TOLEQ-2 a duplicate on one side', [k1, k2, k2], [k1, k2], true],
    ['TOLEQ-3 the effect of the second differs', [k1, k2], [k1, tolerates('k2=v:NoExecute')], false],
    ['TOLEQ-4 sizes 1 and 2', [k1], [k1, k2], false],
    ['tolerations in another order', [k1, k2], [k2, k1], true],
    ['how long does not matter', [k1], [tolerates('k1=v:NoSchedule', { tolerationSeconds: 5 })], true],
    ['SELEQ-1 identical', [requires(['k1[v1,v2]', 'k2[v1]'])], [requires(['k1[v1,v2]', 'k2[v1]'])], true],
    ['SELEQ-2 reordered', [requires(['k2[v1,v1]', 'k1[v1,v2]'])], [requires(['k1[v1,v2]', 'k2[v1]'])], true],
    ['SELEQ-3 one value more', [requires(['k2[v1]'])], [requires(['k2[v1,v2]'])], false],
    [
      'SELEQ-4 other keys',
      [requires(['k3[v1]', 'k1[v1,v2]', 'k2[v1]'])],
      [requires(['k1[v1,v2]', 'k2[v1,v2]'])],
      false,
    ],
    ['terms in another order', [requires(['k1[v1]'], ['k2[v1]'])], [requires(['k2[v1]'], ['k1[v1]'])], false],
    ['no affinity and no terms', [], [requires()], false],
    ['an empty term and no terms', [requires([])], [requires()], false],
    ['a value with a comma is not two values', [requires(['k1[v1,v2]'])], [commaValue('k1', 'v1,v2')], false],
    ['nodeSelector reordered', [nodeSelector({ a: '1', b: '2' })], [nodeSelector({ b: '2', a: '1' })], true],
    ['another nodeSelector', [nodeSelector({ a: '1' })], [nodeSelector({ a: '2' })], false],
    ['nodeSelector is not affinity', [nodeSelector({ k1: 'v1' })], [requires(['k1[v1]'])], false],
    ['nothing else counts', [], [asks(1, 1), priority(5), apart('a', 'b'), spec({ hostNetwork: true })], true],
  ];
  for (const [id, a, b, equal] of rows) {
    it(`${id}: ${equal ? 'equal' : 'not equal'}`, () => {
      const [first, second] = [a, b].map((parts) => schedulingClassKey(pod('p', ...parts).spec));
      assert.equal(first === second, equal);
    });
  }

  function commaValue(key: string, value: string): Part<Pod> {
    return requiresNode({ matchExpressions: [{ key, operator: 'In', values: [value] }], matchFields: [] });
  }
});
