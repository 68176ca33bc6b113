const RFC3339 = /^\d{4}-\d\d-\d\d[Tt]\d\d:\d\d:\d\d(\.\d+)?([Zz]|[+-]\d\d:\d\d)$/;

/**
 * A time of the API (RFC 3339, seconds or fractions) in milliseconds since the epoch; undefined where it is none. Finer
 * fractions, as Leases have them, are cut off.
 */
export function parseTime(text: string): number | undefined {
  if (!RFC3339.test(text)) return undefined;
  const ms = Date.parse(text.toUpperCase());
  return Number.isNaN(ms) ? undefined : ms;
}
