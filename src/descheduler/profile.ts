import type { LabelSelector } from '../cluster/objects/terms.ts';
import type { Node } from '../cluster/objects/node.ts';
import { isFinished, isPending, type Pod } from '../cluster/objects/pod.ts';
import { matchesRequirements, matchesSelector } from '../cluster/rules/selectors.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { formatIntOrPercent, podsOf, type IntOrPercent } from '../evictor/limits/int-or-percent.ts';
import type { EnabledStrategy, Policy, Profile } from '../policy/policy.ts';
import type { UsageNeed } from '../strategies/strategy.ts';

/** One strategy of one profile. */
export interface PlannedStrategy {
  readonly profile: Profile;
  readonly enabled: EnabledStrategy;
}

/**
 * The order of a cycle (rule C6): the deschedule strategies of every profile, then the balance strategies of
 * every profile, each in the order of the file.
 */
export function strategiesInOrder({ profiles }: Policy): readonly PlannedStrategy[] {
  const descheduling = profiles.flatMap((profile) => profile.deschedule.map((enabled) => ({ profile, enabled })));
  const balancing = profiles.flatMap((profile) => profile.balance.map((enabled) => ({ profile, enabled })));
  return [...descheduling, ...balancing];
}

/** What the enabled strategies want measured, in their order. */
export function usageNeeds(policy: Policy): readonly UsageNeed[] {
  return strategiesInOrder(policy).flatMap(({ enabled: { strategy, args } }) => strategy.needs?.(args) ?? []);
}

/** The nodes that strategies may look at: ready, and chosen by the policy's `nodeSelector` (rule C7). By name. */
export function usableNodes({ nodeSelector }: Policy, snapshot: Snapshot): readonly Node[] {
  if (!nodeSelector) return snapshot.readyNodes;
  return snapshot.readyNodes.filter((node) => matchesRequirements(nodeSelector, node.labels));
}

/**
 * Why a cycle is skipped: there are fewer than two usable nodes, and so nowhere to go; or the cluster has other troubles, by the
 * policy's `pauseWhen`. Undefined where it can run.
 */
export function skippedBecause(nodes: readonly Node[], policy: Policy, snapshot: Snapshot): string | undefined {
  const all = snapshot.nodes.length;
  const ready = snapshot.readyNodes.length;
  if (nodes.length < 2) {
    const chosen = policy.nodeSelector ? `, ${nodes.length} of these chosen by the policy's nodeSelector` : '';
    const usable = nodes.length === 0 ? 'are none' : 'is one';
    return `cycle skipped: it takes two usable nodes to move a pod, and there ${usable} (${ready} of ${all} nodes ready${chosen})`;
  }
  const { notReadyNodes, pendingPods } = policy.pauseWhen ?? {};
  if (isReached(all - ready, notReadyNodes, all))
    return `cycle skipped: ${all - ready} of ${all} nodes are not ready, and pauseWhen.notReadyNodes is ${formatIntOrPercent(notReadyNodes)}`;
  const running = snapshot.pods.filter((pod) => !isFinished(pod));
  const pending = running.filter(isPending).length;
  if (isReached(pending, pendingPods, running.length))
    return `cycle skipped: ${pending} of ${running.length} pods wait for a node, and pauseWhen.pendingPods is ${formatIntOrPercent(pendingPods)}`;
  return undefined;
}

/** Nothing in trouble is never too much. */
function isReached(count: number, most: IntOrPercent | undefined, all: number): most is IntOrPercent {
  return most !== undefined && count > 0 && count >= podsOf(most, () => all);
}

/** What strategies have in common in their arguments (rule T1). */
interface ScopeArgs {
  readonly namespaces?: { readonly include?: readonly string[]; readonly exclude?: readonly string[] } | undefined;
  readonly labelSelector?: LabelSelector | undefined;
}

/**
 * Which pods a strategy may choose, by its arguments `namespaces` and `labelSelector`; an empty list counts as none. Pods
 * outside are no victims, but they still count (rule T7).
 */
export function scopeOf(args: unknown): (pod: Pod) => boolean {
  if (!isScope(args)) return () => true;
  const { namespaces, labelSelector } = args;
  const include = new Set(namespaces?.include ?? []);
  const exclude = new Set(namespaces?.exclude ?? []);
  return (pod) =>
    (include.size === 0 || include.has(pod.namespace)) &&
    !exclude.has(pod.namespace) &&
    (!labelSelector || matchesSelector(labelSelector, pod.labels));
}

/** The namespaces that a strategy's arguments name as the only ones. */
export function includedNamespaces(args: unknown): readonly string[] {
  return isScope(args) ? (args.namespaces?.include ?? []) : [];
}

/** The shape needs no second look: arguments in a policy have passed the schema of their strategy. */
function isScope(args: unknown): args is ScopeArgs {
  return typeof args === 'object' && args !== null;
}
