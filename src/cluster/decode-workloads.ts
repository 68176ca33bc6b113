import type { FieldsOf, ReadKind } from './decode-table.ts';
import {
  labelsOf,
  namedOf,
  NO_LABELS,
  ownersOf,
  requestsWithLimits,
  selectorOf,
  sorted,
  sortedLabels,
  termsOf,
} from './decode-parts.ts';
import type {
  DisruptionBudget,
  Lease,
  Namespace,
  NodeMetrics,
  PodMetrics,
  PriorityClass,
  ResourceClaim,
  Service,
  Workload,
} from './kinds.ts';
import { sumMeasured } from './resources.ts';
import type { LabelSelector, Labels } from './selectors.ts';

/** The kinds that share one shape; a ReplicationController's selector is a plain map. */
type SelectingKind = Exclude<Workload['kind'], 'ReplicationController'>;

/** Reads objects of one of the workload kinds. */
export function workloadOf<K extends SelectingKind & ReadKind>(kind: K) {
  return (fields: FieldsOf<SelectingKind>): Workload & { readonly kind: K } => {
    const { metadata, spec } = fields;
    const template = spec?.template ?? spec?.jobTemplate?.spec?.template;
    const named = namedOf(kind, metadata);
    return {
      kind,
      ...named,
      owners: ownersOf(metadata, named.namespace),
      selector: selectorOf(spec?.selector) ?? selectorOfLabels(template?.metadata?.labels),
      templateRequests: templateRequestsOf(template),
      podReplacementPolicy: kind === 'Job' ? podReplacementPolicyOf(spec) : undefined,
    };
  };
}

/** A ReplicationController from its fields. */
export function replicationControllerOf(fields: FieldsOf<'ReplicationController'>): Workload {
  const { metadata, spec } = fields;
  const named = namedOf('ReplicationController', metadata);
  return {
    kind: 'ReplicationController',
    ...named,
    owners: ownersOf(metadata, named.namespace),
    selector: selectorOfLabels(spec?.selector) ?? selectorOfLabels(spec?.template?.metadata?.labels),
    templateRequests: templateRequestsOf(spec?.template),
    podReplacementPolicy: undefined,
  };
}

type WorkloadSpec = NonNullable<FieldsOf<SelectingKind>['spec']>;

/** Where no selector is given, an API server takes the labels of the template: of ReplicationControllers, once of all. */
function selectorOfLabels(labels: Labels | undefined): LabelSelector | undefined {
  const matchLabels = sortedLabels(labels);
  return matchLabels === NO_LABELS ? undefined : { matchLabels, matchExpressions: [] };
}

function podReplacementPolicyOf(spec: WorkloadSpec | undefined): string {
  return spec?.podReplacementPolicy || (spec?.podFailurePolicy ? 'Failed' : 'TerminatingOrFailed');
}

function templateRequestsOf(template: WorkloadSpec['template']): Workload['templateRequests'] {
  if (!template) return undefined;
  const containers = template.spec?.containers ?? [];
  return Object.fromEntries(containers.map(({ name = '', resources }) => [name, requestsWithLimits(resources)]));
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
