import { matchesRequiredNodeAffinity } from '../cluster/rules/affinity.ts';
import type { Node } from '../cluster/objects/node.ts';
import type { Pod, PodSpec } from '../cluster/objects/pod.ts';
import { schedulingClassKey } from '../cluster/rules/scheduling-class.ts';
import { isTolerated, untoleratedTaint } from '../cluster/rules/taints.ts';
import type { ReplicaGroup } from './remove-duplicates/replica-groups.ts';

const CORDON = { key: 'node.kubernetes.io/unschedulable', value: '', effect: 'NoSchedule', timeAdded: undefined };

/** Where replicas can run, by what does not change with the load: labels, taints and cordon (rule T12). */
export class StaticNodes {
  readonly #nodes: readonly Node[];
  readonly #byRules = new Map<string, readonly Node[]>();
  readonly #bySpec = new Map<PodSpec, readonly Node[]>();
  readonly #indexes = new Map<readonly Node[], ReadonlyMap<string, number>>();

  constructor(nodes: readonly Node[]) {
    this.#nodes = nodes;
  }

  /** The nodes, by name, that the pod's node selector, required affinity and tolerations allow. */
  of(pod: Pod): readonly Node[] {
    const known = this.#bySpec.get(pod.spec);
    if (known) return known;
    const rules = schedulingClassKey(pod.spec);
    const nodes = this.#byRules.get(rules) ?? this.#nodes.filter((node) => allows(node, pod.spec));
    this.#byRules.set(rules, nodes);
    this.#bySpec.set(pod.spec, nodes);
    return nodes;
  }

  /** The same without the nodes of these names, which are few. */
  without(names: readonly string[], pod: Pod): readonly Node[] {
    const nodes = this.of(pod);
    const indexes = this.#indexes.get(nodes) ?? new Map(nodes.map(({ name }, index) => [name, index]));
    this.#indexes.set(nodes, indexes);
    const left = nodes.slice();
    const gone = names.flatMap((name) => indexes.get(name) ?? []);
    for (const index of gone.sort((a, b) => b - a)) left.splice(index, 1);
    return left;
  }

  /**
   * How many nodes share the group: the union over its pods. Pods that can run on one node only have no choice and
   * add none.
   */
  shareOf(group: ReplicaGroup): number {
    const lists = [...new Set(group.pods.map((pod) => this.of(pod)))].filter((nodes) => nodes.length > 1);
    return lists.length === 1 ? (lists[0]?.length ?? 0) : new Set(lists.flat()).size;
  }
}

/**
 * Differs from the reference: a cordoned node is no place, unless the pod tolerates the cordon (rule T7);
 * there it lowers everybody's even share.
 */
function allows(node: Node, spec: PodSpec): boolean {
  if (node.unschedulable && !isTolerated(spec.tolerations, CORDON)) return false;
  return !untoleratedTaint(spec.tolerations, node.taints) && matchesRequiredNodeAffinity(spec, node);
}
