import { Decoder } from '../cluster/decode/decode.ts';
import type { OtherKind, OtherKinds } from '../cluster/objects/kinds.ts';
import type { Node } from '../cluster/objects/node.ts';
import type { Pod } from '../cluster/objects/pod.ts';
import { Snapshot, type ClusterContents } from '../cluster/snapshot.ts';
import type { ClusterSource } from '../descheduler/ports.ts';
import { demoObjects } from './cluster.ts';
import { DEMO_NOW, type RawObject } from './names.ts';

/** The demo's cluster as the source of a cycle: made in memory, read by the same decoder as a dump. */
export const demoCluster: ClusterSource = () =>
  Promise.resolve({
    snapshot: snapshotOf(demoObjects()),
    source: { kind: 'demo', name: 'demo', now: DEMO_NOW, nowFrom: 'dump' },
    warnings: [],
  });

function snapshotOf(objects: readonly RawObject[]): Snapshot {
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
  // Every object went into the list of its own kind.
  return new Snapshot({ nodes, pods, others: others as ClusterContents['others'] });
}
