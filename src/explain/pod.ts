import { controllerOf, isFinished, podName, type Pod } from '../cluster/objects/pod.ts';
import { budgetsOf } from '../cluster/rules/disruption-budgets.ts';
import { isReady } from '../cluster/objects/node.ts';
import { predictBudget } from '../evictor/budgets.ts';
import { evaluateAll } from '../evictor/constraints/constraint.ts';
import { CycleState } from '../evictor/cycle-state.ts';
import { evictorConstraints } from '../evictor/constraints/default-evictor.ts';
import { resolveThreshold } from '../evictor/constraints/priority-threshold.ts';
import type { ConstraintVerdict, NodeAnswer, PodExplanation, StrategyAnswer } from '../outcomes/explanation.ts';
import type { CycleReport } from '../outcomes/outcome.ts';
import type { Policy, Profile } from '../policy/policy.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import { taintAnswers } from './taints.ts';

/** What an explanation is made from: the policy, the cluster as the cycle found it, and the cycle's own report. */
export interface Grounds {
  readonly policy: Policy;
  readonly snapshot: Snapshot;
  readonly report: CycleReport;
}

/**
 * Asks everything that decides about a pod: each strategy (by the report of a whole cycle, so that limits and room taken
 * by others count), each constraint by itself, and each node. Throws PriorityThresholdError.
 */
export function explainPod(pod: Pod, grounds: Grounds): PodExplanation {
  const { policy, snapshot, report } = grounds;
  const now = new Date(report.source.now);
  const { limits, scheduler } = policy;
  const state = new CycleState({ snapshot, now, limits, ...(scheduler && { scheduler }) });
  const prediction = pod.nodeName === '' || isFinished(pod) ? undefined : state.placement.predict(pod);
  return {
    kind: 'PodExplanation',
    source: report.source,
    namespace: pod.namespace,
    pod: pod.name,
    uid: pod.uid,
    node: pod.nodeName,
    owner: ownerText(pod),
    phase: pod.deletedAt === undefined ? pod.status.phase : 'Terminating',
    strategies: strategyAnswers(pod, report),
    constraints: policy.profiles.flatMap((profile) => constraintAnswers(pod, profile, state)),
    nodes: snapshot.nodes.map((node): NodeAnswer => {
      const misfits = state.placement.misfits(pod, node);
      const score = prediction?.total(node);
      const fits = misfits.length === 0;
      const own = node.name === pod.nodeName;
      return { node: node.name, own, ready: isReady(node), fits, misfits, ...(score === undefined ? {} : { score }) };
    }),
    likelyNodes: prediction?.likely.map(({ name }) => name) ?? [],
    taints: taintAnswers(pod, snapshot, now.getTime()),
    notes: [...notesOn(pod, snapshot), ...state.placement.warnings()],
  };
}

function ownerText(pod: Pod): string {
  const owner = controllerOf(pod);
  return owner ? `${owner.kind} ${owner.name}` : '';
}

/** Each strategy of the policy in the order of the cycle; the last word of several about the pod counts. */
function strategyAnswers(pod: Pod, report: CycleReport): readonly StrategyAnswer[] {
  return report.strategies.map(({ profile, name: strategy }) => {
    const ours = (it: { readonly pod: Pod; readonly profile: string; readonly strategy: string }) =>
      it.pod.uid === pod.uid && it.profile === profile && it.strategy === strategy;
    const eviction = report.evictions.find(ours);
    if (eviction) return { profile, strategy, answer: 'evict', reason: eviction.reason };
    const refusal = report.refusals.findLast(ours);
    if (refusal) return { profile, strategy, answer: 'refuse', by: refusal.refusedBy, reason: refusal.reason };
    return { profile, strategy, answer: 'pass' };
  });
}

function constraintAnswers(pod: Pod, profile: Profile, state: CycleState): readonly ConstraintVerdict[] {
  const { snapshot, now } = state;
  const threshold = resolveThreshold(profile.evictor, snapshot);
  const constraints = evictorConstraints(profile.evictor, { snapshot, now, threshold, evictedOf: () => 0 });
  const answers = evaluateAll(constraints, pod).map(({ name, reason, overridden }): ConstraintVerdict => {
    if (reason === undefined) return { profile: profile.name, name, answer: 'allow' };
    return { profile: profile.name, name, answer: overridden ? 'lifted' : 'refuse', reason };
  });
  const limit = state.limitHit(pod);
  const limits = limit ? [refusal(profile, limit.by, limit.reason)] : [];
  const budget = predictBudget(pod, budgetsOf(pod, snapshot), () => 0);
  const name = 'PodDisruptionBudget';
  const verdict = budget.allowed
    ? { profile: profile.name, name, answer: 'allow' as const }
    : refusal(profile, name, budget.reason);
  return [...answers, ...limits, verdict];
}

function refusal({ name: profile }: Profile, name: string, reason: string): ConstraintVerdict {
  return { profile, name, answer: 'refuse', reason };
}

function notesOn(pod: Pod, snapshot: Snapshot): readonly string[] {
  if (pod.nodeName === '') return [`${podName(pod)} is not bound to a node: no strategy looks at it`];
  if (snapshot.node(pod.nodeName)) return [];
  return [`${podName(pod)} is on ${pod.nodeName}, which is not among the nodes: no strategy looks at it`];
}
