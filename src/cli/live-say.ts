import type { Observe } from '../outcomes/outcome.ts';
import type { RunFlags } from './run-flags.ts';
import type { Terminal } from './terminal.ts';

/** What a live run says on standard error. */
export interface Say {
  readonly error: (message: string) => void;
  readonly warn: (message: string) => void;
  readonly info: (message: string) => void;
  /** Lines about what happens to pods and strategies. */
  readonly outcome: Observe;
}

/**
 * Bare lines for errors and warnings of a single run at a desk; a log with times for a loop, and wherever the flags ask
 * for one.
 */
export async function createSay(
  flags: Pick<RunFlags, 'v' | 'loggingFormat'>,
  isLoop: boolean,
  terminal: Terminal,
): Promise<Say> {
  const { v, loggingFormat } = flags;
  if (v === 0 && !isLoop && loggingFormat === 'text') {
    return {
      error: (message) => terminal.err(`error: ${message}\n`),
      warn: (message) => terminal.err(`warning: ${message}\n`),
      info: () => undefined,
      outcome: () => undefined,
    };
  }
  const { createLog } = await import('../telemetry/log.ts');
  const { outcomeLine } = await import('../telemetry/outcome-line.ts');
  const log = createLog({ verbosity: v, format: loggingFormat }, terminal.err);
  return {
    error: (message) => void log.error(message),
    warn: (message) => void log.warn(message),
    info: (message) => void log.info(message),
    outcome: (outcome) => void log.log(outcomeLine(outcome)),
  };
}
