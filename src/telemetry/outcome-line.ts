import { podName } from '../cluster/objects/pod.ts';
import { CONSEQUENCES } from '../outcomes/eviction-result.ts';
import type { Outcome } from '../outcomes/outcome.ts';
import { defectText } from './stack.ts';

/** A line of the log: `debug` for what concerns one pod, `info` for a strategy, `warn` and `error` for trouble. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** Where it is a defect of ours: a sentence that says so, and the stack. */
  readonly defect?: string;
}

/** What the log says about an outcome. */
export function outcomeLine(outcome: Outcome): LogLine {
  switch (outcome.kind) {
    case 'eviction': {
      const { pod, reason, result, strategy, error } = outcome;
      const ended = error === undefined ? result : `${result} (${error})`;
      const { report, failsRun } = CONSEQUENCES[result];
      const level = report === 'evicted' ? 'debug' : failsRun ? 'error' : 'warn';
      return { level, message: `${strategy}: ${ended}: ${podName(pod)} ${reason}` };
    }
    case 'refusal': {
      const { pod, reason, refusedBy, strategy } = outcome;
      return { level: 'debug', message: `${strategy}: refused by ${refusedBy}: ${podName(pod)} ${reason}` };
    }
    case 'strategy': {
      const { name, profile, proposed, evicted, refused, error, stack } = outcome;
      const numbers = `proposed ${proposed}, evicted ${evicted}, refused ${refused}`;
      if (error !== undefined) {
        const message = `${name} of profile ${profile}: ${error} (${numbers})`;
        return { level: 'error', message, ...(stack !== undefined && { defect: defectText(stack) }) };
      }
      return { level: 'info', message: `${name} of profile ${profile}: ${numbers}` };
    }
    case 'warning':
      return { level: 'info', message: outcome.text };
  }
}
