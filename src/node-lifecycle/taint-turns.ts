import type { Cancel, Clock } from '../lib/clock.ts';
import { hasNoExecute, NOT_READY, UNREACHABLE } from './condition-taints.ts';
import { taintFor, type NodeHealth, type NodeHealthMap } from './node-health-map.ts';
import type { Written } from './write-node.ts';
import type { Grant, ZoneQueues } from './zone-queues.ts';

/** What deciding on NoExecute taints needs. */
export interface TaintTurnsParts {
  readonly nodes: NodeHealthMap;
  readonly zones: ZoneQueues;
  readonly clock: Clock;
  /** Asked to bring a node to its desired taints. */
  readonly write: (name: string) => void;
}

/** After a write that failed a node waits this long for its next turn, in ms. */
const RETRY_MS = 1_000;

/** Decides what the NoExecute taint of a node is to become, and whose turn it is: nodes are tainted at the rate of their zone. */
export class TaintTurns {
  readonly #parts: TaintTurnsParts;
  readonly #grants = new Map<string, Grant>();
  #cancel: Cancel = () => undefined;
  #isStopped = false;

  constructor(parts: TaintTurnsParts) {
    this.#parts = parts;
  }

  /** Whether a token was spent on the node whose write has not ended yet. */
  isGranted(name: string): boolean {
    return this.#grants.has(name);
  }

  /** After a look at a node: a taint that is new waits for its turn, everything else is written at once. */
  follow(entry: NodeHealth, now: number): void {
    const { nodes, zones, clock, write } = this.#parts;
    const node = nodes.view(entry.name)?.object;
    const key = taintFor(entry.current);
    const isTainted = node !== undefined && (hasNoExecute(node, NOT_READY) || hasNoExecute(node, UNREACHABLE));
    if (entry.current === 'absent' || !node) entry.desired = 'keep';
    else if (key === undefined || zones.untaints(entry.zone)) entry.desired = 'none';
    // An exchange of one for the other is outside of the rate, as in the reference.
    else if (isTainted) entry.desired = key;
    else if (!this.isGranted(entry.name)) {
      entry.desired = 'keep';
      const failedAt = entry.record?.seen.transitionAt ?? clock.wall();
      zones.add(entry.zone, { name: entry.name, since: now, failedAt }, now);
      return;
    }
    zones.remove(entry.name);
    if (isTainted) write(entry.name);
  }

  /** Lets through the nodes whose turn it is, and comes back when the next one's is. */
  grant(): void {
    const { nodes, zones, clock, write } = this.#parts;
    this.#cancel();
    if (this.#isStopped) return;
    const now = clock.now();
    for (const grant of zones.grant(now, (name) => isDown(nodes.entry(name)))) {
      const { name } = grant.waiting;
      const entry = nodes.entry(name);
      if (!entry) continue;
      this.#grants.set(name, grant);
      entry.desired = taintFor(entry.current) ?? 'keep';
      write(name);
    }
    const next = zones.nextAt(now);
    // A rounding of the bucket must not make this spin.
    if (next !== Infinity) this.#cancel = clock.schedule(Math.max(next, now + 1), () => this.grant());
  }

  /** The token of a node that was written. Differs from the reference: it is spent for a real write only. */
  settle(name: string, written: Written): void {
    const { nodes, zones, clock } = this.#parts;
    const grant = this.#grants.get(name);
    if (!grant) return;
    this.#grants.delete(name);
    if (written === 'tainted') return;
    const now = clock.now();
    const entry = nodes.entry(name);
    if (entry && entry.desired !== 'none') entry.desired = 'keep';
    zones.takeBack(grant, now, written === 'failed' && entry ? now + RETRY_MS : undefined);
    this.grant();
  }

  /** Lets nobody through any more. */
  stop(): void {
    this.#isStopped = true;
    this.#cancel();
  }
}

/** Whether the last pass has found the node not ready or unresponsive. */
export function isDown(entry: NodeHealth | undefined): boolean {
  return entry?.current === 'False' || entry?.current === 'Unknown';
}
