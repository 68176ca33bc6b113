import { systemClock } from '../../lib/clock.ts';
import { jsonText } from '../../lib/visible.ts';
import type { ObserveLifecycle } from '../../outcomes/lifecycle.ts';
import { lifecycleLine, lifecycleRecord, pendingRecord, pendingText, type PendingPod } from '../../report/lifecycle.ts';
import type { Terminal } from '../terminal.ts';

/** How outcomes are printed. */
export interface PrintFlags {
  readonly mode: 'observe' | 'act';
  readonly output: 'text' | 'json';
  readonly v: number;
}

/** Prints each outcome as a line on standard output: a sentence with its time, or a JSON object. Kept pods need `-v 1` or JSON. */
export function printOutcomes({ mode, output, v }: PrintFlags, { out }: Pick<Terminal, 'out'>): ObserveLifecycle {
  return (outcome) => {
    const now = systemClock.wall();
    if (output === 'json') {
      out(`${jsonText(lifecycleRecord(outcome, mode, now))}\n`);
      return;
    }
    const { level, message } = lifecycleLine(outcome, mode);
    if (level !== 'debug' || v > 0) out(`${new Date(now).toISOString()} ${message}\n`);
  };
}

/** Prints who would go when, at the end. */
export function printPending(
  pending: readonly PendingPod[],
  { output }: PrintFlags,
  { out }: Pick<Terminal, 'out'>,
): void {
  if (output === 'json') out(`${jsonText(pendingRecord(pending, systemClock.wall()))}\n`);
  else out(pendingText(pending));
}
