import assert from 'node:assert/strict';
import fc from 'fast-check';
import { smallestCover } from '../../../src/strategies/anti-affinity/smallest-cover.ts';

describe('smallestCover', () => {
  it('is what trying every set finds: the fewest vertices, then the smallest number', () => {
    fc.assert(
      fc.property(graphs(), (neighbours) => {
        assert.equal(smallestCover(neighbours), byTryingAll(neighbours));
      }),
    );
  });

  it('answers at once for 16 vertices that are all at odds', () => {
    const all = 2 ** 16 - 1;
    const neighbours = Array.from({ length: 16 }, (_, vertex) => all & ~(1 << vertex));
    assert.equal(smallestCover(neighbours), 2 ** 15 - 1);
  });
});

function graphs(): fc.Arbitrary<readonly number[]> {
  return fc.integer({ min: 0, max: 9 }).chain((size) => {
    const vertex = fc.integer({ min: 0, max: Math.max(0, size - 1) });
    return fc.array(fc.tuple(vertex, vertex), { maxLength: size === 0 ? 0 : 20 }).map((edges) => {
      const neighbours = new Array<number>(size).fill(0);
      for (const [a, b] of edges.filter(([from, to]) => from !== to)) {
        neighbours[a] = (neighbours[a] ?? 0) | (1 << b);
        neighbours[b] = (neighbours[b] ?? 0) | (1 << a);
      }
      return neighbours;
    });
  });
}

function byTryingAll(neighbours: readonly number[]): number {
  const sets = Array.from({ length: 2 ** neighbours.length }, (_, set) => set);
  const covers = sets.filter((set) => neighbours.every((edges, vertex) => set & (1 << vertex) || (edges & ~set) === 0));
  const size = (set: number) => set.toString(2).replaceAll('0', '').length;
  return covers.sort((a, b) => size(a) - size(b) || a - b)[0] ?? 0;
}
