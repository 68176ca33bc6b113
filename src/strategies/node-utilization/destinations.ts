import type { Node } from '../../cluster/objects/node.ts';
import type { Pod, PodSpec } from '../../cluster/objects/pod.ts';
import { requestsOf } from '../../cluster/amounts/requests.ts';
import type { Resources } from '../../cluster/amounts/resources.ts';
import { compareText } from '../../cluster/snapshot.ts';
import { formatTaint, untoleratedTaint } from '../../cluster/rules/taints.ts';
import { Destination, type Obstacle } from './destination.ts';
import type { NodeUsage } from './usage.ts';
import { label, percentText } from './wording.ts';

/** How destinations are filled: up to these percents, or whole where a resource has none. */
export interface Filling {
  readonly watched: readonly string[];
  readonly upper: Resources;
  /** Names a destination in messages: "node below the thresholds". */
  readonly noun: string;
}

/** Where the pods of one spec can go, as of the `seen`-th filling. */
interface FitAnswer {
  readonly open: readonly Destination[];
  load: Resources | undefined;
  destinations: readonly Destination[];
  nodes: readonly Node[];
  seen: number;
  refusal: { readonly load: Resources; readonly seen: number; readonly text: string } | undefined;
}

/**
 * The places where pods of this run may go, filled as evictions are granted, so that one free place justifies one
 * eviction (rules T8 and T19). A node with more requested than it has takes nothing (18.3).
 *
 * Rooms only ever get fuller, so the answer for a spec stays right but for the rooms filled since it was given.
 */
export class Destinations {
  readonly #destinations: readonly Destination[];
  readonly #byName: ReadonlyMap<string, Destination>;
  readonly #filling: Filling;
  /** What all rooms together have left, by the position of the resource in `watched` (rule T15). */
  readonly #left: number[];
  readonly #filled: Destination[] = [];
  readonly #answers = new Map<PodSpec, FitAnswer>();

  /** Destinations in the order of their names, whatever the order given. */
  constructor(nodes: readonly NodeUsage[], filling: Filling) {
    this.#filling = filling;
    this.#destinations = nodes
      .filter(({ used, capacity }) => filling.watched.every((name) => (used[name] ?? 0) <= (capacity[name] ?? 0)))
      .map((usage) => new Destination(usage, filling))
      .sort((a, b) => compareText(a.node.name, b.node.name));
    this.#byName = new Map(this.#destinations.map((room) => [room.node.name, room]));
    this.#left = filling.watched.map((_, place) =>
      this.#destinations.reduce((left, room) => left + room.left(place), 0),
    );
  }

  /** The destination of that name, if it is one. */
  room(name: string): Destination | undefined {
    return this.#byName.get(name);
  }

  /** Why nothing more can go: a watched resource of which all destinations together have nothing left (4.4). */
  get exhausted(): string | undefined {
    const { noun, watched } = this.#filling;
    if (this.#destinations.length === 0) return `on every ${noun} more is in use than there is`;
    const place = this.#left.findIndex((left) => left <= 0);
    return place < 0 ? undefined : `no ${noun} has room left for ${watched[place] ?? ''}`;
  }

  /** Destinations that tolerate the pod, have what it asks for, and stay within their bounds with it, by name. */
  for(pod: Pod, load: Resources): readonly Node[] {
    const answer = this.#answerFor(pod);
    if (answer.load !== load) settle(answer, answer.open, load);
    else if (this.#isFullSince(answer, load)) settle(answer, answer.destinations, load);
    answer.seen = this.#filled.length;
    return answer.nodes;
  }

  /** Why `for` has no answer; completes "pod X …", told of the destination that comes closest. */
  refusal(pod: Pod, load: Resources): string {
    const answer = this.#answerFor(pod);
    const { refusal } = answer;
    if (refusal?.load === load && refusal.seen === this.#filled.length) return refusal.text;
    const text = this.#refusal(pod, load);
    answer.refusal = { load, seen: this.#filled.length, text };
    return text;
  }

  /** The emptiest of these destinations once the pod is there, by name among equals: the guess where nobody knows. */
  emptiest(nodes: readonly Node[], load: Resources): Node | undefined {
    return nodes
      .flatMap((node) => this.#byName.get(node.name) ?? [])
      .map((room) => ({ node: room.node, level: room.level(load) }))
      .reduce<{ node: Node; level: number } | undefined>(
        (best, next) => (best && best.level <= next.level ? best : next),
        undefined,
      )?.node;
  }

  /** Counts the load on the destination from now on; false if it is none of this run. */
  fill(node: Node | undefined, load: Resources): boolean {
    const room = node && this.#byName.get(node.name);
    if (!room) return false;
    room.fill(load);
    this.#filled.push(room);
    this.#filling.watched.forEach((name, place) => (this.#left[place] = (this.#left[place] ?? 0) - (load[name] ?? 0)));
    return true;
  }

  #answerFor(pod: Pod): FitAnswer {
    let answer = this.#answers.get(pod.spec);
    if (!answer) {
      const open = this.#destinations.filter((room) => closedBy(pod, room) === undefined);
      answer = { open, load: undefined, destinations: [], nodes: [], seen: 0, refusal: undefined };
      this.#answers.set(pod.spec, answer);
    }
    return answer;
  }

  #isFullSince({ seen }: FitAnswer, load: Resources): boolean {
    for (let index = seen; index < this.#filled.length; index += 1) {
      if (this.#filled[index]?.obstacle(load)) return true;
    }
    return false;
  }

  #refusal(pod: Pod, load: Resources): string {
    const { noun } = this.#filling;
    const closest = this.#closest(this.#answerFor(pod).open, load);
    if (!closest) return this.#closed(pod);
    const { node, obstacle } = closest;
    const level = `${label(obstacle.name)} ${percentText(obstacle.percent)}`;
    return obstacle.percent > 100
      ? `has no room on any ${noun}: ${node.name}, the closest, would be at ${level}`
      : `would lift every ${noun} over its target: ${node.name}, the closest, to ${level} > ${percentText(obstacle.limit)}`;
  }

  #closest(destinations: readonly Destination[], load: Resources): { node: Node; obstacle: Obstacle } | undefined {
    let closest: { node: Node; obstacle: Obstacle } | undefined;
    for (const { node, obstacle } of destinations.map((room) => ({ node: room.node, obstacle: room.obstacle(load) }))) {
      if (obstacle && (!closest || obstacle.overshoot < closest.obstacle.overshoot)) closest = { node, obstacle };
    }
    return closest;
  }

  #closed(pod: Pod): string {
    const { noun } = this.#filling;
    const [first, ...others] = this.#destinations;
    if (!first) return `fits nowhere: on every ${noun} more is in use than there is`;
    const example = `${first.node.name} ${closedBy(pod, first) ?? 'is closed to it'}`;
    return `fits on no ${noun}: ${example}${others.length > 0 ? `, as one of ${others.length + 1}` : ''}`;
  }
}

function settle(answer: FitAnswer, candidates: readonly Destination[], load: Resources): void {
  answer.load = load;
  answer.destinations = candidates.filter((room) => room.obstacle(load) === undefined);
  answer.nodes = answer.destinations.map((room) => room.node);
}

/** Taints as rule T7 (each NoSchedule or NoExecute taint is tolerated), and resources the node lacks. */
function closedBy(pod: Pod, room: Destination): string | undefined {
  const taint = untoleratedTaint(pod.spec.tolerations, room.node.taints);
  if (taint) return `has the taint ${formatTaint(taint)}, which it does not tolerate`;
  const lacking = Object.entries(requestsOf(pod.spec)).find(
    ([name, amount]) => amount > 0 && (room.capacity[name] ?? 0) <= 0,
  );
  return lacking && `has no ${lacking[0]}`;
}
