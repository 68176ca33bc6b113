import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { readDump } from '../../src/dump/read-dump.ts';
import { suiteNeeding } from '../suites.ts';

const data = resolve(import.meta.dirname, '../../../shared/data');

interface Row {
  readonly nodes: number;
  readonly pods: number;
  /** Number of objects of each other kind; 0 is known and empty. */
  readonly others?: Readonly<Record<string, number>>;
  readonly duplicates?: number;
  readonly warnings?: readonly string[];
}

const noNodes = 'the dump has no Node objects at all';
const noPods = 'the dump has no Pod objects at all';
const homeless = (pods: number, nodes: number): string =>
  `${pods} pods are on ${nodes} node${nodes === 1 ? ' that is' : 's that are'} not in the dump, and not part of placement`;

const rows: Readonly<Record<string, Row>> = {
  'aks-kubelet': { nodes: 0, pods: 10, warnings: [noNodes, homeless(10, 1)] },
  'digitalocean-1.19': {
    nodes: 6,
    pods: 0,
    others: { Deployment: 6, Job: 2, Namespace: 5, ReplicaSet: 2, StatefulSet: 1 },
    warnings: [noPods],
  },
  'eks-kubelet': { nodes: 0, pods: 6, warnings: [noNodes, homeless(6, 1)] },
  'k3s-1.31': {
    nodes: 1,
    pods: 7,
    others: {
      DaemonSet: 1,
      Deployment: 4,
      Job: 2,
      Lease: 2,
      Namespace: 4,
      PodDisruptionBudget: 0,
      PriorityClass: 2,
      ReplicaSet: 4,
    },
  },
  'kind-1.14': { nodes: 1, pods: 16, duplicates: 32 },
  'kind-1.21': {
    nodes: 1,
    pods: 22,
    others: {
      DaemonSet: 3,
      Deployment: 2,
      Lease: 3,
      Namespace: 20,
      PriorityClass: 2,
      ReplicaSet: 2,
      ReplicationController: 2,
    },
  },
  'kind-cluster-snapshot': { nodes: 0, pods: 12, warnings: [noNodes, homeless(12, 1)] },
  'kindless-cluster-snapshot': {
    nodes: 0,
    pods: 8,
    others: { Deployment: 6, ReplicaSet: 7 },
    warnings: [
      noNodes,
      homeless(8, 2),
      "objects in 6 files say no kind; it was taken from the file's name or the object's shape",
    ],
  },
  'kubeadm-aws-1.8': { nodes: 3, pods: 19, others: { DaemonSet: 4, Deployment: 4, ReplicaSet: 4 } },
  'microk8s-1.21': { nodes: 2, pods: 11 },
  'minikube-1.31': { nodes: 1, pods: 24, others: { Namespace: 6 } },
  'minikube-1.35': { nodes: 1, pods: 25, others: { Namespace: 6 } },
  'oke-cluster-snapshot': { nodes: 0, pods: 2, others: { Deployment: 3 }, warnings: [noNodes, homeless(2, 1)] },
  'openshift-4.7': { nodes: 2, pods: 35, others: { PodDisruptionBudget: 1 }, warnings: [homeless(4, 3)] },
  'vendor-nodes': { nodes: 6, pods: 0, warnings: [noPods] },
};

const REAL = { group: 'recorded clusters', isMet: existsSync(data) };

suiteNeeding(REAL, 'dumps of real clusters', () => {
  for (const [name, { nodes, pods, others = {}, duplicates = 0, warnings = [] }] of Object.entries(rows)) {
    it(name, async () => {
      const dump = await readDump([`${data}/real/${name}`]);
      assert.deepEqual(
        {
          nodes: dump.contents.nodes.length,
          pods: dump.contents.pods.length,
          others: Object.fromEntries(Object.entries(dump.contents.others).map(([kind, list]) => [kind, list.length])),
          duplicates: dump.duplicates,
          warnings: dump.warnings,
          dumpedAt: dump.dumpedAt,
        },
        { nodes, pods, others, duplicates, warnings, dumpedAt: undefined },
      );
      const names = dump.contents.pods.map((pod) => `${pod.namespace}/${pod.name}`);
      assert.equal(new Set(names).size, pods);
    });
  }
});

suiteNeeding(REAL, 'the GPU cluster', () => {
  it('in full, with its own time', async () => {
    const { contents, dumpedAt, warnings } = await readDump([`${data}/openb.json.gz`]);
    const others = Object.entries(contents.others).map(([kind, list]) => [kind, list.length]);
    assert.deepEqual([contents.nodes.length, contents.pods.length], [1523, 8152]);
    assert.deepEqual(others, [
      ['Namespace', 1],
      ['PriorityClass', 4],
      ['ReplicaSet', 162],
    ]);
    assert.deepEqual([dumpedAt, warnings], ['2023-05-30T08:09:20Z', []]);
  });

  it('in its busiest second', async () => {
    const { contents, dumpedAt } = await readDump([`${data}/openb-sparse.json.gz`]);
    assert.deepEqual([contents.nodes.length, contents.pods.length, dumpedAt], [1523, 56, '2023-05-17T19:47:31Z']);
  });
});
