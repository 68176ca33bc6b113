const UNIT_NANOS: ReadonlyMap<string, bigint> = new Map([
  ['ns', 1n],
  ['us', 1_000n],
  // The two micro signs that Go accepts: U+00B5 and U+03BC.
  ['\u00b5s', 1_000n],
  ['\u03bcs', 1_000n],
  ['ms', 1_000_000n],
  ['s', 1_000_000_000n],
  ['m', 60_000_000_000n],
  ['h', 3_600_000_000_000n],
]);

/** The longest duration that Go can hold, about 292 years, in nanoseconds. */
const MAX_NANOS = 2n ** 63n - 1n;

const FRACTION_LIMIT = MAX_NANOS / 10n;

/**
 * Reads a duration in Go's syntax, such as `1h30m` or `-1.5s`, as milliseconds (a fraction where it is finer than one).
 * Undefined where Go's time.ParseDuration fails: no unit, unknown unit, no digits, spaces, beyond 292 years.
 * Source: https://pkg.go.dev/time#ParseDuration
 */
export function parseDuration(text: string): number | undefined {
  const negative = text.startsWith('-');
  const unsigned = negative || text.startsWith('+') ? text.slice(1) : text;
  if (unsigned === '0') return 0;
  const nanos = sumOfParts(unsigned);
  if (nanos === undefined || nanos > (negative ? MAX_NANOS + 1n : MAX_NANOS)) return undefined;
  // In two steps, so that whole milliseconds stay whole however long the duration is.
  const ms = Number(nanos / 1_000_000n) + Number(nanos % 1_000_000n) / 1e6;
  return negative && ms !== 0 ? -ms : ms;
}

/**
 * Writes milliseconds as Go's Duration.String does: `1h0m0s`, `5m30s`, `1.5s`, `250ms`, `0s`. Fractions are kept to the
 * nanosecond. Throws RangeError for what is not finite. Source: https://pkg.go.dev/time#Duration.String
 */
export function formatDuration(ms: number): string {
  const whole = Math.trunc(ms);
  const nanos = BigInt(whole) * 1_000_000n + BigInt(Math.round((ms - whole) * 1e6));
  if (nanos < 0n) return `-${formatNanos(-nanos)}`;
  return formatNanos(nanos);
}

function sumOfParts(text: string): bigint | undefined {
  const part = /(\d*)(?:\.(\d*))?([^.\d]+)/y;
  let total = 0n;
  let end = 0;
  while (end < text.length) {
    const match = part.exec(text);
    if (!match) return undefined;
    const nanos = partNanos(match[1] ?? '', match[2] ?? '', UNIT_NANOS.get(match[3] ?? ''));
    if (nanos === undefined) return undefined;
    total += nanos;
    end = part.lastIndex;
  }
  return end > 0 ? total : undefined;
}

function partNanos(whole: string, fraction: string, unit: bigint | undefined): bigint | undefined {
  if (unit === undefined || whole + fraction === '') return undefined;
  return BigInt(whole === '' ? '0' : whole) * unit + fractionNanos(fraction, unit);
}

/** In floating point as Go does it: `0.3333333333333333333h` is 20 minutes there, not one nanosecond less. */
function fractionNanos(digits: string, unit: bigint): bigint {
  let value = 0n;
  let scale = 1;
  for (const digit of digits) {
    if (value > FRACTION_LIMIT) break;
    value = value * 10n + BigInt(digit);
    scale *= 10;
  }
  return BigInt(Math.trunc(Number(value) * (Number(unit) / scale)));
}

function formatNanos(nanos: bigint): string {
  if (nanos === 0n) return '0s';
  if (nanos < 1_000n) return `${nanos.toString()}ns`;
  if (nanos < 1_000_000n) return `${decimal(nanos, 3)}\u00b5s`;
  if (nanos < 1_000_000_000n) return `${decimal(nanos, 6)}ms`;
  const minutes = nanos / 60_000_000_000n;
  const seconds = `${decimal(nanos % 60_000_000_000n, 9)}s`;
  if (minutes === 0n) return seconds;
  if (minutes < 60n) return `${minutes.toString()}m${seconds}`;
  return `${(minutes / 60n).toString()}h${(minutes % 60n).toString()}m${seconds}`;
}

/** `decimal(1_500n, 3)` is `1.5`: the value over 10^places, without trailing zeros. */
function decimal(value: bigint, places: number): string {
  const digits = value.toString().padStart(places + 1, '0');
  const fraction = digits.slice(-places).replace(/0+$/, '');
  return digits.slice(0, -places) + (fraction === '' ? '' : `.${fraction}`);
}
