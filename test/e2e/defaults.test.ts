import assert from 'node:assert/strict';
import { Decoder } from '../../src/cluster/decode/decode.ts';
import { DEFAULT_ROWS } from '../cluster/default-rows.ts';
import { onControlPlane } from './suite.ts';

onControlPlane('defaults that decode fills in', {}, (plane) => {
  for (const { field, bare, read, filled } of DEFAULT_ROWS) {
    it(field, async () => {
      const stored = await plane().create(bare);
      const decoded = new Decoder().decodeObject(stored, bare.kind);
      assert(decoded, 'the object is not read');
      assert.deepEqual(read(decoded.object), filled);
    });
  }
});
