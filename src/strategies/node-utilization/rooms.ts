import type { Node } from '../../cluster/node.ts';
import type { Pod, PodSpec } from '../../cluster/pod.ts';
import { requestsOf } from '../../cluster/requests.ts';
import { addResources, type Resources } from '../../cluster/resources.ts';
import { compareText } from '../../cluster/snapshot.ts';
import { formatTaint, untoleratedTaint } from '../../cluster/taints.ts';
import { cappedCapacity, percentOf } from './thresholds.ts';
import type { NodeUsage } from './usage.ts';
import { percentText } from './wording.ts';

/** One destination and what is left of it. */
interface Room {
  readonly node: Node;
  readonly capacity: Resources;
  /** Amounts up to which the stop rule counts (strategies.md 4.4). */
  readonly caps: Resources;
  used: Resources;
}

/** How a destination is filled: up to these percents, or whole where a resource has none. */
export interface Filling {
  readonly watched: readonly string[];
  readonly upper: Resources;
  /** Names a destination in messages: "node below the thresholds". */
  readonly noun: string;
}

/** The resource that keeps a pod from a destination, and how far it would go there, in percent. */
interface Obstacle {
  readonly name: string;
  readonly percent: number;
  readonly limit: number;
}

/**
 * The places where pods of this run may go, filled as evictions are granted, so that one free place justifies one
 * eviction (strategies.md 18.2, numbers 4 and 9). A node with more requested than it has takes nothing (18.3).
 */
export class Rooms {
  readonly #rooms: readonly Room[];
  readonly #filling: Filling;
  readonly #bySpec = new Map<PodSpec, readonly Room[]>();

  /** Destinations in the order of their names, whatever the order given. */
  constructor(nodes: readonly NodeUsage[], filling: Filling) {
    this.#filling = filling;
    this.#rooms = nodes
      .filter(({ used, capacity }) => filling.watched.every((name) => (used[name] ?? 0) <= (capacity[name] ?? 0)))
      .map(({ node, capacity, used }) => ({
        node,
        capacity,
        used,
        caps: cappedCapacity(capacity, filling.upper, filling.watched),
      }))
      .sort((a, b) => compareText(a.node.name, b.node.name));
  }

  /** Why nothing more can go: a watched resource of which all destinations together have nothing left (4.4). */
  get exhausted(): string | undefined {
    const { noun, watched } = this.#filling;
    if (this.#rooms.length === 0) return `on every ${noun} more is in use than there is`;
    const name = watched.find((resource) => this.#left(resource) <= 0);
    return name && `no ${noun} has room left for ${name}`;
  }

  /** Destinations that tolerate the pod, have what it asks for, and stay within their bounds with it, by name. */
  for(pod: Pod, load: Resources): readonly Node[] {
    return this.#open(pod)
      .filter((room) => this.#obstacle(room, load) === undefined)
      .map((room) => room.node);
  }

  /** Why `for` has no answer; completes "pod X …", told of the destination that comes closest. */
  refusal(pod: Pod, load: Resources): string {
    const blocked = this.#open(pod).flatMap((room) => {
      const obstacle = this.#obstacle(room, load);
      return obstacle ? [{ node: room.node, obstacle }] : [];
    });
    if (blocked.length === 0) return this.#closed(pod);
    const { node, obstacle } = blocked.reduce((best, next) =>
      overshoot(next.obstacle) < overshoot(best.obstacle) ? next : best,
    );
    const level = `${obstacle.name} ${percentText(obstacle.percent)}`;
    return obstacle.percent > 100
      ? `has no room on any ${this.#filling.noun}: ${node.name}, the closest, would be at ${level}`
      : `would lift every ${this.#filling.noun} over its target: ${node.name}, the closest, to ${level} > ${percentText(obstacle.limit)}`;
  }

  /** The emptiest of these destinations once the pod is there, by name among equals: the guess where nobody knows. */
  emptiest(nodes: readonly Node[], load: Resources): Node | undefined {
    const names = new Set(nodes.map((node) => node.name));
    const ranked = this.#rooms
      .filter((room) => names.has(room.node.name))
      .map((room) => ({ node: room.node, level: this.#level(room, load) }));
    return ranked.sort((a, b) => a.level - b.level || compareText(a.node.name, b.node.name))[0]?.node;
  }

  /** Counts the load on the destination from now on; one that is no destination of this run is nothing to count. */
  fill(node: Node | undefined, load: Resources): void {
    const room = this.#rooms.find((candidate) => candidate.node.name === node?.name);
    if (room) room.used = addResources(room.used, load);
  }

  #left(name: string): number {
    return this.#rooms.reduce((left, room) => left + (room.caps[name] ?? 0) - (room.used[name] ?? 0), 0);
  }

  #level(room: Room, load: Resources): number {
    return Math.max(
      ...this.#filling.watched.map((name) =>
        percentOf((room.used[name] ?? 0) + (load[name] ?? 0), room.capacity[name] ?? 0),
      ),
    );
  }

  #open(pod: Pod): readonly Room[] {
    let open = this.#bySpec.get(pod.spec);
    if (!open) {
      open = this.#rooms.filter((room) => closedBy(pod, room) === undefined);
      this.#bySpec.set(pod.spec, open);
    }
    return open;
  }

  #closed(pod: Pod): string {
    const { noun } = this.#filling;
    const [first, ...others] = this.#rooms;
    if (!first) return `cannot go anywhere: on every ${noun} more is in use than there is`;
    const example = `${first.node.name} ${closedBy(pod, first) ?? 'is closed to it'}`;
    return `cannot go to any ${noun}: ${example}${others.length > 0 ? `, as one of ${others.length + 1}` : ''}`;
  }

  #obstacle(room: Room, load: Resources): Obstacle | undefined {
    for (const name of this.#filling.watched) {
      const added = load[name] ?? 0;
      if (added === 0) continue;
      const used = (room.used[name] ?? 0) + added;
      const whole = room.capacity[name] ?? 0;
      const limit = this.#filling.upper[name] ?? 100;
      if (used > whole || percentOf(used, whole) > limit) {
        return { name, percent: whole > 0 ? (used / whole) * 100 : Infinity, limit };
      }
    }
    return undefined;
  }
}

function overshoot(obstacle: Obstacle): number {
  return obstacle.percent - obstacle.limit;
}

/** Taints as strategies.md 18.3 (each NoSchedule or NoExecute taint is tolerated), and resources the node lacks. */
function closedBy(pod: Pod, room: Room): string | undefined {
  const taint = untoleratedTaint(pod.spec.tolerations, room.node.taints);
  if (taint) return `has the taint ${formatTaint(taint)}, which it does not tolerate`;
  const lacking = Object.entries(requestsOf(pod.spec)).find(
    ([name, amount]) => amount > 0 && (room.capacity[name] ?? 0) <= 0,
  );
  return lacking && `has no ${lacking[0]}`;
}
