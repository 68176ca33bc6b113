import { isFinished, type Pod } from '../cluster/objects/pod.ts';
import { assignedRequests } from '../cluster/amounts/requests.ts';
import { addResources, amountOf, subtractResources, type Resources } from '../cluster/amounts/resources.ts';
import type { ExpectedChanges } from '../cluster/snapshot.ts';
import type { Usage } from '../strategies/strategy.ts';

/**
 * Measured usage as it will be once the pods that go are gone and their replacements run: what a victim was measured at
 * leaves its node and comes with its replacement. The measure, not the requests, since it is the workload's load that moves,
 * and requests can miss that by far. A pod without a measure moves what it requests.
 *
 * A Prometheus query gives one percentage a node and says nothing about pods, so it stays as it is.
 */
export function expectedUsage(usage: Usage, { gone, assumed }: ExpectedChanges): Usage {
  if (usage.source !== 'KubernetesMetrics') return usage;
  const change = new Map<string, Resources>();
  const on = (name: string) => change.get(name) ?? {};
  for (const pod of gone) change.set(pod.nodeName, subtractResources(on(pod.nodeName), loadOf(pod, pod, usage)));
  for (const pod of assumed) change.set(pod.nodeName, addResources(on(pod.nodeName), loadOf(pod, pod.replaces, usage)));
  return { ...usage, node: (name) => changed(usage.node(name), change.get(name)) };
}

/** What comes or goes with the pod, by the measure of this one. */
function loadOf(pod: Pod, measured: Pod, usage: Usage): Resources {
  return isFinished(pod) ? {} : { ...assignedRequests(pod), ...usage.pod(measured) };
}

/** In what was measured, and never below 0: samples of a node and of its pods are not of the same moment. */
function changed(measured: Resources | undefined, change: Resources | undefined): Resources | undefined {
  if (!measured || !change) return measured;
  const entries = Object.entries(measured);
  return Object.fromEntries(entries.map(([name, value]) => [name, Math.max(0, value + amountOf(change, name))]));
}
