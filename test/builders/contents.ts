import { Decoder } from '../../src/cluster/decode/decode.ts';
import type { OtherKind, OtherKinds } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { ClusterContents } from '../../src/cluster/snapshot.ts';

/** An object as the API has it. */
export type Raw = {
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string };
};

/** The cluster of these objects. */
export function contentsOf(objects: readonly Raw[]): ClusterContents {
  const decoder = new Decoder();
  const nodes: Node[] = [];
  const pods: Pod[] = [];
  const others: Partial<Record<OtherKind, OtherKinds[OtherKind][]>> = {};
  for (const raw of objects) {
    const decoded = decoder.decodeObject(raw)?.object;
    if (decoded?.kind === 'Node') nodes.push(decoded);
    else if (decoded?.kind === 'Pod') pods.push(decoded);
    else if (decoded) (others[decoded.kind] ??= []).push(decoded);
  }
  return { nodes, pods, others: others as ClusterContents['others'] };
}
