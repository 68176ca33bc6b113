import type { Labels } from '../cluster/objects/terms.ts';
import type { LifecycleOptions } from './options.ts';
import type { QueueMode } from './taint-queue.ts';

/** How much of a zone is down (https://kubernetes.io/docs/concepts/architecture/nodes/#rate-limits-on-eviction). */
export type ZoneState = 'Normal' | 'PartialDisruption' | 'FullDisruption';

/** Nodes of one zone that count, by readiness. */
export interface ZoneCount {
  readonly ready: number;
  readonly notReady: number;
}

/** A node with this label, whatever its value, is watched and tainted but does not count in its zone. */
const EXCLUSION_LABEL = 'node.kubernetes.io/exclude-disruption';

/** Whether the node counts in its zone. */
export function counts(labels: Labels): boolean {
  return labels[EXCLUSION_LABEL] === undefined;
}

/** Counts the nodes of each zone; a zone of which no node counts is there with zeros. */
export class ZoneTally {
  readonly counts = new Map<string, { ready: number; notReady: number }>();

  /** Adds a node of the zone; without labels only the zone itself. */
  add(zone: string, labels?: Labels, isReady = false): void {
    let count = this.counts.get(zone);
    if (!count) this.counts.set(zone, (count = { ready: 0, notReady: 0 }));
    if (!labels || !counts(labels)) return;
    if (isReady) count.ready++;
    else count.notReady++;
  }
}

/**
 * The zone of a node as `region:zone`, empty where the node has neither; the old labels win where they are present, even
 * empty. Label values contain no colon, so no two zones share a name, and unlike the reference's key
 * it can be printed.
 */
export function zoneOf(labels: Labels): string {
  const zone = labels['failure-domain.beta.kubernetes.io/zone'] ?? labels['topology.kubernetes.io/zone'] ?? '';
  const region = labels['failure-domain.beta.kubernetes.io/region'] ?? labels['topology.kubernetes.io/region'] ?? '';
  return zone === '' && region === '' ? '' : `${region}:${zone}`;
}

/** The state of a zone: at least three nodes must be down for a partial one. */
export function zoneState({ ready, notReady }: ZoneCount, unhealthyThreshold: number): ZoneState {
  if (ready === 0 && notReady > 0) return 'FullDisruption';
  if (notReady > 2 && notReady / (ready + notReady) >= unhealthyThreshold) return 'PartialDisruption';
  return 'Normal';
}

/** How fast nodes of a zone may be tainted, by its state and the options. */
export function zoneMode(state: ZoneState, { ready, notReady }: ZoneCount, options: LifecycleOptions): QueueMode {
  const { evictionRate, secondaryEvictionRate, largeClusterSizeThreshold } = options;
  if (state === 'PartialDisruption') {
    const isLarge = ready + notReady > largeClusterSizeThreshold;
    return options.partialDisruption === 'keep' && isLarge ? rate(secondaryEvictionRate) : BLOCKED;
  }
  if (state === 'FullDisruption' && options.fullDisruption !== 'normal') {
    return options.fullDisruption === 'stop' ? BLOCKED : rate(secondaryEvictionRate);
  }
  return rate(evictionRate);
}

/** The outcome of the evaluation before: no states at the start. */
export interface ZonesBefore {
  /** No node of any zone is ready. */
  readonly isFullDisruption: boolean;
  readonly states: ReadonlyMap<string, ZoneState>;
}

/** What an evaluation of all zones leads to. */
export interface ZonesVerdict extends ZonesBefore {
  /**
   * `enter`: no node of any zone is ready now, so the fault is likely on our side: block, then untaint everything. `leave`: one
   * is ready again. `stay`: still none, or nothing to count. `adjust`: each zone by itself.
   */
  readonly action: 'enter' | 'leave' | 'stay' | 'adjust';
}

/**
 * Compares the zones' states with those before. A zone of which no node counts has no state: it is forgotten; a zone without a
 * ready node that appears in a full disruption makes it be entered once more.
 *
 * Differs from the reference: a full disruption is remembered, not concluded from the zones that are left, so the last healthy
 * zone may vanish with its nodes and the others are still not tainted.
 */
export function judgeZones(
  before: ZonesBefore,
  zones: ReadonlyMap<string, ZoneCount>,
  unhealthyThreshold: number,
): ZonesVerdict {
  const counted = [...zones].filter(([, { ready, notReady }]) => ready + notReady > 0);
  const states = new Map(counted.map(([zone, count]) => [zone, zoneState(count, unhealthyThreshold)]));
  if (counted.length === 0) return { states, isFullDisruption: before.isFullDisruption, action: 'stay' };
  const isFullDisruption = counted.every(([zone]) => states.get(zone) === 'FullDisruption');
  if (!isFullDisruption) return { states, isFullDisruption, action: before.isFullDisruption ? 'leave' : 'adjust' };
  const isNew = !before.isFullDisruption || counted.some(([zone]) => !before.states.has(zone));
  return { states, isFullDisruption, action: isNew ? 'enter' : 'stay' };
}

const BLOCKED: QueueMode = { kind: 'blocked' };

function rate(perSecond: number): QueueMode {
  return perSecond > 0 ? { kind: 'rate', perSecond } : BLOCKED;
}
