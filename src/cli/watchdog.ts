import { constants } from 'node:os';
import { Worker, type WorkerOptions } from 'node:worker_threads';

/** How the program ends on a signal. Times in ms. */
export interface Ending {
  /** Exit codes by the names of signals. */
  readonly codes: Readonly<Record<string, number>>;
  /** So long after the first signal a main thread that does not answer is given up. */
  readonly patienceMs: number;
}

/**
 * Starts a thread that ends the program where the main one is stuck in a loop and hears no signal: on the second signal, or some
 * time after the first. Resolves when it listens; never where the engine lacks what this takes.
 *
 * Node.js lets the main thread alone hear signals, so this takes the binding beneath `process.on`, which the flag opens to this
 * thread only. A debugger's session is what reaches a main thread in a loop; unlike a signal it ends PID 1 of a container, too, and
 * lets what listens to `exit` tidy up. Source: https://nodejs.org/api/inspector.html#sessionconnecttomainthread
 */
export function startWatchdog({ codes, patienceMs }: Ending): Promise<void> {
  const signals = Object.entries(codes).map(([name, code]) => ({ number: numbers[name], code }));
  const options = {
    eval: true,
    execArgv: ['--expose-internals', '--no-warnings'],
    workerData: { signals, patienceMs },
  };
  return new Promise((resolve) => {
    const thread = threadOf(options);
    thread?.on('error', () => undefined);
    thread?.on('message', (text) => {
      if (text === 'listening') resolve();
      else thread.postMessage('here');
    });
    thread?.unref();
  });
}

function threadOf(options: WorkerOptions): Worker | undefined {
  try {
    return new Worker(THREAD, options);
  } catch {
    // Without it everything but a loop without end still ends on signals.
    return undefined;
  }
}

const numbers: Readonly<Record<string, number>> = constants.signals;

/** A main thread that is not stuck answers within half a second, and ends by itself on a second signal. */
const THREAD = `
const { writeSync } = require('node:fs');
const { Session } = require('node:inspector');
const { parentPort, workerData } = require('node:worker_threads');
const { Signal } = require('internal/test/binding').internalBinding('signal_wrap');

let wait = workerData.patienceMs;
for (const { number, code } of workerData.signals) {
  const signal = new Signal();
  signal.onsignal = () => {
    setTimeout(ask, wait, code);
    wait = 0;
  };
  signal.start(number);
}
parentPort.postMessage('listening');

function ask(code) {
  const timer = setTimeout(end, 500, code);
  parentPort.once('message', () => clearTimeout(timer));
  parentPort.postMessage('are you there?');
}

function end(code) {
  writeSync(2, 'error: the program is stuck and does not end on the signal: it is ended by force\\n');
  const session = new Session();
  session.connectToMainThread();
  session.post('Runtime.evaluate', { expression: 'process.exit(' + code + ')' });
  setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1000);
}
`;
