import { spawnSync } from 'node:child_process';
import { join } from 'node:path';

// How long the bundle takes to start, against an empty Node.js process: `npm run build && npx tsx bench/startup/measure.ts`.
// The goal is a ratio of at most 3 for `version`. The fastest of many runs is the least disturbed by other work.

const RUNS = 20;
const bundle = join(import.meta.dirname, '..', '..', 'dist', 'evenkeel.cjs');

const rows: readonly (readonly [string, readonly string[]])[] = [
  ['node -e 0', ['-e', '0']],
  ['version', [bundle, 'version']],
  ['run --help', [bundle, 'run', '--help']],
  ['demo', [bundle, 'demo']],
];

const fastest = rows.map(([name, args]) => [name, fastestMs(args)] as const);
const empty = fastest[0]?.[1] ?? Number.NaN;
for (const [name, ms] of fastest) {
  console.log(`${name.padEnd(12)} ${ms.toFixed(0).padStart(6)} ms   ${(ms / empty).toFixed(2)} times an empty process`);
}

function fastestMs(args: readonly string[]): number {
  const times = Array.from({ length: RUNS }, () => {
    const start = performance.now();
    const { status, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' });
    if (status !== 0) throw new Error(`exit code ${status}: ${stderr}`);
    return performance.now() - start;
  });
  return Math.min(...times);
}
