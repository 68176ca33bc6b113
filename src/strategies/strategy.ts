import type { ZodType } from 'zod';
import type { Node } from '../cluster/objects/node.ts';
import type { Pod, SpreadConstraint } from '../cluster/objects/pod.ts';
import type { Resources } from '../cluster/amounts/resources.ts';
import type { Snapshot } from '../cluster/snapshot.ts';
import type { Scoring } from '../placement/fit.ts';

export type { Scoring } from '../placement/fit.ts';

/** One pod, or several that go only together, and why, in words an operator can act on. */
export type Proposal =
  /** `destinations`: if fit is asked at all, only these count. */
  | { readonly evict: Pod; readonly reason: string; readonly destinations?: readonly Node[] }
  | { readonly evictAll: readonly Pod[]; readonly reason: string }
  /** The strategy itself leaves the pod alone; `by` is the rule's name in the report. */
  | { readonly skip: Pod; readonly by: string; readonly reason: string };

/** The pipeline's answer. `scope` says how far a refusal reaches, so that a strategy can leave a node or stop. */
export type Verdict =
  | { readonly granted: true; readonly destination?: Node }
  | {
      readonly granted: false;
      readonly scope: 'pod' | 'node' | 'namespace' | 'total';
      readonly by: string;
      readonly reason: string;
    };

/** What a strategy wants measured; absent means requests are enough. */
export interface UsageNeed {
  readonly source: 'KubernetesMetrics' | 'Prometheus';
  readonly query?: string;
}

/** Measured usage: cpu in millicores, memory in bytes, or the percentage `MetricResource` of a Prometheus query. */
export interface Usage {
  readonly source: UsageNeed['source'];
  readonly node: (name: string) => Resources | undefined;
  /** Undefined: not measured for this pod. */
  readonly pod: (pod: Pod) => Resources | undefined;
}

/** Everything a strategy may know: no client, clock, logger or metric, on purpose. */
export interface Context<Args> {
  /**
   * All of the cluster, for counting, as it is expected to be: pods that earlier strategies of the cycle evict are gone, and
   * their replacements are on the nodes that they were promised (AssumedPod). The strategy's own evictions are not in it.
   */
  readonly snapshot: Snapshot;
  /** Ready nodes chosen by the policy's node selector: those the strategy may look at. By name. */
  readonly nodes: readonly Node[];
  readonly args: Args;
  readonly now: Date;
  readonly usage?: Usage;
  /** Whether the strategy may choose the pod: of its own namespaces and label selector, and not just assumed; never reported. */
  readonly inScope: (pod: Pod) => boolean;
  /** The whole pipeline, nothing booked. */
  readonly check: (pod: Pod, destinations?: readonly Node[]) => Verdict;
  /**
   * Those of `nodes` on which the pod fits by the scheduler's hard rules, given the room promised to earlier victims,
   * whether or not the policy asks for nodeFit. The pod itself is counted as gone from where it is.
   */
  readonly fits: (pod: Pod, nodes: readonly Node[]) => readonly Node[];
  /** The pod that would come in place of this one: of a newer template, or with requests that were not changed in place. */
  readonly replacementOf: (pod: Pod) => Pod;
  /**
   * Where the scheduler would likely put the pod's replacement, of all nodes, the one it leaves too (rule S31).
   * Only with the policy's `nodeFit`, for which such pods are to stay (rule T9).
   */
  readonly likely?: (pod: Pod) => readonly Node[];
  /** `defaultConstraints` of the scheduler's profile, where the policy names them, for pods without any of their own. */
  readonly defaultConstraints?: readonly SpreadConstraint[];
}

/** A strategy of the policy: a generator that proposes, is answered, and returns notes for the report. */
export interface Strategy<Args> {
  readonly name: string;
  readonly extensionPoint: 'deschedule' | 'balance';
  /**
   * How the scheduler has to score resources for a balance strategy to make sense, where the policy does not say how it
   * does; the same object for the same arguments. Absent: as the scheduler does by default.
   */
  scoring?(args: Args): Scoring;
  /** Checked and defaulted arguments; messages are shown to the user as they stand. */
  readonly args: ZodType<Args>;
  needs?(args: Args): UsageNeed | undefined;
  propose(context: Context<Args>): Generator<Proposal, readonly string[], Verdict>;
}
