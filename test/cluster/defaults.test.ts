import assert from 'node:assert/strict';
import { FieldReader } from '../../src/cluster/bytes/decode-bytes.ts';
import { FIELDS, type FieldsOf, type ReadKind } from '../../src/cluster/decode/decode-table.ts';
import { Decoder, type Decoded } from '../../src/cluster/decode/decode.ts';
import { SLACK } from '../../src/cluster/bytes/json-scanner.ts';
import { DEFAULT_ROWS, type Bare } from './default-rows.ts';

describe('decode: what an API server fills in is filled in', () => {
  for (const { field, bare, read, filled } of DEFAULT_ROWS) {
    it(field, () => {
      for (const decoded of [new Decoder().decodeObject(bare), fromBytes(bare)]) {
        assert(decoded, 'the object is not read');
        assert.deepEqual(read(decoded.object), filled);
      }
    });
  }
});

function fromBytes(bare: Bare): Decoded | undefined {
  const decoder = new Decoder();
  const reader = new FieldReader(decoder.interner);
  const content = Buffer.from(JSON.stringify(bare));
  reader.moveTo(0, Buffer.concat([content, Buffer.alloc(1 + SLACK)]), content.length);
  const fields = reader.read<FieldsOf<ReadKind>>(FIELDS[bare.kind]);
  return fields && decoder.decodeFields(bare.kind, fields);
}
