import type { ApiObject, ControlPlane } from '../../test/e2e/control-plane.ts';

const WORKLOADS = 100;
const REPLICAS = 6;

/** 100 nodes, and 100 workloads of 6 replicas spread over them: 600 pods that all may go. */
export async function loadEvenly(plane: ControlPlane): Promise<void> {
  await create(plane, [{ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'bench' } }]);
  await create(
    plane,
    Array.from({ length: 100 }, (_, i) => node(`n${i}`)),
  );
  const pods = Array.from({ length: WORKLOADS }, (_, w) => Array.from({ length: REPLICAS }, (__, r) => pod(w, r)));
  await create(plane, pods.flat());
}

async function create(plane: ControlPlane, objects: readonly ApiObject[]): Promise<void> {
  for (let start = 0; start < objects.length; start += 32)
    await Promise.all(objects.slice(start, start + 32).map((object) => plane.create(object)));
}

function node(name: string): ApiObject {
  const capacity = { cpu: '32', memory: '128Gi', pods: '110' };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: { name, labels: { 'kubernetes.io/hostname': name } },
    status: { capacity, allocatable: capacity, conditions: [{ type: 'Ready', status: 'True' }] },
  };
}

function pod(workload: number, replica: number): ApiObject {
  const owner = `app-${workload}`;
  const uid = `00000000-0000-4000-8000-${String(workload).padStart(12, '0')}`;
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      name: `${owner}-${replica}`,
      namespace: 'bench',
      labels: { app: owner },
      ownerReferences: [{ apiVersion: 'apps/v1', kind: 'ReplicaSet', name: owner, uid, controller: true }],
    },
    spec: {
      nodeName: `n${(workload + 17 * replica) % 100}`,
      containers: [{ name: 'c', image: 'c', resources: { requests: { cpu: '100m', memory: '128Mi' } } }],
    },
    status: { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] },
  };
}
