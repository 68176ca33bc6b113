import type { Source } from './outcome.ts';

/** What one strategy of the policy does with the pod in this cycle. */
export interface StrategyAnswer {
  readonly profile: string;
  readonly strategy: string;
  /** `evict`: the pod goes. `refuse`: it was proposed and stays. `pass`: the strategy does not ask for it. */
  readonly answer: 'evict' | 'refuse' | 'pass';
  /** Who refused, by its policy name. */
  readonly by?: string;
  readonly reason?: string;
}

/** One constraint, limit or budget of a profile, asked about the pod by itself. */
export interface ConstraintVerdict {
  readonly profile: string;
  readonly name: string;
  /** `lifted`: it objects, and the pod's evict annotation overrules it. */
  readonly answer: 'allow' | 'refuse' | 'lifted';
  readonly reason?: string;
}

/** One node's answer: no reasons if the pod fits. */
export interface NodeAnswer {
  readonly node: string;
  /** The node the pod is on: asked as if the pod had left it. */
  readonly own: boolean;
  readonly ready: boolean;
  readonly fits: boolean;
  readonly misfits: readonly { readonly code: string; readonly text: string }[];
  /** The scheduler's total score, where the pod fits. */
  readonly score?: number;
}

/** What one NoExecute taint means for the pod, in words. */
export interface TaintAnswer {
  readonly taint: string;
  /** Whether its node has the taint now. */
  readonly present: boolean;
  /** For how long the pod tolerates it. */
  readonly tolerated: string;
  /** When it would be deleted: a time, `never`, or how long after the taint appears. */
  readonly goes: string;
}

/** Why a pod would or would not be evicted, and where it could go. */
export interface PodExplanation {
  readonly kind: 'PodExplanation';
  readonly source: Source;
  readonly namespace: string;
  readonly pod: string;
  readonly uid: string;
  /** Empty while the pod is not bound. */
  readonly node: string;
  readonly owner: string;
  readonly phase: string;
  readonly strategies: readonly StrategyAnswer[];
  readonly constraints: readonly ConstraintVerdict[];
  readonly nodes: readonly NodeAnswer[];
  readonly likelyNodes: readonly string[];
  readonly taints: readonly TaintAnswer[];
  readonly notes: readonly string[];
}

/** How full a node is of one resource. */
export interface NodeLoad {
  readonly resource: string;
  readonly used: string;
  readonly allocatable: string;
  readonly percent: number;
}

/** A pod of the node and what the cycle decides about it. */
export interface NodePodAnswer {
  readonly namespace: string;
  readonly pod: string;
  readonly answer: 'evict' | 'refuse' | 'stay';
  readonly by: string;
  readonly reason: string;
}

/** What the policy makes of a node and of the pods on it. */
export interface NodeExplanation {
  readonly kind: 'NodeExplanation';
  readonly source: Source;
  readonly node: string;
  readonly ready: boolean;
  readonly schedulable: boolean;
  /** Whether strategies may look at it, or why not. */
  readonly looked: string;
  readonly taints: readonly string[];
  readonly load: readonly NodeLoad[];
  readonly pods: readonly NodePodAnswer[];
  /** What the strategies note about the cycle, with their names. */
  readonly notes: readonly string[];
}
