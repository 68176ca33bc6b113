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
});
