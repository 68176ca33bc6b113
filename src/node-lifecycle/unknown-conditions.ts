import type { Node } from '../cluster/objects/node.ts';
import type { ConditionUpdate } from '../cluster/updates.ts';

/** The kubelet's own conditions. NetworkUnavailable is not among them: it belongs to the network's side. */
const KUBELET_CONDITIONS = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

/** What the conditions of a node that does not respond become; those that are Unknown already are left out. */
export function unknownConditions(node: Node, wall: number): readonly ConditionUpdate[] {
  return KUBELET_CONDITIONS.flatMap((type): ConditionUpdate[] => {
    const present = node.conditions.find((condition) => condition.type === type);
    if (present === undefined)
      return [{ type, ...NEVER_UPDATED, heartbeatAt: node.createdAt ?? wall, transitionAt: wall }];
    return present.status === 'Unknown' ? [] : [{ type, ...STOPPED, transitionAt: wall }];
  });
}

const NEVER_UPDATED = {
  status: 'Unknown',
  reason: 'NodeStatusNeverUpdated',
  message: 'Kubelet never posted node status.',
};
const STOPPED = { status: 'Unknown', reason: 'NodeStatusUnknown', message: 'Kubelet stopped posting node status.' };
