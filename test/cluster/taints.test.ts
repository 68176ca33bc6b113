import type { Toleration } from '../../src/cluster/objects/terms.ts';
import assert from 'node:assert/strict';
import fc from 'fast-check';
import {
  formatTaint,
  isHardTaint,
  isTolerated,
  toleratesTaint,
  untoleratedTaint,
} from '../../src/cluster/rules/taints.ts';
import { parseTaint, parseToleration } from '../builders/cluster.ts';

function toleration(fields: Partial<Toleration>): Toleration {
  return { key: '', operator: '', value: '', effect: '', tolerationSeconds: undefined, ...fields };
}

describe('toleratesTaint (rule S7)', () => {
  const rows: readonly [text: string, toleration: Partial<Toleration>, taint: string, tolerated: boolean][] = [
    ['equal in all', { key: 'a', operator: 'Equal', value: '1', effect: 'NoSchedule' }, 'a=1:NoSchedule', true],
    ['no operator means Equal (SF-27)', { key: 'a', value: '1' }, 'a=1:NoSchedule', true],
    ['no operator, another value (SF-27)', { key: 'a', value: '1' }, 'a=2:NoSchedule', false],
    ['both values empty (SF-31)', { key: 'a', operator: 'Equal' }, 'a:NoSchedule', true],
    ['one value empty (SF-31)', { key: 'a', operator: 'Equal' }, 'a=x:NoSchedule', false],
    ['another key', { key: 'b', operator: 'Exists' }, 'a:NoSchedule', false],
    ['another effect', { key: 'a', operator: 'Exists', effect: 'NoExecute' }, 'a:NoSchedule', false],
    ['no effect matches all', { key: 'a', operator: 'Exists' }, 'a:NoExecute', true],
    ['PreferNoSchedule like the others', { key: 'a', operator: 'Exists' }, 'a:PreferNoSchedule', true],
    ['Exists needs no value', { key: 'a', operator: 'Exists' }, 'a=1:NoSchedule', true],
    ['no key with Exists matches all (SF-29)', { operator: 'Exists' }, 'b=2:NoExecute', true],
    ['no key with Exists and an effect', { operator: 'Exists', effect: 'NoSchedule' }, 'b=2:NoExecute', false],
    ['no key with Equal compares the value', { operator: 'Equal', value: '1' }, 'b=1:NoExecute', true],
    ['seconds do not matter (SF-30)', { key: 'a', operator: 'Exists', tolerationSeconds: 0 }, 'a:NoExecute', true],
    ['an unknown operator', { key: 'a', operator: 'exists' }, 'a:NoSchedule', false],
    ['Lt: the taint below the toleration', { key: 'a', operator: 'Lt', value: '10' }, 'a=9:NoSchedule', true],
    ['Lt: equal', { key: 'a', operator: 'Lt', value: '10' }, 'a=10:NoSchedule', false],
    ['Lt: above', { key: 'a', operator: 'Lt', value: '10' }, 'a=11:NoSchedule', false],
    ['Gt: the taint above the toleration', { key: 'a', operator: 'Gt', value: '-2' }, 'a=-1:NoSchedule', true],
    ['Gt: equal', { key: 'a', operator: 'Gt', value: '0' }, 'a=0:NoSchedule', false],
    ['Gt: below', { key: 'a', operator: 'Gt', value: '10' }, 'a=9:NoSchedule', false],
    ['a leading zero in the taint', { key: 'a', operator: 'Lt', value: '10' }, 'a=09:NoSchedule', false],
    ['a leading zero in the toleration', { key: 'a', operator: 'Gt', value: '01' }, 'a=9:NoSchedule', false],
    ['a plus', { key: 'a', operator: 'Lt', value: '+10' }, 'a=9:NoSchedule', false],
    ['minus zero', { key: 'a', operator: 'Lt', value: '10' }, 'a=-0:NoSchedule', false],
    ['a fraction', { key: 'a', operator: 'Lt', value: '10' }, 'a=9.5:NoSchedule', false],
    ['no number', { key: 'a', operator: 'Gt', value: '' }, 'a=9:NoSchedule', false],
    [
      'the ends of 64 bits',
      { key: 'a', operator: 'Gt', value: '-9223372036854775808' },
      'a=9223372036854775807:NoSchedule',
      true,
    ],
    ['beyond 64 bits', { key: 'a', operator: 'Lt', value: '9223372036854775808' }, 'a=1:NoSchedule', false],
    ['far beyond 64 bits', { key: 'a', operator: 'Gt', value: '1' }, `a=${'9'.repeat(30)}:NoSchedule`, false],
    ['Lt with another key', { key: 'b', operator: 'Lt', value: '10' }, 'a=9:NoSchedule', false],
  ];
  for (const [text, fields, taint, tolerated] of rows) {
    it(`${text}: ${tolerated ? 'tolerated' : 'not tolerated'}`, () => {
      assert.equal(toleratesTaint(toleration(fields), parseTaint(taint)), tolerated);
    });
  }

  it('Lt and Gt compare all 64-bit integers as numbers', () => {
    const int64 = fc.bigInt({ min: -(2n ** 63n), max: 2n ** 63n - 1n });
    fc.assert(
      fc.property(int64, int64, (inTaint, inToleration) => {
        const taint = { ...parseTaint('a:NoSchedule'), value: String(inTaint) };
        const answers = ['Lt', 'Gt'].map((operator) =>
          toleratesTaint(toleration({ operator, value: String(inToleration) }), taint),
        );
        assert.deepEqual(answers, [inTaint < inToleration, inTaint > inToleration]);
      }),
    );
  });
});

describe('untoleratedTaint', () => {
  const taints = ['a:PreferNoSchedule', 'b=1:NoSchedule', 'c:NoExecute'].map(parseTaint);

  it('is the first hard taint without a toleration; PreferNoSchedule never keeps away', () => {
    assert.deepEqual(untoleratedTaint([], taints), taints[1]);
    assert.deepEqual(untoleratedTaint([parseToleration('b')], taints), taints[2]);
    assert.deepEqual(untoleratedTaint([parseToleration('c')], taints), taints[1]);
  });

  it('is nothing where all are tolerated, by one or by several', () => {
    assert.equal(untoleratedTaint([parseToleration('')], taints), undefined);
    assert.equal(untoleratedTaint([parseToleration('b=1'), parseToleration('c:NoExecute')], taints), undefined);
    assert.equal(untoleratedTaint([], []), undefined);
  });
});

describe('isTolerated and isHardTaint', () => {
  it('one matching toleration is enough', () => {
    const taint = parseTaint('a=1:NoSchedule');
    const lists = [[], ['b'], ['b', 'a=1'], ['a=2']].map((texts) => texts.map(parseToleration));
    assert.deepEqual(
      lists.map((tolerations) => isTolerated(tolerations, taint)),
      [false, false, true, false],
    );
  });

  it('NoSchedule and NoExecute are hard', () => {
    const effects = ['NoSchedule', 'NoExecute', 'PreferNoSchedule', ''].map((effect) => parseTaint(`a:${effect}`));
    assert.deepEqual(effects.map(isHardTaint), [true, true, false, false]);
  });
});

describe('formatTaint', () => {
  it('leaves out an empty value', () => {
    const written = ['a=1:NoSchedule', 'a:NoExecute'];
    assert.deepEqual(
      written.map((text) => formatTaint(parseTaint(text))),
      written,
    );
  });
});
