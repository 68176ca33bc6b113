import {
  deadline,
  flag,
  list,
  listWithoutOthers,
  map,
  number,
  object,
  onlyKeys,
  present,
  quantity,
  shared,
  sharedBut,
  text,
  time,
  timeText,
  unique,
  type ReadOf,
} from './decode-fields.ts';
import type { Shared } from './decode-shared.ts';

// The part of the field table (decode-table.ts) that describes pods and nodes.

/** A resource list: quantities as written, by resource name. */
export const amounts = shared(map(quantity));

const owner = object({ apiVersion: text, kind: text, name: text, uid: text, controller: flag });

/** Object metadata with only these annotations. */
export function metadata(...annotations: readonly string[]) {
  return object({
    name: unique,
    namespace: text,
    uid: unique,
    resourceVersion: unique,
    generation: number,
    creationTimestamp: time,
    deletionTimestamp: deadline,
    labels: shared(map(text)),
    annotations: shared(onlyKeys(...annotations)),
    ownerReferences: shared(list(owner)),
  });
}

/** Expressions of a selector. */
export const requirements = list(object({ key: text, operator: text, values: list(text) }));
/** A label selector. */
export const labelSelector = object({ matchLabels: map(text), matchExpressions: requirements });
const nodeSelectorTerm = object({ matchExpressions: requirements, matchFields: requirements });
/** A node selector: terms, ORed. */
export const nodeSelector = object({ nodeSelectorTerms: list(nodeSelectorTerm) });

const podAffinityTerm = object({
  labelSelector,
  namespaces: list(text),
  namespaceSelector: labelSelector,
  topologyKey: text,
  matchLabelKeys: list(text),
  mismatchLabelKeys: list(text),
});
const podAffinity = object({
  requiredDuringSchedulingIgnoredDuringExecution: list(podAffinityTerm),
  preferredDuringSchedulingIgnoredDuringExecution: list(object({ weight: number, podAffinityTerm })),
});
const affinity = shared(
  object({
    nodeAffinity: object({
      requiredDuringSchedulingIgnoredDuringExecution: nodeSelector,
      preferredDuringSchedulingIgnoredDuringExecution: list(object({ weight: number, preference: nodeSelectorTerm })),
    }),
    podAffinity,
    podAntiAffinity: podAffinity,
  }),
);

const spreadConstraint = object({
  maxSkew: number,
  topologyKey: text,
  whenUnsatisfiable: text,
  labelSelector,
  matchLabelKeys: list(text),
  minDomains: number,
  nodeAffinityPolicy: text,
  nodeTaintsPolicy: text,
});

/** Requests and limits. */
export const resources = object({ requests: amounts, limits: amounts });
/** A container of a spec. */
export const container = object({
  name: text,
  image: text,
  resources,
  ports: list(object({ containerPort: number, hostPort: number, hostIP: text, protocol: text })),
  restartPolicy: text,
  restartPolicyRules: list(object({ action: text })),
});

const volume = object({
  name: text,
  hostPath: present,
  emptyDir: present,
  persistentVolumeClaim: object({ claimName: text }),
  ephemeral: object({ volumeClaimTemplate: object({ spec: object({ storageClassName: text }) }) }),
  gcePersistentDisk: object({ pdName: text, readOnly: flag }),
  awsElasticBlockStore: object({ volumeID: text, readOnly: flag }),
  iscsi: object({ iqn: text, readOnly: flag }),
  rbd: object({ monitors: list(text), pool: text, image: text, readOnly: flag }),
  image: object({ reference: text }),
});

const toleration = object({ key: text, operator: text, value: text, effect: text, tolerationSeconds: number });
/** The spec of a pod or of a template. */
export const podSpec = sharedBut('nodeName', text, {
  schedulerName: text,
  priority: number,
  priorityClassName: text,
  schedulingGates: list(object({ name: text })),
  nodeSelector: map(text),
  affinity,
  tolerations: shared(list(toleration)),
  topologySpreadConstraints: shared(list(spreadConstraint)),
  containers: list(container),
  initContainers: list(container),
  overhead: amounts,
  resources,
  // Volumes of other types (a ConfigMap, a token with a random name) are read by no rule. One of no type at all is an emptyDir.
  volumes: listWithoutOthers(2, volume),
  resourceClaims: list(
    object({
      name: text,
      resourceClaimName: text,
      resourceClaimTemplateName: text,
      source: object({ resourceClaimName: text, resourceClaimTemplateName: text }), // up to Kubernetes 1.30
    }),
  ),
  hostNetwork: flag,
  hostUsers: flag,
});

const containerStatus = object({
  name: text,
  ready: flag,
  restartCount: number,
  state: object({ waiting: object({ reason: text }), terminated: object({ reason: text, exitCode: number }) }),
  resources: object({ requests: amounts }),
  allocatedResources: amounts,
});
const containerStatuses = shared(list(containerStatus));
const conditions = list(
  object({ type: text, status: text, reason: text, lastTransitionTime: time, lastHeartbeatTime: time }),
);

/** Annotations of a pod that say something by being there. */
export const POD_MARKS: readonly string[] = [
  'descheduler.alpha.kubernetes.io/evict',
  'descheduler.alpha.kubernetes.io/prefer-no-eviction',
  'descheduler.alpha.kubernetes.io/request-evict-only',
  'descheduler.alpha.kubernetes.io/eviction-in-progress',
  'kubernetes.io/config.mirror',
  'vpaInPlaceUpdated',
  'vpaUpdates',
];

/** A Pod. */
export const pod = object({
  metadata: metadata(...POD_MARKS, 'kubernetes.io/config.source'),
  spec: podSpec,
  status: object({
    phase: text,
    reason: text,
    startTime: time,
    qosClass: text,
    nominatedNodeName: text,
    conditions,
    containerStatuses,
    initContainerStatuses: containerStatuses,
    ephemeralContainerStatuses: containerStatuses,
    resources: object({ requests: amounts }),
    allocatedResources: amounts,
    resourceClaimStatuses: list(object({ name: text, resourceClaimName: text })),
  }),
});

/** A Node. */
export const node = object({
  metadata: metadata(),
  spec: object({
    unschedulable: flag,
    taints: list(object({ key: text, value: text, effect: text, timeAdded: timeText })),
  }),
  status: object({
    capacity: amounts,
    allocatable: amounts,
    conditions,
    images: list(shared(object({ names: list(text), sizeBytes: number }))),
    declaredFeatures: list(text),
  }),
});

/** What reading object metadata gives. */
export type Metadata = ReadOf<ReturnType<typeof metadata>>;
/** What reading a pod's spec gives. */
export type PodSpecFields = ReadOf<typeof podSpec> extends { readonly shared: Shared<infer F> } ? F : never;
/** What reading a container of a spec gives. */
export type ContainerFields = ReadOf<typeof container>;
/** What reading a volume of a pod gives. */
export type VolumeFields = ReadOf<typeof volume>;
/** What reading a container status gives. */
export type ContainerStatusFields = ReadOf<typeof containerStatus>;
/** What reading conditions gives. */
export type ConditionFields = ReadOf<typeof conditions>;
/** What reading a label selector gives. */
export type LabelSelectorFields = ReadOf<typeof labelSelector>;
/** What reading a node selector gives. */
export type NodeSelectorFields = ReadOf<typeof nodeSelector>;
/** What reading a pod affinity term gives. */
export type PodAffinityTermFields = ReadOf<typeof podAffinityTerm>;
/** What reading an owner reference gives. */
export type OwnerFields = ReadOf<typeof owner>;
/** What reading affinities gives. */
export type AffinityFields = BoxOf<typeof affinity>;
/** What reading a toleration gives. */
export type TolerationFields = ReadOf<typeof toleration>;
/** What reading a spread constraint gives. */
export type SpreadFields = ReadOf<typeof spreadConstraint>;
/** What reading a resource list gives. */
export type AmountsFields = ReadOf<typeof amounts>;
type BoxOf<F> = ReadOf<F> extends Shared<infer T> ? T : never;
