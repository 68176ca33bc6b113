import type { Terminal } from './terminal.ts';

/** What a command is given: the terminal, and where it leaves its exit code. */
export interface Session {
  readonly terminal: Terminal;
  /** Waits for the work and keeps its exit code as that of the program. */
  readonly finish: (work: Promise<number>) => Promise<void>;
}
