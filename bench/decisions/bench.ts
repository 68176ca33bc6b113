import { runCycle } from '../../src/descheduler/cycle.ts';
import { recordedUsage } from '../../src/descheduler/recorded-usage.ts';
import { dryRunEvict } from '../../src/evictor/carry-out.ts';
import { systemClock } from '../../src/lib/clock.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import { clusterOf } from './cluster.ts';

// How long a whole cycle takes to decide, with nodeFit, at growing sizes side by side; reading is not part of it.
// npx tsx bench/decisions/bench.ts [NODES…]. CPU seconds, since other work on the machine only adds to wall time. The goals:
// four strategies 0.5 s per 10,000 pods, nine 2.0 s on 1,000 nodes, no more than 2.2 times per doubling.

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

const sizes = process.argv.slice(2).map(Number);
for (const [title, plugins] of [
  ['four strategies', FOUR],
  ['nine strategies', NINE],
] as const) {
  let before: number | undefined;
  for (const nodes of sizes.length > 0 ? sizes : [250, 500, 1000, 2000]) {
    const { seconds, pods, evicted } = await least(nodes, plugins);
    const growth = before === undefined ? '' : `, ${(seconds / before).toFixed(2)} times the one before`;
    const each = ((seconds / pods) * 10_000).toFixed(2);
    process.stdout.write(
      `${title}, ${nodes} nodes, ${pods} pods: ${seconds.toFixed(2)} s CPU (${each} s per 10,000 pods), ${evicted} evictions${growth}\n`,
    );
    before = seconds;
  }
}

interface Cost {
  readonly seconds: number;
  readonly pods: number;
  readonly evicted: number;
}

/** The least of three runs, each on a cluster of its own, so that nothing is remembered. */
async function least(nodes: number, plugins: typeof FOUR): Promise<Cost> {
  const runs: Cost[] = [];
  for (let i = 0; i < 3; i++) runs.push(await once(nodes, plugins));
  return runs.reduce((best, it) => (it.seconds < best.seconds ? it : best));
}

async function once(nodes: number, plugins: typeof FOUR): Promise<Cost> {
  const snapshot = clusterOf(nodes);
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
  const start = process.cpuUsage();
  const report = await runCycle(loaded.policy, ports, { dryRun: true, signal: new AbortController().signal });
  const { user, system } = process.cpuUsage(start);
  return { seconds: (user + system) / 1e6, pods: snapshot.pods.length, evicted: report.evictions.length };
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
