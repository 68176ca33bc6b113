/** An exact amount in billionths of a unit, the finest that the API keeps. */
export interface Quantity {
  readonly nano: bigint;
}

const NANO_PER_UNIT = 1_000_000_000n;
const NANO_PER_MILLI = 1_000_000n;
const MAX_UNITS = 2n ** 63n - 1n;
const MAX_NANO = MAX_UNITS * NANO_PER_UNIT;

/** A decimal exponent beyond which nothing but the cap or the smallest amount can come out. */
const FAR = 60;

const DECIMAL_EXPONENTS: Readonly<Record<string, number>> = {
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
};

const BINARY_EXPONENTS: Readonly<Record<string, bigint>> = { Ki: 10n, Mi: 20n, Gi: 30n, Ti: 40n, Pi: 50n, Ei: 60n };

/** Sign, digits, fraction and suffix; what the suffix may be is decided afterwards. */
const SYNTAX = /^([+-]?)(\d*)(?:\.(\d*))?([eEinumkKMGTP]*(?:[+-]?\d*))$/;

/**
 * Reads a quantity as the API server does: `500m`, `1.5Gi`, `2e3`, `-1`, a plain JSON number. Undefined where it would
 * refuse the text. What is finer than a nano-unit is rounded away from zero; magnitudes end at 2^63-1 units.
 * Source: https://pkg.go.dev/k8s.io/apimachinery/pkg/api/resource#Quantity
 *
 * Differs from the reference: it applies the cap to Ki...Ei only and lets larger decimal amounts overflow when they are
 * read as integers; here every form is capped, as its documentation says.
 */
export function parseQuantity(value: string | number): Quantity | undefined {
  const text = String(value).trim();
  const match = text === '' ? null : SYNTAX.exec(text);
  if (!match) return undefined;
  const [, sign = '', whole = '', fraction = '', suffix = ''] = match;
  const magnitude = scaledNano(whole + fraction, fraction.length, suffix);
  if (magnitude === undefined) return undefined;
  const capped = magnitude > MAX_NANO ? MAX_NANO : magnitude;
  return { nano: sign === '-' ? -capped : capped };
}

/** Thousandths of a unit, rounded away from zero: the scheduler's measure of cpu. Exact up to 2^53. */
export function milliValue(quantity: Quantity): number {
  return Number(divideUp(quantity.nano, NANO_PER_MILLI));
}

/**
 * Units to a thousandth, rounded away from zero: the measure of bytes, pods and devices, since an API server stores nothing
 * finer of them. Whole units are exact up to 2^53.
 */
export function thousandths({ nano }: Quantity): number {
  return Number(nano / NANO_PER_UNIT) + Number(divideUp(nano % NANO_PER_UNIT, NANO_PER_MILLI)) / 1000;
}

/** The exact sum. */
export function addQuantities(a: Quantity, b: Quantity): Quantity {
  return { nano: a.nano + b.nano };
}

/** The amount without loss, in decimal suffixes (`1500m`, `2G`, `7n`); reads back as the same amount. */
export function formatQuantity(quantity: Quantity): string {
  if (quantity.nano === 0n) return '0';
  let exponent = -9;
  let amount = quantity.nano;
  while (amount % 1000n === 0n && exponent < 18) {
    amount /= 1000n;
    exponent += 3;
  }
  const suffix = Object.entries(DECIMAL_EXPONENTS).find(([, candidate]) => candidate === exponent)?.[0] ?? '';
  return `${amount.toString()}${suffix}`;
}

/** `digits` over 10^places times the suffix, in nano-units, rounded up; undefined for an unknown suffix. */
function scaledNano(digits: string, places: number, suffix: string): bigint | undefined {
  // The API server reads a lone suffix or sign as zero, too.
  const mantissa = BigInt(digits === '' ? '0' : digits);
  const binary = BINARY_EXPONENTS[suffix];
  if (binary !== undefined) return timesPowerOfTen(mantissa << binary, 9 - places);
  const exponent = DECIMAL_EXPONENTS[suffix] ?? writtenExponent(suffix);
  if (exponent === undefined) return undefined;
  return timesPowerOfTen(mantissa, exponent + 9 - places);
}

/** `e3`, `E-3`, `e+3`; undefined for anything else or what does not fit 64 bits. */
function writtenExponent(suffix: string): number | undefined {
  if (!/^[eE][+-]?\d+$/.test(suffix)) return undefined;
  const exponent = BigInt(suffix.slice(1).replace('+', ''));
  return exponent > MAX_UNITS || exponent < -MAX_UNITS - 1n ? undefined : Number(exponent);
}

function timesPowerOfTen(mantissa: bigint, exponent: number): bigint {
  if (mantissa === 0n) return 0n;
  if (exponent >= 0) return mantissa * 10n ** BigInt(Math.min(exponent, FAR));
  // A divisor longer than the mantissa leaves one nano-unit; there is no need to compute it.
  const digits = mantissa.toString().length;
  return -exponent > digits ? 1n : divideUp(mantissa, 10n ** BigInt(-exponent));
}

/** Division by a positive divisor, rounded away from zero. */
function divideUp(value: bigint, divisor: bigint): bigint {
  const quotient = value / divisor;
  if (value % divisor === 0n) return quotient;
  return value < 0n ? quotient - 1n : quotient + 1n;
}
