import { visible } from '../lib/visible.ts';
import type { Terminal } from './terminal.ts';

/** What a command is given: the terminal, and where it leaves its exit code. */
export interface Session {
  readonly terminal: Terminal;
  /** Waits for the work and keeps its exit code as that of the program. */
  readonly finish: (work: Promise<number>) => Promise<void>;
}

/**
 * What the user can put right, one thing or several, a line each: shown without a stack; ends the program with exit code 2, or 1
 * where the machine failed.
 */
export class UserError extends Error {
  readonly exitCode: 1 | 2;

  constructor(problems: string | readonly string[], exitCode: 1 | 2 = 2) {
    super([problems].flat().map(visible).join('\nerror: '));
    this.name = 'UserError';
    this.exitCode = exitCode;
  }
}
