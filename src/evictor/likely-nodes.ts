import { compareText } from '../cluster/snapshot.ts';
import { seededRandom, type Random } from '../lib/random.ts';
import { isForeseeable, type Placement } from '../placement/fit.ts';
import { isReplaced, workloadKey } from './constraints/replicas.ts';
import type { Reservation } from './reservation.ts';

/** At most so many likely nodes are listed. */
export const MOST_LIKELY = 10;

/** More orders name hardly any other node. */
const MOST_ORDERS = 30;
/** Fewer say little. */
const FEWEST_ORDERS = 3;
/** Scores of a pod on a node that may be worked out, about a quarter of a second. */
const MOST_SCORES = 30_000;
/** Any seed will do, as long as it is always the same: equal plans get equal reports. */
const SEED = 1;

/** By reservation, the likely nodes of its replacement. */
export type LikelyNodes = ReadonlyMap<Reservation, readonly string[]>;

/**
 * Where replacements are likely to land when many pods are evicted at once. The plan foresees one after another, in its own
 * order; in the cluster they are created in any order, which of equal nodes the scheduler takes is chance, and victims may
 * be gone by then or not. So the scheduler is played in several such orders, and the nodes that the plan names are followed
 * by those that replacements of the same workload have taken, the most frequent first. Empty where one eviction leaves no
 * choice, or where playing would take too long for the size of plan and cluster.
 */
export function likelyNodesInAnyOrder(
  evictions: readonly Reservation[],
  placement: Placement,
  nodes: number,
): LikelyNodes {
  const orders = Math.min(MOST_ORDERS, Math.floor(MOST_SCORES / (evictions.length * nodes)));
  if (evictions.length < 2 || orders < FEWEST_ORDERS) return new Map();
  const random = seededRandom(SEED);
  const taken = new Map<string, Map<string, number>>();
  for (let order = 0; order < orders; order += 1) playOrder(evictions, { placement, random, taken, order });
  for (const { request, destination } of evictions) {
    placement.forget(request.pod);
    placement.assume(request.pod, destination);
  }
  return new Map(evictions.map((eviction) => [eviction, named(eviction, taken.get(workloadOf(eviction)))]));
}

interface Play {
  readonly placement: Placement;
  readonly random: Random;
  /** By workload and node, how often a replacement went there. */
  readonly taken: Map<string, Map<string, number>>;
  readonly order: number;
}

function playOrder(evictions: readonly Reservation[], { placement, random, taken, order }: Play): void {
  // In turn: every victim still terminates, every one is gone, some are.
  const gone = order % 3 === 0 ? 0 : order % 3 === 1 ? 1 : 0.5;
  for (const { request } of evictions) {
    placement.forget(request.pod);
    if (random() < gone) placement.remove(request.pod);
    else placement.assume(request.pod, undefined);
  }
  for (const eviction of shuffled(
    evictions.filter(({ request }) => isReplaced(request.pod)),
    random,
  )) {
    const { pod } = eviction.request;
    const { likely } = placement.predict(pod, eviction.scoring);
    placement.assume(pod, likely[Math.floor(random() * likely.length)]);
    const counts = taken.get(workloadOf(eviction)) ?? new Map<string, number>();
    taken.set(workloadOf(eviction), counts);
    for (const { name } of likely) counts.set(name, (counts.get(name) ?? 0) + 1 / likely.length);
  }
}

/** Replacements of one workload are alike: nobody can tell which of them stands for which victim. */
function workloadOf({ request: { pod } }: Reservation): string {
  return workloadKey(pod) ?? pod.uid;
}

/** Nodes of the plan come first; nothing is known about other schedulers. */
function named(
  { request, likelyNodes }: Reservation,
  taken: ReadonlyMap<string, number> = new Map(),
): readonly string[] {
  if (!isForeseeable(request.pod)) return likelyNodes;
  const others = [...taken].filter(([name]) => !likelyNodes.includes(name));
  others.sort(([a, m], [b, n]) => n - m || compareText(a, b));
  return [...likelyNodes, ...others.map(([name]) => name)].slice(0, MOST_LIKELY);
}

function shuffled<T>(items: readonly T[], random: Random): readonly T[] {
  const keyed = items.map((item) => ({ item, key: random() }));
  return keyed.sort((a, b) => a.key - b.key).map(({ item }) => item);
}
