import type { CycleReport, StrategyRun } from './outcome.ts';

/** What became of a strategy: at its end, or cut short. */
export type StrategyState = 'done' | 'error' | 'limit' | 'interrupted' | 'not-run';

/** The state of one strategy. */
export function stateOf({ error, cut }: StrategyRun): StrategyState {
  return error === undefined ? (cut?.state ?? 'done') : 'error';
}

/** The limits that held pods back, in the order of the strategies. */
export function limitsOf({ strategies }: Pick<CycleReport, 'strategies'>): readonly string[] {
  return [...new Set(strategies.flatMap(({ cut }) => cut?.limits ?? []))];
}

/**
 * Why a report does not tell all that there is to do: a limit cut a strategy off, one failed or had no turn, the run was ended, or
 * the cycle was skipped. Undefined where every strategy has come to its end.
 */
export function incompleteBecause(report: Pick<CycleReport, 'strategies' | 'skipped'>): string | undefined {
  const { strategies, skipped } = report;
  const names = (state: StrategyState) =>
    [...new Set(strategies.filter((run) => stateOf(run) === state).map(({ name }) => name))].join(', ');
  const parts = [
    skipped ?? '',
    names('limit') === '' ? '' : `${limitsOf(report).join(', ')} held pods of ${names('limit')} back`,
    names('interrupted') === '' ? '' : `the run was ended during ${names('interrupted')}`,
    names('error') === '' ? '' : `${names('error')} failed`,
    names('not-run') === '' ? '' : `${names('not-run')} did not run`,
  ].filter((part) => part !== '');
  return parts.length === 0 ? undefined : parts.join('; ');
}
