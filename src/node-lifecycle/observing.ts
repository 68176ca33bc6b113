import { replied } from '../lib/answer.ts';
import type { NodeLifecyclePorts } from './ports.ts';

/**
 * Ports for the mode `observe`: they read like the given ones and change nothing. A patch answers with the node as it would
 * be, so that the controller goes on as if it had been written and says each thing once.
 */
export function observingLifecyclePorts(reads: Pick<NodeLifecyclePorts, 'getNode' | 'getLease'>): NodeLifecyclePorts {
  return {
    ...reads,
    patchNode: ({ node, resourceVersion, change }) => {
      const { taints = node.taints, labels = {} } = change;
      return replied({ object: { ...node, taints, labels: { ...node.labels, ...labels } }, resourceVersion });
    },
    patchNodeStatus: ({ node, resourceVersion }) => replied({ object: node, resourceVersion }),
    patchPodStatus: ({ pod }) => replied(pod),
    announce: () => undefined,
  };
}
