import type { PodAffinityTerm, Toleration } from '../objects/terms.ts';
import type { Shared } from './decode-shared.ts';
import type { FieldsOf } from './decode-table.ts';
import type {
  AffinityFields,
  ConditionFields,
  ContainerStatusFields,
  PodAffinityTermFields,
  PodSpecFields,
  SpreadFields,
  TolerationFields,
} from './decode-table-pod.ts';
import {
  NO_LABELS,
  amountsOf,
  labelsOf,
  namedOf,
  ownersOf,
  selectorOf,
  sortedLabels,
  termOf,
  termsOf,
} from './decode-parts.ts';
import { containersOf, podRequestsOf, volumesOf } from './decode-containers.ts';
import type {
  Condition,
  ContainerStatus,
  Pod,
  PodResourceClaim,
  PodSpec,
  PodStatus,
  SpreadConstraint,
  Weighted,
} from '../objects/pod.ts';

const NO_CONDITIONS: readonly Condition[] = Object.freeze([]);
const NO_STATUSES: readonly ContainerStatus[] = Object.freeze([]);

/** A pod from its fields, with the defaults of the API server filled in. */
export function podOf(fields: FieldsOf<'Pod'>): Pod {
  const { metadata } = fields;
  const { name, namespace, uid, labels } = namedOf('Pod', metadata);
  return {
    kind: 'Pod',
    name,
    namespace,
    uid,
    labels,
    annotations: labelsOf(metadata?.annotations),
    createdAt: metadata?.creationTimestamp,
    deletedAt: metadata?.deletionTimestamp,
    generation: metadata?.generation,
    owners: ownersOf(metadata, namespace),
    nodeName: fields.spec?.apart ?? '',
    spec: podSpecOf(fields.spec),
    status: statusOf(fields.status),
  };
}

/** The spec of a pod or template; one object for equal ones. */
export function podSpecOf(fields: FieldsOf<'Pod'>['spec']): PodSpec {
  return fields?.shared.as(specOf) ?? specOf({});
}

/** Conditions of a pod or node, without those that have no type. */
export function conditionsOf(fields: ConditionFields | undefined): readonly Condition[] {
  if (!fields || fields.length === 0) return NO_CONDITIONS;
  return fields.map(({ type = '', status = '', reason = '', lastTransitionTime, lastHeartbeatTime }) => ({
    type,
    status,
    reason,
    transitionAt: lastTransitionTime,
    heartbeatAt: lastHeartbeatTime,
  }));
}

/** What admission makes of the two classes that every cluster has; the values of others only the cluster knows. */
const SYSTEM_PRIORITIES: ReadonlyMap<string, number> = new Map([
  ['system-cluster-critical', 2_000_000_000],
  ['system-node-critical', 2_000_001_000],
]);

/** The spec but for the place, which is the pod's own. */
function specOf(spec: Partial<PodSpecFields>): PodSpec {
  const containers = containersOf(spec.containers, spec.hostNetwork === true);
  const initContainers = containersOf(spec.initContainers, spec.hostNetwork === true);
  return {
    schedulerName: spec.schedulerName || 'default-scheduler',
    priority: spec.priority ?? SYSTEM_PRIORITIES.get(spec.priorityClassName ?? ''),
    priorityClassName: spec.priorityClassName ?? '',
    schedulingGates: (spec.schedulingGates ?? []).map(({ name = '' }) => name),
    nodeSelector: sortedLabels(spec.nodeSelector),
    ...(spec.affinity?.as(affinitiesOf) ?? NO_AFFINITIES),
    tolerations: spec.tolerations?.as(tolerationsOf) ?? [],
    spreadConstraints: spec.topologySpreadConstraints?.as(spreadOf) ?? [],
    containers,
    initContainers,
    overhead: amountsOf(spec.overhead),
    podRequests: podRequestsOf(spec.resources, { containers, initContainers }),
    volumes: volumesOf(spec.volumes),
    resourceClaims: claimsOf(spec),
    hostNetwork: spec.hostNetwork === true,
    hostUsers: spec.hostUsers,
  };
}

type Affinities =
  | 'requiredNodeAffinity'
  | 'preferredNodeAffinity'
  | 'podAffinity'
  | 'preferredPodAffinity'
  | 'podAntiAffinity'
  | 'preferredPodAntiAffinity';

function affinitiesOf(affinity: Partial<AffinityFields>): Pick<PodSpec, Affinities> {
  const node = affinity.nodeAffinity;
  const together = affinity.podAffinity;
  const apart = affinity.podAntiAffinity;
  return {
    requiredNodeAffinity: termsOf(node?.requiredDuringSchedulingIgnoredDuringExecution),
    preferredNodeAffinity: (node?.preferredDuringSchedulingIgnoredDuringExecution ?? []).map(
      ({ weight = 0, preference }) => ({
        weight,
        term: termOf(preference ?? { matchExpressions: undefined, matchFields: undefined }),
      }),
    ),
    podAffinity: (together?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(podTermOf),
    preferredPodAffinity: weightedOf(together?.preferredDuringSchedulingIgnoredDuringExecution),
    podAntiAffinity: (apart?.requiredDuringSchedulingIgnoredDuringExecution ?? []).map(podTermOf),
    preferredPodAntiAffinity: weightedOf(apart?.preferredDuringSchedulingIgnoredDuringExecution),
  };
}

const NO_AFFINITIES = affinitiesOf({});

function weightedOf(
  fields:
    | readonly { readonly weight: number | undefined; readonly podAffinityTerm: PodAffinityTermFields | undefined }[]
    | undefined,
): readonly Weighted<PodAffinityTerm>[] {
  return (fields ?? []).flatMap(({ weight = 0, podAffinityTerm }) =>
    podAffinityTerm ? [{ weight, term: podTermOf(podAffinityTerm) }] : [],
  );
}

function podTermOf(fields: PodAffinityTermFields): PodAffinityTerm {
  return {
    labelSelector: selectorOf(fields.labelSelector),
    namespaces: fields.namespaces ?? [],
    namespaceSelector: selectorOf(fields.namespaceSelector),
    topologyKey: fields.topologyKey ?? '',
    matchLabelKeys: fields.matchLabelKeys ?? [],
    mismatchLabelKeys: fields.mismatchLabelKeys ?? [],
  };
}

function tolerationsOf(fields: readonly TolerationFields[]): readonly Toleration[] {
  return fields.map(({ key = '', operator = '', value = '', effect = '', tolerationSeconds }) => ({
    key,
    operator,
    value,
    effect,
    tolerationSeconds,
  }));
}

function spreadOf(fields: readonly SpreadFields[]): readonly SpreadConstraint[] {
  return fields.map((constraint) => ({
    maxSkew: constraint.maxSkew ?? 1,
    topologyKey: constraint.topologyKey ?? '',
    whenUnsatisfiable: constraint.whenUnsatisfiable || 'DoNotSchedule',
    labelSelector: selectorOf(constraint.labelSelector),
    matchLabelKeys: constraint.matchLabelKeys ?? [],
    minDomains: constraint.minDomains,
    nodeAffinityPolicy: constraint.nodeAffinityPolicy === 'Ignore' ? 'Ignore' : 'Honor',
    nodeTaintsPolicy: constraint.nodeTaintsPolicy === 'Honor' ? 'Honor' : 'Ignore',
  }));
}

function claimsOf(spec: Partial<PodSpecFields>): readonly PodResourceClaim[] {
  return (spec.resourceClaims ?? []).map(({ name = '', source, resourceClaimName, resourceClaimTemplateName }) => ({
    name,
    claim: resourceClaimName ?? source?.resourceClaimName,
    template: resourceClaimTemplateName ?? source?.resourceClaimTemplateName,
  }));
}

function statusOf(fields: FieldsOf<'Pod'>['status']): PodStatus {
  return {
    phase: fields?.phase || 'Pending',
    reason: fields?.reason ?? '',
    startedAt: fields?.startTime,
    qosClass: fields?.qosClass ?? '',
    nominatedNode: fields?.nominatedNodeName ?? '',
    conditions: conditionsOf(fields?.conditions),
    containers: statusesOf(fields?.containerStatuses),
    initContainers: statusesOf(fields?.initContainerStatuses),
    ephemeralContainers: statusesOf(fields?.ephemeralContainerStatuses),
    requests: fields?.resources?.requests && amountsOf(fields.resources.requests),
    allocated: fields?.allocatedResources && amountsOf(fields.allocatedResources),
    resourceClaims: claimNamesOf(fields?.resourceClaimStatuses),
  };
}

function claimNamesOf(
  statuses: readonly { readonly [K in 'name' | 'resourceClaimName']: string | undefined }[] | undefined,
): Readonly<Record<string, string>> {
  if (!statuses || statuses.length === 0) return NO_LABELS;
  return Object.fromEntries(
    statuses.flatMap(({ name, resourceClaimName: claim }) =>
      name !== undefined && claim !== undefined ? [[name, claim]] : [],
    ),
  );
}

function statusesOf(fields: Shared<readonly ContainerStatusFields[]> | undefined): readonly ContainerStatus[] {
  return fields ? fields.as(buildStatuses) : NO_STATUSES;
}

function buildStatuses(fields: readonly ContainerStatusFields[]): readonly ContainerStatus[] {
  return fields.map(({ name = '', ready = false, restartCount = 0, state, resources, allocatedResources }) => ({
    name,
    ready,
    restartCount,
    waitingReason: state?.waiting?.reason,
    terminatedReason: state?.terminated?.reason,
    exitCode: state?.terminated && (state.terminated.exitCode ?? 0),
    requests: resources?.requests && amountsOf(resources.requests),
    allocated: allocatedResources && amountsOf(allocatedResources),
  }));
}
