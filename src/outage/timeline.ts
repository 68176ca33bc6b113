import type { Taint } from '../cluster/objects/terms.ts';
import type { Node } from '../cluster/objects/node.ts';
import { podName, type Pod } from '../cluster/objects/pod.ts';
import { formatTaint } from '../cluster/rules/taints.ts';
import type { Clock } from '../lib/clock.ts';
import { formatDuration } from '../lib/duration.ts';
import { zoneOf } from '../node-lifecycle/zones.ts';
import type { LifecycleOutcome } from '../outcomes/lifecycle.ts';
import type { OutageEvent, TimelineEntry } from '../outcomes/outage-report.ts';
import type { ApiChange, SimulatedApi } from './simulated-api.ts';

/** What an entry is about, besides when. */
interface Subject {
  readonly node?: string | undefined;
  readonly zone?: string | undefined;
  readonly pod?: Pod | undefined;
  readonly detail?: string | undefined;
}

/**
 * Writes down what happens: nodes, taints and labels as the API server has them, whoever changed them; zones and pods as the
 * controllers say.
 */
export class Timeline {
  readonly entries: TimelineEntry[] = [];
  readonly #clock: Clock;
  readonly #startedAt: number;
  readonly #zoneStates = new Map<string, string>();

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#startedAt = clock.wall();
  }

  /** A time in the cluster, in ms since the epoch, as a duration from the start. */
  since(at: number): string {
    return formatDuration(at - this.#startedAt);
  }

  /** Takes a change of the simulated API. */
  onChange(change: ApiChange): void {
    if (change.kind === 'Node' && change.before && change.after) this.#onNode(change.before, change.after);
  }

  /** Takes what the controllers say. `api` knows the nodes that pods are on. */
  onOutcome(outcome: LifecycleOutcome, api: SimulatedApi): void {
    switch (outcome.kind) {
      case 'zone-state':
        // A zone is normal until somebody says otherwise.
        if ((this.#zoneStates.get(outcome.zone) ?? 'Normal') === outcome.state) return;
        this.#zoneStates.set(outcome.zone, outcome.state);
        this.#add('ZoneState', { zone: outcome.zone, detail: outcome.state });
        return;
      case 'eviction-scheduled': {
        const detail = `${outcome.reason}, so it is deleted at ${this.since(outcome.at)}`;
        this.#add('EvictionScheduled', { ...placeOf(outcome.pod, api), detail });
        return;
      }
      case 'eviction-cancelled':
        this.#add('EvictionCancelled', { ...placeOf(outcome.pod, api), detail: outcome.reason });
        return;
      case 'pod-deleted':
        this.#add('PodDeleted', { ...placeOf(outcome.pod, api), detail: outcome.reason });
        return;
      case 'pod-marked-not-ready':
        this.#add('PodMarkedNotReady', { ...placeOf(outcome.pod, api), detail: 'its node is not ready' });
        return;
      default:
    }
  }

  #onNode(before: Node, after: Node): void {
    const place = { node: after.name, zone: zoneOf(after.labels) };
    const [was, is] = [readyOf(before), readyOf(after)];
    if ((was.status === 'True') !== (is.status === 'True')) {
      const detail = `Ready is ${is.status}${is.reason === '' ? '' : `: ${is.reason}`}`;
      this.#add(is.status === 'True' ? 'NodeReady' : 'NodeNotReady', { ...place, detail });
    }
    for (const taint of without(after.taints, before.taints)) {
      this.#add('TaintAdded', { ...place, detail: formatTaint(taint) });
    }
    for (const taint of without(before.taints, after.taints)) {
      this.#add('TaintRemoved', { ...place, detail: formatTaint(taint) });
    }
    const labels = Object.entries(after.labels).filter(([key, value]) => before.labels[key] !== value);
    if (labels.length > 0) {
      const detail = labels.map(([key, value]) => `${key}=${value}`).join(', ');
      this.#add('LabelsReconciled', { ...place, detail });
    }
  }

  #add(event: OutageEvent, { node, zone, pod, detail }: Subject): void {
    this.entries.push({
      at: this.since(this.#clock.wall()),
      event,
      ...(node !== undefined && node !== '' && { node }),
      ...(zone !== undefined && { zone }),
      ...(pod && { pod: podName(pod) }),
      ...(detail !== undefined && { detail }),
    });
  }
}

function placeOf(pod: Pod, api: SimulatedApi): Subject {
  const node = api.node(pod.nodeName);
  return { pod, node: pod.nodeName, zone: node ? zoneOf(node.labels) : undefined };
}

function readyOf({ conditions }: Node): { readonly status: string; readonly reason: string } {
  return conditions.find(({ type }) => type === 'Ready') ?? { status: 'absent', reason: '' };
}

/** Taints of `a` that are not in `b`: with another value or another time it is another taint. One that only gets its time is not. */
function without(a: readonly Taint[], b: readonly Taint[]): readonly Taint[] {
  const isSameTime = (x: Taint, y: Taint) => (x.timeAdded ?? y.timeAdded) === (y.timeAdded ?? x.timeAdded);
  return a.filter((taint) => !b.some((other) => formatTaint(other) === formatTaint(taint) && isSameTime(other, taint)));
}
