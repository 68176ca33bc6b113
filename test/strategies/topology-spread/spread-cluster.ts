import type { Node } from '../../../src/cluster/objects/node.ts';
import type { Pod, SpreadConstraint } from '../../../src/cluster/objects/pod.ts';
import type { Snapshot } from '../../../src/cluster/snapshot.ts';
import * as given from '../../builders/cluster.ts';

/** The constraint of the tables: `c(2)` is key zone, maxSkew 2, DoNotSchedule, selector foo=bar. */
export function c(maxSkew: number, over: Partial<SpreadConstraint> = {}): given.Part<Pod> {
  return given.spreads('foo=bar', 'zone', { maxSkew, ...over });
}

/** The same by the key node. */
export function cn(maxSkew: number, over: Partial<SpreadConstraint> = {}): given.Part<Pod> {
  return given.spreads('foo=bar', 'node', { maxSkew, ...over });
}

/** A node of the tables, 2000m, 3000 bytes and 10 slots unless said, in a zone. */
export function inZone(name: string, zone: string, ...parts: readonly given.Part<Node>[]): Node {
  return given.node(name, given.sized(2000, 3000, 10), given.labels({ zone }), ...parts);
}

/** The tables' n1, n2, … in zoneA, zoneB, …. */
export function zones(count: number): readonly Node[] {
  return Array.from({ length: count }, (_, index) => inZone(`n${index + 1}`, `zone${'ABCDEF'.charAt(index)}`));
}

/** Some pods on one node. */
export interface Heap {
  readonly count: number;
  readonly on: string;
  readonly parts: readonly given.Part<Pod>[];
}

/** The tables' `2@n1{…}`. */
export function heap(count: number, on: string, ...parts: readonly given.Part<Pod>[]): Heap {
  return { count, on, parts };
}

/** The heaps' pods, of namespace ns1 and labelled foo=bar, named pod-0, pod-1, … throughout. */
export function podsOf(...heaps: readonly Heap[]): readonly Pod[] {
  const each = heaps.flatMap(({ count, on, parts }) => Array.from({ length: count }, () => ({ on, parts })));
  return each.map(({ on, parts }, index) => {
    const plain = [given.namespace('ns1'), given.labels({ foo: 'bar' }), given.asks(100, 0)];
    return given.pod(`pod-${index}`, ...plain, given.on(on), ...parts);
  });
}

/** A cluster of the tables. */
export function cluster(nodes: readonly Node[], ...heaps: readonly Heap[]): Snapshot {
  return given.snapshot(...nodes, ...podsOf(...heaps));
}

/** How uneven a constraint is, as the strategy says it. */
export interface Uneven {
  readonly count: number;
  /** `zone=zoneA`. */
  readonly at: string;
  readonly least: number;
  readonly emptiest: string;
  readonly maxSkew?: number;
  readonly selector?: string;
}

/** Why a pod is chosen: `is one of 3 pods matching foo=bar in zone=zoneA; zone=zoneB has 1, maxSkew is 1`. */
export function isOneOf({ count, at, least, emptiest, maxSkew = 1, selector = 'foo=bar' }: Uneven): string {
  return `is one of ${count} pods matching ${selector} in ${at}; ${emptiest} has ${least}, maxSkew is ${maxSkew}`;
}

/** `ns1/pod-0@n1 is one of …` for a move from zone A to zone B of the tables, 3 and 1 pods. */
export function fromAToB(name: string, count: number, least: number): string {
  return `ns1/${name}@n1 ${isOneOf({ count, at: 'zone=zoneA', least, emptiest: 'zone=zoneB' })}`;
}

/** That the strategy leaves a pod where it is. */
export function stays(place: string, why: string): string {
  return `ns1/${place} [RemovePodsViolatingTopologySpreadConstraint] ${why}`;
}

/** That a number of constraints hold. */
export function allHold(count = 1): readonly string[] {
  return [`no topology spread constraint is broken: ${count} constraint${count === 1 ? '' : 's'} checked`];
}
