import type { Resources } from '../cluster/amounts/resources.ts';
import type { NodeMetrics } from '../cluster/objects/kinds.ts';
import type { Clock } from '../lib/clock.ts';
import { smoothed } from '../strategies/node-utilization/smoothing.ts';
import type { UsageSource } from './ports.ts';
import { recordedUsage } from './recorded-usage.ts';

/** Usage by the metrics API, smoothed over the life of the process. */
export interface MeasuredUsage {
  readonly usage: UsageSource;
  /** Takes the samples of all nodes as they are now. */
  readonly sample: (nodes: readonly NodeMetrics[]) => void;
}

interface Kept {
  readonly usage: Resources;
  /** When it was taken, in ms of the monotonic clock. */
  readonly at: number;
}

/**
 * Usage as the metrics API of a live cluster tells it (rule C12). Nodes are smoothed by the time between samples (rule T13),
 * whether a cycle or somebody beside the cycles takes them; pods are taken as they are.
 *
 * Differs from the reference: there every sample counts alike, whatever time lies between.
 */
export function measuredUsage(clock: Pick<Clock, 'now'>): MeasuredUsage {
  let kept: ReadonlyMap<string, Kept> = new Map();
  let takenFrom: unknown;
  const sample = (nodes: readonly NodeMetrics[]) => {
    const at = clock.now();
    // A node that has no sample any more starts anew when it comes back.
    kept = new Map(
      nodes.map(({ name, usage }) => {
        const past = kept.get(name);
        return [name, { usage: smoothed(past?.usage, usage, at - (past?.at ?? at)), at }];
      }),
    );
  };
  return {
    sample,
    usage: async (need, snapshot, signal) => {
      if (!snapshot.knows('NodeMetrics')) return { problem: NO_METRICS };
      const answer = await recordedUsage(need, snapshot, signal);
      if ('problem' in answer) return answer;
      // Several strategies of one cycle look at the same sample.
      if (takenFrom !== snapshot) sample(snapshot.list('NodeMetrics'));
      takenFrom = snapshot;
      const nodes = kept;
      return { usage: { ...answer.usage, node: (name) => nodes.get(name)?.usage } };
    },
  };
}

const NO_METRICS =
  'cannot be had: the metrics API (metrics.k8s.io) is missing or may not be read. Install metrics-server, and let the ' +
  'service account list nodes and pods of metrics.k8s.io';
