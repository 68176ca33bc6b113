import type { LabelSelector, Labels } from '../objects/terms.ts';
import { containersOf, podRequestsOf } from './decode-containers.ts';
import { podSpecOf } from './decode-pod.ts';
import type { FieldsOf } from './decode-table.ts';
import type { Metadata } from './decode-table-pod.ts';
import { labelsOf, namedOf, NO_LABELS, ownersOf, selectorOf, sorted, sortedLabels, termsOf } from './decode-parts.ts';
import type {
  DisruptionBudget,
  Lease,
  Namespace,
  NodeMetrics,
  PodMetrics,
  PriorityClass,
  ResourceClaim,
  Service,
  StatefulSet,
  TemplateRequests,
  UpdateTemplate,
  Workload,
} from '../objects/kinds.ts';
import type { PodSpec } from '../objects/pod.ts';
import { sumMeasured } from '../amounts/resources.ts';

/** The kinds that share one shape; a ReplicationController's selector is a plain map. */
type ControllerKind = 'ReplicaSet' | 'DaemonSet' | 'Job';

/** Reads objects of the kinds of which nothing but their owners is read. */
export function ownerOf<K extends 'Deployment' | 'CronJob'>(kind: K) {
  return ({ metadata }: FieldsOf<K>): Workload & { readonly kind: K } => ({ kind, ...workloadOf(kind, metadata) });
}

/** Reads objects of one of the kinds that make pods from a template. */
export function controllerOf<K extends ControllerKind>(kind: K) {
  return ({ metadata, spec }: FieldsOf<ControllerKind>): Workload & { readonly kind: K } => ({
    kind,
    ...workloadOf(kind, metadata),
    selector: selectorOf(spec?.selector) ?? selectorOfLabels(spec?.template?.metadata?.labels),
    templateRequests: spec?.template && templateRequestsOf(sizesOf(spec.template.spec)),
    podReplacementPolicy: kind === 'Job' ? podReplacementPolicyOf(spec) : undefined,
  });
}

/** A ReplicationController from its fields. */
export function replicationControllerOf({ metadata, spec }: FieldsOf<'ReplicationController'>): Workload {
  return {
    kind: 'ReplicationController',
    ...workloadOf('ReplicationController', metadata),
    selector: selectorOfLabels(spec?.selector) ?? selectorOfLabels(spec?.template?.metadata?.labels),
    templateRequests: spec?.template && templateRequestsOf(sizesOf(spec.template.spec)),
  };
}

/** A StatefulSet from its fields. */
export function statefulSetOf(fields: FieldsOf<'StatefulSet'>): StatefulSet {
  const { metadata, spec } = fields;
  const update = updateOf(fields);
  return {
    kind: 'StatefulSet',
    ...workloadOf('StatefulSet', metadata),
    selector: selectorOf(spec?.selector) ?? selectorOfLabels(spec?.template?.metadata?.labels),
    templateRequests: update && templateRequestsOf(update.spec),
    update,
  };
}

/** What all kinds have, and nothing of what only some have. */
function workloadOf(kind: string, metadata: Metadata | undefined): Omit<Workload, 'kind'> {
  const named = namedOf(kind, metadata);
  const owners = ownersOf(metadata, named.namespace);
  return { ...named, owners, selector: undefined, templateRequests: undefined, podReplacementPolicy: undefined };
}

/** Pods below the partition, counted from the first ordinal, wait for their update; with OnDelete none does. */
function updateOf({ spec, status }: FieldsOf<'StatefulSet'>): UpdateTemplate | undefined {
  if (!spec?.template?.spec) return undefined;
  const { template, updateStrategy, ordinals } = spec;
  return {
    revision: status?.updateRevision ?? '',
    firstOrdinal:
      updateStrategy?.type === 'OnDelete'
        ? 0
        : (ordinals?.start ?? 0) + (updateStrategy?.rollingUpdate?.partition ?? 0),
    labels: sortedLabels(template.metadata?.labels),
    spec: podSpecOf(spec.template.spec),
    claimVolumes: (spec.volumeClaimTemplates ?? []).map(({ metadata }) => metadata?.name ?? ''),
  };
}

/** Where no selector is given, an API server takes the labels of the template: of ReplicationControllers, once of all. */
function selectorOfLabels(labels: Labels | undefined): LabelSelector | undefined {
  const matchLabels = sortedLabels(labels);
  return matchLabels === NO_LABELS ? undefined : { matchLabels, matchExpressions: [] };
}

type ControllerSpec = FieldsOf<ControllerKind>['spec'];

function podReplacementPolicyOf(spec: ControllerSpec): string {
  return spec?.podReplacementPolicy || (spec?.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed');
}

type Sizes = Pick<PodSpec, 'containers' | 'initContainers' | 'podRequests'>;

function sizesOf(spec: NonNullable<NonNullable<ControllerSpec>['template']>['spec']): Sizes {
  const containers = containersOf(spec?.containers, false);
  const initContainers = containersOf(spec?.initContainers, false);
  return { containers, initContainers, podRequests: podRequestsOf(spec?.resources, { containers, initContainers }) };
}

function templateRequestsOf({ containers, initContainers, podRequests }: Sizes): TemplateRequests {
  const all = [...initContainers, ...containers];
  return { containers: Object.fromEntries(all.map(({ name, requests }) => [name, requests])), pod: podRequests };
}

/** Every API server gives a namespace this label, and no other value can be given. */
const NAME_LABEL = 'kubernetes.io/metadata.name';

/** A Namespace from its fields. */
export function namespaceOf(fields: FieldsOf<'Namespace'>): Namespace {
  const { metadata, status } = fields;
  const named = namedOf('Namespace', metadata);
  return {
    kind: 'Namespace',
    ...named,
    labels: sorted({ ...named.labels, [NAME_LABEL]: named.name }),
    annotations: labelsOf(metadata?.annotations),
    terminating: status?.phase === 'Terminating' || metadata?.deletionTimestamp !== undefined,
  };
}

/** A PodDisruptionBudget from its fields. */
export function budgetOf(fields: FieldsOf<'PodDisruptionBudget'>): DisruptionBudget {
  const { metadata, spec, status } = fields;
  return {
    kind: 'PodDisruptionBudget',
    ...namedOf('PodDisruptionBudget', metadata),
    selector: budgetSelectorOf(fields),
    minAvailable: spec?.minAvailable,
    maxUnavailable: spec?.maxUnavailable,
    unhealthyPodEvictionPolicy: spec?.unhealthyPodEvictionPolicy,
    disruptionsAllowed: status?.disruptionsAllowed ?? 0,
    currentHealthy: status?.currentHealthy ?? 0,
    desiredHealthy: status?.desiredHealthy ?? 0,
    expectedPods: status?.expectedPods ?? 0,
    generation: metadata?.generation,
    observedGeneration: status?.observedGeneration,
    hasStatus: status !== undefined,
    disruptedPods: Object.keys(status?.disruptedPods ?? NO_LABELS).sort(),
  };
}

/** In `policy/v1beta1` an empty selector selects nothing, in `policy/v1` everything; nil selects nothing in both. */
function budgetSelectorOf({ apiVersion, spec }: FieldsOf<'PodDisruptionBudget'>): LabelSelector | undefined {
  const selector = selectorOf(spec?.selector);
  const isEmpty = selector && selector.matchExpressions.length === 0 && Object.keys(selector.matchLabels).length === 0;
  return apiVersion === 'policy/v1beta1' && isEmpty ? undefined : selector;
}

/** A PriorityClass from its fields. */
export function priorityClassOf(fields: FieldsOf<'PriorityClass'>): PriorityClass {
  return { kind: 'PriorityClass', ...namedOf('PriorityClass', fields.metadata), value: fields.value ?? 0 };
}

/** A Service from its fields; an empty selector is one without, as for the API server. */
export function serviceOf(fields: FieldsOf<'Service'>): Service {
  const selector = fields.spec?.selector;
  return {
    kind: 'Service',
    ...namedOf('Service', fields.metadata),
    selector: selector && Object.keys(selector).length > 0 ? sortedLabels(selector) : undefined,
  };
}

/** A Lease from its fields. */
export function leaseOf(fields: FieldsOf<'Lease'>): Lease {
  return {
    kind: 'Lease',
    ...namedOf('Lease', fields.metadata),
    holder: fields.spec?.holderIdentity ?? '',
    renewedAt: fields.spec?.renewTime,
    durationSeconds: fields.spec?.leaseDurationSeconds,
  };
}

/** A ResourceClaim from its fields, `availableOnNodes` being the name before 1.31. */
export function resourceClaimOf(fields: FieldsOf<'ResourceClaim'>): ResourceClaim {
  const allocation = fields.status?.allocation;
  return {
    kind: 'ResourceClaim',
    ...namedOf('ResourceClaim', fields.metadata),
    allocated: allocation !== undefined,
    nodeSelector: termsOf(allocation?.nodeSelector ?? allocation?.availableOnNodes),
  };
}

/** A NodeMetrics object from its fields. */
export function nodeMetricsOf(fields: FieldsOf<'NodeMetrics'>): NodeMetrics {
  return {
    kind: 'NodeMetrics',
    ...namedOf('NodeMetrics', fields.metadata),
    usage: sumMeasured([fields.usage ?? {}]) ?? {},
  };
}

/** A PodMetrics object from its fields. A resource that one container lacks is not measured for the pod. */
export function podMetricsOf(fields: FieldsOf<'PodMetrics'>): PodMetrics {
  return {
    kind: 'PodMetrics',
    ...namedOf('PodMetrics', fields.metadata),
    usage: sumMeasured((fields.containers ?? []).map(({ usage = {} }) => usage)),
  };
}
