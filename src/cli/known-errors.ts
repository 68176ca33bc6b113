import { visible } from '../lib/visible.ts';

/** What is said about an error, and the exit code it ends the program with (cli.md). */
export interface Explanation {
  readonly lead: string;
  readonly text: string;
  readonly exitCode: 1 | 2;
}

/**
 * Errors that need no stack, by name: their classes would load for every command what throws them. Of those that have lines of
 * their own, each line is visible already.
 */
const KNOWN_ERRORS: Readonly<Record<string, Omit<Explanation, 'text'> & { readonly hasLines?: true }>> = {
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
  const known = error instanceof Error ? KNOWN_ERRORS[error.name] : undefined;
  if (error instanceof Error && known) {
    const exitCode = 'exitCode' in error && error.exitCode === 1 ? 1 : known.exitCode;
    return { lead: known.lead, text: known.hasLines ? error.message : visible(error.message), exitCode };
  }
  const text = error instanceof Error ? (error.stack ?? error.message) : String(error);
  const lead = 'evenkeel has failed, which is a fault of its own rather than of your input:\n';
  return { lead, text, exitCode: 1 };
}
