/** A workload of the demo: what its pods ask for, and on which node (by key) each of them runs. */
export interface DemoWorkload {
  readonly namespace: string;
  readonly name: string;
  readonly kind: 'Deployment' | 'StatefulSet' | 'DaemonSet' | 'Bare';
  readonly cpu: string;
  readonly memory: string;
  /** One key a pod; `*` stands for every node. */
  readonly on: readonly string[];
  /** Further fields of the pod's spec. */
  readonly spec?: Readonly<Record<string, unknown>>;
  readonly priorityClass?: string;
  /** How many pods its PodDisruptionBudget lets go at once; without it there is no budget. */
  readonly disruptionsAllowed?: number;
  /** Size of the claim that each pod has. */
  readonly claim?: string;
}

const EVERYWHERE = [{ operator: 'Exists' }];

const APART = (app: string): object => ({
  podAntiAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: [
      { labelSelector: { matchLabels: { app } }, topologyKey: 'kubernetes.io/hostname' },
    ],
  },
});

const ON_NVME = {
  nodeAffinity: {
    requiredDuringSchedulingIgnoredDuringExecution: {
      nodeSelectorTerms: [{ matchExpressions: [{ key: 'disktype', operator: 'In', values: ['nvme'] }] }],
    },
  },
};

const SCRATCH = [{ name: 'scratch', emptyDir: {} }];

/**
 * Two nodes were overloaded while `general-c-2` was away; `report-builder` was placed before the nvme rule was added; the
 * two `search` pods on one node date from before their anti-affinity; `cart` was scaled up while other nodes were full.
 */
export const DEMO_WORKLOADS: readonly DemoWorkload[] = [...system(), ...shop(), ...data(), ...platform()];

function system(): readonly DemoWorkload[] {
  const critical = { namespace: 'kube-system', priorityClass: 'system-node-critical' };
  const control = { ...critical, kind: 'Deployment', on: ['control-a-1', 'control-b-1', 'control-c-1'] } as const;
  return [
    {
      ...critical,
      name: 'kube-proxy',
      kind: 'DaemonSet',
      cpu: '50m',
      memory: '64Mi',
      on: ['*'],
      spec: { tolerations: EVERYWHERE },
    },
    {
      ...critical,
      name: 'cilium',
      kind: 'DaemonSet',
      cpu: '100m',
      memory: '256Mi',
      on: ['*'],
      spec: { tolerations: EVERYWHERE },
    },
    { ...control, name: 'cloud-controller', cpu: '200m', memory: '256Mi', spec: { tolerations: EVERYWHERE } },
    {
      ...critical,
      name: 'coredns',
      kind: 'Deployment',
      cpu: '100m',
      memory: '128Mi',
      on: ['general-a-1', 'general-b-1'],
      disruptionsAllowed: 1,
    },
    {
      namespace: 'kube-system',
      name: 'metrics-server',
      kind: 'Deployment',
      cpu: '100m',
      memory: '200Mi',
      on: ['general-a-2'],
      spec: { volumes: SCRATCH },
    },
  ];
}

function shop(): readonly DemoWorkload[] {
  const shop = { namespace: 'shop', kind: 'Deployment' } as const;
  return [
    {
      ...shop,
      name: 'storefront',
      cpu: '500m',
      memory: '512Mi',
      on: ['general-a-1', 'general-b-1', 'general-c-1', 'storage-a-1'],
      disruptionsAllowed: 1,
    },
    {
      ...shop,
      name: 'cart',
      cpu: '300m',
      memory: '384Mi',
      on: ['general-a-2', 'general-a-2', 'general-a-2', 'general-b-2'],
    },
    {
      ...shop,
      name: 'checkout',
      cpu: '600m',
      memory: '768Mi',
      on: ['general-a-1', 'general-b-1'],
      disruptionsAllowed: 0,
    },
    {
      ...shop,
      name: 'search',
      cpu: '400m',
      memory: '1Gi',
      on: ['general-b-2', 'general-b-2', 'general-c-1'],
      spec: { affinity: APART('search') },
    },
    {
      ...shop,
      name: 'image-resizer',
      cpu: '450m',
      memory: '512Mi',
      on: ['general-a-1', 'general-b-1', 'general-c-1'],
      spec: { volumes: SCRATCH },
    },
    { ...shop, name: 'recommender', cpu: '350m', memory: '640Mi', on: ['general-a-1', 'general-b-1', 'general-b-3'] },
  ];
}

function data(): readonly DemoWorkload[] {
  const data = { namespace: 'data' } as const;
  return [
    {
      ...data,
      name: 'postgres',
      kind: 'StatefulSet',
      cpu: '2',
      memory: '16Gi',
      on: ['storage-a-1', 'storage-c-1'],
      claim: '200Gi',
      disruptionsAllowed: 1,
      priorityClass: 'business-critical',
      spec: { affinity: ON_NVME },
    },
    {
      ...data,
      name: 'kafka',
      kind: 'StatefulSet',
      cpu: '1',
      memory: '6Gi',
      on: ['storage-a-1', 'storage-c-1', 'general-c-1'],
      claim: '100Gi',
      disruptionsAllowed: 1,
      spec: { affinity: APART('kafka') },
    },
    {
      ...data,
      name: 'report-builder',
      kind: 'Deployment',
      cpu: '500m',
      memory: '2Gi',
      on: ['general-b-2', 'storage-c-1'],
      spec: { affinity: ON_NVME },
    },
    {
      ...data,
      name: 'embedder',
      kind: 'Deployment',
      cpu: '2',
      memory: '8Gi',
      on: ['gpu-b-1'],
      spec: { nodeSelector: { 'node-pool': 'gpu' }, tolerations: [{ key: 'nvidia.com/gpu', operator: 'Exists' }] },
    },
  ];
}

function platform(): readonly DemoWorkload[] {
  const platform = { namespace: 'platform' } as const;
  return [
    {
      ...platform,
      name: 'node-exporter',
      kind: 'DaemonSet',
      cpu: '50m',
      memory: '64Mi',
      on: ['*'],
      spec: { tolerations: EVERYWHERE },
    },
    {
      ...platform,
      name: 'prometheus',
      kind: 'StatefulSet',
      cpu: '1',
      memory: '4Gi',
      on: ['general-a-1'],
      claim: '50Gi',
    },
    { ...platform, name: 'grafana', kind: 'Deployment', cpu: '200m', memory: '256Mi', on: ['general-b-1'] },
    {
      ...platform,
      name: 'ingress-nginx',
      kind: 'Deployment',
      cpu: '300m',
      memory: '256Mi',
      on: ['general-b-1', 'general-c-1'],
      disruptionsAllowed: 1,
      spec: { affinity: APART('ingress-nginx') },
    },
    { ...platform, name: 'cert-manager', kind: 'Deployment', cpu: '100m', memory: '128Mi', on: ['general-b-1'] },
    { ...platform, name: 'debug-shell', kind: 'Bare', cpu: '250m', memory: '128Mi', on: ['general-b-1'] },
  ];
}
