import assert from 'node:assert/strict';
import type { OtherKind, OtherKinds } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { createPlacement, type FitOptions } from '../../src/placement/fit.ts';
import { allocatable, labels, node, snapshot, type Part } from '../builders/cluster.ts';

/** By node: empty where the pod fits, else the codes of rule S3. */
export type Answers = Readonly<Record<string, string>>;

/** A row of rule S6. */
export interface FilterRow {
  readonly id: string;
  readonly cluster: readonly (Node | Pod | OtherKinds[OtherKind])[];
  readonly pod: Pod;
  readonly options?: FitOptions;
  /** What evenkeel answers, for every node. */
  readonly ours: Answers;
  /** What kube-scheduler 1.36 answers, where that differs. */
  readonly reference?: Answers;
}

/** Runs the rows, one test each, by every way to ask. */
export function filterRows(rows: readonly FilterRow[]): void {
  for (const row of rows) {
    it(row.id, () => {
      const cluster = snapshot(...row.cluster);
      const placement = createPlacement(cluster, row.options);
      const ours = Object.fromEntries(
        cluster.nodes.map((one) => [
          one.name,
          placement
            .misfits(row.pod, one)
            .map(({ code }) => code)
            .join(' + '),
        ]),
      );
      assert.deepEqual(ours, row.ours);
      const fitting = Object.keys(row.ours).filter((name) => row.ours[name] === '');
      assert.deepEqual(
        placement.fitting(row.pod, cluster.nodes).map(({ name }) => name),
        fitting,
      );
      assert.equal(placement.fitsAny(row.pod, cluster.nodes), fitting.length > 0);
      if (row.reference) assert.notDeepEqual(row.ours, row.reference);
    });
  }
}

/** A node as section 6 has it: 4 cpu, 8Gi, 10 pods, 20Gi of ephemeral storage. */
export function room(name: string, ...parts: readonly (Part<Node> | Pod)[]): Node {
  return node(name, allocatable({ pods: 10, 'ephemeral-storage': '20Gi' }), ...parts);
}

export const ZONE = 'topology.kubernetes.io/zone';
export const HOSTNAME = 'kubernetes.io/hostname';

/** The same in the zone that its name begins with: a1 stands in zone a. */
export function zoned(name: string, ...parts: readonly (Part<Node> | Pod)[]): Node {
  return room(name, labels({ [ZONE]: name.slice(0, 1) }), ...parts);
}
