import type { Labels, NodeSelectorTerm, Requirement } from '../../src/cluster/objects/terms.ts';
import assert from 'node:assert/strict';
import {
  matchesRequiredNodeAffinity,
  matchesTerm,
  preferredWeight,
  termProblem,
} from '../../src/cluster/rules/affinity.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import {
  apart,
  labels,
  node,
  nodeSelector,
  pod,
  prefersNode,
  requiresNode,
  term,
  type Part,
} from '../builders/cluster.ts';

function on(key: string, operator: string, ...values: string[]): NodeSelectorTerm {
  return { matchExpressions: [{ key, operator, values }], matchFields: [] };
}

function fields(...matchFields: readonly Requirement[]): NodeSelectorTerm {
  return { matchExpressions: [], matchFields };
}

function named(operator: string, ...values: string[]): Requirement {
  return { key: 'metadata.name', operator, values };
}

const EMPTY: NodeSelectorTerm = { matchExpressions: [], matchFields: [] };

describe('matchesRequiredNodeAffinity (rule S8)', () => {
  const rows: readonly [text: string, parts: Part<Pod>[], nodes: readonly Labels[], fitting: readonly string[]][] = [
    ['no demand', [], [{}, { a: '1' }], ['n1', 'n2']],
    ['SF-33 nodeSelector', [nodeSelector({ disk: 'ssd' })], [{ disk: 'hdd' }, { disk: 'ssd' }], ['n2']],
    [
      'SF-34 nodeSelector and a term',
      [nodeSelector({ disk: 'ssd' }), requiresNode(term('gen=2'))],
      [{ disk: 'ssd' }, { disk: 'ssd', gen: '2' }, { gen: '2' }],
      ['n2'],
    ],
    ['SF-35 any of the terms', [requiresNode(term('a=1'), term('b'))], [{ a: '1' }, { b: '1' }, {}], ['n1', 'n2']],
    ['SF-36 NotIn and DoesNotExist on absent labels', [requiresNode(term('a!=1,!b'))], [{}], ['n1']],
    ['all expressions of a term', [requiresNode(term('a=1,b=1'))], [{ a: '1' }, { a: '1', b: '1' }], ['n2']],
    ['SF-37 one empty term', [requiresNode(EMPTY)], [{}], []],
    ['an empty list of terms', [requiresNode()], [{}], []],
    ['an empty term beside one that matches', [requiresNode(EMPTY, term('a'))], [{ a: '' }, {}], ['n1']],
    ['SF-38 Gt', [requiresNode(on('g', 'Gt', '4'))], [{ g: '8' }, { g: '4' }, { g: 'x' }, {}], ['n1']],
    ['SF-39 Lt with leading zeros', [requiresNode(on('g', 'Lt', '08'))], [{ g: '007' }, { g: '3.5' }], ['n1']],
    ['SF-40 matchFields NotIn', [requiresNode(fields(named('NotIn', 'n2')))], [{}, {}], ['n1']],
    ['SF-41 matchFields of a node that is gone', [requiresNode(fields(named('In', 'gone')))], [{}], []],
    ['SF-42 names that contradict', [requiresNode(fields(named('In', 'n1'), named('In', 'n2')))], [{}, {}], []],
    ['names and labels', [requiresNode(term('a', 'n2'))], [{ a: '' }, { a: '' }], ['n2']],
    [
      'SF-43 a broken term beside one that matches',
      [requiresNode(on('g', 'Gt', 'x'), on('g', 'Exists'))],
      [{ g: '9' }],
      ['n1'],
    ],
    [
      'CUR-1..2 fits its node with the label, not without',
      [requiresNode(term('kubernetes.io/desiredNode=yes'))],
      [{ 'kubernetes.io/desiredNode': 'yes' }, { 'kubernetes.io/desiredNode': 'no' }],
      ['n1'],
    ],
  ];
  for (const [text, parts, nodes, fitting] of rows) {
    it(`${text}: ${fitting.length === 0 ? 'no node' : fitting.join()}`, () => {
      const { spec } = pod('p', ...parts);
      const all = nodes.map((given, index) => node(`n${index + 1}`, labels(given)));
      const fits = all.filter((each) => matchesRequiredNodeAffinity(spec, each)).map(({ name }) => name);
      assert.deepEqual(fits, fitting);
    });
  }
});

describe('termProblem', () => {
  const rows: readonly [text: string, term: NodeSelectorTerm, problem: string | undefined][] = [
    ['an empty term', EMPTY, undefined],
    ['labels and a name', term('a in (b,c),d>3', 'n1'), undefined],
    ['Gt with text', on('g', 'Gt', 'x'), 'Gt on "g" needs exactly one value, a whole number'],
    ['Lt with two values', on('g', 'Lt', '1', '2'), 'Lt on "g" needs exactly one value, a whole number'],
    ['In without values', on('g', 'In'), 'In on "g" needs at least one value'],
    ['NotIn without values', on('g', 'NotIn'), 'NotIn on "g" needs at least one value'],
    ['Exists with values', on('g', 'Exists', 'x'), 'Exists on "g" takes no values'],
    ['an unknown operator', on('g', 'Is', 'x'), 'operator "Is" on "g" is not one of In, NotIn, Exists, DoesNotExist'],
    ['a key that is no key', on('a/b/c', 'Exists'), 'key "a/b/c" has more than one slash'],
    [
      'another field',
      fields({ key: 'metadata.uid', operator: 'In', values: ['x'] }),
      'field "metadata.uid" cannot be matched, only metadata.name',
    ],
    ['a field that exists', fields(named('Exists')), 'operator "Exists" on a field is not In or NotIn'],
    ['two names', fields(named('In', 'a', 'b')), 'In on field "metadata.name" needs exactly one value'],
    ['no name', fields(named('NotIn')), 'NotIn on field "metadata.name" needs exactly one value'],
  ];
  for (const [text, tested, problem] of rows) {
    it(`${text}: ${problem ?? 'none'}`, () => {
      assert.equal(termProblem(tested), problem);
      // Asked twice, since answers are kept.
      assert.equal(termProblem(tested), problem);
    });
    if (problem === undefined) continue;
    it(`${text} matches nothing`, () => {
      assert.equal(matchesTerm(tested, node('n1', labels({ g: '5', 'a/b/c': '' }))), false);
    });
  }

  it('names are compared as they are, whatever characters they have', () => {
    assert.equal(matchesTerm(fields(named('In', 'ip-10-0-0-1.example.com')), node('ip-10-0-0-1.example.com')), true);
  });
});

describe('preferredWeight', () => {
  const n = node('n', labels({ key1: 'value1', key2: 'value2', key3: 'value3' }));
  const rows: readonly [text: string, parts: Part<Pod>[], weight: number][] = [
    ['WGT-1 no affinity', [], 0],
    ['WGT-2 affinity without node affinity', [apart('a=b', 'zone')], 0],
    ['WGT-3 only required affinity', [requiresNode(term('key1=value1'))], 0],
    ['WGT-4 one of two', [prefersNode(10, term('key1=value1')), prefersNode(5, term('key1=valueX'))], 10],
    ['all that match add up', [prefersNode(10, term('key1')), prefersNode(5, term('key2'))], 15],
    ['a broken term adds nothing', [prefersNode(10, on('key1', 'Gt', 'x')), prefersNode(5, term('key2'))], 5],
    ['an empty term adds nothing', [prefersNode(10, EMPTY)], 0],
    ['a name', [prefersNode(7, term('', 'n'))], 7],
    ['the sum ends with 32 bits', [prefersNode(2 ** 31 - 1, term('key1')), prefersNode(1, term('key2'))], 2 ** 31 - 1],
  ];
  for (const [text, parts, weight] of rows) {
    it(`${text}: ${weight}`, () => {
      assert.equal(preferredWeight(pod('p', ...parts).spec, n), weight);
    });
  }

  it('BWT-1..2 the best of several nodes is the largest weight', () => {
    const { spec } = pod('p', prefersNode(10, term('key1=value1')));
    const weights = [
      ['key2', 'key3'],
      ['key1', 'key2'],
    ].map((keys) =>
      Math.max(...keys.map((key) => preferredWeight(spec, node(key, labels({ [key]: key.replace('key', 'value') }))))),
    );
    assert.deepEqual(weights, [0, 10]);
  });
});
