/** `1 pod`, `2 pods`; `plural` where an s is not enough. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** The first few of a list, and how many are left out: `a, b, c and 4 more`. */
export function firstFew(items: readonly string[], few = 3): string {
  const shown = items.slice(0, few).join(', ');
  return items.length > few ? `${shown} and ${items.length - few} more` : shown;
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
  ['s', 1],
] as const;

/** Whole seconds for people, exact, with days: `5896d1h`, `9m55s`, `0s`. */
export function formatSeconds(seconds: number): string {
  let rest = seconds;
  const parts = UNITS.map(([unit, size]) => {
    const count = Math.floor(rest / size);
    rest -= count * size;
    return count > 0 ? `${count}${unit}` : '';
  });
  return parts.join('') || '0s';
}
