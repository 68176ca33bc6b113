import type { Evenness, Level } from '../../../src/strategies/topology-spread/leveling.ts';

/** Tries all ways to distribute the pods: the smallest excess, and the fewest moves to it. */
export function bruteForce(given: readonly Level[], asked: Evenness): readonly [number, number] {
  let best: readonly [number, number] = [Infinity, Infinity];
  const total = given.reduce((sum, { count }) => sum + count, 0);
  for (const counts of distributions(given.length, total)) {
    const lowest = asked.lowestIsZero ? 0 : Math.min(...counts);
    const isPossible = counts.every((count, index) => {
      const before = given[index]!;
      if (count <= before.count) return count >= before.fixed;
      return !before.closed && count <= lowest + asked.maxSkew;
    });
    if (!isPossible) continue;
    const excess = Math.max(0, Math.max(...counts) - lowest - asked.maxSkew);
    const moves = counts.reduce((sum, count, index) => sum + Math.max(0, given[index]!.count - count), 0);
    if (excess < best[0] || (excess === best[0] && moves < best[1])) best = [excess, moves];
  }
  return best;
}

function* distributions(domains: number, total: number): Generator<readonly number[]> {
  if (domains === 1) yield [total];
  else {
    for (let first = 0; first <= total; first++) {
      for (const rest of distributions(domains - 1, total - first)) yield [first, ...rest];
    }
  }
}
