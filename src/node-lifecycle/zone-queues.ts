import { compareText } from '../cluster/snapshot.ts';
import type { LifecycleOptions } from './options.ts';
import { TaintQueue, type QueueMode, type Waiting } from './taint-queue.ts';
import { judgeZones, zoneMode, type ZoneCount, type ZonesBefore, type ZonesVerdict, type ZoneState } from './zones.ts';

/** A zone as reports and gauges show it. */
export interface ZoneView extends ZoneCount {
  readonly zone: string;
  readonly state: ZoneState;
}

/** A node whose turn has come, and the token that was spent on it. */
export interface Grant {
  readonly zone: string;
  readonly waiting: Waiting;
}

const NO_COUNT: ZoneCount = { ready: 0, notReady: 0 };

/** All zones with their states and queues (https://kubernetes.io/docs/concepts/architecture/nodes/#rate-limits-on-eviction). Pure: the caller brings the time. */
export class ZoneQueues {
  readonly #options: LifecycleOptions;
  readonly #queues = new Map<string, TaintQueue>();
  /** In which zone's queue a node waits. */
  readonly #waitsIn = new Map<string, string>();
  #before: ZonesBefore = { isFullDisruption: false, states: new Map() };
  #counts: ReadonlyMap<string, ZoneCount> = new Map();

  constructor(options: LifecycleOptions) {
    this.#options = options;
  }

  /** Whether no node of any zone is ready: then nothing is tainted, and every readiness taint is removed. */
  get isFullDisruption(): boolean {
    return this.#before.isFullDisruption;
  }

  /** Zones of which a node counts, by name. */
  views(): readonly ZoneView[] {
    return [...this.#before.states]
      .map(([zone, state]) => ({ zone, state, ...(this.#counts.get(zone) ?? NO_COUNT) }))
      .sort((a, b) => compareText(a.zone, b.zone));
  }

  /** Whether readiness taints of this zone are to go and none may come. */
  untaints(zone: string): boolean {
    const isPartial = this.#before.states.get(zone) === 'PartialDisruption';
    return this.isFullDisruption || (isPartial && this.#options.partialDisruption === 'untaint');
  }

  /** Whether pods of this zone are to stay for now, though their time may be over. */
  pauses(zone: string): boolean {
    const state = this.#before.states.get(zone);
    if (state === 'PartialDisruption') return this.isFullDisruption || this.#options.partialDisruption !== 'keep';
    return this.isFullDisruption || (state === 'FullDisruption' && this.#options.fullDisruption === 'stop');
  }

  /** The states after a pass, from the counts of all zones with nodes (0 where none counts); sets every queue's mode. */
  evaluate(
    zones: ReadonlyMap<string, ZoneCount>,
    now: number,
  ): ZonesVerdict & { readonly changed: readonly ZoneView[] } {
    const before = this.#before;
    const verdict = judgeZones(before, zones, this.#options.unhealthyZoneThreshold);
    this.#before = { isFullDisruption: verdict.isFullDisruption, states: verdict.states };
    this.#counts = zones;
    this.#dropQueues(zones);
    for (const zone of zones.keys()) this.#queueOf(zone, now).setMode(this.#modeOf(zone), now);
    const changed = this.views().filter(({ zone, state }) => before.states.get(zone) !== state);
    return { ...verdict, changed };
  }

  /** Lets a node wait for its turn in its zone. One that waits already keeps its place. */
  add(zone: string, waiting: Waiting, now: number): void {
    if (this.#waitsIn.has(waiting.name)) return;
    this.#queueOf(zone, now).add(waiting);
    this.#waitsIn.set(waiting.name, zone);
  }

  /** Takes a waiting node along to the zone that it is in now; its place is that of its failure there. */
  move(name: string, zone: string, now: number): void {
    const waitsIn = this.#waitsIn.get(name);
    if (waitsIn === undefined || waitsIn === zone) return;
    const known = this.#queues.get(waitsIn)?.remove(name);
    if (known) this.#queueOf(zone, now).add(known);
    this.#waitsIn.set(name, zone);
  }

  /** A node that need not wait any more. */
  remove(name: string): void {
    const zone = this.#waitsIn.get(name);
    if (zone === undefined) return;
    this.#queues.get(zone)?.remove(name);
    this.#waitsIn.delete(name);
  }

  /** Takes out the nodes whose turn it is, zone by zone in order of name, spending a token on each that `needsTaint`. */
  grant(now: number, needsTaint: (name: string) => boolean): readonly Grant[] {
    const zones = [...this.#queues].sort(([a], [b]) => compareText(a, b));
    return zones.flatMap(([zone, queue]) => this.#grantIn({ zone, queue }, now, needsTaint));
  }

  /** When `grant` will next have something, in ms of the monotonic clock. */
  nextAt(now: number): number {
    let next = Infinity;
    for (const queue of this.#queues.values()) next = Math.min(next, queue.readyAt(now));
    return next;
  }

  /** Takes back a grant for which nothing was written: its token, and with `notBefore` (ms) its place in the queue. */
  takeBack({ zone, waiting }: Grant, now: number, notBefore?: number): void {
    const queue = this.#queues.get(zone);
    queue?.giveBack(now);
    if (!queue || notBefore === undefined) return;
    queue.retry(waiting, notBefore);
    this.#waitsIn.set(waiting.name, zone);
  }

  #grantIn(
    { zone, queue }: { readonly zone: string; readonly queue: TaintQueue },
    now: number,
    needsTaint: (name: string) => boolean,
  ): readonly Grant[] {
    const grants: Grant[] = [];
    for (let name = queue.ready(now); name !== undefined; name = queue.ready(now)) {
      this.#waitsIn.delete(name);
      if (!needsTaint(name)) queue.remove(name);
      else {
        const waiting = queue.take(name, now);
        if (waiting) grants.push({ zone, waiting });
      }
    }
    return grants;
  }

  #queueOf(zone: string, now: number): TaintQueue {
    const known = this.#queues.get(zone);
    if (known) return known;
    const queue = new TaintQueue(this.#modeOf(zone), now);
    this.#queues.set(zone, queue);
    return queue;
  }

  /** A zone of which no node counts is treated as a healthy one, unless no node of the others is ready. */
  #modeOf(zone: string): QueueMode {
    if (this.isFullDisruption) return { kind: 'blocked' };
    return zoneMode(this.#before.states.get(zone) ?? 'Normal', this.#counts.get(zone) ?? NO_COUNT, this.#options);
  }

  /** A zone without nodes is forgotten; nodes that waited in it have gone elsewhere, or are gone. */
  #dropQueues(zones: ReadonlyMap<string, ZoneCount>): void {
    for (const [zone, queue] of this.#queues) {
      if (zones.has(zone)) continue;
      for (const name of queue.names()) this.#waitsIn.delete(name);
      this.#queues.delete(zone);
    }
  }
}
