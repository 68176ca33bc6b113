import type { LabelSelector, Labels } from '../../cluster/objects/terms.ts';
import { formatSelector, matchesSelector } from '../../cluster/rules/selectors.ts';
import { isMirrorPod, isStaticPod, isTerminating, type Pod } from '../../cluster/objects/pod.ts';
import { compareText, type Snapshot } from '../../cluster/snapshot.ts';
import { formatDuration } from '../../lib/duration.ts';
import type { DefaultEvictorArgs } from './args.ts';
import { PREFER_NO_EVICTION_ANNOTATION, type Constraint } from './constraint.ts';
import { protections } from './pod-protections.ts';
import { countReplicas, soleOwnerKey } from './replicas.ts';

/** What the constraints must know besides the pod. */
export interface EvictorView {
  /** The cluster as the cycle found it. */
  readonly snapshot: Snapshot;
  readonly now: Date;
  /** From `resolveThreshold`. */
  readonly threshold: number | undefined;
  /** How many working replicas of that owner (`soleOwnerKey`) this cycle has evicted so far. */
  readonly evictedOf: (owner: string) => number;
}

/**
 * The constraints that the arguments switch on, in the order in which they are asked and reported (rule E5,
 * 2.4, 7.2). Where the pod could go (nodeFit) is asked later, by check.ts.
 */
export function evictorConstraints(args: DefaultEvictorArgs, view: EvictorView): readonly Constraint[] {
  return [
    ...ALWAYS,
    terminatingNamespace(view.snapshot),
    ...noEvictionPolicy(args),
    ...protections(args, view),
    ...labelSelector(args),
    ...minReplicas(args, view),
    ...minPodAge(args, view),
    ...namespaceLabelSelector(args, view.snapshot),
  ];
}

/**
 * Differs from the reference: the evict annotation never overrides these three, since evicting such a pod does nothing
 * at all (rule E2).
 */
const ALWAYS: readonly Constraint[] = [
  {
    name: 'MirrorPod',
    overridable: false,
    judge: (pod) =>
      isMirrorPod(pod)
        ? `mirrors a static pod of ${pod.nodeName || 'its node'}, which its kubelet keeps running`
        : undefined,
  },
  {
    name: 'StaticPod',
    overridable: false,
    judge: (pod) =>
      isStaticPod(pod)
        ? `is a static pod: its kubelet runs it from the source "${pod.annotations['kubernetes.io/config.source'] ?? ''}"`
        : undefined,
  },
  {
    name: 'Terminating',
    overridable: false,
    judge: (pod) => (isTerminating(pod) ? `is terminating already, since ${instant(pod.deletedAt)}` : undefined),
  },
];

/**
 * Differs from the reference: it tries such pods. An eviction is an object that is created in the namespace, and admission refuses those (403,
 * cause NamespaceTerminating); nor would anything put a pod in its place.
 * Source: https://github.com/kubernetes/kubernetes/blob/v1.36.0/plugin/pkg/admission/namespace/lifecycle/admission.go
 */
function terminatingNamespace(snapshot: Snapshot): Constraint {
  const judge = ({ namespace }: Pod) =>
    snapshot.find('Namespace', '', namespace)?.terminating
      ? `is in namespace ${namespace}, which is being deleted: the API server refuses evictions there`
      : undefined;
  return { name: 'NamespaceTerminating', overridable: false, judge };
}

function noEvictionPolicy(args: DefaultEvictorArgs): readonly Constraint[] {
  if (args.noEvictionPolicy !== 'Mandatory') return [];
  const judge = (pod: Pod) =>
    pod.annotations[PREFER_NO_EVICTION_ANNOTATION] === undefined
      ? undefined
      : `carries the annotation ${PREFER_NO_EVICTION_ANNOTATION}, which noEvictionPolicy: Mandatory makes binding`;
  return [{ name: 'noEvictionPolicy', overridable: true, judge }];
}

function labelSelector({ labelSelector: selector }: DefaultEvictorArgs): readonly Constraint[] {
  if (!selector || isEmpty(selector)) return [];
  const judge = (pod: Pod) =>
    matchesSelector(selector, pod.labels)
      ? undefined
      : `has ${formatLabels(pod.labels)}, while labelSelector asks for ${formatSelector(selector)}`;
  return [{ name: 'labelSelector', overridable: true, judge }];
}

/** Pods with several owners pass, as in the Go descheduler (D17): no single number of replicas describes them. */
function minReplicas({ minReplicas: floor }: DefaultEvictorArgs, view: EvictorView): readonly Constraint[] {
  if (floor <= 1) return [];
  let counts: ReadonlyMap<string, number> | undefined;
  const judge = (pod: Pod) => {
    const owner = soleOwnerKey(pod);
    if (owner === undefined) return undefined;
    counts ??= countReplicas(view.snapshot);
    const left = (counts.get(owner) ?? 0) - view.evictedOf(owner);
    if (left >= floor) return undefined;
    const { kind, name } = pod.owners[0] ?? { kind: 'owner', name: '' };
    const replicas = left === 1 ? '1 replica' : `${left} replicas`;
    return `belongs to ${kind} ${name}, which has ${replicas} left; minReplicas asks for ${floor} before one can be evicted`;
  };
  return [{ name: 'minReplicas', overridable: true, judge }];
}

/** Age since the start, not since the creation, as the Go descheduler computes it (rule E5, C11). */
function minPodAge({ minPodAgeMs: least }: DefaultEvictorArgs, { now }: EvictorView): readonly Constraint[] {
  if (least === undefined) return [];
  const judge = (pod: Pod) => {
    const { startedAt } = pod.status;
    if (startedAt === undefined) return `has not started yet; minPodAge is ${formatDuration(least)}`;
    const age = now.getTime() - startedAt;
    if (age >= least) return undefined;
    return `started ${formatDuration(Math.max(0, age))} ago; minPodAge is ${formatDuration(least)}`;
  };
  return [{ name: 'minPodAge', overridable: true, judge }];
}

/** Part of the Go descheduler's second filter, which the evict annotation does not lift (rule E8). */
function namespaceLabelSelector(args: DefaultEvictorArgs, snapshot: Snapshot): readonly Constraint[] {
  const selector = args.namespaceLabelSelector;
  if (!selector || isEmpty(selector)) return [];
  const judge = (pod: Pod) => {
    const namespace = snapshot.find('Namespace', '', pod.namespace);
    if (namespace && matchesSelector(selector, namespace.labels)) return undefined;
    const labels = namespace ? `has ${formatLabels(namespace.labels)}` : 'is not known';
    return `is in namespace ${pod.namespace}, which ${labels}, while namespaceLabelSelector asks for ${formatSelector(selector)}`;
  };
  return [{ name: 'namespaceLabelSelector', overridable: false, judge }];
}

function isEmpty(selector: LabelSelector): boolean {
  return selector.matchExpressions.length === 0 && Object.keys(selector.matchLabels).length === 0;
}

function formatLabels(labels: Labels): string {
  const keys = Object.keys(labels).sort(compareText);
  if (keys.length === 0) return 'no labels';
  return `labels ${keys.map((key) => `${key}=${labels[key] ?? ''}`).join(',')}`;
}

function instant(ms: number | undefined): string {
  return ms === undefined ? 'an unknown time' : new Date(ms).toISOString().replace('.000Z', 'Z');
}
