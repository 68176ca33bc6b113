import type { ReadProgress } from '../kube/watch/source.ts';
import type { Outcome } from '../outcomes/outcome.ts';
import type { RunFlags } from './run/run-flags.ts';
import type { Terminal } from './terminal.ts';

/** A line on the terminal that says how far a live cycle is. */
export interface Progress {
  readonly reading: ReadProgress;
  readonly observe: (outcome: Outcome) => void;
  /** Takes the line away, before anything else is printed. */
  readonly clear: () => void;
}

const SILENT: Progress = { reading: () => undefined, observe: () => undefined, clear: () => undefined };

/** Progress is shown on a terminal only, and not between the lines of a log. */
export async function createProgress({ v }: Pick<RunFlags, 'v'>, terminal: Terminal): Promise<Progress> {
  if (!terminal.showsProgress || v > 0) return SILENT;
  const { default: ora } = await import('ora');
  // Signals and keys belong to main.ts.
  const line = ora({ discardStdin: false, hideCursor: false });
  const show = (text: string): void => {
    if (line.isSpinning) line.text = text;
    else line.start(text);
  };
  const counts = new Map<string, number>();
  return {
    reading(kind, fetched, remaining) {
      const all = remaining === undefined ? '' : ` of ${fetched + remaining}`;
      show(`reading the cluster: ${kind} ${fetched}${all}`);
    },
    observe(outcome) {
      if (outcome.kind !== 'eviction') return;
      counts.set(outcome.result, (counts.get(outcome.result) ?? 0) + 1);
      show([...counts].map(([result, count]) => `${result} ${count}`).join(', '));
    },
    clear() {
      counts.clear();
      line.stop();
    },
  };
}
