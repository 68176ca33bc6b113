import { DEMO_NOW, fieldsOf, type Names, type RawObject } from './names.ts';

/** A pool of equal machines: its zones with the number of nodes in each, and what a node of it offers. */
interface Pool {
  readonly name: string;
  readonly zones: Readonly<Record<string, number>>;
  readonly instance: string;
  readonly allocatable: Readonly<Record<string, string>>;
  readonly labels?: Readonly<Record<string, string>>;
  readonly taints?: readonly object[];
}

const POOLS: readonly Pool[] = [
  {
    name: 'control',
    zones: { a: 1, b: 1, c: 1 },
    instance: 'm7i.xlarge',
    allocatable: { cpu: '3920m', memory: '14654Mi', pods: '58' },
    labels: { 'node-role.kubernetes.io/control-plane': '' },
    taints: [{ key: 'node-role.kubernetes.io/control-plane', effect: 'NoSchedule' }],
  },
  {
    name: 'general',
    zones: { a: 2, b: 3, c: 2 },
    instance: 'm7i.xlarge',
    allocatable: { cpu: '3920m', memory: '14654Mi', pods: '58' },
  },
  {
    name: 'storage',
    zones: { a: 1, c: 1 },
    instance: 'i4i.2xlarge',
    allocatable: { cpu: '7910m', memory: '60386Mi', pods: '58' },
    labels: { disktype: 'nvme' },
  },
  {
    name: 'gpu',
    zones: { b: 1 },
    instance: 'g6.2xlarge',
    allocatable: { cpu: '7910m', memory: '29317Mi', pods: '58', 'nvidia.com/gpu': '1' },
    taints: [{ key: 'nvidia.com/gpu', value: 'present', effect: 'NoSchedule' }],
  },
];

/** The node that has stopped answering. */
const SILENT = 'general-b-3';

/** The nodes of the demo by key (`general-a-1`: pool, zone, number), which the workloads are placed by. */
export function demoNodes(names: Names): ReadonlyMap<string, RawObject> {
  const nodes = POOLS.flatMap((pool) =>
    Object.entries(pool.zones).flatMap(([zone, size]) =>
      Array.from({ length: size }, (_, i) => {
        const key = `${pool.name}-${zone}-${i + 1}`;
        return [key, rawNode(key, { pool, zone, names })] as const;
      }),
    ),
  );
  return new Map(nodes);
}

function rawNode(key: string, { pool, zone, names }: { pool: Pool; zone: string; names: Names }): RawObject {
  const name = `${pool.name}-${zone}-${names.suffix(5)}`;
  const capacity = { ...pool.allocatable };
  return {
    apiVersion: 'v1',
    kind: 'Node',
    metadata: {
      ...fieldsOf(name, names),
      labels: {
        'kubernetes.io/arch': 'amd64',
        'kubernetes.io/hostname': name,
        'kubernetes.io/os': 'linux',
        'node.kubernetes.io/instance-type': pool.instance,
        'node-pool': pool.name,
        'topology.kubernetes.io/region': 'eu-west-1',
        'topology.kubernetes.io/zone': `eu-west-1${zone}`,
        ...pool.labels,
      },
    },
    spec: { taints: [...(pool.taints ?? []), ...(key === SILENT ? UNREACHABLE : [])] },
    status: { capacity, allocatable: pool.allocatable, conditions: [readiness(key)] },
  };
}

const UNREACHABLE = [
  { key: 'node.kubernetes.io/unreachable', effect: 'NoSchedule', timeAdded: '2026-01-15T08:58:10Z' },
  { key: 'node.kubernetes.io/unreachable', effect: 'NoExecute', timeAdded: '2026-01-15T08:58:10Z' },
];

function readiness(key: string): object {
  return key === SILENT
    ? {
        type: 'Ready',
        status: 'Unknown',
        reason: 'NodeStatusUnknown',
        lastHeartbeatTime: '2026-01-15T08:57:20Z',
        lastTransitionTime: '2026-01-15T08:58:10Z',
      }
    : {
        type: 'Ready',
        status: 'True',
        reason: 'KubeletReady',
        lastHeartbeatTime: DEMO_NOW,
        lastTransitionTime: '2026-01-02T06:00:00Z',
      };
}
