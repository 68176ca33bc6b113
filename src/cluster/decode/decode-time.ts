const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]([01]\d|2[0-3]):\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * A time of the API (RFC 3339, seconds or fractions) in milliseconds since the epoch; undefined where it is none, also for a
 * day that its month does not have. Finer fractions, as Leases have them, are cut off.
 */
export function parseTime(text: string): number | undefined {
  if (!RFC3339.test(text) || !isOnCalendar(text)) return undefined;
  const ms = Date.parse(text.toUpperCase());
  return Number.isNaN(ms) ? undefined : ms;
}

/** The engine takes the 30th of February for the 2nd of March. */
function isOnCalendar(text: string): boolean {
  const day = Number(text.slice(8, 10));
  return day <= 28 || new Date(`${text.slice(0, 10)}T00:00:00Z`).getUTCDate() === day;
}

const DAY = 86_400_000;

/**
 * The same for the form that nearly all times have, `2026-01-31T23:59:59Z`, straight from its bytes. Undefined for
 * everything else, which is not always wrong: ask `parseTime` then.
 */
export function secondsOf(bytes: Uint8Array, start: number, end: number): number | undefined {
  if (end - start !== 20 || bytes[start + 10] !== 84 || bytes[start + 19] !== 90) return undefined;
  const year = digits(bytes, start, 4);
  const month = digits(bytes, start + 5, 2);
  const day = digits(bytes, start + 8, 2);
  const hour = digits(bytes, start + 11, 2);
  const minute = digits(bytes, start + 14, 2);
  const second = digits(bytes, start + 17, 2);
  const dashes = bytes[start + 4] === 45 && bytes[start + 7] === 45;
  const colons = bytes[start + 13] === 58 && bytes[start + 16] === 58;
  // Days past the 28th of a month are left to the engine's own calendar.
  const plain = year >= 1970 && month >= 1 && month <= 12 && day >= 1 && day <= 28 && hour < 24 && minute < 60;
  if (!dashes || !colons || !plain || !(second < 60)) return undefined;
  return daysBefore(year, month) * DAY + (day - 1) * DAY + hour * 3_600_000 + minute * 60_000 + second * 1000;
}

/** The number that so many digits are, NaN if they are not digits. */
function digits(bytes: Uint8Array, start: number, count: number): number {
  let value = 0;
  for (let p = start; p < start + count; p++) {
    const digit = (bytes[p] ?? 0) - 48;
    if (digit < 0 || digit > 9) return Number.NaN;
    value = value * 10 + digit;
  }
  return value;
}

/** Days from 1970 to the first of a month. Counted in years that begin in March, so that the leap day comes last. */
function daysBefore(year: number, month: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const marchMonth = (month + 9) % 12;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + Math.floor((marchMonth * 153 + 2) / 5) - 719_468;
}
