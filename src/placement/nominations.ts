import { isFinished, isTerminating, type Pod } from '../cluster/objects/pod.ts';
import { requestsOf } from '../cluster/amounts/requests.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { priorityOf } from './candidate.ts';
import type { NodeIndexes } from './counts/node-indexes.ts';
import type { Change } from './counts/assigned-pods.ts';

/** Pending pods that a node is kept free for: `status.nominatedNodeName` without a node (rule S5). */
export class Nominations {
  readonly pods: readonly Pod[];
  readonly #byNodeIndex = new Map<number, Change[]>();

  constructor(snapshot: Snapshot, nodeIndexes: NodeIndexes) {
    this.pods = snapshot.pods.filter(
      (pod) => pod.status.nominatedNode !== '' && pod.nodeName === '' && !isFinished(pod) && !isTerminating(pod),
    );
    for (const pod of this.pods) {
      const nodeIndex = nodeIndexes.of(pod.status.nominatedNode);
      if (nodeIndex === undefined) continue;
      const assignedPod = { pod, nodeIndex, requests: requestsOf(pod.spec), leaving: false };
      this.#byNodeIndex.set(nodeIndex, [...(this.#byNodeIndex.get(nodeIndex) ?? []), { assignedPod, sign: 1 }]);
    }
  }

  /** Where somebody is nominated. */
  nodeIndexes(): Iterable<number> {
    return this.#byNodeIndex.keys();
  }

  /** Those on the place that this pod has to let pass: of equal or higher priority, not itself. */
  before(pod: Pod, nodeIndex: number): readonly Change[] {
    const nominated = this.#byNodeIndex.get(nodeIndex);
    if (!nominated) return NOBODY;
    return nominated.filter(
      ({ assignedPod }) => assignedPod.pod.uid !== pod.uid && priorityOf(assignedPod.pod) >= priorityOf(pod),
    );
  }
}

const NOBODY: readonly never[] = [];
