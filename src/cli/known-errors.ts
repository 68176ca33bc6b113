import { visible } from '../lib/visible.ts';
import type { Observe } from '../outcomes/outcome.ts';
import { defectText } from '../telemetry/stack.ts';

/** What is said about an error, and the exit code it ends the program with. */
export interface Explanation {
  /** For a report and a log. */
  readonly message: string;
  /** Where it is a defect of ours: a sentence that says so, and the stack. */
  readonly defect?: string;
  /** What is printed where it ends the program. */
  readonly printed: string;
  readonly exitCode: 1 | 2;
}

interface KnownError {
  readonly lead: string;
  readonly exitCode: 1 | 2;
  readonly hasLines?: true;
}

/**
 * Errors that need no stack, by name: their classes would load for every command what throws them. Of those that have lines of
 * their own, each line is visible already.
 */
const KNOWN_ERRORS: Readonly<Record<string, KnownError>> = {
  UserError: { lead: 'error: ', exitCode: 2, hasLines: true },
  DumpError: { lead: 'error: ', exitCode: 2 },
  // Its findings begin with their places.
  PolicyError: { lead: '', exitCode: 2, hasLines: true },
  ScenarioError: { lead: '', exitCode: 2, hasLines: true },
  HistoryError: { lead: 'error: ', exitCode: 1 },
  PriorityThresholdError: { lead: 'error: ', exitCode: 1 },
  ConnectError: { lead: 'error: ', exitCode: 2 },
  ClusterError: { lead: 'error: ', exitCode: 1 },
};

/** The message of an error that the user can do something about; the stack of any other. */
export function explainError(error: unknown): Explanation {
  const raw = error instanceof Error ? error.message : String(error);
  const known = error instanceof Error ? KNOWN_ERRORS[error.name] : undefined;
  const message = known?.hasLines ? raw : visible(raw);
  if (known) {
    const exitCode = error instanceof Error && 'exitCode' in error && error.exitCode === 1 ? 1 : known.exitCode;
    return { message, printed: `${known.lead}${message}\n`, exitCode };
  }
  const defect = defectText(error instanceof Error ? (error.stack ?? raw) : raw);
  return { message, defect, printed: `${defect}\n`, exitCode: 1 };
}

/** Prints the stack of a strategy that has thrown, where there is no log that would. */
export function printDefects(err: (text: string) => void): Observe {
  return (outcome) => {
    if (outcome.kind === 'strategy' && outcome.stack !== undefined) err(`${defectText(outcome.stack)}\n`);
  };
}
