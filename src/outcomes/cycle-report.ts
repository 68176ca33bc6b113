import type { Snapshot } from '../cluster/snapshot.ts';
import { CONSEQUENCES } from './eviction-result.ts';
import type { RecordedOutcomes } from './outcome-recorder.ts';
import type { CycleReport, Source } from './outcome.ts';

/** The circumstances of a cycle. Times in ms since the epoch. */
export interface CycleFrame {
  readonly dryRun: boolean;
  readonly source: Source;
  readonly snapshot: Snapshot;
  readonly startedAt: number;
  readonly finishedAt: number;
  /** Why no strategy had a turn. */
  readonly skipped?: string | undefined;
}

/**
 * The report value of one cycle. Only a live cluster's report carries times: those of recorded and made-up clusters can
 * be compared.
 */
export function cycleReport(frame: CycleFrame, entries: RecordedOutcomes): CycleReport {
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
    ...(frame.skipped !== undefined && { skipped: frame.skipped }),
  };
}

/** Whether reports on this source tell how long things took. */
export function isLive(source: Source): boolean {
  return source.kind === 'cluster';
}

/** Whether the cycle ends the program with exit code 1: a strategy threw, or an eviction ended in a way that says so. */
export function hasFailed({ strategies, evictions }: CycleReport): boolean {
  return (
    strategies.some(({ error }) => error !== undefined) || evictions.some(({ result }) => CONSEQUENCES[result].failsRun)
  );
}
