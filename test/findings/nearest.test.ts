import assert from 'node:assert/strict';
import fc from 'fast-check';
import { nearest } from '../../src/findings/nearest.ts';

const known = ['nodeFit', 'nodeSelector', 'minReplicas', 'minPodAge', 'labelSelector'];

describe('the nearest known word', () => {
  const rows: readonly (readonly [string, string | undefined])[] = [
    ['nodefit', 'nodeFit'],
    ['nodeFti', 'nodeFit'],
    ['nodeSelectr', 'nodeSelector'],
    ['labelSelectors', 'labelSelector'],
    ['minReplica', 'minReplicas'],
    ['x', undefined],
    ['selector', undefined],
    ['', undefined],
  ];
  for (const [word, expected] of rows)
    it(`"${word}" is ${expected ?? 'like none'}`, () => assert.equal(nearest(word, known), expected));

  it('any one change is found again', () => {
    fc.assert(
      fc.property(fc.constantFrom(...known), fc.nat(), fc.constantFrom('x', ''), (word, at, letter) => {
        const place = at % word.length;
        assert.equal(nearest(word.slice(0, place) + letter + word.slice(place + 1), known), word);
      }),
    );
  });

  it('agrees with the distance written out', () => {
    const text = fc.string({ unit: fc.constantFrom('a', 'b', 'c'), maxLength: 7 });
    fc.assert(
      fc.property(text, text, (a, b) => {
        const near = plainDistance(a, b) <= Math.max(1, Math.floor(a.length / 3));
        assert.equal(nearest(a, [b]), near ? b : undefined);
      }),
      { numRuns: 500 },
    );
  });
});

/** The same distance by its recursive definition. */
function plainDistance(a: string, b: string): number {
  if (a === '' || b === '') return a.length + b.length;
  const options = [
    plainDistance(a.slice(1), b) + 1,
    plainDistance(a, b.slice(1)) + 1,
    plainDistance(a.slice(1), b.slice(1)) + (a[0] === b[0] ? 0 : 1),
  ];
  if (a.length > 1 && b.length > 1 && a[0] === b[1] && a[1] === b[0])
    options.push(plainDistance(a.slice(2), b.slice(2)) + 1);
  return Math.min(...options);
}
