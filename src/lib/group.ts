/** The items by their keys; within a group they keep their order. */
export function groupBy<T>(items: Iterable<T>, key: (item: T) => string): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) add(groups, key(item), item);
  return groups;
}

/** The same where an item is in the group of each of its keys; a key counts once for an item. */
export function groupByEach<T>(
  items: Iterable<T>,
  keys: (item: T) => Iterable<string>,
): ReadonlyMap<string, readonly T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) for (const key of new Set(keys(item))) add(groups, key, item);
  return groups;
}

function add<T>(groups: Map<string, T[]>, key: string, item: T): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}
