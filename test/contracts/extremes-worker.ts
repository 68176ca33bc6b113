import { parentPort } from 'node:worker_threads';
import { saidOf, type ExtremeCase } from './extremes.ts';

// Decides on one case after another, so that whoever waits for the answer can end a loop that never does.
parentPort?.on('message', (given: ExtremeCase) => {
  saidOf(given).then(
    (said) => parentPort?.postMessage({ said }),
    (error: unknown) => parentPort?.postMessage({ error: error instanceof Error ? error.stack : String(error) }),
  );
});
