import type { Node } from '../../src/cluster/objects/node.ts';
import { podName, type Pod } from '../../src/cluster/objects/pod.ts';
import { untoleratedTaint } from '../../src/cluster/rules/taints.ts';
import { afterPlan, Course, permitted } from './course.ts';
import { Levels } from './levels.ts';
import type { Plan, Recording } from './recording.ts';

/**
 * What is wrong with a plan of LowNodeUtilization or HighNodeUtilization, as lines. These evict until nothing more can be
 * moved, so the plan is held against that: every eviction has a cause and a destination, and every pod that is left on a
 * node that still has to give has a reason to stay. More evictions than in any run of the reference must leave less to do.
 */
export function utilizationFaults(plan: Plan, recording: Recording): readonly string[] {
  const evening = new Evening(recording);
  const groundless = plan.flatMap((pod) => {
    const fault = evening.excuse(pod);
    evening.evict(pod);
    return fault === undefined ? [] : [`evicts ${podName(pod)}, which ${fault}`];
  });
  const idle = evening.idle(plan);
  return [...groundless, ...movable(plan, { recording, idle }), ...excess(plan, recording)];
}

/** A reason to stay need not last: a pod that would have come back when it was asked about is not asked again. */
function movable(plan: Plan, { recording, idle }: { recording: Recording; idle: readonly Pod[] }): readonly string[] {
  if (idle.length === 0) return [];
  const again = new Evening(recording);
  let left = idle.filter((pod) => again.excuse(pod) === undefined);
  for (const pod of plan) {
    again.evict(pod);
    left = left.filter((one) => again.excuse(one) === undefined);
  }
  return left.map((pod) => `leaves ${podName(pod)}, which could go`);
}

function excess(plan: Plan, recording: Recording): readonly string[] {
  const most = Math.max(...recording.runs.map(({ length }) => length));
  if (plan.length <= most) return [];
  const toDo = (one: Plan) => Levels.after(afterPlan(one, recording), recording).toDo;
  const [ours, theirs] = [toDo(plan), Math.max(...recording.runs.map((run) => toDo(permitted(run, recording))))];
  if (ours <= theirs) return [];
  return [`${plan.length} evictions leave ${ours} to do, at most ${most} of the reference leave ${theirs}`];
}

/** Evictions one after another, each to a destination that takes the pod. */
class Evening {
  readonly #recording: Recording;
  readonly #course: Course;
  readonly #levels: Levels;

  constructor(recording: Recording) {
    this.#recording = recording;
    this.#course = new Course(recording);
    this.#levels = new Levels(recording);
  }

  /** Why the pod is to stay, as things stand; undefined if it is to go. */
  excuse(pod: Pod): string | undefined {
    const node = this.#recording.snapshot.node(pod.nodeName)!;
    if (!this.#levels.gives(node)) return `is on ${node.name}, which has nothing to give`;
    const refusal = this.#course.refusal(pod);
    if (refusal !== undefined) return refusal;
    const takers = this.#takers(pod);
    if (takers.length === 0) return 'no destination takes within its target';
    if (!this.#recording.nodeFit) return undefined;
    if (this.#course.fitting(pod, takers).length === 0) return 'fits on no destination';
    const astray = this.#course.likely(pod).find((likely) => likely === node || this.#levels.suffers(likely, pod));
    return astray && `would go to ${astray.name} instead`;
  }

  evict(pod: Pod): void {
    const takers = this.#takers(pod);
    const node = this.#course.evict(pod, takers);
    // Without nodeFit a victim need not fit on a taker; it takes the room all the same that was its reason to go.
    const isTaken = node !== undefined && takers.includes(node);
    this.#levels.move(pod, isTaken || pod.owners.length === 0 ? node : this.#levels.emptiest(takers, pod));
  }

  /** Pods that are on nodes which still have to give, and have no excuse. */
  idle(plan: Plan): readonly Pod[] {
    if (this.#levels.exhausted) return [];
    const gone = new Set(plan);
    const nodes = this.#recording.snapshot.readyNodes.filter((node) => this.#levels.gives(node));
    const pods = nodes.flatMap(({ name }) => this.#recording.snapshot.assignedPodsOf(name));
    return pods.filter((pod) => !gone.has(pod) && this.excuse(pod) === undefined);
  }

  #takers(pod: Pod): readonly Node[] {
    return this.#levels.destinations.filter(
      (node) => untoleratedTaint(pod.spec.tolerations, node.taints) === undefined && this.#levels.takes(node, pod),
    );
  }
}
