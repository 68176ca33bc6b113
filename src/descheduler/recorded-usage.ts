import type { Snapshot } from '../cluster/snapshot.ts';
import type { Usage } from '../strategies/strategy.ts';
import type { UsageSource } from './ports.ts';

/** Usage as the dump's NodeMetrics and PodMetrics recorded it (rule C12): one sample, hence no smoothing. */
export const recordedUsage: UsageSource = (need, snapshot) => {
  if (need.source !== 'KubernetesMetrics') {
    return Promise.resolve({ problem: `from ${need.source} cannot be had: a recorded cluster holds no query results` });
  }
  if (!snapshot.knows('NodeMetrics')) {
    return Promise.resolve({ problem: 'is not known: the recorded cluster holds no NodeMetrics' });
  }
  return Promise.resolve({ usage: recorded(snapshot) });
};

function recorded(snapshot: Snapshot): Usage {
  return {
    source: 'KubernetesMetrics',
    node: (name) => snapshot.find('NodeMetrics', '', name)?.usage,
    pod: (pod) => snapshot.find('PodMetrics', pod.namespace, pod.name)?.usage,
  };
}
