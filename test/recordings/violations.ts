import type { PodAffinityTerm } from '../../src/cluster/objects/terms.ts';
import { matchesRequiredNodeAffinity, preferredWeight } from '../../src/cluster/rules/affinity.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod, SpreadConstraint } from '../../src/cluster/objects/pod.ts';
import { matchesSelector } from '../../src/cluster/rules/selectors.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { isTolerated, untoleratedTaint } from '../../src/cluster/rules/taints.ts';
import { groupBy } from '../../src/lib/group.ts';
import type { After, Standing } from './course.ts';
import type { Args } from './recording.ts';

/** How many evictions a strategy still has cause for, counted as plainly as possible. */
export type Count = (after: After, args: Args) => number;

/** By strategy; those of the utilization pair are in `utilization.ts`. */
export const VIOLATIONS: Readonly<Record<string, Count>> = {
  RemoveDuplicates: duplicates,
  RemovePodsViolatingInterPodAntiAffinity: antiAffinity,
  RemovePodsViolatingNodeAffinity: (after, { nodeAffinityType = [] }) =>
    nodeAffinityType.includes('requiredDuringSchedulingIgnoredDuringExecution')
      ? count(after, misplaced)
      : count(after, betterElsewhere(after)),
  RemovePodsViolatingNodeTaints: (after, args) => count(after, (one) => isUnwanted(one, args)),
  RemovePodsViolatingTopologySpreadConstraint: spread,
  RemovePodsHavingTooManyRestarts: (after, args) => count(after, (one) => restartsTooOften(one, args)),
  RemoveFailedPods: ({ snapshot }) => snapshot.pods.filter(({ status }) => status.phase === 'Failed').length,
};

function count({ standing }: After, is: (one: Standing) => boolean): number {
  return standing.filter(is).length;
}

// ---------------------------------------------------------------- pod by pod

/** Node selector or required node affinity does not hold. */
export function misplaced({ pod, node }: Standing): boolean {
  return !matchesRequiredNodeAffinity(pod.spec, node);
}

function betterElsewhere({ snapshot }: After) {
  return ({ pod: { spec }, node }: Standing): boolean =>
    spec.preferredNodeAffinity.length > 0 &&
    snapshot.readyNodes.some((other) => preferredWeight(spec, other) > preferredWeight(spec, node));
}

function isUnwanted({ pod, node }: Standing, { includePreferNoSchedule = false }: Args): boolean {
  const effects = includePreferNoSchedule ? ['NoSchedule', 'PreferNoSchedule'] : ['NoSchedule'];
  return node.taints.some((taint) => effects.includes(taint.effect) && !isTolerated(pod.spec.tolerations, taint));
}

function restartsTooOften({ pod: { status }, moved }: Standing, { podRestartThreshold = 0 }: Args): boolean {
  const all = [...status.containers, ...status.initContainers];
  return !moved && all.reduce((sum, { restartCount }) => sum + restartCount, 0) >= podRestartThreshold;
}

// ---------------------------------------------------------------- groups of pods

/** Replicas above the even share of their node. */
function duplicates({ standing, snapshot }: After): number {
  const groups = groupBy(
    standing.filter(({ pod }) => pod.owners.length > 0),
    ({ pod: { namespace, owners, spec } }) =>
      JSON.stringify([
        namespace,
        owners.map(({ kind, name }) => [kind, name]),
        spec.containers.map(({ image }) => image),
      ]),
  );
  return sum([...groups.values()], (group) => {
    const places = snapshot.readyNodes.filter((node) => group.some(({ pod }) => mayRun(pod, node)));
    const share = Math.ceil(group.length / Math.max(1, places.length));
    return sum([...groupBy(group, ({ node }) => node.name).values()], (here) => Math.max(0, here.length - share));
  });
}

/** How many pods have to go until no two are together that exclude each other: each time the one in most conflicts. */
function antiAffinity({ standing, snapshot }: After): number {
  const conflicts = new Map(standing.map((one) => [one, new Set<Standing>()]));
  for (const carrier of standing) {
    for (const term of carrier.pod.spec.podAntiAffinity) {
      for (const other of standing) {
        if (other === carrier || !excludes({ carrier, term, snapshot }, other)) continue;
        conflicts.get(carrier)!.add(other);
        conflicts.get(other)!.add(carrier);
      }
    }
  }
  return cover(conflicts);
}

function cover(conflicts: ReadonlyMap<Standing, Set<Standing>>): number {
  for (let gone = 0; ; gone += 1) {
    const [worst, others] = [...conflicts].reduce((a, b) => (b[1].size > a[1].size ? b : a));
    if (others.size === 0) return gone;
    for (const other of others) conflicts.get(other)!.delete(worst);
    others.clear();
  }
}

interface Exclusion {
  readonly carrier: Standing;
  readonly term: PodAffinityTerm;
  readonly snapshot: Snapshot;
}

function excludes({ carrier, term, snapshot }: Exclusion, other: Standing): boolean {
  const { topologyKey: key, namespaces, namespaceSelector, labelSelector } = term;
  const domain = carrier.node.labels[key];
  if (domain === undefined || other.node.labels[key] !== domain || !labelSelector) return false;
  const named = namespaces.length > 0 || namespaceSelector ? namespaces : [carrier.pod.namespace];
  const labels = snapshot.find('Namespace', '', other.pod.namespace)?.labels ?? {};
  const inScope =
    named.includes(other.pod.namespace) ||
    (namespaceSelector !== undefined && matchesSelector(namespaceSelector, labels));
  return inScope && matchesSelector(labelSelector, other.pod.labels);
}

/** How many pods have to move until every constraint holds. */
function spread({ standing, snapshot }: After, { constraints = [] }: Args): number {
  const wanted = constraints.length > 0 ? constraints : ['DoNotSchedule'];
  const seen = new Set<string>();
  return sum(standing, ({ pod }) =>
    sum(pod.spec.spreadConstraints, (constraint) => {
      if (!wanted.includes(constraint.whenUnsatisfiable)) return 0;
      const domains = domainsFor(pod, constraint, snapshot);
      const key = JSON.stringify([pod.namespace, constraint, [...domains]]);
      if (seen.has(key)) return 0;
      seen.add(key);
      return movesNeeded(countsIn(domains, { pod, constraint, standing }), constraint.maxSkew);
    }),
  );
}

/** Nodes that count, with their domain. ScheduleAnyway compares only nodes on which the pod may run. */
function domainsFor(pod: Pod, constraint: SpreadConstraint, { readyNodes }: Snapshot): ReadonlyMap<Node, string> {
  const { topologyKey, whenUnsatisfiable, nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  const counts = (node: Node): boolean =>
    (nodeAffinityPolicy === 'Ignore' || matchesRequiredNodeAffinity(pod.spec, node)) &&
    (nodeTaintsPolicy === 'Ignore' || untoleratedTaint(pod.spec.tolerations, node.taints) === undefined) &&
    (whenUnsatisfiable === 'DoNotSchedule' || mayRun(pod, node));
  const nodes = readyNodes.filter((node) => node.labels[topologyKey] !== undefined && counts(node));
  return new Map(nodes.map((node) => [node, node.labels[topologyKey]!]));
}

interface Counted {
  readonly pod: Pod;
  readonly constraint: SpreadConstraint;
  readonly standing: readonly Standing[];
}

function countsIn(domains: ReadonlyMap<Node, string>, { pod, constraint, standing }: Counted): readonly number[] {
  const { labelSelector, matchLabelKeys } = constraint;
  const counts = new Map([...domains.values()].map((domain) => [domain, 0]));
  for (const { pod: other, node } of standing) {
    const domain = domains.get(node);
    const alike =
      other.namespace === pod.namespace &&
      other.deletedAt === undefined &&
      labelSelector !== undefined &&
      matchesSelector(labelSelector, other.labels) &&
      matchLabelKeys.every((key) => pod.labels[key] === undefined || pod.labels[key] === other.labels[key]);
    if (domain !== undefined && alike) counts.set(domain, counts.get(domain)! + 1);
  }
  return [...counts.values()];
}

/** The least moves after which no count is more than `maxSkew` above another: [5, 1], 2 needs 1; [4, 0, 0], 1 needs 2. */
function movesNeeded(counts: readonly number[], maxSkew: number): number {
  const most = Math.max(0, ...counts);
  const moves = Array.from({ length: most + 1 }, (_, least) =>
    Math.max(
      sum(counts, (one) => Math.max(0, one - least - maxSkew)),
      sum(counts, (one) => Math.max(0, least - one)),
    ),
  );
  return Math.min(...moves);
}

const CORDON = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule', timeAdded: undefined };

/** By labels, taints and cordon, whatever room there is. */
function mayRun({ spec }: Pod, node: Node): boolean {
  const taints = node.unschedulable ? [...node.taints, CORDON] : node.taints;
  return matchesRequiredNodeAffinity(spec, node) && untoleratedTaint(spec.tolerations, taints) === undefined;
}

function sum<T>(items: readonly T[], of: (item: T) => number): number {
  return items.reduce((total, item) => total + of(item), 0);
}
