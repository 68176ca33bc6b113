import assert from 'node:assert/strict';
import fc from 'fast-check';

/**
 * How long all readers together are attacked, in seconds (EVENKEEL_FUZZ_SECONDS). Without it each gets one round of texts, the
 * same in every run; EVENKEEL_FUZZ_SEED gives others.
 */
const SECONDS = Number(process.env['EVENKEEL_FUZZ_SECONDS'] ?? 0);
const SEED = Number(process.env['EVENKEEL_FUZZ_SEED'] ?? 1);
const READERS = 6;
const RUNS_IN_A_ROUND = 60;

/** Of CPU, for a text of 100 KB or less. */
const MOST_MS = 1000;

/** Gives a reader texts until the time is over. What it throws fails the test, with the text; so does one that takes too long. */
export async function attack(texts: fc.Arbitrary<Buffer>, read: (text: Buffer) => void | Promise<void>): Promise<void> {
  const property = fc.asyncProperty(texts, async (text) => {
    // The least of some: what else the process has to do in the meantime, such as clearing away, is not the reader's.
    let least = Infinity;
    for (let tries = 0; tries < 3 && least > MOST_MS; tries++) least = Math.min(least, await cpuMs(() => read(text)));
    assert.ok(
      least <= MOST_MS,
      `${text.length} bytes took ${Math.round(least)} ms of CPU: ${text.toString('utf8', 0, 300)}`,
    );
  });
  // Without shrinking, which takes a try's time again and again. In rounds, for a limit of fast-check's own would give up a text that takes too long, and hide it.
  const end = performance.now() + (SECONDS / READERS) * 1000;
  let seed = SEED;
  do await fc.assert(property, { seed: seed++, numRuns: RUNS_IN_A_ROUND, endOnFailure: true });
  while (performance.now() < end);
}

async function cpuMs(work: () => void | Promise<void>): Promise<number> {
  const before = process.cpuUsage();
  await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
