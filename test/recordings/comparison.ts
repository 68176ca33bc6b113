import type { Pod } from '../../src/cluster/objects/pod.ts';
import { afterPlan, permitted, refusals } from './course.ts';
import type { Plan, Recording } from './recording.ts';
import { utilizationFaults } from './utilization.ts';
import { misplaced, VIOLATIONS } from './violations.ts';

/** What a plan does: how many go, how many evictions the strategy still has cause for, and how many find no place. */
interface Outcome {
  readonly evicted: number;
  readonly left: number;
  readonly pending: number;
}

const known = new WeakMap<Recording, readonly Outcome[]>();

/**
 * What is wrong with a plan, as lines, held against what the reference's plans lead to on the same cluster. Its plans are
 * taken as they could be carried out: without pods that the API server would refuse, and with `nodeFit` without those that
 * fit nowhere, since the reference looks at budgets not at all and at the rules of the scheduler in part.
 */
export function faults(plan: Plan, recording: Recording): readonly string[] {
  if (VIOLATIONS[recording.strategy] === undefined) return utilizationFaults(plan, recording);
  const refused = refusals(plan, recording);
  if (refused.length > 0) return refused;
  const ours = outcome(plan, recording);
  const theirs = known.get(recording) ?? recording.runs.map((run) => outcome(corrected(run, recording), recording));
  known.set(recording, theirs);
  const left = Math.max(...theirs.map((one) => one.left));
  const pending = Math.max(...theirs.map((one) => one.pending));
  return [
    ...(ours.left > left ? [`leaves ${ours.left} violations, the reference ${left} at most`] : []),
    ...(ours.pending > pending ? [`leaves ${ours.pending} pods without a place, the reference ${pending}`] : []),
    ...waste(ours, theirs),
  ];
}

/** An eviction more than the reference's has to leave one violation less, give or take what its own runs differ by. */
function waste(ours: Outcome, theirs: readonly Outcome[]): readonly string[] {
  const cost = ({ evicted, left }: Outcome) => evicted + left;
  const costs = theirs.map(cost);
  const most = 2 * Math.max(...costs) - Math.min(...costs);
  if (cost(ours) <= most) return [];
  return [`${ours.evicted} evictions leave ${ours.left} violations, the reference has at most ${most} of both`];
}

function outcome(plan: Plan, recording: Recording): Outcome {
  const after = afterPlan(plan, recording);
  const left = VIOLATIONS[recording.strategy]!(after, recording.args);
  return { evicted: plan.length, left, pending: after.pending.length };
}

/** The run as it could be carried out, with the pods that the reference overlooks. */
function corrected(run: Plan, recording: Recording): Plan {
  const overlooked = recording.snapshot.pods.filter((pod) => !run.includes(pod) && isOverlooked(pod, recording));
  return permitted([...run, ...overlooked], recording);
}

/** A pod with a node selector and no affinity is as misplaced as one with both; the reference looks at affinity alone. */
function isOverlooked(pod: Pod, { strategy, args, snapshot }: Recording): boolean {
  const isAsked = args.nodeAffinityType?.includes('requiredDuringSchedulingIgnoredDuringExecution') ?? false;
  if (strategy !== 'RemovePodsViolatingNodeAffinity' || !isAsked) return false;
  const node = snapshot.node(pod.nodeName);
  if (!node || pod.spec.requiredNodeAffinity !== undefined) return false;
  return Object.keys(pod.spec.nodeSelector).length > 0 && misplaced({ pod, node, moved: false });
}
