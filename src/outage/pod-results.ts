import type { Node } from '../cluster/objects/node.ts';
import { podName, type Pod } from '../cluster/objects/pod.ts';
import { compareText } from '../cluster/snapshot.ts';
import { zoneOf } from '../node-lifecycle/zones.ts';
import type { LifecycleOutcome } from '../outcomes/lifecycle.ts';
import type { PodResult } from '../outcomes/outage-report.ts';
import type { ApiChange } from './simulated-api.ts';

interface Known {
  readonly pod: Pod;
  readonly podResult: 'deleted' | 'stays';
  readonly reason: string;
  /** Ms since the epoch; when it was deleted. */
  readonly at?: number;
}

/** Follows what becomes of the pods of nodes that were not ready or had a NoExecute taint at some time. */
export class PodResults {
  readonly #since: (at: number) => string;
  readonly #known = new Map<string, Known>();
  readonly #touched = new Map<string, Node>();
  readonly #isDown = new Set<string>();
  #wasFullDisruption = false;

  /** `since` writes a moment as a duration from the start. */
  constructor(since: (at: number) => string) {
    this.#since = since;
  }

  /** Takes a node as it is at the start, or has become. */
  onNode(node: Node): void {
    const isReady = node.conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    if (isReady) this.#isDown.delete(node.name);
    else this.#isDown.add(node.name);
    if (!isReady || node.taints.some(({ effect }) => effect === 'NoExecute')) this.#touched.set(node.name, node);
  }

  /** Takes a change of the simulated API. */
  onChange(change: ApiChange): void {
    if (change.kind === 'Node' && change.after) this.onNode(change.after);
  }

  /** Takes what the controllers say, at that moment. */
  onOutcome(outcome: LifecycleOutcome, now: number): void {
    switch (outcome.kind) {
      case 'eviction-scheduled': {
        const reason = `${outcome.reason} and would be deleted at ${this.#since(outcome.at)}, after the end of the scenario`;
        this.#stays(outcome.pod, reason);
        return;
      }
      case 'eviction-cancelled':
      case 'pod-kept':
        this.#stays(outcome.pod, outcome.reason);
        return;
      case 'pod-deleted':
        this.#known.set(outcome.pod.uid, { pod: outcome.pod, podResult: 'deleted', reason: outcome.reason, at: now });
        return;
      case 'full-disruption':
        this.#wasFullDisruption ||= outcome.isFullDisruption;
        return;
      case 'deletion-failed':
        this.#stays(outcome.pod, `could not be deleted: ${outcome.error}`);
        return;
      default:
    }
  }

  /** The fates of these pods, which are still there, and of those that were deleted. */
  results(pods: readonly Pod[]): readonly PodResult[] {
    const still = pods.filter(({ uid, nodeName }) => this.#touched.has(nodeName) && !this.#known.has(uid));
    const quiet = still.map((pod): Known => ({ pod, podResult: 'stays', reason: this.#quietReason(pod.nodeName) }));
    const there = new Set(pods.map(({ uid }) => uid));
    const told = [...this.#known.values()].filter(
      ({ podResult, pod }) => podResult === 'deleted' || there.has(pod.uid),
    );
    return [...told, ...quiet].sort(byTimeAndName).map((known) => this.#resultOf(known));
  }

  /** A deletion is not undone by what is said of the pod afterwards. */
  #stays(pod: Pod, reason: string): void {
    if (this.#known.get(pod.uid)?.podResult !== 'deleted')
      this.#known.set(pod.uid, { pod, podResult: 'stays', reason });
  }

  /** Why nothing was ever said of a pod whose node was not ready. */
  #quietReason(nodeName: string): string {
    if (this.#wasFullDisruption)
      return 'is on a node that was not tainted NoExecute, since no node of any zone was ready';
    if (this.#isDown.has(nodeName)) return 'is on a node whose turn to be tainted has not come in this time';
    return 'is on a node that was not ready for too short a time to be tainted NoExecute';
  }

  #resultOf({ pod, podResult, reason, at }: Known): PodResult {
    const node = this.#touched.get(pod.nodeName);
    const zone = node ? zoneOf(node.labels) : '';
    const when = at === undefined ? {} : { at: this.#since(at) };
    return { pod: podName(pod), node: pod.nodeName, zone, podResult, ...when, reason };
  }
}

function byTimeAndName(a: Known, b: Known): number {
  const [atA, atB] = [a.at ?? Number.MAX_VALUE, b.at ?? Number.MAX_VALUE];
  return atA - atB || compareText(podName(a.pod), podName(b.pod)) || compareText(a.pod.uid, b.pod.uid);
}
