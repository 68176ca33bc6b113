import assert from 'node:assert/strict';
import { DEFAULT_PROTECTIONS, EXTRA_PROTECTIONS } from '../../src/evictor/constraints/protections.ts';
import { hintFor } from '../../src/report/hints.ts';

describe('the setting that would change a refusal', () => {
  const limits = ['PerNode', 'PerNamespace', 'PerOwner', 'Total'].map((per) => `maxNoOfPodsToEvict${per}`);
  const strategies = [
    'LowNodeUtilization',
    'HighNodeUtilization',
    'RemoveDuplicates',
    'RemovePodsViolatingNodeAffinity',
  ];
  for (const by of [...DEFAULT_PROTECTIONS, ...EXTRA_PROTECTIONS, ...limits, ...strategies, 'nodeFit']) {
    it(`${by} has one`, () => {
      assert.match(hintFor(by) ?? '', /\w/);
    });
  }

  it('is not made up for others', () => {
    assert.equal(hintFor('AlreadyEvicted'), undefined);
  });
});
