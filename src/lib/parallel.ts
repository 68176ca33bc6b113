/** Runs something for each item, at most `workers` at the same time, started in order; resolves when all have ended. */
export async function eachInParallel<T>(
  items: readonly T[],
  workers: number,
  run: (item: T) => Promise<void>,
): Promise<void> {
  let next = 0;
  const work = async (): Promise<void> => {
    for (let item = items[next++]; item !== undefined; item = items[next++]) await run(item);
  };
  await Promise.all(Array.from({ length: Math.min(workers, items.length) }, work));
}
