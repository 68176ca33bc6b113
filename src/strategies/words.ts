/** `1 pod`, `2 pods`; `plural` where an s is not enough. */
export function counted(count: number, singular: string, plural = `${singular}s`): string {
  return `${count} ${count === 1 ? singular : plural}`;
}

/** The first few of a list, and how many are left out: `a, b, c and 4 more`. */
export function firstFew(items: readonly string[], few = 3): string {
  const shown = items.slice(0, few).join(', ');
  return items.length > few ? `${shown} and ${items.length - few} more` : shown;
}
