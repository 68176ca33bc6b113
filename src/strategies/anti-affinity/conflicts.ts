import type { Pod } from '../../cluster/objects/pod.ts';
import { formatSelector, labelOf } from '../../cluster/rules/selectors.ts';
import { compareForEviction } from '../../cluster/rules/sorting.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import { groupByEach } from '../../lib/group.ts';
import type { AntiAffinityRule } from './rules.ts';

/** One rule that is broken in one topology domain: every carrier and every other forbidden pod there are a violation. */
export interface Conflict {
  /** For people: `app=web in kubernetes.io/hostname=n1`. */
  readonly what: string;
  readonly carriers: readonly Pod[];
  readonly forbidden: readonly Pod[];
}

/** Pods that are tied together by violations, in the order of eviction, and the conflicts among them. */
export interface ConflictGroup {
  readonly pods: readonly Pod[];
  readonly conflicts: readonly Conflict[];
}

/**
 * Where a rule is broken. A pod never breaks its own rule; identity is the UID, not the name.
 *
 * Differs from the reference: a node without the topology key is in no domain, so its pods break nothing, not even on
 * one node (rule T7).
 */
export function conflictsOf(rule: AntiAffinityRule, snapshot: Snapshot): readonly Conflict[] {
  const carriers = byDomain(rule.carriers, rule.topologyKey, snapshot);
  const forbidden = byDomain(rule.forbidden, rule.topologyKey, snapshot);
  const conflicts: Conflict[] = [];
  for (const [value, here] of carriers) {
    const others = forbidden.get(value) ?? [];
    if (others.length === 0 || new Set([...here, ...others]).size < 2) continue;
    const what = `${formatSelector(rule.selector) || 'every pod'} in ${rule.topologyKey}=${value}`;
    conflicts.push({ what, carriers: here, forbidden: others });
  }
  return conflicts;
}

/** Conflicts with a pod in common belong together; groups in the order of their first pods. */
export function groupConflicts(conflicts: readonly Conflict[]): readonly ConflictGroup[] {
  const byPod = groupByEach(conflicts, podsOf);
  const grouped = new Set<Conflict>();
  const groups: ConflictGroup[] = [];
  for (const conflict of conflicts) {
    if (!grouped.has(conflict)) groups.push(reachableFrom(conflict, byPod, grouped));
  }
  return groups.sort((a, b) => compareFirst(a.pods, b.pods));
}

function reachableFrom(
  start: Conflict,
  byPod: ReadonlyMap<Pod, readonly Conflict[]>,
  grouped: Set<Conflict>,
): ConflictGroup {
  const pods = new Set<Pod>();
  const conflicts = new Set([start]);
  // A Set that grows while it is walked is walked to its new end.
  for (const conflict of conflicts) {
    grouped.add(conflict);
    for (const pod of podsOf(conflict)) {
      if (pods.has(pod)) continue;
      pods.add(pod);
      for (const next of byPod.get(pod) ?? []) conflicts.add(next);
    }
  }
  return { pods: [...pods].sort(compareForEviction), conflicts: [...conflicts] };
}

function byDomain(pods: readonly Pod[], key: string, snapshot: Snapshot): ReadonlyMap<string, readonly Pod[]> {
  return groupByEach(pods, (pod) => {
    const node = snapshot.node(pod.nodeName);
    const value = node && labelOf(node.labels, key);
    return value === undefined ? [] : [value];
  });
}

function podsOf({ carriers, forbidden }: Conflict): ReadonlySet<Pod> {
  return new Set([...carriers, ...forbidden]);
}

function compareFirst([a]: readonly Pod[], [b]: readonly Pod[]): number {
  return a && b ? compareForEviction(a, b) : 0;
}
