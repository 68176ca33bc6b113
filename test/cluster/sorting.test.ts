import assert from 'node:assert/strict';
import fc from 'fast-check';
import { compareByAge, compareForEviction, comparePods, PREFER_NO_EVICTION } from '../../src/cluster/rules/sorting.ts';
import { annotations, CREATED, createdAt, namespace, pod, priority, status, uid } from '../builders/cluster.ts';

const spared = annotations({ [PREFER_NO_EVICTION]: 'false' });

describe('compareForEviction (rule T3, 7.3)', () => {
  it('unset priority, lower priority, weaker service, not spared, namespace, name, UID', () => {
    const ordered = [
      pod('a', status({ qosClass: 'BestEffort' })),
      pod('b', status({ qosClass: 'Guaranteed' })),
      pod('c', priority(-5), status({ qosClass: 'Guaranteed' })),
      pod('d', priority(0), status({ qosClass: 'BestEffort' })),
      pod('e', priority(0), status({ qosClass: 'BestEffort' }), spared),
      pod('f', priority(0), status({ qosClass: 'Burstable' })),
      pod('g', priority(0), status({ qosClass: 'Guaranteed' }), namespace('a')),
      pod('A', priority(0), status({ qosClass: 'Guaranteed' }), namespace('b')),
      pod('a', priority(0), status({ qosClass: 'Guaranteed' }), namespace('b'), uid('1')),
      pod('a', priority(0), status({ qosClass: 'Guaranteed' }), namespace('b'), uid('2')),
      pod('h', priority(10)),
      pod('i', priority(2_000_000_000), spared),
    ];
    fc.assert(
      fc.property(fc.shuffledSubarray(ordered, { minLength: ordered.length }), (shuffled) => {
        assert.deepEqual(shuffled.toSorted(compareForEviction), ordered);
      }),
    );
  });

  it('is a total order', () => {
    const any = fc
      .tuple(
        fc.option(fc.constantFrom(-1, 0, 1), { nil: undefined }),
        fc.constantFrom('BestEffort', 'Burstable', 'Guaranteed'),
        fc.tuple(fc.boolean(), fc.constantFrom('x', 'y'), fc.constantFrom('p', 'q')),
      )
      .map(([number, qosClass, [isSpared, space, name]]) =>
        pod(
          name,
          namespace(space),
          status({ qosClass }),
          ...(number === undefined ? [] : [priority(number)]),
          ...(isSpared ? [spared] : []),
        ),
      );
    fc.assert(
      fc.property(any, any, any, (a, b, c) => {
        const sign = (x: typeof a, y: typeof a): number => Math.sign(compareForEviction(x, y));
        assert.equal(sign(a, b) + sign(b, a), 0);
        assert.equal(sign(a, a), 0);
        if (sign(a, b) <= 0 && sign(b, c) <= 0) assert.ok(sign(a, c) <= 0);
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('compareByAge', () => {
  it('SRT-2 nine pods, one a minute: oldest first', () => {
    const pods = Array.from({ length: 9 }, (_, minutes) =>
      pod(`p${minutes}`, createdAt(new Date(CREATED - minutes * 60_000).toISOString())),
    );
    const names = pods.toSorted(compareByAge).map(({ name }) => name);
    assert.deepEqual(names, ['p8', 'p7', 'p6', 'p5', 'p4', 'p3', 'p2', 'p1', 'p0']);
  });

  it('without a creation time first, equal times by namespace and name', () => {
    const unknown = { ...pod('z'), createdAt: undefined };
    const pods = [pod('b'), pod('a'), unknown, pod('c', namespace('a'))];
    const names = pods.toSorted(compareByAge).map(({ name }) => name);
    assert.deepEqual(names, ['z', 'c', 'a', 'b']);
  });
});

describe('comparePods', () => {
  it('compares code units, not letters of a language', () => {
    const names = ['a-b', 'a.b', 'a0', 'aa', 'B'].map((name) => pod(name)).toSorted(comparePods);
    assert.deepEqual(
      names.map(({ name }) => name),
      ['B', 'a-b', 'a.b', 'a0', 'aa'],
    );
  });
});
