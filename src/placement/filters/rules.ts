import { antiAffinityRule } from './anti-affinity.ts';
import { declaredFeaturesRule } from './declared-features.ts';
import { existingAntiAffinityRule } from './existing-anti-affinity.ts';
import { hostPortsRule } from './host-ports.ts';
import type { Rule } from './filter-failure.ts';
import { addedAffinityRule, namedNodesRule, nodeAffinityRule } from './node-affinity.ts';
import { podAffinityRule } from './pod-affinity.ts';
import type { Replacements } from '../replacement.ts';
import { resourceClaimsRule } from './resource-claims.ts';
import { resourcesRule } from './resources.ts';
import type { State } from '../state.ts';
import { cordonRule, taintsRule } from './taints.ts';
import { topologySpreadRule } from './topology-spread.ts';
import { volumeBindingRule } from '../volumes/volume-binding.ts';
import { volumeLimitsRule } from '../volumes/volume-limits.ts';
import { inlineDisksRule, singlePodClaimsRule } from '../volumes/volume-restrictions.ts';
import { volumeZoneRule } from '../volumes/volume-zone.ts';

/**
 * kube-scheduler's filters in its order (rule S2): the first that fails speaks for a node, and refusals of the
 * pod as a whole come in the same order. NodeName has nothing to say: the pod to place has no node yet.
 */
export function rulesOf(state: State, replacements: Replacements): readonly Rule[] {
  const {
    snapshot,
    warnings,
    nodeIndexes,
    options,
    room,
    ports,
    tolerationMatcher,
    affinityMatcher,
    carriers,
    claims,
  } = state;
  return [
    GATES,
    namedNodesRule(nodeIndexes),
    cordonRule(nodeIndexes),
    taintsRule(nodeIndexes, tolerationMatcher),
    addedAffinityRule(nodeIndexes, options),
    nodeAffinityRule(nodeIndexes, affinityMatcher, replacements),
    hostPortsRule(ports),
    resourcesRule(room, options),
    inlineDisksRule(claims, state.volumeUsers),
    singlePodClaimsRule(claims, state.volumeUsers),
    volumeLimitsRule(state.attached, warnings),
    volumeBindingRule(state),
    volumeZoneRule(claims, nodeIndexes, warnings),
    topologySpreadRule(state),
    podAffinityRule(state),
    antiAffinityRule(state),
    existingAntiAffinityRule(carriers, nodeIndexes),
    resourceClaimsRule(snapshot, nodeIndexes, warnings),
    declaredFeaturesRule(nodeIndexes),
  ];
}

/** A pod with scheduling gates is not tried at all (rule S1). */
const GATES: Rule = {
  refuse: ({ spec }) => {
    if (spec.schedulingGates.length === 0) return undefined;
    return { code: 'gated', text: `scheduling gate ${spec.schedulingGates.join(', ')} holds the pod back` };
  },
};
