import type { ApiFailure } from '../kube/http/failure.ts';
import type { ElectionParts } from '../kube/lease-lock.ts';
import { visible } from '../lib/visible.ts';
import type { Observe } from '../outcomes/outcome.ts';
import { printDefects } from './known-errors.ts';
import type { RunFlags } from './run/run-flags.ts';
import type { Terminal } from './terminal.ts';

/** What a live run says on standard error. */
export interface Say {
  /** With the stack where it is a defect of ours. */
  readonly error: (message: string, defect?: string) => void;
  readonly warn: (message: string) => void;
  readonly info: (message: string) => void;
  /** Lines about what happens to pods and strategies. */
  readonly outcome: Observe;
  /** What follows belongs to another cycle. */
  readonly nextCycle: () => void;
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
      error: (message, defect) =>
        terminal.err(`error: ${visible(message)}\n${defect === undefined ? '' : `${defect}\n`}`),
      warn: (message) => terminal.err(`warning: ${visible(message)}\n`),
      info: () => undefined,
      outcome: printDefects(terminal.err),
      nextCycle: () => undefined,
    };
  }
  const { createLog } = await import('../telemetry/log.ts');
  const { outcomeLine } = await import('../telemetry/outcome-line.ts');
  let cycle = 0;
  const log = createLog({ verbosity: v, format: loggingFormat }, terminal.err);
  return {
    error: (message, defect) => void log.error(message, { defect }),
    warn: (message) => void log.warn(message),
    info: (message) => void log.info(message),
    outcome: (outcome) => {
      const { fields, ...line } = outcomeLine(outcome);
      log.log({ ...line, fields: { ...fields, ...(cycle > 0 && { cycle }) } });
    },
    nextCycle: () => void (cycle += 1),
  };
}

/** Says when credentials cannot be had, and when they can be had again; no call that fails for want of them needs to. */
export function sayCredentials(say: Say): (failure: ApiFailure | undefined) => void {
  return (failure) => {
    if (failure) say.warn(`${failure.message}; trying again`);
    else say.info('credentials can be had again');
  };
}

/** Says who leads, and what keeps us from asking for the Lease. */
export function sayElection(say: Say): Pick<ElectionParts, 'onChange' | 'onFailure'> {
  return {
    onChange: (leader) => say.info(leader === '' ? 'nobody leads' : `${leader} leads`),
    onFailure: (failure) => {
      if (!failure) say.info('leader election: the Lease can be had again');
      else if (failure.kind !== 'no-credentials') say.warn(`leader election: ${failure.message}; trying again`);
    },
  };
}
