/** The items by their keys; within a group they keep their order. */
export function groupBy<T, K = string>(items: Iterable<T>, key: (item: T) => K): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) add(groups, key(item), item);
  return groups;
}

/** The same where an item is in the group of each of its keys, if it has any; a key counts once for an item. */
export function groupByEach<T, K = string>(
  items: Iterable<T>,
  keys: (item: T) => readonly K[] | ReadonlySet<K>,
): ReadonlyMap<K, readonly T[]> {
  const groups = new Map<K, T[]>();
  for (const item of items) for (const key of new Set(keys(item))) add(groups, key, item);
  return groups;
}

function add<T, K>(groups: Map<K, T[]>, key: K, item: T): void {
  const group = groups.get(key);
  if (group) group.push(item);
  else groups.set(key, [item]);
}
