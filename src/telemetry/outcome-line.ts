import { podName } from '../cluster/objects/pod.ts';
import { CONSEQUENCES } from '../outcomes/eviction-result.ts';
import type { Outcome } from '../outcomes/outcome.ts';
import { defectText } from './stack.ts';

/** Values by name. */
export type Fields = Readonly<Record<string, string | number>>;

/** A line of the log: `debug` for what concerns one pod, `info` for a strategy, `warn` and `error` for trouble. */
export interface LogLine {
  readonly level: 'debug' | 'info' | 'warn' | 'error';
  readonly message: string;
  /** What machines read of it, under the names that the Go descheduler's log has. */
  readonly fields?: Fields;
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
      const fields = { ...podFields(outcome), result: CONSEQUENCES[result].metric ?? result, reason };
      return { level, message: `${strategy}: ${ended}: ${podName(pod)} ${reason}`, fields };
    }
    case 'refusal': {
      const { pod, reason, refusedBy, strategy } = outcome;
      const fields = { ...podFields(outcome), result: 'refused', refusedBy, reason };
      return { level: 'debug', message: `${strategy}: refused by ${refusedBy}: ${podName(pod)} ${reason}`, fields };
    }
    case 'strategy': {
      const { name, profile, proposed, evicted, refused, error, stack } = outcome;
      const fields = { strategy: name, profile, proposed, evicted, refused };
      if (error !== undefined) {
        const message = `strategy failed: ${error}`;
        return { level: 'error', message, fields, ...(stack !== undefined && { defect: defectText(stack) }) };
      }
      return { level: 'info', message: 'strategy done', fields };
    }
    case 'warning':
      return { level: 'info', message: outcome.text };
  }
}

function podFields({ pod, strategy, profile }: Extract<Outcome, { kind: 'eviction' | 'refusal' }>): Fields {
  return { pod: pod.name, namespace: pod.namespace, node: pod.nodeName, strategy, profile };
}
