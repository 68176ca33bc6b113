import { fieldsOf, type Names, type RawObject } from './names.ts';
import { DRIVER, STORAGE_CLASS } from './storage.ts';
import { PRIORITIES } from './priorities.ts';
import type { DemoWorkload } from './workloads.ts';

/** What a workload is placed with. */
interface Spot {
  readonly nodes: ReadonlyMap<string, RawObject>;
  readonly names: Names;
}

interface Owned {
  readonly owner: RawObject | undefined;
  /** The ReplicaSet's hash, which stands in the names and labels of its pods. */
  readonly hash: string;
}

/** A workload's objects: its owner (the ReplicaSet of a Deployment), its pods and their claims. */
export function demoPods(workload: DemoWorkload, place: Spot): readonly RawObject[] {
  const hash = place.names.suffix(9);
  const owner = ownerOf(workload, hash, place.names);
  const keys = workload.on.includes('*') ? [...place.nodes.keys()] : workload.on;
  const pods = keys.flatMap((key, ordinal) => {
    const node = place.nodes.get(key);
    return node ? onePod(workload, { owner, hash }, { node, ordinal, names: place.names }) : [];
  });
  return owner ? [owner, ...pods] : pods;
}

function ownerOf(workload: DemoWorkload, hash: string, names: Names): RawObject | undefined {
  const { kind, name, namespace, on } = workload;
  if (kind === 'Bare') return undefined;
  const isDeployment = kind === 'Deployment';
  return {
    apiVersion: 'apps/v1',
    kind: isDeployment ? 'ReplicaSet' : kind,
    metadata: { ...fieldsOf(isDeployment ? `${name}-${hash}` : name, names), namespace, generation: 1 },
    spec: {
      ...(kind === 'DaemonSet' ? {} : { replicas: on.length }),
      selector: { matchLabels: { app: name } },
    },
  };
}

interface Slot {
  readonly node: RawObject;
  readonly ordinal: number;
  readonly names: Names;
}

function onePod(workload: DemoWorkload, owned: Owned, slot: Slot): readonly RawObject[] {
  const { names } = slot;
  const name = podNameOf(workload, owned.hash, slot);
  const fields = fieldsOf(name, names);
  const pod: RawObject = {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: {
      ...fields,
      namespace: workload.namespace,
      labels: { app: workload.name, ...(workload.kind === 'Deployment' ? { 'pod-template-hash': owned.hash } : {}) },
      ...(owned.owner ? { ownerReferences: [reference(owned.owner)] } : {}),
    },
    spec: podSpec(workload, name, slot.node.metadata.name),
    status: {
      phase: 'Running',
      qosClass: 'Burstable',
      startTime: fields.creationTimestamp,
      conditions: [{ type: 'Ready', status: 'True', lastTransitionTime: fields.creationTimestamp }],
    },
  };
  return workload.claim === undefined ? [pod] : [pod, ...volumeObjects(workload, name, slot)];
}

function podNameOf(workload: DemoWorkload, hash: string, { ordinal, names }: Slot): string {
  switch (workload.kind) {
    case 'Deployment':
      return `${workload.name}-${hash}-${names.suffix(5)}`;
    case 'StatefulSet':
      return `${workload.name}-${ordinal}`;
    case 'DaemonSet':
      return `${workload.name}-${names.suffix(5)}`;
    case 'Bare':
      return workload.name;
  }
}

function reference(owner: RawObject): object {
  const { name, uid } = owner.metadata;
  return { apiVersion: 'apps/v1', kind: owner.kind, name, uid, controller: true, blockOwnerDeletion: true };
}

function podSpec(workload: DemoWorkload, podName: string, nodeName: string): object {
  const { name, cpu, memory, spec, priorityClass, claim } = workload;
  const requests = { cpu, memory };
  return {
    nodeName,
    containers: [{ name, image: `registry.example/${workload.namespace}/${name}:1.4.2`, resources: { requests } }],
    ...(priorityClass === undefined ? {} : { priorityClassName: priorityClass, priority: PRIORITIES[priorityClass] }),
    ...(claim === undefined
      ? {}
      : { volumes: [{ name: 'data', persistentVolumeClaim: { claimName: `data-${podName}` } }] }),
    ...spec,
  };
}

/** A claim, bound to a network disk of the node's zone. */
function volumeObjects(workload: DemoWorkload, podName: string, { node, names }: Slot): readonly RawObject[] {
  const claim = fieldsOf(`data-${podName}`, names);
  const volume = fieldsOf(`pvc-${claim.uid}`, names);
  const { namespace, claim: storage } = workload;
  const shared = { accessModes: ['ReadWriteOnce'], storageClassName: STORAGE_CLASS, volumeMode: 'Filesystem' };
  return [
    {
      apiVersion: 'v1',
      kind: 'PersistentVolumeClaim',
      metadata: { ...claim, namespace, annotations: { 'pv.kubernetes.io/bind-completed': 'yes' } },
      spec: { ...shared, resources: { requests: { storage } }, volumeName: volume.name },
      status: { phase: 'Bound' },
    },
    {
      apiVersion: 'v1',
      kind: 'PersistentVolume',
      metadata: volume,
      spec: {
        ...shared,
        capacity: { storage },
        claimRef: { namespace, name: claim.name, uid: claim.uid },
        csi: { driver: DRIVER, volumeHandle: `vol-${volume.uid.slice(0, 8)}` },
        nodeAffinity: { required: { nodeSelectorTerms: [{ matchExpressions: [zoneOf(node)] }] } },
      },
      status: { phase: 'Bound' },
    },
  ];
}

function zoneOf(node: RawObject): object {
  const key = 'topology.kubernetes.io/zone';
  return { key, operator: 'In', values: [node.metadata.labels?.[key]] };
}
