import assert from 'node:assert/strict';
import { destinationText } from '../../src/report/words.ts';
import { on, pod } from '../builders/cluster.ts';
import { eviction } from './samples.ts';

describe('where an evicted pod can go, in words', () => {
  const rows: readonly [string, number, readonly string[], string][] = [
    ['one node', 1, ['n2'], 'fits on 1 node, likely n2'],
    ['three of many are named', 9, ['n2', 'n3', 'n4', 'n5', 'n6'], 'fits on 9 nodes, likely n2, n3, n4 or 2 more'],
    ['its own node may be likely, too', 2, ['n1', 'n2'], 'fits on 2 nodes, likely n1 again, n2'],
    ['nothing is known about its scheduler', 2, [], 'fits on 2 nodes'],
    ['no other node takes it', 0, ['n1'], 'fits on no other node, likely n1 again'],
    ['no node takes it', 0, [], 'fits on no other node'],
  ];
  for (const [name, destinations, likelyNodes, text] of rows) {
    it(name, () => {
      assert.equal(destinationText(eviction(pod('web', on('n1')), { destinations, likelyNodes })), text);
    });
  }
});
