import { isLive } from '../outcomes/cycle-report.ts';
import { incompleteBecause, limitsOf, stateOf } from '../outcomes/completeness.ts';
import { CONSEQUENCES, type EvictionResult } from '../outcomes/eviction-result.ts';
import type { CycleReport, Eviction, Refusal, StrategyRun } from '../outcomes/outcome.ts';

/** The report as data, exactly as rule C19 ("The JSON report of one cycle") lays it out; JSON and YAML print it as it stands. */
export interface ReportDocument {
  readonly apiVersion: 'evenkeel.io/v1alpha1';
  readonly kind: 'DeschedulingReport';
  readonly dryRun: boolean;
  readonly startedAt?: string;
  readonly finishedAt?: string;
  readonly source: CycleReport['source'];
  readonly cluster: CycleReport['cluster'];
  readonly evictions: readonly object[];
  readonly refusals: readonly object[];
  readonly strategies: readonly object[];
  readonly warnings: readonly string[];
  readonly summary: Summary;
}

/** Totals of one cycle. `evicted` counts what a dry run would evict and what was handed to another actor, too. */
export interface Summary {
  readonly evicted: number;
  readonly refused: number;
  readonly failed: number;
  /** Removed by somebody else before it was their turn. */
  readonly gone: number;
  /** Nobody knows whether they were evicted. */
  readonly uncertain: number;
  /** Limits that held pods back, by their policy names. */
  readonly cutByLimits: readonly string[];
  /** Whether every strategy has come to its end; else why not. */
  readonly complete: boolean;
  readonly incompleteBecause?: string;
}

/** How evictions ended. */
export type Counts = Pick<Summary, 'evicted' | 'failed' | 'gone' | 'uncertain'>;

/** Turns a report into its document. Keys stand in the order of rule C19, so that equal reports print equal bytes. */
export function reportDocument(report: CycleReport): ReportDocument {
  const timed = isLive(report.source);
  return {
    apiVersion: 'evenkeel.io/v1alpha1',
    kind: 'DeschedulingReport',
    dryRun: report.dryRun,
    ...(timed ? { startedAt: isoTime(report.startedAt), finishedAt: isoTime(report.finishedAt) } : {}),
    source: {
      kind: report.source.kind,
      name: report.source.name,
      now: report.source.now,
      nowFrom: report.source.nowFrom,
    },
    cluster: {
      nodes: report.cluster.nodes,
      readyNodes: report.cluster.readyNodes,
      pods: report.cluster.pods,
    },
    evictions: report.evictions.map(evictionEntry),
    refusals: report.refusals.map(refusalEntry),
    strategies: report.strategies.map((run) => strategyEntry(run, timed)),
    warnings: report.warnings,
    summary: summaryOf(report),
  };
}

/** Counts what happened to the pods of a report. */
export function summaryOf(report: Pick<CycleReport, 'evictions' | 'refusals' | 'strategies' | 'skipped'>): Summary {
  const { evicted, ...rest } = countsOf(report.evictions);
  const because = incompleteBecause(report);
  return {
    ...{ evicted, refused: report.refusals.length, ...rest },
    cutByLimits: limitsOf(report),
    complete: because === undefined,
    ...(because !== undefined && { incompleteBecause: because }),
  };
}

/** How many evictions ended in which way. */
export function countsOf(evictions: readonly Eviction[]): Counts {
  const counts = { evicted: 0, failed: 0, gone: 0, uncertain: 0 };
  for (const { result } of evictions) counts[CONSEQUENCES[result].report] += 1;
  return counts;
}

function isoTime(at: number | undefined): string {
  return at === undefined ? '' : new Date(at).toISOString();
}

function evictionEntry(eviction: Eviction): object {
  return {
    namespace: eviction.pod.namespace,
    pod: eviction.pod.name,
    uid: eviction.pod.uid,
    node: eviction.pod.nodeName,
    profile: eviction.profile,
    strategy: eviction.strategy,
    reason: eviction.reason,
    destinations: eviction.destinations,
    likelyNodes: eviction.likelyNodes,
    ...resultOf(eviction.result),
    ...(eviction.error === undefined ? {} : { error: eviction.error }),
  };
}

/** Failures are one result for readers; `failure` tells them apart. */
function resultOf(result: EvictionResult): object {
  const { report } = CONSEQUENCES[result];
  if (report === 'evicted') return { result };
  return report === 'failed' ? { result: report, failure: result } : { result: report };
}

function refusalEntry(refusal: Refusal): object {
  return {
    namespace: refusal.pod.namespace,
    pod: refusal.pod.name,
    node: refusal.pod.nodeName,
    profile: refusal.profile,
    strategy: refusal.strategy,
    refusedBy: refusal.refusedBy,
    reason: refusal.reason,
  };
}

function strategyEntry(run: StrategyRun, timed: boolean): object {
  return {
    profile: run.profile,
    name: run.name,
    extensionPoint: run.extensionPoint,
    state: stateOf(run),
    proposed: run.proposed,
    evicted: run.evicted,
    refused: run.refused,
    ...(timed ? { durationMs: run.durationMs } : {}),
    ...(run.error === undefined ? {} : { error: run.error }),
    notes: run.notes,
  };
}
