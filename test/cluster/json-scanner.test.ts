import assert from 'node:assert/strict';
import fc from 'fast-check';
import { Incomplete, JsonProblem, JsonScanner, SLACK } from '../../src/cluster/bytes/json-scanner.ts';

describe('the JSON scanner', () => {
  it('passes over any JSON, to its very end', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 1, 4), (value, indent) => {
        const text = JSON.stringify([value], undefined, indent);
        assert.equal(scan(text), Buffer.byteLength(text));
      }),
    );
  });

  it('says Incomplete for every beginning of JSON, never that it is wrong', () => {
    fc.assert(
      fc.property(fc.jsonValue(), fc.constantFrom(0, 2), (value, indent) => {
        const bytes = Buffer.from(JSON.stringify([value], undefined, indent));
        for (let end = 0; end < bytes.length; end++) assert.equal(scan(bytes.subarray(0, end)), 'incomplete');
      }),
      { numRuns: 50 },
    );
  });

  it('is not misled by what stands behind the end', () => {
    for (const rest of ['"   ', '    ', '\\"""', '}]}]', '1234']) {
      for (const text of ['["a', '["a\\', '[ ', '[tr', '[12', '{"a', '{"a" ']) {
        const bytes = Buffer.concat([Buffer.from(text), Buffer.from([0]), Buffer.from(rest)]);
        assert.equal(scan(bytes, text.length), 'incomplete', `${text} before ${rest}`);
      }
    }
  });

  const wrong: readonly (readonly [text: string, problem: string, at: number])[] = [
    ['{"a" 1}', "':' must stand here", 5],
    ['{a: 1}', 'a key in double quotes must stand here', 1],
    ['{"a":1,}', 'a key in double quotes must stand here', 7],
    ['{"a":1 "b":2}', "',' or '}' must stand here", 7],
    ['[1 2]', "',' or ']' must stand here", 3],
    ['[1}', "',' or ']' must stand here", 2],
    ['[,]', 'a value must stand here', 1],
    ['[tru]', 'no JSON value', 1],
    ['[nul1]', 'no JSON value', 1],
    ["['a']", 'a value must stand here', 1],
    ['["a\nb"]', 'a string that does not end on its line', 3],
    ['["long enough to be read in words\nb"]', 'a string that does not end on its line', 33],
  ];
  for (const [text, problem, at] of wrong) {
    it(`finds what is wrong with ${JSON.stringify(text)}`, () => assert.deepEqual(scan(text), { problem, at }));
  }

  it('gives up on nesting that no object has, instead of running out of stack', () => {
    assert.deepEqual(scan('['.repeat(100_000)), { problem: 'nested too deeply', at: 501 });
  });
});

/** Passes over one value: where it ends, or what is wrong. */
function scan(given: string | Buffer, length?: number): unknown {
  const bytes = typeof given === 'string' ? Buffer.from(given) : given;
  const scanner = new JsonScanner();
  const padded = length === undefined ? Buffer.concat([bytes, Buffer.alloc(1 + SLACK)]) : bytes;
  scanner.moveTo(0, padded, length ?? bytes.length);
  try {
    scanner.skipValue();
    return scanner.pos;
  } catch (error) {
    if (error instanceof Incomplete) return 'incomplete';
    if (error instanceof JsonProblem) return { problem: error.message, at: error.at };
    throw error;
  }
}
