/** The world as the commands see it; `main.ts` builds it from the process, tests from arrays. */
export interface Terminal {
  /** Standard output: the report and nothing else. */
  readonly out: (text: string) => void;
  /** Standard error: logs, progress, what is wrong with the input. */
  readonly err: (text: string) => void;
  /** Columns of standard output, 80 where it is no terminal. */
  readonly width: number;
  /** Whether standard output may carry colours: a terminal, and NO_COLOR not set. */
  readonly colors: boolean;
  /** Whether standard error is a terminal, where progress may be shown. */
  readonly showsProgress: boolean;
  /** Aborted by SIGTERM and SIGINT. */
  readonly signal: AbortSignal;
  /** For `evenkeel version`. */
  readonly nodeVersion: string;
}
