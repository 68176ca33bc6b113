/** The world as the commands see it; `main.ts` builds it from the process, tests from arrays. */
export interface Terminal {
  /** Standard output: the report and nothing else. */
  readonly out: (text: string) => void;
  /** Resolves when standard output has taken all that it was given. */
  readonly drained: () => Promise<void>;
  /** Standard error: logs, progress, what is wrong with the input. */
  readonly err: (text: string) => void;
  /** Columns of standard output, 80 where it is no terminal. */
  readonly width: number;
  /** Whether standard output may carry colours: a terminal, and NO_COLOR not set. */
  readonly colors: boolean;
  /** Whether progress may be shown on standard error. */
  readonly showsProgress: boolean;
  /** Aborted by SIGTERM and SIGINT. */
  readonly signal: AbortSignal;
  /** Starts what ends the program on a signal even if it is stuck; for before work that may take long. */
  readonly watch: () => void;
  /** The environment: where kubeconfigs are, whether this is a pod. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** For `evenkeel version`. */
  readonly nodeVersion: string;
}

/** What a process is to a terminal. */
type ProcessStreams = Pick<NodeJS.Process, 'stdout' | 'stderr' | 'env' | 'version'>;

/** The terminal of a process, and what ends it. */
export function terminalOf(
  { stdout, stderr, env, version }: ProcessStreams,
  ending: Pick<Terminal, 'signal' | 'watch'>,
): Terminal {
  return {
    ...ending,
    out: (text) => void stdout.write(text),
    drained: () => new Promise((resolve) => stdout.write('', () => resolve())),
    err: (text) => void stderr.write(text),
    width: widthOf(isTerminal(stdout) ? stdout.columns : undefined),
    colors: mayColor(isTerminal(stdout), env),
    showsProgress: mayShowProgress(isTerminal(stderr), stderr.columns),
    env,
    nodeVersion: version,
  };
}

/** `isTTY` is undefined, not false, where a stream is no terminal; undefined would let others guess from the environment. */
function isTerminal(stream: { readonly isTTY?: boolean }): boolean {
  return stream.isTTY === true;
}

/** Whether output may carry colours: on a terminal that knows them, unless NO_COLOR says no (https://no-color.org). */
export function mayColor(isTerminal: boolean, env: { readonly NO_COLOR?: string; readonly TERM?: string }): boolean {
  return isTerminal && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb';
}

/** How wide to draw: what the terminal has, between 80, which always suffices, and 120, beyond which lines are hard to read. */
export function widthOf(columns: number | undefined): number {
  return Math.min(Math.max(columns ?? 80, 80), 120);
}

/**
 * Whether a line of progress may be drawn: on a terminal that has columns. The one of a container with `tty: true` has none until
 * somebody attaches to it, and the lines of a text on it, which are to be erased, are without number.
 */
export function mayShowProgress(isTerminal: boolean, columns: number | undefined): boolean {
  return isTerminal && columns !== undefined && columns > 0;
}
