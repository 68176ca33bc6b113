import type { LabelSelector, PodAffinityTerm } from '../../src/cluster/objects/terms.ts';
import { matchesRequiredNodeAffinity, matchesTerm } from '../../src/cluster/rules/affinity.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Container, Pod, SpreadConstraint } from '../../src/cluster/objects/pod.ts';
import { matchesLabels, matchesSelector } from '../../src/cluster/rules/selectors.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { isTolerated, untoleratedTaint } from '../../src/cluster/rules/taints.ts';

/** A pod that stands on a node, or the replacement that is promised to it. */
export interface Standing {
  readonly pod: Pod;
  readonly node: Node;
  readonly leaving: boolean;
}

/** What is asked: the pod to place, those that stand somewhere, and the nodes that fit. */
export interface Asked {
  readonly snapshot: Snapshot;
  readonly pod: Pod;
  readonly standing: readonly Standing[];
  readonly fitting: readonly Node[];
}

type Score = (node: Node) => number;

const MIB = 2 ** 20;
const ZONE = 'topology.kubernetes.io/zone';
const HOSTNAME = 'kubernetes.io/hostname';

/** Totals by node as rule S20 says them, without any index; for pods with plain containers only. */
export function plainTotals(asked: Asked): Readonly<Record<string, number>> {
  const plugins: readonly [number, Score][] = [
    [1, leastAllocated(asked)],
    [1, balancedAllocation(asked)],
    [3, taintToleration(asked)],
    [2, nodeAffinity(asked)],
    [1, imageLocality(asked)],
    [2, interPodAffinity(asked)],
    [2, topologySpread(asked)],
  ];
  return Object.fromEntries(
    asked.fitting.map((node) => [node.name, plugins.reduce((sum, [weight, score]) => sum + weight * score(node), 0)]),
  );
}

const DEFAULTS = { cpu: 100, memory: 200 * MIB };
type Resource = 'cpu' | 'memory';

function asks(pod: Pod, resource: Resource, fallback: number): number {
  return pod.spec.containers.reduce((sum, { requests }) => sum + (requests[resource] ?? fallback), 0);
}

function used({ standing }: Asked, node: Node, resource: Resource, withDefaults: boolean): number {
  const fallback = withDefaults ? DEFAULTS[resource] : 0;
  return standing
    .filter((one) => one.node.name === node.name)
    .reduce((sum, one) => sum + asks(one.pod, resource, fallback), 0);
}

function leastAllocated(asked: Asked): Score {
  return (node) => {
    const left = (['cpu', 'memory'] as const).map((resource) => {
      const whole = node.allocatable[resource] ?? 0;
      const taken = used(asked, node, resource, true) + asks(asked.pod, resource, DEFAULTS[resource]);
      return taken > whole ? 0 : Math.floor(((whole - taken) * 100) / whole);
    });
    return Math.floor((left[0]! + left[1]!) / 2);
  };
}

function balancedAllocation(asked: Asked): Score {
  const needs = { cpu: asks(asked.pod, 'cpu', 0), memory: asks(asked.pod, 'memory', 0) };
  if (needs.cpu === 0 && needs.memory === 0) return () => 0;
  return (node) => {
    const balance = (factor: number) => {
      const [cpu, memory] = (['cpu', 'memory'] as const).map((resource) =>
        Math.min(1, (used(asked, node, resource, false) + factor * needs[resource]) / node.allocatable[resource]!),
      );
      return Math.trunc((1 - Math.abs(cpu! - memory!) / 2) * 100);
    };
    return 50 + Math.trunc((50 + balance(1) - balance(0)) / 2);
  };
}

function taintToleration({ pod, fitting }: Asked): Score {
  const tolerations = pod.spec.tolerations.filter(({ effect }) => ['', 'PreferNoSchedule'].includes(effect));
  const count: Score = ({ taints }) =>
    taints.filter((taint) => taint.effect === 'PreferNoSchedule' && !isTolerated(tolerations, taint)).length;
  const most = Math.max(...fitting.map(count));
  return (node) => (most === 0 ? 100 : 100 - Math.floor((100 * count(node)) / most));
}

function nodeAffinity({ pod, fitting }: Asked): Score {
  const weigh: Score = (node) =>
    pod.spec.preferredNodeAffinity.reduce((sum, { weight, term }) => sum + (matchesTerm(term, node) ? weight : 0), 0);
  const most = Math.max(...fitting.map(weigh));
  return (node) => (most === 0 ? 0 : Math.floor((100 * weigh(node)) / most));
}

function imageLocality({ snapshot, pod }: Asked): Score {
  const has = (node: Node, name: string) => node.images.find(({ names }) => names.includes(name));
  const { containers } = pod.spec;
  return (node) => {
    const sum = containers.reduce((bytes, { image }: Container) => {
      if (!has(node, image)) return bytes;
      const nodeIndexes = snapshot.nodes.filter((one) => has(one, image));
      return bytes + Math.floor((has(nodeIndexes[0]!, image)!.sizeBytes * nodeIndexes.length) / snapshot.nodes.length);
    }, 0);
    const most = 1000 * MIB * containers.length;
    return Math.floor((100 * (Math.min(Math.max(sum, 23 * MIB), most) - 23 * MIB)) / (most - 23 * MIB));
  };
}

function interPodAffinity({ pod, standing, fitting }: Asked): Score {
  const raw: Score = (node) => {
    const near = (other: Node, key: string) => node.labels[key] !== undefined && node.labels[key] === other.labels[key];
    const weigh = (owner: Pod, target: Pod, other: Node) => (term: PodAffinityTerm, weight: number) =>
      means(owner, term, target) && near(other, term.topologyKey) ? weight : 0;
    return standing.reduce((sum, one) => {
      const mine = weigh(pod, one.pod, one.node);
      const theirs = weigh(one.pod, pod, one.node);
      let total = sum;
      for (const { term, weight } of pod.spec.preferredPodAffinity) total += mine(term, weight);
      for (const { term, weight } of pod.spec.preferredPodAntiAffinity) total -= mine(term, weight);
      for (const term of one.pod.spec.podAffinity) total += theirs(term, 1);
      for (const { term, weight } of one.pod.spec.preferredPodAffinity) total += theirs(term, weight);
      for (const { term, weight } of one.pod.spec.preferredPodAntiAffinity) total -= theirs(term, weight);
      return total;
    }, 0);
  };
  const sums = fitting.map(raw);
  const [min, max] = [Math.min(...sums), Math.max(...sums)];
  return (node) => (max === min ? 0 : Math.floor(100 * ((raw(node) - min) / (max - min))));
}

function means(owner: Pod, { namespaces, labelSelector }: PodAffinityTerm, target: Pod): boolean {
  const scope = namespaces.length > 0 ? namespaces : [owner.namespace];
  return (
    scope.includes(target.namespace) && labelSelector !== undefined && matchesSelector(labelSelector, target.labels)
  );
}

function topologySpread(asked: Asked): Score {
  const { pod, fitting, snapshot } = asked;
  const own = pod.spec.spreadConstraints;
  const soft = own.length > 0 ? own.filter((one) => one.whenUnsatisfiable === 'ScheduleAnyway') : systemDefaults(asked);
  if (soft.length === 0) return () => 0;
  const needed = own.length > 0 ? soft.map(({ topologyKey }) => topologyKey) : [];
  const runs = (node: Node) => needed.every((key) => node.labels[key] !== undefined);
  const runners = fitting.filter(runs);
  const raw: Score = (node) =>
    Math.round(
      soft.reduce((sum, constraint) => {
        const { topologyKey: key, maxSkew } = constraint;
        if (node.labels[key] === undefined) return sum;
        const isHostname = key === HOSTNAME;
        const domains = isHostname ? runners.length : new Set(runners.map(({ labels }) => labels[key])).size;
        const nodes = isHostname
          ? [node]
          : snapshot.nodes.filter(
              (one) => runs(one) && sees(constraint, pod, one) && one.labels[key] === node.labels[key],
            );
        return sum + (countOn(nodes, constraint.labelSelector, asked) * Math.log(domains + 2) + (maxSkew - 1));
      }, 0),
    );
  const scores = runners.map(raw);
  const [min, max] = [Math.min(...scores), Math.max(0, ...scores)];
  return (node) => {
    if (!runs(node)) return 0;
    return max === 0 ? 100 : Math.floor((100 * (max + min - raw(node))) / max);
  };
}

function sees({ nodeAffinityPolicy, nodeTaintsPolicy }: SpreadConstraint, { spec }: Pod, node: Node): boolean {
  if (nodeAffinityPolicy === 'Honor' && !matchesRequiredNodeAffinity(spec, node)) return false;
  return nodeTaintsPolicy === 'Ignore' || !untoleratedTaint(spec.tolerations, node.taints);
}

function countOn(nodes: readonly Node[], selector: LabelSelector | undefined, { standing, pod }: Asked): number {
  return standing.filter(
    (one) =>
      !one.leaving &&
      nodes.some(({ name }) => name === one.node.name) &&
      one.pod.namespace === pod.namespace &&
      selector !== undefined &&
      matchesSelector(selector, one.pod.labels),
  ).length;
}

/** The defaults, with the selector of the Services that select the pod and of its ReplicaSet or StatefulSet. */
function systemDefaults({ snapshot, pod }: Asked): readonly SpreadConstraint[] {
  const services = snapshot
    .list('Service')
    .filter((one) => one.namespace === pod.namespace && one.selector && matchesLabels(one.selector, pod.labels));
  const { kind, name } = pod.owners[0]!;
  const owners = kind === 'ReplicaSet' || kind === 'StatefulSet' ? snapshot.list(kind) : [];
  const owner = owners.find((one) => one.namespace === pod.namespace && one.name === name);
  const selectors = [...services.map(({ selector }) => selector ?? {}), owner?.selector?.matchLabels ?? {}];
  const matchLabels = Object.fromEntries(selectors.flatMap((one) => Object.entries(one)));
  const labelSelector: LabelSelector = { matchLabels, matchExpressions: owner?.selector?.matchExpressions ?? [] };
  if (Object.keys(labelSelector.matchLabels).length + labelSelector.matchExpressions.length === 0) return [];
  const constraint = (topologyKey: string, maxSkew: number): SpreadConstraint => ({
    topologyKey,
    maxSkew,
    labelSelector,
    whenUnsatisfiable: 'ScheduleAnyway',
    matchLabelKeys: [],
    minDomains: undefined,
    nodeAffinityPolicy: 'Honor',
    nodeTaintsPolicy: 'Ignore',
  });
  return [constraint(HOSTNAME, 3), constraint(ZONE, 5)];
}
