import type { DisruptionBudget } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import { isFinished, podName, type Pod } from '../../src/cluster/objects/pod.ts';
import { matchesSelector } from '../../src/cluster/rules/selectors.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { createPlacement, DEFAULT_SCORING, type Scoring } from '../../src/placement/fit.ts';
import type { Plan, Recording } from './recording.ts';

/** A pod where it is, or where its replacement is expected. */
export interface Standing {
  readonly pod: Pod;
  readonly node: Node;
  readonly moved: boolean;
}

/** The cluster once a plan is carried out. */
export interface After {
  readonly snapshot: Snapshot;
  readonly standing: readonly Standing[];
  /** Pods whose replacement finds no place, and those that have none. */
  readonly pending: readonly Pod[];
}

/**
 * Evictions one after another: what the API server lets go, and where the scheduler puts the replacements. Its rules are
 * those of `placement`, which tests of its own hold against kube-scheduler's; protections and budgets are said anew.
 */
export class Course {
  readonly #recording: Recording;
  /** HighNodeUtilization needs a scheduler that packs. */
  readonly #scoring: Scoring = DEFAULT_SCORING;
  readonly #placement;
  readonly #spent = new Map<DisruptionBudget, number>();
  readonly #moved = new Map<Pod, Node | undefined>();

  constructor(recording: Recording) {
    this.#recording = recording;
    if (recording.strategy === 'HighNodeUtilization') this.#scoring = { ...DEFAULT_SCORING, type: 'MostAllocated' };
    this.#placement = createPlacement(recording.snapshot);
  }

  /** Why the pod has to stay whatever the strategy wants; undefined if it need not. */
  refusal(pod: Pod): string | undefined {
    if (this.#moved.has(pod)) return 'is on its way already';
    return protection(pod) ?? this.#budgetRefusal(pod) ?? this.#fitRefusal(pod);
  }

  /** Those of these nodes, other than its own, that take the pod. */
  fitting(pod: Pod, nodes: readonly Node[]): readonly Node[] {
    return this.#placement.fitting(
      pod,
      nodes.filter(({ name }) => name !== pod.nodeName),
    );
  }

  /** Where the scheduler would put the replacement, of all nodes: those with the most points. */
  likely(pod: Pod): readonly Node[] {
    return this.#placement.predict(pod, this.#scoring).likely;
  }

  /**
   * Evicts the pod. Its replacement goes to the answer: where the scheduler would put it, or to the best of the nodes given,
   * or if none of these takes it of all the others. A pod without an owner has no replacement.
   */
  evict(pod: Pod, among?: readonly Node[]): Node | undefined {
    const budget = this.#budgets(pod).find(() => !goesForFree(pod));
    if (budget) this.#spent.set(budget, (this.#spent.get(budget) ?? 0) + 1);
    const node = isReplaced(pod) ? this.#destination(pod, among) : undefined;
    this.#moved.set(pod, node);
    this.#placement.assume(pod, node);
    return node;
  }

  /** What all this has led to. */
  after(): After {
    const { snapshot } = this.#recording;
    const stays = snapshot.pods.filter((pod) => !this.#moved.has(pod) && pod.nodeName !== '' && !isFinished(pod));
    const moved = [...this.#moved].filter(([pod]) => !isFinished(pod));
    return {
      snapshot,
      standing: [
        ...stays.map((pod) => ({ pod, node: snapshot.node(pod.nodeName)!, moved: false })),
        ...moved.flatMap(([pod, node]) => (node ? [{ pod, node, moved: true }] : [])),
      ],
      pending: moved.flatMap(([pod, node]) => (node ? [] : [pod])),
    };
  }

  #destination(pod: Pod, among: readonly Node[] | undefined): Node | undefined {
    const prediction = this.#placement.predict(pod, this.#scoring);
    if (!among) return prediction.likely[0];
    const others = this.#recording.snapshot.readyNodes.filter(({ name }) => name !== pod.nodeName);
    const best = (nodes: readonly Node[]) => prediction.best(nodes) ?? this.#placement.likely(pod, nodes)[0];
    return best(among) ?? best(others);
  }

  #budgets(pod: Pod): readonly DisruptionBudget[] {
    return this.#recording.snapshot
      .list('PodDisruptionBudget')
      .filter(
        ({ namespace, selector }) =>
          namespace === pod.namespace && selector !== undefined && matchesSelector(selector, pod.labels),
      );
  }

  /** As the eviction API answers. */
  #budgetRefusal(pod: Pod): string | undefined {
    const [budget, ...more] = this.#budgets(pod);
    if (!budget || goesForFree(pod)) return undefined;
    if (more.length > 0) return `is under ${more.length + 1} budgets`;
    const left = budget.disruptionsAllowed - (this.#spent.get(budget) ?? 0);
    return left > 0 ? undefined : `is under budget ${budget.name}, which allows no more`;
  }

  /** With `nodeFit` a pod needs a place; RemoveDuplicates lets none go without one in any case. */
  #fitRefusal(pod: Pod): string | undefined {
    const { nodeFit, strategy, snapshot } = this.#recording;
    if (isFinished(pod) || !(nodeFit || strategy === 'RemoveDuplicates')) return undefined;
    return this.fitting(pod, snapshot.readyNodes).length > 0 ? undefined : 'fits on no other node';
  }
}

/** The cluster after this plan, if everything in it is carried out. */
export function afterPlan(plan: Plan, recording: Recording): After {
  const course = new Course(recording);
  for (const pod of plan) course.evict(pod);
  return course.after();
}

/** The refusals of a plan's pods, as lines: what must not be in a plan at all. */
export function refusals(plan: Plan, recording: Recording): readonly string[] {
  const course = new Course(recording);
  return plan.flatMap((pod) => {
    const refusal = course.refusal(pod);
    course.evict(pod);
    return refusal === undefined ? [] : [`evicts ${podName(pod)}, which ${refusal}`];
  });
}

/** A plan without the pods that would be refused. */
export function permitted(plan: Plan, recording: Recording): Plan {
  const course = new Course(recording);
  return plan.filter((pod) => {
    if (course.refusal(pod) !== undefined) return false;
    course.evict(pod);
    return true;
  });
}

function isReplaced(pod: Pod): boolean {
  return pod.owners.length > 0 && !isFinished(pod);
}

/** Pods that have ended or not begun are no loss to a budget. */
function goesForFree({ status, deletedAt }: Pod): boolean {
  return ['Succeeded', 'Failed', 'Pending'].includes(status.phase) || deletedAt !== undefined;
}

/** What DefaultEvictor protects unless its arguments say otherwise. */
export function protection({ annotations, deletedAt, spec, owners }: Pod): string | undefined {
  if (annotations['kubernetes.io/config.mirror'] !== undefined) return 'is a mirror pod';
  if (deletedAt !== undefined) return 'is terminating';
  if ((annotations['descheduler.alpha.kubernetes.io/evict'] ?? 'false') !== 'false') return undefined;
  if ((spec.priority ?? 0) >= 2_000_000_000) return 'is critical to the system';
  if (owners.length === 0) return 'has no owner';
  if (owners.some(({ kind }) => kind === 'DaemonSet')) return 'is owned by a DaemonSet';
  if (spec.volumes.some(({ kind }) => kind === 'hostPath' || kind === 'emptyDir')) return 'has local storage';
  return undefined;
}
