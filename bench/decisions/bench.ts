import { execFileSync } from 'node:child_process';
import { requestsOf } from '../../src/cluster/amounts/requests.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { runCycle } from '../../src/descheduler/cycle.ts';
import { recordedUsage } from '../../src/descheduler/recorded-usage.ts';
import { dryRunEvict } from '../../src/evictor/carry-out.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { clusterOf } from './cluster.ts';

// How long a whole cycle takes to decide, with nodeFit, at growing sizes side by side; reading is not part of it.
// npx tsx bench/decisions/bench.ts [BLOCKS…], of 250 nodes and 7,500 pods each. Every run is a process of its own, as a dry run
// is; the least of three counts. CPU seconds, since other work on the machine only adds to wall time. The goals: nine
// strategies at most 2.0 s on 30,000 pods (4 blocks), no more than 2.2 times for twice the cluster.

const FOUR = {
  deschedule: ['RemovePodsViolatingInterPodAntiAffinity', 'RemovePodsViolatingNodeAffinity'],
  balance: ['RemoveDuplicates', 'LowNodeUtilization'],
};
const NINE = {
  deschedule: [
    ...FOUR.deschedule,
    ...['RemovePodsHavingTooManyRestarts', 'PodLifeTime', 'RemoveFailedPods', 'RemovePodsViolatingNodeTaints'],
  ],
  balance: ['RemoveDuplicates', 'RemovePodsViolatingTopologySpreadConstraint', 'LowNodeUtilization'],
};
const thresholds = { cpu: 20, memory: 20, pods: 20 };
const targetThresholds = { cpu: 50, memory: 50, pods: 50 };
const nodeAffinityType = ['requiredDuringSchedulingIgnoredDuringExecution'];

interface Cost {
  readonly seconds: number;
  readonly nodes: number;
  readonly pods: number;
  /** Of a hundred nodes, those that LowNodeUtilization finds low, and those above its targets. */
  readonly low: number;
  readonly over: number;
  readonly evicted: number;
  /** MB of heap that the cluster takes, and MB of memory that the process had at its peak, reading included. */
  readonly cluster: number;
  readonly peak: number;
}

const [first = '', ...rest] = process.argv.slice(2);
if (first === 'once')
  process.stdout.write(JSON.stringify(await once(Number(rest[0]), rest[1] === 'nine' ? NINE : FOUR)));
else compare([first, ...rest].filter((size) => size !== '').map(Number));

function compare(sizes: readonly number[]): void {
  for (const strategies of ['four', 'nine']) {
    let before: Cost | undefined;
    for (const blocks of sizes.length > 0 ? sizes : [1, 2, 4, 8]) {
      const cost = least(blocks, strategies);
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

function least(blocks: number, strategies: string): Cost {
  const args = ['--expose-gc', '--import', 'tsx', import.meta.filename, 'once', String(blocks), strategies];
  const runs = [1, 2, 3].map(() => JSON.parse(execFileSync(process.execPath, args, { encoding: 'utf8' })) as Cost);
  return runs.reduce((best, it) => (it.seconds < best.seconds ? it : best));
}

async function once(blocks: number, plugins: typeof FOUR): Promise<Cost> {
  const snapshot = clusterOf(blocks);
  const loaded = loadPolicy(JSON.stringify(policyOf(plugins)));
  if (!loaded.ok) throw new Error(JSON.stringify(loaded.findings));
  const source = { kind: 'dump', name: 'bench', now: '2026-02-01T00:00:00Z', nowFrom: 'flag' } as const;
  const ports = {
    cluster: () => Promise.resolve({ snapshot, source, warnings: [] }),
    usage: recordedUsage,
    evict: dryRunEvict,
    observe: () => undefined,
    clock: systemClock,
  };
  globalThis.gc?.();
  const { heapUsed } = process.memoryUsage();
  const start = process.cpuUsage();
  const report = await runCycle(loaded.policy, ports, { dryRun: true, signal: new AbortController().signal });
  const { user, system } = process.cpuUsage(start);
  return {
    seconds: (user + system) / 1e6,
    nodes: snapshot.nodes.length,
    pods: snapshot.pods.length,
    ...utilization(snapshot),
    evicted: report.evictions.length,
    cluster: Math.round(heapUsed / 2 ** 20),
    peak: Math.round(process.resourceUsage().maxRSS / 2 ** 10),
  };
}

function utilization(snapshot: Snapshot): Pick<Cost, 'low' | 'over'> {
  const usages = snapshot.nodes.map(({ name, allocatable }) => {
    const pods = snapshot.residentsOf(name);
    const percent = (resource: string) =>
      (100 * pods.reduce((sum, { spec }) => sum + (requestsOf(spec)[resource] ?? 0), 0)) / (allocatable[resource] ?? 0);
    return { cpu: percent('cpu'), memory: percent('memory'), pods: (100 * pods.length) / (allocatable.pods ?? 0) };
  });
  const share = (is: (usage: typeof thresholds) => boolean) =>
    Math.round((100 * usages.filter(is).length) / usages.length);
  const names = ['cpu', 'memory', 'pods'] as const;
  return {
    low: share((usage) => names.every((name) => usage[name] <= thresholds[name])),
    over: share((usage) => names.some((name) => usage[name] > targetThresholds[name])),
  };
}

function policyOf({ deschedule, balance }: typeof FOUR): object {
  const profile = {
    name: 'bench',
    pluginConfig: [
      { name: 'DefaultEvictor', args: { nodeFit: true } },
      { name: 'LowNodeUtilization', args: { thresholds, targetThresholds } },
      { name: 'RemovePodsViolatingNodeAffinity', args: { nodeAffinityType } },
      { name: 'RemovePodsHavingTooManyRestarts', args: { podRestartThreshold: 100 } },
      { name: 'PodLifeTime', args: { maxPodLifeTimeSeconds: 86_400, states: ['CrashLoopBackOff'] } },
    ],
    plugins: { deschedule: { enabled: deschedule }, balance: { enabled: balance } },
  };
  return { apiVersion: 'descheduler/v1alpha2', kind: 'DeschedulerPolicy', profiles: [profile] };
}
