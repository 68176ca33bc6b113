/** One domain of a constraint, as the arithmetic sees it. */
export interface Level {
  /** Pods that count here now. */
  readonly count: number;
  /** Pods of them that cannot go; at most `count`. */
  readonly fixed: number;
  /** Whether no pod can come here. */
  readonly closed: boolean;
}

/** What a constraint asks of its domains. */
export interface Evenness {
  readonly maxSkew: number;
  /** Fewer domains than `minDomains`: the smallest count is 0, whatever it is (rule S15). */
  readonly lowestIsZero: boolean;
}

/** Where the fewest evictions lead: no domain below `floor` or, if it can be, above `ceiling`. */
export interface Leveling {
  /** By how much the constraint will still be exceeded; 0 if it will hold. */
  readonly excess: number;
  /** Evictions that this takes. */
  readonly moves: number;
  readonly floor: number;
  readonly ceiling: number;
  /** Pods above the ceiling, all of which have to go. */
  readonly surplus: number;
  /** Pods missing below the floor, all of which have to come. */
  readonly deficit: number;
}

/**
 * The smallest excess that evictions can reach, and the fewest evictions that reach it. With maxSkew 1, domains of 0, 1
 * and 100 pods come to 34, 33 and 34: 66 evictions. No domain is filled beyond the smallest one and maxSkew, since there
 * the scheduler takes nobody.
 *
 * A floor f means a ceiling f + maxSkew. The higher the floor, the fewer pods lie above the ceiling and the more are
 * missing below; the larger of the two numbers is that of the evictions, and it is smallest where they meet.
 */
export function level(levels: readonly Level[], evenness: Evenness): Leveling {
  const most = levels.reduce((max, { count }) => Math.max(max, count), 0);
  const plan = new LevelingPlan(levels, evenness, most);
  const excess = firstThat(0, most, (candidate) => plan.floors(candidate) !== undefined);
  const [low, high] = plan.floors(excess) ?? [0, 0];
  const balanced = firstThat(low, high, (floor) => {
    const { surplus, deficit } = plan.at(floor, excess);
    return surplus <= deficit;
  });
  const best = plan.at(balanced, excess);
  const before = balanced > low ? plan.at(balanced - 1, excess) : best;
  return before.moves <= best.moves ? before : best;
}

/** The domains that a plan may take from, largest first, ties in the given order: those that lie too high, if any do. */
export function sources(levels: readonly Level[], { floor, ceiling, surplus }: Leveling): readonly number[] {
  const bound = surplus > 0 ? ceiling : floor;
  const found = [...levels.keys()].filter((index) => {
    const { count, fixed } = levels[index] ?? NO_LEVEL;
    return count > Math.max(bound, fixed);
  });
  return found.sort((a, b) => (levels[b]?.count ?? 0) - (levels[a]?.count ?? 0) || a - b);
}

/** The domains that a plan may give to: those that lie too low, and as long as some moves are left over, others. */
export function targets(levels: readonly Level[], leveling: Leveling, { maxSkew }: Evenness): readonly number[] {
  const { floor, moves, deficit } = leveling;
  const bound = moves > deficit ? floor + maxSkew : floor;
  return [...levels.keys()].filter((index) => {
    const { count, closed } = levels[index] ?? NO_LEVEL;
    return !closed && count < bound;
  });
}

const NO_LEVEL: Level = { count: 0, fixed: 0, closed: true };

/** Domains that are alike. */
interface Group extends Level {
  readonly domains: number;
}

function groupsOf(levels: readonly Level[]): readonly Group[] {
  const groups = new Map<string, { -readonly [K in keyof Group]: Group[K] }>();
  for (const { count, fixed, closed } of levels) {
    const key = `${count} ${fixed} ${closed}`;
    const group = groups.get(key);
    if (group) group.domains += 1;
    else groups.set(key, { count, fixed, closed, domains: 1 });
  }
  return [...groups.values()];
}

class LevelingPlan {
  readonly #groups: readonly Group[];
  readonly #evenness: Evenness;
  readonly #most: number;
  readonly #sum: number;
  /** No ceiling lies lower. */
  readonly #mostFixed: number;
  /** No floor lies higher. */
  readonly #leastClosed: number;

  constructor(levels: readonly Level[], evenness: Evenness, most: number) {
    this.#groups = groupsOf(levels);
    this.#evenness = evenness;
    this.#most = most;
    this.#sum = this.#total(({ count }) => count);
    this.#mostFixed = this.#groups.reduce((max, { fixed }) => Math.max(max, fixed), 0);
    this.#leastClosed = this.#groups.reduce((min, { count, closed }) => (closed ? Math.min(min, count) : min), most);
  }

  /** The lowest and the highest floor with which all pods find a place; undefined if there is none. */
  floors(excess: number): readonly [number, number] | undefined {
    const { maxSkew, lowestIsZero } = this.#evenness;
    const highest = lowestIsZero ? 0 : this.#leastClosed;
    const low = firstThat(0, this.#most + 1, (floor) => {
      return floor + maxSkew + excess >= this.#mostFixed && this.#room(floor, excess) >= this.#sum;
    });
    const high = firstThat(0, highest + 1, (floor) => floor > highest || this.#held(floor) > this.#sum) - 1;
    return low <= high ? [low, high] : undefined;
  }

  at(floor: number, excess: number): Leveling {
    const ceiling = floor + this.#evenness.maxSkew + excess;
    const surplus = this.#total(({ count }) => Math.max(0, count - ceiling));
    const deficit = this.#total(({ count }) => Math.max(0, floor - count));
    return { excess, moves: Math.max(surplus, deficit), floor, ceiling, surplus, deficit };
  }

  /** How many pods have a place at most. */
  #room(floor: number, excess: number): number {
    const filled = floor + this.#evenness.maxSkew;
    return this.#total(({ count, closed }) => {
      if (count > filled + excess) return filled + excess;
      return closed ? count : Math.max(count, filled);
    });
  }

  /** How many pods are needed at least. */
  #held(floor: number): number {
    return this.#total(({ fixed }) => Math.max(fixed, floor));
  }

  #total(each: (level: Level) => number): number {
    return this.#groups.reduce((sum, group) => sum + group.domains * each(group), 0);
  }
}

/** The first number from `low` to `high` that passes, `high` if none before it does; once one passes, all above do. */
function firstThat(low: number, high: number, passes: (candidate: number) => boolean): number {
  let [from, to] = [low, high];
  while (from < to) {
    const middle = Math.floor((from + to) / 2);
    if (passes(middle)) to = middle;
    else from = middle + 1;
  }
  return from;
}
