import type { Pod } from '../cluster/pod.ts';
import { addResources, type Resources } from '../cluster/resources.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import type { Usage } from '../strategies/strategy.ts';
import type { UsageSource } from './ports.ts';

/** Usage as the dump's NodeMetrics and PodMetrics recorded it (framework.md 5.1): one sample, hence no smoothing. */
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
    pod: (pod) => podUsage(pod, snapshot),
  };
}

function podUsage(pod: Pod, snapshot: Snapshot): Resources | undefined {
  const [first, ...rest] = snapshot.find('PodMetrics', pod.namespace, pod.name)?.containers ?? [];
  return first && rest.reduce(addMeasured, first);
}

/** A resource that one container lacks is not measured for the pod. */
function addMeasured(sum: Resources, container: Resources): Resources {
  const both = Object.keys(sum).filter((name) => container[name] !== undefined);
  const total = addResources(sum, container);
  return Object.fromEntries(both.map((name) => [name, total[name] ?? 0]));
}
