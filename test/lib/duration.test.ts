import assert from 'node:assert/strict';
import fc from 'fast-check';
import { formatDuration, parseDuration } from '../../src/lib/duration.ts';

const MS = { ns: 1e-6, us: 1e-3, ms: 1, s: 1_000, m: 60_000, h: 3_600_000 };

describe('parseDuration', () => {
  const rows: readonly [text: string, ms: number][] = [
    ['0', 0],
    ['-0', 0],
    ['+0', 0],
    ['0s', 0],
    ['5s', 5_000],
    ['+5s', 5_000],
    ['-5s', -5_000],
    ['1478s', 1_478_000],
    ['5.0s', 5_000],
    ['5.6s', 5_600],
    ['5.s', 5_000],
    ['.5s', 500],
    ['-.5s', -500],
    ['1.004s', 1_004],
    ['100.00100s', 100_001],
    ['10ns', 0.00001],
    ['11us', 0.011],
    ['12\u00b5s', 0.012],
    ['12\u03bcs', 0.012],
    ['13ms', 13],
    ['14s', 14_000],
    ['15m', 900_000],
    ['16h', 57_600_000],
    ['3h30m', 12_600_000],
    ['10.5s4m', 250_500],
    ['-2m3.4s', -123_400],
    ['1h2m3s4ms5us6ns', 3_723_004.005006],
    ['39h9m14.425s', 140_954_425],
    ['0.3333333333333333333h', 1_200_000],
    ['0.9223372036854775807h', 3_320_413.933267],
    ['0.100000000000000000000h', 360_000],
    ['9223372036854775807ns', 9223372036854.775807],
    ['-9223372036854775808ns', -9223372036854.775808],
    ['2540400h10m10.000000000s', 9_145_440_610_000],
  ];
  for (const [text, ms] of rows) {
    it(`${text} is ${ms} ms`, () => {
      assert.equal(parseDuration(text), ms);
    });
  }

  const refused: readonly [text: string, why: string][] = [
    ['', 'empty'],
    ['3', 'no unit'],
    ['-', 'a sign alone'],
    ['s', 'no number'],
    ['.', 'no digit'],
    ['-.', 'no digit'],
    ['.s', 'no digit'],
    ['+.s', 'no digit'],
    ['1d', 'days are no unit'],
    ['1H', 'units are lower-case'],
    ['1w', 'weeks are no unit'],
    ['1 h', 'a space inside'],
    [' 1h', 'a space before'],
    ['1h ', 'a space after'],
    ['1h-5m', 'a sign inside'],
    ['--1h', 'two signs'],
    ['1.2.3s', 'two points'],
    ['1h5', 'the last part has no unit'],
    ['constructor', 'no number'],
    ['1constructor', 'unknown unit'],
    ['3000000h', 'beyond 292 years'],
    ['9223372036854775808ns', 'one nanosecond too long'],
    ['-9223372036854775809ns', 'one nanosecond too long'],
    ['9223372036854775.808us', 'one nanosecond too long'],
  ];
  for (const [text, why] of refused) {
    it(`${JSON.stringify(text)} is refused: ${why}`, () => {
      assert.equal(parseDuration(text), undefined);
    });
  }

  it('is the sum of its parts, whatever their order', () => {
    const part = fc.tuple(fc.nat(10_000), fc.constantFrom('ms', 's', 'm', 'h'));
    fc.assert(
      fc.property(fc.array(part, { minLength: 1, maxLength: 6 }), fc.constantFrom('', '+', '-'), (parts, sign) => {
        const sum = parts.reduce((total, [count, unit]) => total + count * MS[unit], 0);
        const text = sign + parts.map(([count, unit]) => `${count}${unit}`).join('');
        assert.equal(parseDuration(text), sign === '-' && sum !== 0 ? -sum : sum);
      }),
    );
  });

  it('a fraction moves the point and nothing else', () => {
    fc.assert(
      fc.property(fc.nat(1_000_000), fc.nat(999), (whole, thousandths) => {
        const text = `${whole}.${String(thousandths).padStart(3, '0')}s`;
        assert.equal(parseDuration(text), whole * 1_000 + thousandths);
      }),
    );
  });

  it('reads exactly the texts of the grammar', () => {
    const grammar = /^[-+]?(0|((\d+\.?\d*|\.\d+)(ns|us|ms|s|m|h))+)$/;
    const piece = fc.constantFrom('1', '0', '25', '.', '-', '+', 'h', 'm', 's', 'ms', 'us', 'ns', 'd', ' ');
    fc.assert(
      fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
        const text = pieces.join('');
        // Five of the longest numbers at most, so that no text is refused for its length.
        fc.pre(!/\d{7}/.test(text));
        assert.equal(parseDuration(text) !== undefined, grammar.test(text));
      }),
      { numRuns: 1_000 },
    );
  });
});

describe('formatDuration', () => {
  const rows: readonly [ms: number, text: string][] = [
    [0, '0s'],
    [-0, '0s'],
    [0.000001, '1ns'],
    [0.0011, '1.1\u00b5s'],
    [2.2, '2.2ms'],
    [250, '250ms'],
    [1_000, '1s'],
    [3_300, '3.3s'],
    [60_000, '1m0s'],
    [245_000, '4m5s'],
    [245_001, '4m5.001s'],
    [330_000, '5m30s'],
    [3_600_000, '1h0m0s'],
    [18_367_001, '5h6m7.001s'],
    [-330_000, '-5m30s'],
    [-0.5, '-500\u00b5s'],
    [480_000.000001, '8m0.000000001s'],
    [9_145_440_610_001, '2540400h10m10.001s'],
  ];
  for (const [ms, text] of rows) {
    it(`${ms} ms are ${text}`, () => {
      assert.equal(formatDuration(ms), text);
    });
  }

  it('what is not finite has no text', () => {
    assert.throws(() => formatDuration(Infinity), RangeError);
    assert.throws(() => formatDuration(NaN), RangeError);
  });

  it('reads back as the same duration', () => {
    const far = 250 * 365 * 24 * MS.h;
    fc.assert(
      fc.property(fc.integer({ min: -far, max: far }), (ms) => {
        assert.equal(parseDuration(formatDuration(ms)), ms);
      }),
    );
  });
});
