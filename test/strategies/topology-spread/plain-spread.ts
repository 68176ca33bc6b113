import type { Requirement } from '../../../src/cluster/objects/terms.ts';
import { matchesRequiredNodeAffinity } from '../../../src/cluster/rules/affinity.ts';
import type { Node } from '../../../src/cluster/objects/node.ts';
import { isFinished, isTerminating, type Pod, type SpreadConstraint } from '../../../src/cluster/objects/pod.ts';
import { matchesSelector } from '../../../src/cluster/rules/selectors.ts';
import { untoleratedTaint } from '../../../src/cluster/rules/taints.ts';

/** One number for the pods that each domain has too many. */
type Measure = (tooMany: readonly number[]) => number;
export const worst: Measure = (tooMany) => Math.max(0, ...tooMany);
export const sum: Measure = (tooMany) => tooMany.reduce((total, count) => total + count, 0);

/**
 * By how much every DoNotSchedule constraint of every pod is exceeded: rule S15 written out, pod by pod and node
 * by node. Keys are the carrier's UID and the constraint's place in its list.
 */
export function plainExcess(
  nodes: readonly Node[],
  pods: readonly Pod[],
  of: Measure = worst,
): ReadonlyMap<string, number> {
  const domainCounts = pods.filter((pod) => !isFinished(pod) && !isTerminating(pod) && isBound(pod, nodes));
  const found = new Map<string, number>();
  for (const carrier of domainCounts) {
    const hard = carrier.spec.spreadConstraints.filter((one) => one.whenUnsatisfiable === 'DoNotSchedule');
    for (const [index, constraint] of hard.entries()) {
      const eligible = nodes.filter((node) => isEligible(node, constraint, { carrier, hard }));
      found.set(`${carrier.uid} ${index}`, of(excessOf(constraint, carrier, { eligible, domainCounts })));
    }
  }
  return found;
}

function isBound(pod: Pod, nodes: readonly Node[]): boolean {
  return nodes.some(({ name }) => name === pod.nodeName);
}

function isEligible(
  node: Node,
  constraint: SpreadConstraint,
  { carrier, hard }: { readonly carrier: Pod; readonly hard: readonly SpreadConstraint[] },
): boolean {
  if (hard.some(({ topologyKey }) => node.labels[topologyKey] === undefined)) return false;
  const { nodeAffinityPolicy, nodeTaintsPolicy } = constraint;
  if (nodeAffinityPolicy === 'Honor' && !matchesRequiredNodeAffinity(carrier.spec, node)) return false;
  return nodeTaintsPolicy === 'Ignore' || untoleratedTaint(carrier.spec.tolerations, node.taints) === undefined;
}

function excessOf(
  { topologyKey, maxSkew, minDomains = 1, labelSelector, matchLabelKeys }: SpreadConstraint,
  carrier: Pod,
  { eligible, domainCounts }: { readonly eligible: readonly Node[]; readonly domainCounts: readonly Pod[] },
): readonly number[] {
  const own: readonly Requirement[] = matchLabelKeys
    .filter((key) => carrier.labels[key] !== undefined)
    .map((key) => ({ key, operator: 'In', values: [carrier.labels[key] ?? ''] }));
  const counts = new Map(eligible.map((node) => [node.labels[topologyKey] ?? '', 0]));
  for (const pod of domainCounts) {
    const node = eligible.find(({ name }) => name === pod.nodeName);
    if (!node || !labelSelector || pod.namespace !== carrier.namespace) continue;
    if (!matchesSelector(labelSelector, pod.labels) || !own.every((one) => matches(one, pod))) continue;
    const domain = node.labels[topologyKey] ?? '';
    counts.set(domain, (counts.get(domain) ?? 0) + 1);
  }
  const lowest = counts.size < minDomains ? 0 : Math.min(...counts.values());
  return [...counts.values()].map((count) => Math.max(0, count - lowest - maxSkew));
}

function matches(requirement: Requirement, pod: Pod): boolean {
  return matchesSelector({ matchLabels: {}, matchExpressions: [requirement] }, pod.labels);
}
