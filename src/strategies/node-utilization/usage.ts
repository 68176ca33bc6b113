import type { Node } from '../../cluster/objects/node.ts';
import type { Pod, PodSpec } from '../../cluster/objects/pod.ts';
import { requestsOf, assignedRequests } from '../../cluster/amounts/requests.ts';
import type { Resources } from '../../cluster/amounts/resources.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import type { LowNodeUtilizationArgs } from './args.ts';
import type { Context, Usage } from '../strategy.ts';
import { METRIC_RESOURCE } from './args.ts';
import { capacityOf, percentages } from './thresholds.ts';

/** Resources that are watched besides those of the thresholds (rule T13). */
const BASIC_RESOURCES: readonly string[] = ['cpu', 'memory', 'pods'];

/** A node as this family sees it: what it offers and what of the watched resources is in use. */
export interface NodeUsage {
  readonly node: Node;
  readonly pods: readonly Pod[];
  readonly capacity: Resources;
  readonly used: Resources;
  /** `used` in percent of `capacity`, for the resources that the node has. */
  readonly percent: Resources;
}

/** What moves with a pod: `leaves` its node, `arrives` on the next; the two differ for a pod that was resized in place. */
export interface Load {
  readonly leaves: Resources;
  readonly arrives: Resources;
}

/** Measures nodes and pods in the watched resources, by one of the three sources (rule T13). */
export interface UsageReader {
  readonly watched: readonly string[];
  /** Undefined: not measured. */
  node(node: Node, pods: readonly Pod[]): Resources | undefined;
  /** Undefined: not measured for this pod; `unknowable`: the source never tells of single pods. */
  pod(pod: Pod): Load | 'unknowable' | undefined;
}

/** All nodes that the meter knows, and the names of those it does not. */
export interface Measured {
  readonly nodes: readonly NodeUsage[];
  readonly missing: readonly string[];
}

/** Measures the nodes once, with every unfinished pod, evictable or not, terminating ones too (rule T13). */
export function measure(usageReader: UsageReader, nodes: readonly Node[], snapshot: Snapshot): Measured {
  const measured: NodeUsage[] = [];
  const missing: string[] = [];
  for (const node of nodes) {
    const pods = snapshot.assignedPodsOf(node.name);
    const used = usageReader.node(node, pods);
    if (used) measured.push(nodeUsage(node, pods, used));
    else missing.push(node.name);
  }
  return { nodes: measured, missing };
}

function nodeUsage(node: Node, pods: readonly Pod[], used: Resources): NodeUsage {
  const capacity = capacityOf(node);
  return { node, pods, capacity, used, percent: percentages(used, capacity) };
}

/** The resources that a run looks at, those of the thresholds first (rule T13). */
export function watchedResources({ thresholds }: { readonly thresholds: Resources }): readonly string[] {
  return [...new Set([...Object.keys(thresholds), ...BASIC_RESOURCES])];
}

/** The meter that the arguments of LowNodeUtilization ask for, or why there is none (rule T13). */
export function usageReaderFor({ args, usage, replacementOf }: Context<LowNodeUtilizationArgs>): UsageReader | string {
  const source = args.metricsUtilization?.source;
  const watched = watchedResources(args);
  if (source === undefined) return requestsReader(watched, replacementOf);
  if (usage?.source !== source) return `nothing is compared: no usage measured by ${source} is at hand`;
  if (source === 'Prometheus') return prometheusReader(usage);
  const foreign = watched.filter((name) => !BASIC_RESOURCES.includes(name));
  if (foreign.length === 0) return metricsReader(usage);
  return `nothing is compared: KubernetesMetrics measures cpu and memory, not ${foreign.join(', ')}`;
}

/**
 * Usage by requests: what the scheduler goes by. A pod counts as its assigned pod's rule says, and arrives as its replacement
 * asks: those of one spec share that object.
 */
export function requestsReader(watched: readonly string[], replacementOf: (pod: Pod) => Pod): UsageReader {
  const arriving = new Map<PodSpec, Resources>();
  const arrives = (spec: PodSpec): Resources => {
    let load = arriving.get(spec);
    if (!load) arriving.set(spec, (load = total(watched, [requestsOf(spec)], 1)));
    return load;
  };
  return {
    watched,
    node: (_node, pods) => total(watched, pods.map(assignedRequests), pods.length),
    pod: (pod) => ({ leaves: total(watched, [assignedRequests(pod)], 1), arrives: arrives(replacementOf(pod).spec) }),
  };
}

/** Measured cpu and memory; pods are counted. A pod without all of its measures is not known (rule T13). */
function metricsReader(usage: Usage): UsageReader {
  const counted = (measured: Resources | undefined, pods: number): Resources | undefined =>
    measured?.['cpu'] === undefined || measured['memory'] === undefined
      ? undefined
      : { cpu: measured['cpu'], memory: measured['memory'], pods };
  return {
    watched: BASIC_RESOURCES,
    node: (node, pods) => counted(usage.node(node.name), pods.length),
    pod: (pod) => {
      const load = counted(usage.pod(pod), 1);
      return load && { leaves: load, arrives: load };
    },
  };
}

/** One percentage per node from a query, nothing about pods (rule T13). */
function prometheusReader(usage: Usage): UsageReader {
  return {
    watched: [METRIC_RESOURCE],
    node: (node) => {
      const value = usage.node(node.name)?.[METRIC_RESOURCE];
      return value === undefined ? undefined : { [METRIC_RESOURCE]: value };
    },
    pod: () => 'unknowable',
  };
}

function total(watched: readonly string[], parts: readonly Resources[], pods: number): Resources {
  return Object.fromEntries(
    watched.map((name) => [name, name === 'pods' ? pods : parts.reduce((all, part) => all + (part[name] ?? 0), 0)]),
  );
}
