import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { requestsOf, assignedRequests } from '../../src/cluster/amounts/requests.ts';
import type { After } from './course.ts';
import type { Recording } from './recording.ts';

const WATCHED = ['cpu', 'memory', 'pods'] as const;

type Used = Record<(typeof WATCHED)[number], number>;

/**
 * How full nodes are by requests, which of them give, which take, and up to where; said as plainly as possible. The groups
 * are those of the beginning, whatever moves.
 */
export class Levels {
  readonly #isHigh: boolean;
  readonly #nodes: readonly Node[];
  readonly #used = new Map<Node, Used>();
  readonly #first: ReadonlyMap<Node, Used>;
  readonly #lower: Used;
  readonly #upper: Used;
  /** Not cordoned ones below the thresholds, or for HighNodeUtilization the others. */
  readonly destinations: readonly Node[];
  readonly #sources: ReadonlySet<Node>;

  constructor({ snapshot, strategy, args }: Recording) {
    this.#isHigh = strategy === 'HighNodeUtilization';
    this.#nodes = snapshot.readyNodes;
    for (const node of snapshot.nodes) {
      this.#used.set(node, { cpu: 0, memory: 0, pods: 0 });
      for (const pod of snapshot.assignedPodsOf(node.name)) this.#add(node, needsOf(assignedRequests(pod)), 1);
    }
    this.#first = new Map([...this.#used].map(([node, used]) => [node, { ...used }]));
    const { thresholds = {}, targetThresholds = {}, useDeviationThresholds = false } = args;
    const bound = (limits: Readonly<Record<string, number>>, sign: 1 | -1): Used =>
      each((name) => {
        const limit = limits[name] ?? 100;
        return useDeviationThresholds ? Math.min(100, Math.max(0, this.#average(name) + sign * limit)) : limit;
      });
    this.#lower = bound(thresholds, -1);
    this.#upper = this.#isHigh ? each(() => 100) : bound(targetThresholds, 1);
    const isLow = (node: Node) => WATCHED.every((name) => this.#percent(node, name) <= this.#lower[name]);
    const isOver = (node: Node) => WATCHED.some((name) => this.#percent(node, name) > this.#upper[name]);
    this.destinations = this.#nodes.filter((node) => !node.unschedulable && isLow(node) !== this.#isHigh);
    this.#sources = new Set(this.#nodes.filter(this.#isHigh ? isLow : isOver));
  }

  /** Of the cluster as a plan leaves it. */
  static after({ standing, pending }: After, recording: Recording): Levels {
    const levels = new Levels(recording);
    for (const { pod, node, moved } of standing) if (moved) levels.move(pod, node);
    for (const pod of pending) levels.move(pod, undefined);
    return levels;
  }

  /** Percent points above the targets, summed up; for HighNodeUtilization the pods on the nodes to be emptied. */
  get toDo(): number {
    const toDo = (node: Node, name: keyof Used): number => {
      if (!this.#isHigh) return Math.max(0, this.#percent(node, name) - this.#upper[name]);
      return name === 'pods' && this.#sources.has(node) ? this.#of(node).pods : 0;
    };
    return this.#nodes.reduce((sum, node) => WATCHED.reduce((all, name) => all + toDo(node, name), sum), 0);
  }

  /** Whether of some resource all destinations together have nothing left. */
  get exhausted(): boolean {
    const left = (node: Node, name: keyof Used) => this.#cap(node, name) - this.#of(node)[name];
    return WATCHED.some((name) => this.destinations.reduce((sum, node) => sum + left(node, name), 0) <= 0);
  }

  /** Whether the node still has to give. */
  gives(node: Node): boolean {
    if (!this.#sources.has(node)) return false;
    return this.#isHigh || WATCHED.some((name) => this.#of(node)[name] > this.#cap(node, name));
  }

  /** Whether the destination has room for the pod within its target. A node that was overcommitted takes nothing. */
  takes(node: Node, pod: Pod): boolean {
    const was = this.#first.get(node)!;
    return WATCHED.every((name) => was[name] <= (node.allocatable[name] ?? 0)) && this.#fits(node, pod, this.#of(node));
  }

  /** Whether it would do no good if the pod went to that node. */
  suffers(node: Node, pod: Pod): boolean {
    const isDestination = this.destinations.includes(node);
    if (this.#isHigh) return !isDestination;
    return !this.#fits(node, pod, isDestination ? this.#of(node) : this.#first.get(node)!);
  }

  /** The node that would be least full with the pod. */
  emptiest(nodes: readonly Node[], pod: Pod): Node | undefined {
    const needs = needsOf(requestsOf(pod.spec));
    const level = (node: Node) =>
      Math.max(...WATCHED.map((name) => (this.#of(node)[name] + needs[name]) / (node.allocatable[name] ?? 0)));
    return nodes.reduce<Node | undefined>(
      (best, node) => (best && level(best) <= level(node) ? best : node),
      undefined,
    );
  }

  /** Counts a pod off its node, and its replacement on another. */
  move(pod: Pod, to: Node | undefined): void {
    const from = this.#nodes.find(({ name }) => name === pod.nodeName);
    if (from) this.#add(from, needsOf(assignedRequests(pod)), -1);
    if (to) this.#add(to, needsOf(requestsOf(pod.spec)), 1);
  }

  #fits(node: Node, pod: Pod, used: Used): boolean {
    const needs = needsOf(requestsOf(pod.spec));
    const percent = (name: keyof Used) => (100 * (used[name] + needs[name])) / (node.allocatable[name] ?? 0);
    return WATCHED.every((name) => needs[name] === 0 || percent(name) <= this.#upper[name]);
  }

  #average(name: keyof Used): number {
    return this.#nodes.reduce((sum, node) => sum + this.#percent(node, name), 0) / this.#nodes.length;
  }

  #percent(node: Node, name: keyof Used): number {
    return (100 * this.#of(node)[name]) / (node.allocatable[name] ?? 0);
  }

  /** Whole amounts: 50% of 9 pod slots are 4. */
  #cap(node: Node, name: keyof Used): number {
    return Math.trunc((this.#upper[name] / 100) * (node.allocatable[name] ?? 0));
  }

  #of(node: Node): Used {
    return this.#used.get(node)!;
  }

  #add(node: Node, needs: Used, sign: 1 | -1): void {
    const used = this.#of(node);
    for (const name of WATCHED) used[name] += sign * needs[name];
  }
}

function each(of: (name: keyof Used) => number): Used {
  return { cpu: of('cpu'), memory: of('memory'), pods: of('pods') };
}

function needsOf({ cpu = 0, memory = 0 }: Readonly<Record<string, number>>): Used {
  return { cpu, memory, pods: 1 };
}
