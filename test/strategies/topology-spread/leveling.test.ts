import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  level,
  sources,
  targets,
  type Evenness,
  type Level,
} from '../../../src/strategies/topology-spread/leveling.ts';
import { bruteForce } from './brute-force.ts';

const free = (count: number): Level => ({ count, fixed: 0, closed: false });
const allFixed = (count: number): Level => ({ count, fixed: count, closed: false });
const closed = (count: number): Level => ({ count, fixed: 0, closed: true });

describe('topology spread: the fewest moves', () => {
  const examples: readonly (readonly [readonly number[], number, number])[] = [
    [[], 1, 0],
    [[2, 1], 1, 0],
    [[3, 1], 1, 1],
    [[5, 2], 1, 1],
    [[4, 0], 1, 2],
    [[2, 6], 2, 1],
    [[0, 1, 100], 1, 66],
    [[4, 3, 1], 1, 1],
    [[2, 5, 3, 8, 5, 7], 1, 5],
  ];
  for (const [counts, maxSkew, moves] of examples) {
    it(`rule T28: [${counts.join()}] with skew ${maxSkew} takes ${moves}`, () => {
      const plan = level(counts.map(free), { maxSkew, lowestIsZero: false });
      assert.deepEqual([plan.excess, plan.moves], [0, moves]);
    });
  }

  const obstacles: readonly (readonly [string, readonly Level[], Partial<Evenness>, readonly [number, number]])[] = [
    ['four that cannot go and three that can', [allFixed(4), free(3), free(1)], {}, [1, 1]],
    ['nothing is gained where another domain stays as high', [allFixed(3), free(3), free(1), free(1)], {}, [1, 0]],
    ['a domain that takes nobody keeps the others down', [free(4), closed(0), free(2)], {}, [3, 0]],
    ['fewer domains than minDomains: at most maxSkew each', [free(3), free(0)], { lowestIsZero: true }, [1, 1]],
    ['the same, when all of them are full', [free(2), free(2)], { lowestIsZero: true }, [1, 0]],
  ];
  for (const [name, levels, over, result] of obstacles) {
    it(name, () => {
      const plan = level(levels, { maxSkew: 1, lowestIsZero: false, ...over });
      assert.deepEqual([plan.excess, plan.moves], result);
    });
  }

  it('gets as near as any plan does, with as few moves', () => {
    fc.assert(
      fc.property(levels, evenness, (given, asked) => {
        const plan = level(given, asked);
        assert.deepEqual([plan.excess, plan.moves], bruteForce(given, asked));
      }),
      { numRuns: 1000 },
    );
  });

  it('leads to that by any of its sources and targets, one move at a time', () => {
    fc.assert(
      fc.property(levels, evenness, fc.infiniteStream(fc.nat()), (given, asked, choices) => {
        const goal = level(given, asked);
        let now: readonly Level[] = given;
        for (let left = goal.moves; left > 0; left--) {
          const plan = level(now, asked);
          assert.deepEqual([plan.excess, plan.moves], [goal.excess, left]);
          now = moved(now, pick(sources(now, plan), choices), pick(targets(now, plan, asked), choices));
        }
        assert.equal(level(now, asked).moves, 0);
      }),
      { numRuns: 500 },
    );
  });
});

const levels = fc.array(
  fc
    .record({ count: fc.nat({ max: 6 }), fixed: fc.nat({ max: 6 }), closed: fc.boolean() })
    .map(({ count, fixed, closed }) => ({ count, fixed: fixed > 3 ? 0 : Math.min(fixed, count), closed })),
  { minLength: 1, maxLength: 4 },
);
const evenness = fc.record({ maxSkew: fc.integer({ min: 1, max: 3 }), lowestIsZero: fc.boolean() });

function pick(from: readonly number[], choices: Iterator<number>): number {
  assert.notEqual(from.length, 0, 'a plan with moves has sources and targets');
  const choice = choices.next();
  return from[(choice.done ? 0 : choice.value) % from.length]!;
}

function moved(now: readonly Level[], from: number, to: number): readonly Level[] {
  return now.map((one, index) => ({ ...one, count: one.count - Number(index === from) + Number(index === to) }));
}
