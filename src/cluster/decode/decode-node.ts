import type { FieldsOf } from './decode-table.ts';
import { amountsOf, labelsOf, namedOf } from './decode-parts.ts';
import { conditionsOf } from './decode-pod.ts';
import type { Node } from '../objects/node.ts';
import { roundUp } from '../amounts/resources.ts';

/** A node from its fields. */
export function nodeOf(fields: FieldsOf<'Node'>): Node {
  const { metadata, spec, status } = fields;
  const capacity = roundUp(amountsOf(status?.capacity));
  const allocatable = roundUp(amountsOf(status?.allocatable));
  const { name, uid, labels } = namedOf('Node', metadata);
  return {
    kind: 'Node',
    name,
    uid,
    labels,
    annotations: labelsOf(metadata?.annotations),
    createdAt: metadata?.creationTimestamp,
    deletedAt: metadata?.deletionTimestamp,
    unschedulable: spec?.unschedulable === true,
    taints: (spec?.taints ?? []).map(({ key = '', value = '', effect = '', timeAdded }) => ({
      key,
      value,
      effect,
      timeAdded,
    })),
    capacity,
    // The API server fills it in from capacity where nothing at all is reported.
    allocatable: Object.keys(allocatable).length > 0 ? allocatable : capacity,
    conditions: conditionsOf(status?.conditions),
    images: (status?.images ?? []).map((image) => image.as(({ names = [], sizeBytes = 0 }) => ({ names, sizeBytes }))),
    declaredFeatures: status?.declaredFeatures ?? [],
  };
}
