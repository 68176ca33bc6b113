import { visible } from '../lib/visible.ts';
import type { Terminal } from './terminal.ts';

/** Does the work; where standard error is a terminal, a line there says that it is under way. */
export async function withProgress<T>(what: string, terminal: Terminal, work: () => Promise<T>): Promise<T> {
  if (!terminal.showsProgress) return work();
  const { default: ora } = await import('ora');
  // Signals and keys belong to main.ts.
  const line = ora({ text: visible(what), discardStdin: false, hideCursor: false }).start();
  try {
    return await work();
  } finally {
    line.stop();
  }
}
