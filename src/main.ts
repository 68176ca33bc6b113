import { runProgram } from './cli/program.ts';
import type { Terminal } from './cli/terminal.ts';

/** Exit codes of a program that a signal ended: 128 and the signal's number (cli.md). */
const SIGNAL_CODES = { SIGTERM: 143, SIGINT: 130 } as const;

await main();

/** The only reader of arguments, environment and signals, and the only place that sets the exit code. */
async function main(): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endQuietly);
  const stop = stopOnSignals();
  const exitCode = await runProgram(process.argv.slice(2), terminal(stop.signal));
  process.exitCode = stop.exitCode() ?? exitCode;
}

function terminal(signal: AbortSignal): Terminal {
  const { stdout, stderr, env } = process;
  return {
    out: (text) => void stdout.write(text),
    err: (text) => void stderr.write(text),
    width: stdout.isTTY ? Math.min(Math.max(stdout.columns, 60), 120) : 80,
    colors: stdout.isTTY && (env.NO_COLOR ?? '') === '' && env.TERM !== 'dumb',
    showsProgress: stderr.isTTY,
    signal,
    nodeVersion: process.version,
  };
}

/** The reader of the output has gone (`| head`): nobody is left to tell. Anything else is a failure of the machine. */
function endQuietly(error: NodeJS.ErrnoException): void {
  process.exit(error.code === 'EPIPE' ? (process.exitCode ?? 0) : 1);
}

/** The first signal asks for an orderly end, the second ends the program at once. */
function stopOnSignals(): { readonly signal: AbortSignal; readonly exitCode: () => number | undefined } {
  const stop = new AbortController();
  let code: number | undefined;
  for (const [name, number] of Object.entries(SIGNAL_CODES)) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(number);
      code = number;
      stop.abort();
    });
  }
  return { signal: stop.signal, exitCode: () => code };
}
