import type { Snapshot } from '../cluster/snapshot.ts';
import type { JournalEntries } from './journal.ts';
import type { CycleReport, Eviction, Source } from './outcome.ts';

/** The circumstances of a cycle. Times in ms since the epoch. */
export interface CycleFrame {
  readonly dryRun: boolean;
  readonly source: Source;
  readonly snapshot: Snapshot;
  readonly startedAt: number;
  readonly finishedAt: number;
}

/**
 * The report value of one cycle. Only a live cluster's report carries times: those of recorded and made-up clusters can
 * be compared (cli.md).
 */
export function cycleReport(frame: CycleFrame, entries: JournalEntries): CycleReport {
  const live = isLive(frame.source);
  return {
    dryRun: frame.dryRun,
    startedAt: live ? frame.startedAt : undefined,
    finishedAt: live ? frame.finishedAt : undefined,
    source: frame.source,
    cluster: {
      nodes: frame.snapshot.nodes.length,
      readyNodes: frame.snapshot.readyNodes.length,
      pods: frame.snapshot.pods.length,
    },
    ...entries,
  };
}

/** Whether reports on this source tell how long things took. */
export function isLive(source: Source): boolean {
  return source.kind === 'cluster';
}

/**
 * Whether the cycle ends the program with exit code 1: a strategy threw, or an eviction failed for another reason than its
 * budget (cli.md).
 */
export function hasFailed(report: CycleReport): boolean {
  return report.strategies.some(({ error }) => error !== undefined) || report.evictions.some(isFault);
}

function isFault({ result, failure }: Eviction): boolean {
  return result === 'failed' && failure !== 'too-many-requests' && failure !== 'aborted';
}
