import { requestsOf } from '../../src/cluster/amounts/requests.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { runCycle } from '../../src/descheduler/cycle.ts';
import { recordedUsage } from '../../src/descheduler/recorded-usage.ts';
import { dryRunEvict } from '../../src/evictor/carry-out.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { clusterOf } from './cluster.ts';

// One run of the benchmark: `once.ts BLOCKS four|nine` prints its cost as JSON.

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

/** What one run took. */
export interface Cost {
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

const [blocks, strategies] = process.argv.slice(2);
void once(Number(blocks), strategies === 'nine' ? NINE : FOUR).then((cost) =>
  process.stdout.write(JSON.stringify(cost)),
);

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
    const pods = snapshot.assignedPodsOf(name);
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
