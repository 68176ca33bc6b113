import { isReady, type Node } from '../cluster/objects/node.ts';
import { assignedRequests } from '../cluster/amounts/requests.ts';
import { addResources, amountOf, formatAmount, type Resources } from '../cluster/amounts/resources.ts';
import { compareText } from '../cluster/snapshot.ts';
import { matchesRequirements } from '../cluster/rules/selectors.ts';
import { formatTaint } from '../cluster/rules/taints.ts';
import type { Pod } from '../cluster/objects/pod.ts';
import type { NodeExplanation, NodeLoad, NodePodAnswer } from '../outcomes/explanation.ts';
import type { Grounds } from './pod.ts';

/** What the policy makes of a node: whether it is considered, how full it is, and what is decided about each pod on it. */
export function explainNode(node: Node, grounds: Grounds): NodeExplanation {
  const { snapshot, report } = grounds;
  return {
    kind: 'NodeExplanation',
    source: report.source,
    node: node.name,
    ready: isReady(node),
    schedulable: !node.unschedulable,
    looked: lookedText(node, grounds),
    taints: node.taints.map(formatTaint),
    load: loadOf(node, snapshot.assignedPodsOf(node.name)),
    pods: snapshot.podsOn(node.name).map((pod) => podAnswer(pod, grounds)),
    notes: report.strategies.flatMap(({ name, notes }) => notes.map((note) => `${name}: ${note}`)),
  };
}

function lookedText(node: Node, { policy, report }: Grounds): string {
  if (!isReady(node)) return 'no: it is not ready, so its pods are left to the node lifecycle';
  if (policy.nodeSelector && !matchesRequirements(policy.nodeSelector, node.labels)) {
    return "no: the policy's nodeSelector leaves it out";
  }
  return report.strategies.length === 0 ? 'no: no strategy ran' : 'yes';
}

/** Requests of the assigned pods against what the node can give, cpu, memory and pods first. */
function loadOf(node: Node, assignedPods: readonly Pod[]): readonly NodeLoad[] {
  const used = assignedPods.reduce<Resources>((sum, pod) => addResources(sum, assignedRequests(pod)), {
    pods: assignedPods.length,
  });
  const names = [...new Set([...Object.keys(node.allocatable), ...Object.keys(used)])].filter((name) =>
    relevant(name, used),
  );
  return names
    .sort((a, b) => rank(a) - rank(b) || compareText(a, b))
    .map((resource) => {
      const [taken, all] = [amountOf(used, resource), amountOf(node.allocatable, resource)];
      const percent = all > 0 ? Math.min(Math.round((taken / all) * 1000) / 10, MOST_PERCENT) : 0;
      return { resource, used: formatAmount(resource, taken), allocatable: formatAmount(resource, all), percent };
    });
}

/** Beyond this nobody compares percents. */
const MOST_PERCENT = 1_000_000;

const FIRST = ['cpu', 'memory', 'pods'];

function rank(name: string): number {
  const index = FIRST.indexOf(name);
  return index < 0 ? FIRST.length : index;
}

function relevant(name: string, used: Resources): boolean {
  return FIRST.includes(name) || amountOf(used, name) > 0;
}

function podAnswer(pod: Pod, { report }: Grounds): NodePodAnswer {
  const named = { namespace: pod.namespace, pod: pod.name };
  const eviction = report.evictions.find((it) => it.pod.uid === pod.uid);
  if (eviction) return { ...named, answer: 'evict', by: eviction.strategy, reason: eviction.reason };
  const refusal = report.refusals.find((it) => it.pod.uid === pod.uid);
  if (refusal) return { ...named, answer: 'refuse', by: refusal.refusedBy, reason: refusal.reason };
  return { ...named, answer: 'stay', by: '', reason: 'no strategy selects it' };
}
