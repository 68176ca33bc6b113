import { compareText } from '../cluster/snapshot.ts';
import { groupBy } from '../lib/group.ts';
import type { CycleReport, Eviction, Refusal, Requester, StrategyRun } from '../outcomes/outcome.ts';

/** One strategy of one profile with all it did: what the readable reports show under one heading. */
export interface Section {
  readonly run: StrategyRun;
  readonly evictions: readonly Eviction[];
  readonly refusals: readonly Refusal[];
}

/** Refusals by one constraint or limit, with the first as an example. */
export interface RefusalGroup {
  readonly refusedBy: string;
  readonly count: number;
  readonly example: Refusal;
}

/** The report by strategy, in the order in which the strategies ran. */
export function sectionsOf(report: CycleReport): readonly Section[] {
  const evictions = groupBy(report.evictions, requesterKey);
  const refusals = groupBy(report.refusals, requesterKey);
  return report.strategies.map((run) => {
    const key = requesterKey({ profile: run.profile, strategy: run.name });
    return { run, evictions: evictions.get(key) ?? [], refusals: refusals.get(key) ?? [] };
  });
}

/** Refusals by who refused: the most frequent first, names decide among equals. */
export function groupRefusals(refusals: readonly Refusal[]): readonly RefusalGroup[] {
  const groups = [...groupBy(refusals, (refusal) => refusal.refusedBy)];
  return groups
    .flatMap(([refusedBy, members]) =>
      members.slice(0, 1).map((example) => ({ refusedBy, count: members.length, example })),
    )
    .sort((a, b) => b.count - a.count || compareText(a.refusedBy, b.refusedBy));
}

function requesterKey({ profile, strategy }: Requester): string {
  return JSON.stringify([profile, strategy]);
}
