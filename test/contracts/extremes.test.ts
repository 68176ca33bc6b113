import assert from 'node:assert/strict';
import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import type { LeafType } from '../../src/cluster/decode/decode-fields.ts';
import { fieldPaths } from '../builders/fields.ts';
import { POLICIES, type Extreme, type ExtremeCase } from './extremes.ts';

/** Far more than any of these cases takes, under whatever load; a loop without end takes longer. */
const LONGEST_MS = 120_000;

const MAX = 2 ** 63;
const NUMBERS = [0, 1, -1, 0.5, 2 ** 31 - 1, -(2 ** 31), 2 ** 53, 2 ** 53 - 1, MAX, -MAX, 1e300, -1e300, 5e-324];
const QUANTITIES = [
  '0',
  '-1',
  '1n',
  '100u',
  '1E',
  '8Ei',
  '-8Ei',
  '1e-300',
  '9007199254740992',
  '9223372036854775807',
].concat(...['9007199254740993', '1e400', '0.1', '-0', '3', '100', '1000000000']);
const TIMES = [
  '0000-01-01T00:00:00Z',
  '0001-01-01T00:00:00Z',
  '9999-12-31T23:59:59Z',
  '1970-01-01T00:00:00Z',
  '2026-01-15T09:00:00Z',
];
const TEXTS = ['0%', '100%', '-5%', '1000000000000000000000%', '1.5%', ''];

/** What a field of each type can hold at its ends. */
const VALUES = {
  number: NUMBERS,
  quantity: [...QUANTITIES, ...NUMBERS],
  time: TIMES,
  deadline: TIMES,
  'time-text': TIMES,
  'number-or-text': [...NUMBERS, ...TEXTS],
} satisfies Partial<Record<LeafType, readonly unknown[]>>;

const places = (Object.keys(VALUES) as (keyof typeof VALUES)[]).flatMap((type) =>
  fieldPaths(type).map((place) => ({ ...place, values: VALUES[type] as readonly unknown[] })),
);

const extreme: fc.Arbitrary<Extreme> = fc.constantFrom(...places).chain(({ kind, path, values }) =>
  fc.record({
    kind: fc.constant(kind),
    path: fc.constant(path),
    value: fc.constantFrom(...values),
    inAll: fc.boolean(),
  }),
);

const cases: fc.Arbitrary<ExtremeCase> = fc.record({
  extremes: fc.array(extreme, { minLength: 1, maxLength: 6 }),
  policy: fc.constantFrom(...POLICIES.keys()),
  setting: fc.option(fc.record({ at: fc.nat(30), value: fc.constantFrom(...NUMBERS, 100) }), { nil: undefined }),
});

/** A thread does not inherit what loads TypeScript. */
const LOADER = `
  import('tsx/esm/api').then(({ register }) => {
    register();
    return import(require('node:worker_threads').workerData);
  });
`;

describe('numbers and times at the ends of what they can be', () => {
  let worker: Worker | undefined;
  after(() => worker?.terminate());

  const decide = async (given: ExtremeCase): Promise<ReadonlyMap<string, string>> => {
    worker ??= new Worker(LOADER, { eval: true, workerData: join(import.meta.dirname, 'extremes-worker.ts') });
    worker.postMessage(given);
    const { signal, ...limit } = timeLimit();
    try {
      const [{ said, error }] = (await once(worker, 'message', { signal })) as [Answer];
      assert.equal(error, undefined);
      return said;
    } catch (error) {
      await worker.terminate();
      worker = undefined;
      throw error;
    } finally {
      limit.clear();
    }
  };

  it('are decided on in bounded time, and everything said about them has bounded numbers', async function () {
    this.timeout(600_000);
    await fc.assert(
      fc.asyncProperty(cases, async (given) => {
        for (const [what, text] of await decide(given)) assertBounded(text, what);
      }),
      { numRuns: Number(process.env['EXTREMES'] ?? 150), examples: HELD_UP },
    );
  });
});

/** Nodes with more cores than a double can count by one have held up LowNodeUtilization for ever. */
const HELD_UP: [ExtremeCase][] = ['9007199254740992', '1E', '8Ei'].map((value) => [
  {
    extremes: [{ kind: 'Node', path: ['status', 'allocatable', '{}'], value, inAll: false }],
    policy: 'the default',
    setting: undefined,
  },
]);

interface Answer {
  readonly said: ReadonlyMap<string, string>;
  readonly error?: string;
}

function timeLimit(): { readonly signal: AbortSignal; readonly clear: () => void } {
  const ended = new AbortController();
  const timer = setTimeout(() => ended.abort(new Error(`no answer within ${LONGEST_MS} ms`)), LONGEST_MS);
  return { signal: ended.signal, clear: () => clearTimeout(timer) };
}

function assertBounded(text: string, what: string): void {
  const strange =
    /.*(?:\bNaN\b|Infinity|undefined|(?<![\w.-])\d+(?:\.\d+)?e[+-]?\d+(?![\w-])|\d{35}|(?<=[ :])-0(?=[ ,%\n])).*/u.exec(
      text,
    );
  assert.equal(strange?.[0], undefined, what);
}
