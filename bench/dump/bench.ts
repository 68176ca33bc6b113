import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, statSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildSync } from 'esbuild';
import { generateDump, type DumpShape } from './generate.ts';
import type { Usage } from './usage.ts';

// Reading a dump against reading and parsing the file as a whole, in time and peak memory, each in processes of their
// own: npx tsx bench/dump/bench.ts [rounds]. The goal is 1.3 in time and 0.4 in memory.

const rounds = Number(process.argv[2] ?? 3);
const folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));
try {
  const cluster = { nodes: 1000, pods: 30_000 };
  compare('one object a line', await dump({ ...cluster, layout: 'lines' }));
  compare('indented', await dump({ ...cluster, pods: 10_500, layout: 'indented' }));
  compare('minified', await dump({ ...cluster, layout: 'minified' }));
  compare('gzip', await dump({ ...cluster, layout: 'lines', gzip: true }));
  large(await dump({ nodes: 3000, pods: 103_000, layout: 'minified' }));
} finally {
  rmSync(folder, { recursive: true });
}

async function dump(shape: DumpShape): Promise<string> {
  const path = join(folder, `cluster.json${shape.gzip ? '.gz' : ''}`);
  await generateDump(path, shape);
  return path;
}

function compare(title: string, path: string): void {
  const [ours, whole] = best([program('ours'), program('whole')], path) as [Usage, Usage];
  const ratio = (part: 'seconds' | 'cpuSeconds' | 'megabytes'): string => (ours[part] / whole[part]).toFixed(2);
  const size = (statSync(path).size / 1e6).toFixed(0);
  print(`${title}, ${size} MB, ${ours.nodes} nodes, ${ours.pods} pods (${whole.nodes}, ${whole.pods})`);
  print(`  time   ${ours.seconds.toFixed(2)} s to ${whole.seconds.toFixed(2)} s: ${ratio('seconds')}`);
  print(`  CPU    ${ours.cpuSeconds.toFixed(2)} s to ${whole.cpuSeconds.toFixed(2)} s: ${ratio('cpuSeconds')}`);
  print(`  memory ${ours.megabytes.toFixed(0)} MB to ${whole.megabytes.toFixed(0)} MB: ${ratio('megabytes')}`);
}

function large(path: string): void {
  const { seconds, megabytes, nodes, pods } = run(program('ours'), path);
  print(`large, ${(statSync(path).size / 1e6).toFixed(0)} MB, ${nodes} nodes, ${pods} pods`);
  print(`  ${seconds.toFixed(2)} s, ${megabytes.toFixed(0)} MB`);
}

function program(name: 'ours' | 'whole'): string {
  const outfile = join(folder, `${name}.mjs`);
  const entry = join(import.meta.dirname, `${name}.ts`);
  const banner = {
    js: "import { createRequire as benchRequire } from 'node:module'; const require = benchRequire(import.meta.url);",
  };
  buildSync({ entryPoints: [entry], outfile, banner, bundle: true, platform: 'node', format: 'esm', target: 'node20' });
  return outfile;
}

/** The least of several runs: other work on the machine only ever adds. The two programs take turns. */
function best(scripts: readonly string[], path: string): readonly Usage[] {
  const usages = Array.from({ length: rounds }, () => scripts.map((script) => run(script, path)));
  return scripts.map((_, index) => usages.map((usage) => usage[index]!).reduce(least));
}

function least(a: Usage, b: Usage): Usage {
  return {
    ...a,
    seconds: Math.min(a.seconds, b.seconds),
    cpuSeconds: Math.min(a.cpuSeconds, b.cpuSeconds),
    megabytes: Math.min(a.megabytes, b.megabytes),
  };
}

function run(script: string, path: string): Usage {
  const output = execFileSync(process.execPath, ['--max-old-space-size=8192', script, path], { encoding: 'utf8' });
  return JSON.parse(output) as Usage;
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
