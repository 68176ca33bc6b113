import type { DefaultEvictorArgs } from '../evictor/args.ts';
import type { Requirement } from '../cluster/selectors.ts';
import type { Strategy } from '../strategies/strategy.ts';

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

/** Evictions allowed in one cycle; undefined is unlimited, 0 is none. */
export interface Limits {
  readonly total: number | undefined;
  readonly node: number | undefined;
  readonly namespace: number | undefined;
}

/** Where usage is measured (framework.md section 5). */
export interface MetricsProvider {
  readonly source: 'KubernetesMetrics' | 'Prometheus';
  readonly url: string | undefined;
  readonly authSecret: { readonly namespace: string; readonly name: string } | undefined;
}

/** A checked policy, whatever version its text was written in. */
export interface Policy {
  /** Parsed `nodeSelector`; undefined is every node. */
  readonly nodeSelector: readonly Requirement[] | undefined;
  readonly limits: Limits;
  readonly evictionFailureEventNotification: boolean;
  readonly gracePeriodSeconds: number | undefined;
  readonly metricsProviders: readonly MetricsProvider[];
  readonly profiles: readonly Profile[];
}
