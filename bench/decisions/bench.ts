import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import type { Cost } from './once.ts';

// How long a whole cycle takes to decide, with nodeFit, at growing sizes side by side; reading is not part of it.
// npx tsx bench/decisions/bench.ts [BLOCKS…], of 250 nodes and 7,500 pods each. Every run is a process of its own, as a dry run
// is, with code bundled and an engine set as in the program; the least of three counts. CPU seconds, since other work on the machine only adds to wall time. The goals: nine
// strategies at most 2.0 s on 30,000 pods (4 blocks), no more than 2.2 times for twice the cluster.

const sizes = process.argv.slice(2).map(Number);
const folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
try {
  compare(bundled(), sizes.length > 0 ? sizes : [1, 2, 4, 8]);
} finally {
  rmSync(folder, { recursive: true });
}

/** Code that is translated as it is loaded carries names of functions that the program does not. */
function bundled(): string {
  const outfile = join(folder, 'once.cjs');
  const define = { 'import.meta.url': JSON.stringify(`file://${outfile}`) };
  const entryPoints = [join(import.meta.dirname, 'once.ts')];
  buildSync({ entryPoints, bundle: true, platform: 'node', format: 'cjs', outfile, define, logLevel: 'error' });
  return outfile;
}

function compare(bundle: string, sizes: readonly number[]): void {
  for (const strategies of ['four', 'nine']) {
    let before: Cost | undefined;
    for (const blocks of sizes) {
      const cost = least(bundle, [String(blocks), strategies]);
      const growth = before && `${(cost.seconds / before.seconds).toFixed(2)} times the CPU of ${before.pods} pods`;
      const words = [
        `${strategies} strategies, ${cost.nodes} nodes, ${cost.pods} pods: ${cost.seconds.toFixed(2)} s CPU`,
        ...(growth === undefined ? [] : [growth]),
        `${cost.low} % low, ${cost.over} % over, ${cost.evicted} evictions`,
        `cluster ${cost.cluster} MB, peak ${cost.peak} MB`,
      ];
      process.stdout.write(`${words.join('; ')}\n`);
      before = cost;
    }
  }
}

function least(bundle: string, wanted: readonly string[]): Cost {
  const args = ['--expose-gc', '--interrupt-budget=264000', bundle, ...wanted];
  const runs = [1, 2, 3].map(() => JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Cost);
  return runs.reduce((best, it) => (it.seconds < best.seconds ? it : best));
}
