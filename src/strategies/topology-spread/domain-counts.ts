import type { Node } from '../../cluster/objects/node.ts';
import { isFinished, isTerminating, type Pod } from '../../cluster/objects/pod.ts';
import type { Snapshot } from '../../cluster/snapshot.ts';
import { Lookup } from '../../placement/counts/lookup.ts';
import { Memo } from '../../placement/counts/memo.ts';
import type { NodeIndexes } from '../../placement/counts/node-indexes.ts';
import type { SpreadRule } from './spread-rules.ts';
import { Tally } from './tally.ts';

/** A rule and what counts for it. */
export interface CountedRule {
  readonly rule: SpreadRule;
  readonly tally: Tally;
  /** The pods that it selects, wherever they are, as things were at the beginning. */
  readonly members: readonly Pod[];
}

const NONE: readonly CountedRule[] = [];

/**
 * Who counts where, for every rule, kept up to date with every move: all assigned pods that are not terminating, whether they
 * may be evicted or not, on any node (rule T7).
 *
 * Differs from the reference: there, only pods that may be evicted count, and on nodes that the inclusion policies rule
 * out, too.
 */
export class DomainCounts {
  readonly counted: readonly CountedRule[];
  readonly #nodeIndexes: NodeIndexes;
  readonly #ofPod = new Map<string, CountedRule[]>();

  constructor(rules: readonly SpreadRule[], snapshot: Snapshot, nodeIndexes: NodeIndexes) {
    this.#nodeIndexes = nodeIndexes;
    const lookup = lookupFor(rules, snapshot, nodeIndexes);
    const members = new Memo<Members>();
    const membersOf = ({ selection }: SpreadRule) =>
      members.get(selection.key, () => {
        const assignedPods = [...lookup.select(selection)];
        return {
          pods: assignedPods.map(({ pod }) => pod),
          nodeIndexes: assignedPods.map(({ nodeIndex }) => nodeIndex),
        };
      });
    this.counted = rules.map((rule) => this.#count(rule, membersOf(rule)));
  }

  /** The rules that count the pod. */
  rulesOf(pod: Pod): readonly CountedRule[] {
    return this.#ofPod.get(pod.uid) ?? NONE;
  }

  /** The place of a node; -1 if there is none of that name. */
  placeOf(nodeName: string): number {
    return this.#nodeIndexes.of(nodeName) ?? -1;
  }

  /** The node at a place. */
  nodeAt(nodeIndex: number): Node {
    return this.#nodeIndexes.at(nodeIndex);
  }

  /** The domain of the rule in which pods on that node count; -1 if they count nowhere. */
  domainOn({ domains }: SpreadRule, nodeName: string): number {
    return domains.at(this.placeOf(nodeName));
  }

  /** The pod is on its way out, and its replacement on its way to the node. */
  move(pod: Pod, node: Node): void {
    for (const { rule, tally } of this.rulesOf(pod)) {
      tally.change(this.domainOn(rule, pod.nodeName), -1);
      tally.change(this.domainOn(rule, node.name), 1);
    }
  }

  #count(rule: SpreadRule, { pods, nodeIndexes }: Members): CountedRule {
    const counted = { rule, members: pods, tally: new Tally(rule.domains, rule.constraint) };
    for (const nodeIndex of nodeIndexes) counted.tally.change(rule.domains.at(nodeIndex), 1);
    for (const { uid } of pods) {
      const others = this.#ofPod.get(uid);
      if (others) others.push(counted);
      else this.#ofPod.set(uid, [counted]);
    }
    return counted;
  }
}

/** Pods, and where each of them stands. */
interface Members {
  readonly pods: readonly Pod[];
  readonly nodeIndexes: readonly number[];
}

/** Finds pods by labels, in the namespaces that have rules. */
function lookupFor(rules: readonly SpreadRule[], snapshot: Snapshot, nodeIndexes: NodeIndexes): Lookup {
  const lookup = new Lookup();
  const namespaces = new Set(rules.map(({ namespace }) => namespace));
  for (const pod of snapshot.pods) {
    const nodeIndex = nodeIndexes.of(pod.nodeName);
    if (nodeIndex === undefined || !namespaces.has(pod.namespace) || isTerminating(pod) || isFinished(pod)) continue;
    lookup.change({ pod, nodeIndex, requests: {}, leaving: false }, 1);
  }
  return lookup;
}
