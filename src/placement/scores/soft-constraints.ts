import type { LabelSelector, Labels } from '../../cluster/objects/terms.ts';
import type { Pod, SpreadConstraint } from '../../cluster/objects/pod.ts';
import { DefaultSelectors } from '../counts/default-selector.ts';
import type { Group } from '../counts/groups.ts';
import { mergeLabelKeys, selection } from '../counts/selection.ts';
import type { State } from '../state.ts';

/** The label by which every node is a domain of its own. */
export const HOSTNAME = 'kubernetes.io/hostname';

/** The system defaults for pods without constraints of their own (rule S27). */
const SYSTEM_DEFAULTS: readonly SpreadConstraint[] = [
  { topologyKey: HOSTNAME, maxSkew: 3 },
  { topologyKey: 'topology.kubernetes.io/zone', maxSkew: 5 },
].map((constraint) => ({
  ...constraint,
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: undefined,
  matchLabelKeys: [],
  minDomains: undefined,
  nodeAffinityPolicy: 'Honor',
  nodeTaintsPolicy: 'Ignore',
}));

/** The constraints of a pod that prefer nodes, and what they count (rule S27). */
export interface SoftConstraints {
  readonly counted: readonly Counted[];
  /** Whether a node that lacks one of the keys is out of the running; not so with the system defaults. */
  readonly needsKeys: boolean;
}

/** One of them. */
export interface Counted {
  readonly constraint: SpreadConstraint;
  /** Undefined: nobody is counted. */
  readonly group: Group | undefined;
}

/**
 * Reads the constraints with ScheduleAnyway: a pod's own, or if it has none of either kind the profile's defaults. A
 * missing Service or owner is no reason for a warning here: what comes of it is a likelihood anyway.
 */
export function softConstraintsReader(state: State): (pod: Pod) => SoftConstraints {
  const { snapshot } = state;
  const selectors = new DefaultSelectors(snapshot, { knows: (kind) => snapshot.knows(kind) });
  return sharedByReplicas((pod) => constraintsOf(pod, selectors, state));
}

/** Replicas of a workload mostly hold one and the same object of labels. */
function sharedByReplicas<T>(make: (pod: Pod) => T): (pod: Pod) => T {
  const known = new WeakMap<Labels, { readonly pod: Pod; readonly value: T }>();
  return (pod) => {
    const last = known.get(pod.labels);
    if (last && areReplicas(last.pod, pod)) return last.value;
    const value = make(pod);
    known.set(pod.labels, { pod, value });
    return value;
  };
}

function areReplicas(a: Pod, b: Pod): boolean {
  const controller = (pod: Pod) => pod.owners.find((owner) => owner.controller)?.uid;
  return (
    a.namespace === b.namespace &&
    a.spec.spreadConstraints === b.spec.spreadConstraints &&
    controller(a) === controller(b)
  );
}

function constraintsOf(pod: Pod, selectors: DefaultSelectors, { groups, options }: State): SoftConstraints {
  const own = pod.spec.spreadConstraints;
  const groupOf = (selector: LabelSelector | undefined) =>
    isVoid(selector) ? undefined : groups.of([selection([pod.namespace], selector)]);
  if (own.length > 0) {
    const counted = own.filter(isSoft).map((constraint) => {
      const keys = { match: constraint.matchLabelKeys };
      return { constraint, group: groupOf(mergeLabelKeys(constraint.labelSelector, keys, pod.labels)) };
    });
    return { counted, needsKeys: true };
  }
  const defaults = (options.defaultConstraints ?? SYSTEM_DEFAULTS).filter(isSoft);
  const selector = defaults.length > 0 ? selectors.of(pod) : undefined;
  const counted = selector ? defaults.map((constraint) => ({ constraint, group: groupOf(selector) })) : [];
  return { counted, needsKeys: options.defaultConstraints !== undefined };
}

function isSoft({ whenUnsatisfiable }: SpreadConstraint): boolean {
  return whenUnsatisfiable === 'ScheduleAnyway';
}

/** No selector selects nobody, and in 1.36 an empty one neither (rule S15). */
function isVoid(selector: LabelSelector | undefined): boolean {
  return !selector || Object.keys(selector.matchLabels).length + selector.matchExpressions.length === 0;
}
