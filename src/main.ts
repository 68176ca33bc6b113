import { setFlagsFromString } from 'node:v8';
import { explainError } from './cli/known-errors.ts';
import { runProgram } from './cli/program.ts';
import { terminalOf } from './cli/terminal.ts';
import { startWatchdog } from './cli/watchdog.ts';
import { visibleLines } from './lib/visible.ts';

/** Exit codes of a program that a signal ended: 128 and the signal's number (rule C17). */
const SIGNAL_CODES = { SIGTERM: 143, SIGINT: 130 } as const;

/**
 * So long may an orderly end take: evictions in flight get ten seconds, then the history, the report and events are written. A pod
 * is killed 30 seconds after the signal (https://kubernetes.io/docs/concepts/workloads/pods/pod-lifecycle/#pod-termination).
 */
const LONGEST_END_MS = 25_000;

// A run of seconds does not earn back what optimizing every warm function costs; newer engines know by themselves
// (docs/decisions/0004-optimize-later.md).
if (Number.parseInt(process.versions.v8, 10) < 13) setFlagsFromString('--interrupt-budget=264000');

void main();

/** The only reader of arguments, environment and signals, and the only place that sets the exit code. */
async function main(): Promise<void> {
  process.on('uncaughtException', endByDefect);
  process.stdout.on('error', endWithout('standard output'));
  process.stderr.on('error', endWithout('standard error'));
  const stop = stopOnSignals();
  const exitCode = await runProgram(process.argv.slice(2), terminalOf(process, { signal: stop.signal, watch }));
  const signalCode = stop.exitCode();
  process.exitCode = signalCode ?? exitCode;
  // What a signal has cut short may still hold files open; the report goes out first.
  if (signalCode !== undefined) process.stdout.write('', () => process.exit());
}

function watch(): void {
  void startWatchdog({ codes: SIGNAL_CODES, patienceMs: 10_000 });
}

/** What nobody has foreseen, a promise that nobody waits for included, ends the program with its stack. */
function endByDefect(error: unknown): void {
  const { printed, exitCode } = explainError(error);
  process.stderr.write(visibleLines(printed));
  process.exit(exitCode);
}

/** A reader that has gone (`| head`) needs no message; any other failure to write has one. */
function endWithout(name: string): (error: NodeJS.ErrnoException) => void {
  return (error) => {
    if (error.code === 'EPIPE') process.exit();
    if (name !== 'standard error') process.stderr.write(`error: ${name} can't be written: ${error.message}\n`);
    process.exit(1);
  };
}

/** The first signal asks for an orderly end, for which there is limited time; the second ends the program at once. */
function stopOnSignals(): { readonly signal: AbortSignal; readonly exitCode: () => number | undefined } {
  const stop = new AbortController();
  let code: number | undefined;
  for (const [name, number] of Object.entries(SIGNAL_CODES)) {
    process.on(name, () => {
      if (stop.signal.aborted) process.exit(number);
      code = number;
      stop.abort();
      setTimeout(() => {
        process.stderr.write(
          `error: not done ${LONGEST_END_MS / 1000} s after ${name}: ended without waiting longer\n`,
        );
        process.exit(number);
      }, LONGEST_END_MS).unref();
    });
  }
  return { signal: stop.signal, exitCode: () => code };
}
