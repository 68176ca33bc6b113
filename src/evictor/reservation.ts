import type { DisruptionBudget } from '../cluster/objects/kinds.ts';
import type { Node } from '../cluster/objects/node.ts';
import type { Pod } from '../cluster/objects/pod.ts';
import type { Scoring } from '../placement/fit.ts';
import type { Requester } from '../outcomes/outcome.ts';

/** One eviction to ask for. */
export interface EvictionRequest extends Requester {
  readonly pod: Pod;
  /** Completes the sentence "pod X …"; goes into the eviction's annotations and event. */
  readonly reason: string;
  /** Undefined leaves the grace period to the pod. */
  readonly gracePeriodSeconds: number | undefined;
}

/** A yes of the pipeline: what the eviction will take. */
export interface Permit {
  readonly request: EvictionRequest;
  /** The budget that the eviction is taken from. */
  readonly budget: DisruptionBudget | undefined;
  /** How the strategy takes the scheduler to score resources, where the policy does not say. */
  readonly scoring: Scoring | undefined;
  /** The node on which the replacement is assumed; undefined where none takes it, or where there will be none. */
  readonly destination: Node | undefined;
  /** Whether later strategies count it there; if not, it only takes room. */
  readonly isCounted: boolean;
  /** On how many other nodes the pod fits. */
  readonly destinations: number;
  /** The likely nodes of all, its own too, by name, at most 10. */
  readonly likelyNodes: readonly string[];
}

/** A permit whose limit, budget and room are taken. */
export interface Reservation extends Permit {
  /** Position in the plan. */
  readonly position: number;
  /** `Deployment/web`: the owner that limits count the pod under. */
  readonly owner: string;
}
