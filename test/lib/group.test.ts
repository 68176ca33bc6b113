import assert from 'node:assert/strict';
import { groupBy, groupByEach } from '../../src/lib/group.ts';

describe('groups', () => {
  it('keep the order of the items, and that of the keys', () => {
    const groups = groupBy(['bee', 'ant', 'bat', 'cat', 'asp'], (word) => word.charAt(0));
    assert.deepEqual(
      [...groups],
      [
        ['b', ['bee', 'bat']],
        ['a', ['ant', 'asp']],
        ['c', ['cat']],
      ],
    );
  });

  it('have an item once under each of its keys, and leave out one without keys', () => {
    const groups = groupByEach(['aba', 'bc', ''], (word) => word.split(''));
    assert.deepEqual(
      [...groups],
      [
        ['a', ['aba']],
        ['b', ['aba', 'bc']],
        ['c', ['bc']],
      ],
    );
  });
});
