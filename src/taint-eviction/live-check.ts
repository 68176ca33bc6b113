import type { Node } from '../cluster/objects/node.ts';
import type { Pod } from '../cluster/objects/pod.ts';
import type { ClusterStore, Versioned } from '../cluster/store.ts';
import type { Failure, Reply } from '../lib/answer.ts';
import type { Clock } from '../lib/clock.ts';
import type { Claim, EvictionTimer } from './eviction-timer.ts';
import type { EvictionTimers } from './eviction-timers.ts';
import type { TaintEvictionPorts } from './ports.ts';

/** What a live check needs. */
export interface LiveCheckParts {
  readonly store: ClusterStore;
  readonly timers: EvictionTimers;
  readonly clock: Clock;
  readonly ports: Pick<TaintEvictionPorts, 'getNode' | 'getPod'>;
}

/** A node as it was read live, when, and over which version of the cache. */
interface NodeRead {
  readonly at: number;
  readonly over: string;
  readonly node: Reply<Versioned<Node>>;
}

/** What was told by a watch within this time is as good as a live read. */
const FRESH_MS = 2_000;

/** Asks the API server itself where what we know may be old: after a wait, and after a try that failed. */
export class LiveCheck {
  readonly #parts: LiveCheckParts;
  readonly #nodeReads = new Map<string, NodeRead>();

  constructor(parts: LiveCheckParts) {
    this.#parts = parts;
  }

  /** Whether the pod must go now. `not-due`: the cache is behind, or will be told of it. */
  async check({ timer, deadline, removal }: Claim): Promise<'due' | 'not-due' | 'removed' | Failure> {
    const { timers, clock, ports, store } = this.#parts;
    const { pod } = timer;
    const seenAt = timers.taintsOf(pod.nodeName).find(({ taint }) => taint === deadline.by?.taint)?.seenAt;
    const { hasFailed, hasWaited } = removal;
    if (!hasFailed && clock.now() - (seenAt ?? -Infinity) <= FRESH_MS) return 'due';
    const cached = store.node(pod.nodeName)?.resourceVersion ?? '';
    const node = await this.#liveNode(pod.nodeName, cached);
    if (!node.ok) this.#nodeReads.delete(pod.nodeName);
    if (!node.ok) return node.failure.kind === 'not-found' ? 'not-due' : node.failure;
    // A cache that knows this version may have gone on since.
    const other = node.value.resourceVersion === cached ? undefined : node.value.object;
    if (!hasFailed && !hasWaited) return isStillDue(this.#parts, timer, pod, other) ? 'due' : 'not-due';
    const live = await ports.getPod(pod.namespace, pod.name);
    if (!live.ok) return live.failure.kind === 'not-found' ? 'removed' : live.failure;
    if (live.value.uid !== pod.uid || live.value.deletedAt !== undefined) return 'removed';
    return isStillDue(this.#parts, timer, live.value, other) ? 'due' : 'not-due';
  }

  /** One read of a node serves all its pods that are due at about the same time, unless the cache has changed since. */
  #liveNode(name: string, cached: string): Reply<Versioned<Node>> {
    const { clock, ports } = this.#parts;
    const known = this.#nodeReads.get(name);
    if (known?.over === cached && clock.now() - known.at <= FRESH_MS) return known.node;
    for (const [other, { at }] of this.#nodeReads) if (clock.now() - at > FRESH_MS) this.#nodeReads.delete(other);
    const node = ports.getNode(name);
    this.#nodeReads.set(name, { at: clock.now(), over: cached, node });
    return node;
  }
}

/** Whether another copy of the pod, or of its node, still says that its time is over. */
export function isStillDue(
  { timers, clock }: Pick<LiveCheckParts, 'timers' | 'clock'>,
  timer: EvictionTimer,
  ...copies: readonly [pod: Pod, node?: Node]
): boolean {
  return timers.deadlineWith(timer, ...copies).at <= clock.now();
}
