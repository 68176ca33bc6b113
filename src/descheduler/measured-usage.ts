import type { Resources } from '../cluster/amounts/resources.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { smoothed } from '../strategies/node-utilization/smoothing.ts';
import type { UsageSource } from './ports.ts';
import { recordedUsage } from './recorded-usage.ts';

/**
 * Usage as the metrics API of a live cluster tells it in each cycle (rule C12). Nodes are smoothed over the cycles
 * of the process (rule T13), pods are taken as they are.
 */
export function measuredUsage(): UsageSource {
  let kept: ReadonlyMap<string, Resources> = new Map();
  let keptFor: Snapshot | undefined;
  return async (need, snapshot, signal) => {
    if (!snapshot.knows('NodeMetrics')) return { problem: NO_METRICS };
    const answer = await recordedUsage(need, snapshot, signal);
    if ('problem' in answer) return answer;
    // Several strategies of one cycle look at the same sample.
    if (keptFor !== snapshot) kept = withSample(kept, snapshot);
    keptFor = snapshot;
    const nodes = kept;
    return { usage: { ...answer.usage, node: (name) => nodes.get(name) } };
  };
}

const NO_METRICS =
  'cannot be had: the metrics API (metrics.k8s.io) is missing or may not be read. Install metrics-server, and let the ' +
  'service account list nodes and pods of metrics.k8s.io';

/** A node that has no sample any more starts anew when it comes back. */
function withSample(kept: ReadonlyMap<string, Resources>, snapshot: Snapshot): ReadonlyMap<string, Resources> {
  const samples = snapshot.list('NodeMetrics');
  return new Map(samples.map(({ name, usage }) => [name, smoothed(kept.get(name), usage)]));
}
