import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatQuantity, milliValue, parseQuantity, thousandths } from '../../src/cluster/amounts/quantity.ts';

const UNIT = 1_000_000_000n;
const MAX = (2n ** 63n - 1n) * UNIT;

describe('parseQuantity', () => {
  const rows: readonly [text: string | number, nano: bigint][] = [
    ['0', 0n],
    ['-0', 0n],
    ['000', 0n],
    ['0n', 0n],
    ['0.0', 0n],
    ['0Ki', 0n],
    ['100m', 100_000_000n],
    ['1', UNIT],
    ['+1', UNIT],
    ['-1', -UNIT],
    ['007', 7n * UNIT],
    ['1n', 1n],
    ['1u', 1_000n],
    ['1m', 1_000_000n],
    ['1k', 1_000n * UNIT],
    ['1M', 10n ** 6n * UNIT],
    ['1G', 10n ** 9n * UNIT],
    ['1T', 10n ** 12n * UNIT],
    ['1P', 10n ** 15n * UNIT],
    ['1E', 10n ** 18n * UNIT],
    ['1Ki', 1024n * UNIT],
    ['1Mi', 2n ** 20n * UNIT],
    ['1Gi', 2n ** 30n * UNIT],
    ['1Ti', 2n ** 40n * UNIT],
    ['1Pi', 2n ** 50n * UNIT],
    ['1Ei', 2n ** 60n * UNIT],
    ['1.5Gi', 3n * 2n ** 29n * UNIT],
    ['0.5', 500_000_000n],
    ['.5', 500_000_000n],
    ['5.', 5n * UNIT],
    ['1.G', 10n ** 9n * UNIT],
    ['0.001m', 1_000n],
    ['1e3', 1_000n * UNIT],
    ['1E3', 1_000n * UNIT],
    ['1e+3', 1_000n * UNIT],
    ['12.5e-1', 1_250_000_000n],
    ['1E-9', 1n],
    ['0.0000000001', 1n],
    ['-0.0000000001', -1n],
    ['1.0000000001', UNIT + 1n],
    ['1e-100', 1n],
    ['1e-9223372036854775808', 1n],
    ['0.3n', 1n],
    ['1.1Ki', 1_126_400_000_000n],
    ['0.0001Ki', 102_400_000n],
    ['0.000000000001Ki', 2n],
    ['9223372036854775807', MAX],
    ['9223372036854775808Ki', MAX],
    ['16Ei', MAX],
    ['8Ei', MAX],
    ['-16Ei', -MAX],
    ['1e19', MAX],
    ['1e400', MAX],
    ['100E', MAX],
    [' 1Gi ', 2n ** 30n * UNIT],
    ['m', 0n],
    ['Ki', 0n],
    ['-', 0n],
    ['.', 0n],
    [2, 2n * UNIT],
    [0.1, 100_000_000n],
    [-3, -3n * UNIT],
    [1e21, MAX],
    [1e-7, 100n],
  ];
  for (const [text, nano] of rows) {
    it(`${JSON.stringify(text)} is ${nano} nano-units`, () => {
      assert.deepEqual(parseQuantity(text), { nano });
    });
  }

  const refused: readonly (string | number)[] = [
    ...['', ' ', '1.1.M', '1+1.0M', '0.1mi', '0.1am', 'aoeu', '.5i', '1i', '-3.01i', '-3.01e-', '1 Gi', '1 G'],
    ...['1K', '1g', '1ki', '1KI', '1Kib', '1GiB', '1e', '1e1.5', '1e3k', '1ek', '--1', '+-1', '1-', '1+', '0x10'],
    ...['1_000', '1,5', '\u0661', 'Infinity', '1e9223372036854775808', '1constructor', '1%', NaN, Infinity],
  ];
  for (const text of refused) {
    it(`${typeof text === 'string' ? JSON.stringify(text) : String(text)} is refused`, () => {
      assert.equal(parseQuantity(text), undefined);
    });
  }

  const digits = fc.stringMatching(/^[0-9]{1,12}$/);
  const sign = fc.constantFrom('', '+', '-');

  it('with a decimal suffix is the written number with its point moved, cut after nine places and rounded up', () => {
    const shifts = {
      n: -9,
      u: -6,
      m: -3,
      '': 0,
      k: 3,
      M: 6,
      G: 9,
      T: 12,
      P: 15,
      E: 18,
      e0: 0,
      'e-4': -4,
      'E+2': 2,
      e7: 7,
    };
    const suffix = fc.constantFrom(...Object.entries(shifts));
    fc.assert(
      fc.property(fc.tuple(sign, digits, digits), suffix, ([minus, whole, fraction], [written, shift]) => {
        const expected = pointMoved(whole, fraction, shift);
        const actual = parseQuantity(`${minus}${whole}.${fraction}${written}`);
        assert.deepEqual(actual, { nano: minus === '-' ? -expected : expected });
      }),
      { numRuns: 500 },
    );
  });

  it('with a binary suffix is the written number times a power of two, rounded up', () => {
    const powers = { Ki: 10, Mi: 20, Gi: 30, Ti: 40, Pi: 50, Ei: 60 };
    const suffix = fc.constantFrom(...Object.entries(powers));
    fc.assert(
      fc.property(fc.tuple(sign, digits, digits), suffix, ([minus, whole, fraction], [written, power]) => {
        const numerator = BigInt(whole + fraction) * 2n ** BigInt(power) * UNIT;
        const denominator = 10n ** BigInt(fraction.length);
        const exact = (numerator + denominator - 1n) / denominator;
        const expected = exact > MAX ? MAX : exact;
        const actual = parseQuantity(`${minus}${whole}.${fraction}${written}`);
        assert.deepEqual(actual, { nano: minus === '-' ? -expected : expected });
      }),
      { numRuns: 500 },
    );
  });

  it('a JSON number is what its text is', () => {
    fc.assert(
      fc.property(fc.double({ noNaN: true, noDefaultInfinity: true }), (value) => {
        assert.deepEqual(parseQuantity(value), parseQuantity(String(value)));
        assert.notEqual(parseQuantity(value), undefined);
      }),
    );
  });
});

describe('milliValue and thousandths', () => {
  const rows: readonly [text: string, milli: number, units: number][] = [
    ['0', 0, 0],
    ['100m', 100, 0.1],
    ['1', 1_000, 1],
    ['1500m', 1_500, 1.5],
    ['1u', 1, 0.001],
    ['1001u', 2, 0.002],
    ['1n', 1, 0.001],
    ['999999999n', 1_000, 1],
    ['-1n', -1, -0.001],
    ['-1500m', -1_500, -1.5],
    ['1Gi', 1_073_741_824_000, 1_073_741_824],
    ['1.1Ki', 1_126_400, 1_126.4],
    ['4Ti', 4_398_046_511_104_000, 4_398_046_511_104],
    ['4398046511104100m', 4_398_046_511_104_100, 4_398_046_511_104.1],
    ['16Ei', 9_223_372_036_854_775_807_000, 9_223_372_036_854_775_807],
  ];
  for (const [text, milli, units] of rows) {
    it(`${text} is ${milli} thousandths, ${units} units`, () => {
      const quantity = parseQuantity(text)!;
      assert.deepEqual([milliValue(quantity), thousandths(quantity)], [milli, units]);
    });
  }

  it('are the nearest whole number not closer to zero', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -(2n ** 52n), max: 2n ** 52n }), (nano) => {
        const size = nano < 0n ? -nano : nano;
        for (const [value, step] of [
          [milliValue({ nano }), 1_000_000n],
          [Math.round(thousandths({ nano }) * 1000), 1_000_000n],
        ] as const) {
          const steps = BigInt(Math.abs(value)) * step;
          assert.ok(steps >= size && steps - size < step, `${value} steps of ${step} for ${nano}`);
          assert.equal(Math.sign(value), nano === 0n ? 0 : nano < 0n ? -1 : 1);
        }
      }),
    );
  });
});

describe('formatQuantity', () => {
  const rows: readonly [text: string, canonical: string][] = [
    ['0', '0'],
    ['1.5', '1500m'],
    ['1000m', '1'],
    ['2000', '2k'],
    ['1e9', '1G'],
    ['1Gi', '1073741824'],
    ['7n', '7n'],
    ['-0.1', '-100m'],
    ['5E', '5E'],
    ['16Ei', '9223372036854775807'],
  ];
  for (const [text, canonical] of rows) {
    it(`${text} is written ${canonical}`, () => {
      assert.equal(formatQuantity(parseQuantity(text)!), canonical);
    });
  }

  it('reads back as the same amount', () => {
    fc.assert(
      fc.property(fc.bigInt({ min: -MAX, max: MAX }), (nano) => {
        assert.deepEqual(parseQuantity(formatQuantity({ nano })), { nano });
      }),
    );
  });
});

/** Nano-units by moving the point in the text: the digits up to nine places, one more if anything is left behind. */
function pointMoved(whole: string, fraction: string, shift: number): bigint {
  const point = whole.length + shift + 9;
  const text = whole + fraction;
  const padded = point < 0 ? '0'.repeat(-point) + text : text.padEnd(point, '0');
  const kept = padded.slice(0, Math.max(point, 0));
  const left = padded.slice(Math.max(point, 0));
  const nano = BigInt(kept === '' ? '0' : kept) + (/[1-9]/.test(left) ? 1n : 0n);
  return nano > MAX ? MAX : nano;
}
