import type { NodeSelectorTerm, Requirement } from '../cluster/objects/terms.ts';
import type { DefaultEvictorArgs } from '../evictor/constraints/args.ts';
import type { IntOrPercent } from '../evictor/limits/int-or-percent.ts';
import type { EvictionLimits } from '../evictor/limits/limits.ts';
import type { SpreadConstraint, Weighted } from '../cluster/objects/pod.ts';
import type { Scoring, Strategy } from '../strategies/strategy.ts';

/** A strategy that a profile enables, with its checked and defaulted arguments. */
export interface EnabledStrategy {
  readonly strategy: Strategy<unknown>;
  readonly args: unknown;
}

/** A profile: its evictor and its strategies, in the order of the file. */
export interface Profile {
  readonly name: string;
  readonly evictor: DefaultEvictorArgs;
  readonly deschedule: readonly EnabledStrategy[];
  readonly balance: readonly EnabledStrategy[];
}

/** What a policy allows, in one cycle and beyond it. */
export type Limits = EvictionLimits;

/** Where evictions are remembered between runs. */
export interface HistoryPlace {
  readonly configMap: { readonly namespace: string; readonly name: string };
}

/** The scheduler's own configuration, where it departs from the default; the same as placement's FitOptions. */
export interface SchedulerSettings {
  readonly addedAffinity?: {
    /** Undefined: nothing required. */
    readonly required: readonly NodeSelectorTerm[] | undefined;
    readonly preferred: readonly Weighted<NodeSelectorTerm>[];
  };
  readonly defaultConstraints?: readonly SpreadConstraint[];
  readonly ignoredResources?: readonly string[];
  readonly ignoredResourceGroups?: readonly string[];
  readonly scoringStrategy?: Scoring;
}

/** Where usage is measured (rule C12). */
export interface MetricsProvider {
  readonly source: 'KubernetesMetrics' | 'Prometheus';
  readonly url: string | undefined;
  readonly authSecret: { readonly namespace: string; readonly name: string } | undefined;
}

/** How much of a cluster must be in trouble for cycles to be skipped: nodes that are not ready, pods that wait for a node. */
export interface PauseWhen {
  readonly notReadyNodes?: IntOrPercent | undefined;
  readonly pendingPods?: IntOrPercent | undefined;
}

/** A checked policy, whatever version its text was written in. */
export interface Policy {
  /** Parsed `nodeSelector`; undefined is every node. */
  readonly nodeSelector: readonly Requirement[] | undefined;
  readonly limits: Limits;
  /** Absent: limits with a memory have one as long as the process lives. */
  readonly history?: HistoryPlace;
  /** Cycles are skipped while one of these is reached. */
  readonly pauseWhen?: PauseWhen;
  readonly evictionFailureEventNotification: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly metricsProviders: readonly MetricsProvider[];
  /** Absent: the default profile of kube-scheduler. */
  readonly scheduler?: SchedulerSettings;
  readonly profiles: readonly Profile[];
}
