import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { buildSync } from 'esbuild';
import { ControlPlane } from '../../test/e2e/control-plane.ts';
import { loadEvenly } from './evenly.ts';
import { load } from './load.ts';
import { remember } from './restore.ts';

// On a real control plane: reading a cluster against downloading the same pages, peak memory, and carrying out a plan against
// a bare client that evicts the same pods with 64 in flight.
// KUBEBUILDER_ASSETS=… npx tsx bench/live/bench.ts [rounds] [read|evict]. The goals: 1.5 times, 400 MB, 1.25 times.
// Loading 30,000 pods takes minutes.

const rounds = Number(process.argv[2] ?? 3);
const part = process.argv[3];
const generator = join(import.meta.dirname, '..', '..', '..', 'shared', 'lab', 'gen.mjs');
const folder = mkdtempSync(join(tmpdir(), 'evenkeel-bench-'));

interface Usage {
  readonly pods: number;
  readonly seconds: number;
  readonly cpuSeconds: number;
  readonly megabytes: number;
}

const FOUR_STRATEGIES = {
  apiVersion: 'descheduler/v1alpha2',
  kind: 'DeschedulerPolicy',
  profiles: [
    {
      name: 'bench',
      pluginConfig: [
        { name: 'DefaultEvictor', args: { nodeFit: true } },
        {
          name: 'RemovePodsViolatingNodeAffinity',
          args: { nodeAffinityType: ['requiredDuringSchedulingIgnoredDuringExecution'] },
        },
        {
          name: 'LowNodeUtilization',
          args: { thresholds: { cpu: 20, memory: 20, pods: 20 }, targetThresholds: { cpu: 50, memory: 50, pods: 50 } },
        },
      ],
      plugins: {
        deschedule: {
          enabled: [
            'RemovePodsViolatingInterPodAntiAffinity',
            'RemovePodsViolatingNodeAffinity',
            'RemovePodsViolatingNodeTaints',
          ],
        },
        balance: { enabled: ['RemoveDuplicates', 'LowNodeUtilization'] },
      },
    },
  ],
};

const EVERY_POD = {
  apiVersion: 'descheduler/v1alpha2',
  kind: 'DeschedulerPolicy',
  profiles: [
    {
      name: 'bench',
      pluginConfig: [
        { name: 'DefaultEvictor', args: { nodeFit: true } },
        { name: 'PodLifeTime', args: { maxPodLifeTimeSeconds: 0 } },
      ],
      plugins: { deschedule: { enabled: ['PodLifeTime'] } },
    },
  ],
};

try {
  if (part !== 'read') {
    await withPlane(async (plane) => {
      await loadEvenly(plane);
      await sleep(1_500);
      await evict('100 workloads of 6 pods', plane, EVERY_POD);
    });
    await withPlane(async (plane) => {
      await load(plane, generated(100));
      await evict('a generated cluster with violations', plane, FOUR_STRATEGIES);
    });
  }
  if (part !== 'evict') {
    await withPlane(async (plane) => {
      await load(plane, generated(1_000));
      read(plane);
      dryRun(plane);
    });
  }
} finally {
  rmSync(folder, { recursive: true });
}

async function withPlane(measure: (plane: ControlPlane) => Promise<void>): Promise<void> {
  const plane = await ControlPlane.start({
    apiServerFlags: [
      ...['--max-requests-inflight=3000', '--max-mutating-requests-inflight=2000'],
      // The objects are loaded as they are.
      '--disable-admission-plugins=Priority,DefaultTolerationSeconds',
    ],
  });
  try {
    await measure(plane);
  } finally {
    await plane.stop();
  }
}

function generated(nodes: number): string {
  const file = join(folder, `${nodes}.json`);
  execFileSync(process.execPath, [generator, '--nodes', `${nodes}`, '--pods-per-node', '30', '--out', file]);
  return file;
}

function read(plane: ControlPlane): void {
  const script = bundle(join(import.meta.dirname, 'read.ts'), 'read.mjs');
  const kubeconfig = plane.kubeconfig('admin');
  const run = (mode: string) => JSON.parse(node(script, mode, kubeconfig)) as Usage;
  const pairs = Array.from({ length: rounds }, () => [run('read'), run('drop')] as const);
  const ours = least(pairs.map(([usage]) => usage));
  const dropped = least(pairs.map(([, usage]) => usage));
  print(`  reading ${ours.pods} pods, ${(dropped.pods / 1e6).toFixed(0)} MB of pages`);
  print(
    `    time   ${ours.seconds.toFixed(2)} s to ${dropped.seconds.toFixed(2)} s: ${(ours.seconds / dropped.seconds).toFixed(2)} (goal 1.5)`,
  );
  print(`    CPU    ${ours.cpuSeconds.toFixed(2)} s to ${dropped.cpuSeconds.toFixed(2)} s`);
  print(`    memory ${ours.megabytes.toFixed(0)} MB (goal 400), ${dropped.megabytes.toFixed(0)} MB without decoding`);
}

/** A whole dry run of four strategies on the same cluster. */
function dryRun(plane: ControlPlane): void {
  const flags = [
    'run',
    '--dry-run',
    '--kubeconfig',
    plane.kubeconfig('admin'),
    '--policy-config-file',
    policyFile(FOUR_STRATEGIES),
  ];
  const tell =
    'data:text/javascript,process.on("exit",()=>console.log(process.resourceUsage().maxRSS,process.uptime()))';
  const printed = node('--import', tell, program(), ...flags);
  const [kilobytes = 0, seconds = 0] = (printed.trimEnd().split('\n').at(-1) ?? '').split(' ').map(Number);
  print(`  dry run of four strategies: ${seconds.toFixed(1)} s, ${(kilobytes / 1024).toFixed(0)} MB`);
}

/** The same pods again and again: by the program, then by the bare client, each time on the cluster as it was. */
async function evict(title: string, plane: ControlPlane, rules: object): Promise<void> {
  const restore = await remember(plane);
  const restored = async () => {
    await restore();
    // The limit of PodLifeTime is in whole seconds.
    await sleep(1_500);
  };
  const bare = bundle(join(import.meta.dirname, 'bare.ts'), 'bare.mjs');
  const kubeconfig = plane.kubeconfig('admin');
  const times: { readonly ours: number; readonly bare: number }[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const flags = ['run', '--kubeconfig', kubeconfig, '--policy-config-file', policyFile(rules), '-o', 'json'];
    const report = JSON.parse(node(program(), ...flags)) as EvictionReport;
    await restored();
    const list = join(folder, 'pods.json');
    const evicted = report.evictions.filter(({ result }) => result === 'evicted');
    writeFileSync(list, JSON.stringify(evicted));
    const { seconds, failed } = JSON.parse(node(bare, kubeconfig, list)) as { seconds: number; failed: number };
    await restored();
    const ours = report.strategies.reduce((sum, { durationMs }) => sum + durationMs, 0) / 1000;
    times.push({ ours, bare: seconds });
    print(`${title}: ${evicted.length} of ${report.evictions.length} evicted in ${ours.toFixed(2)} s`);
    for (const run of report.strategies)
      print(`    ${run.name}: ${run.evicted} in ${(run.durationMs / 1000).toFixed(2)} s`);
    print(`    bare client: ${evicted.length - failed} in ${seconds.toFixed(2)} s`);
  }
  const ours = median(times.map((it) => it.ours));
  const alone = median(times.map((it) => it.bare));
  print(`${title}: ${(ours / alone).toFixed(2)} times the bare client (goal 1.25), medians of ${rounds}`);
}

interface EvictionReport {
  readonly evictions: readonly { readonly namespace: string; readonly pod: string; readonly result: string }[];
  readonly strategies: readonly { readonly name: string; readonly evicted: number; readonly durationMs: number }[];
}

function median(values: readonly number[]): number {
  return values.toSorted((a, b) => a - b)[Math.floor(values.length / 2)] ?? 0;
}

function program(): string {
  return bundle(join(import.meta.dirname, '..', '..', 'src', 'main.ts'), 'evenkeel.mjs');
}

function policyFile(rules: object): string {
  const file = join(folder, 'policy.json');
  writeFileSync(file, JSON.stringify(rules));
  return file;
}

function bundle(entry: string, name: string): string {
  const outfile = join(folder, name);
  const banner = {
    js: "import { createRequire as benchRequire } from 'node:module'; const require = benchRequire(import.meta.url);",
  };
  buildSync({ entryPoints: [entry], outfile, banner, bundle: true, platform: 'node', format: 'esm', target: 'node20' });
  return outfile;
}

/** What a program prints; that an eviction was refused (exit code 1) is part of the result. */
function node(...argv: readonly string[]): string {
  try {
    return execFileSync(process.execPath, [...argv], {
      encoding: 'utf8',
      maxBuffer: 1e9,
      stdio: ['ignore', 'pipe', 'inherit'],
    });
  } catch (error) {
    const { stdout } = error as { stdout?: string };
    if (stdout) return stdout;
    throw error;
  }
}

/** The least of several runs: other work on the machine only ever adds. */
function least(usages: readonly Usage[]): Usage {
  return usages.reduce((a, b) => ({
    pods: a.pods,
    seconds: Math.min(a.seconds, b.seconds),
    cpuSeconds: Math.min(a.cpuSeconds, b.cpuSeconds),
    megabytes: Math.min(a.megabytes, b.megabytes),
  }));
}

function print(line: string): void {
  process.stdout.write(`${line}\n`);
}
