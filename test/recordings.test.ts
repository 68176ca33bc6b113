import assert from 'node:assert/strict';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { podName, type Pod } from '../src/cluster/pod.ts';
import { Snapshot } from '../src/cluster/snapshot.ts';
import { runCycle } from '../src/descheduler/cycle.ts';
import { recordedUsage } from '../src/descheduler/recorded-usage.ts';
import { readDump } from '../src/dump/read-dump.ts';
import { dryRunEvict } from '../src/evictor/carry-out.ts';
import { VirtualClock } from '../src/lib/virtual-clock.ts';
import type { CycleReport } from '../src/outcomes/outcome.ts';
import { loadPolicy } from '../src/policy/load.ts';

/**
 * What the reference did on generated clusters, three runs each, against what we plan. Every difference has a class: ours
 * by a decision, with its number, or the reference's own arbitrary choice. What has none is a fault of ours.
 */

interface Recorded {
  readonly policy: unknown;
  readonly same: boolean;
  readonly evicted?: readonly string[];
  readonly runs?: readonly (readonly string[])[];
}

/** Why a pod that the reference evicts in every run stays with us, by who refused it. */
const REFUSALS: Readonly<Record<string, string>> = {
  PodDisruptionBudget: 'framework 7.2 number 10: a dry run foresees budgets, as the API server would refuse',
  nodeFit: 'framework 7.3: fit by the scheduler’s own rules, and room promised to earlier victims is taken',
  LikelyReturn: 'strategies 18.2 number 10: the scheduler would put it back',
  LowNodeUtilization: 'strategies 18.2 number 9: it would lift every possible destination over its target',
  HighNodeUtilization: 'strategies 18.3: no destination takes it',
  RemoveDuplicates: 'strategies 18.2 number 2: it fits nowhere else',
  RemovePodsViolatingTopologySpreadConstraint: 'strategies 18.2 number 7: it cannot move where it would help',
};

/** Strategies that choose some of several equal pods: why we choose others, or another number of them. */
const CHOICES: Readonly<Record<string, string>> = {
  RemoveDuplicates: 'strategies 18.2 number 11: protected replicas count; among equals a fixed order chooses',
  LowNodeUtilization:
    'strategies 18.2 number 9 and 18.3: nodes by percent over target; among equals a fixed order chooses',
  RemovePodsViolatingInterPodAntiAffinity: 'strategies 18.2 number 3: the smallest set of either side',
  RemovePodsViolatingTopologySpreadConstraint:
    'strategies 18.2 numbers 6 and 7, 18.3: all matching pods count, lowest priority first',
  HighNodeUtilization: 'strategies 18.3: an overfull destination takes nothing and no longer hides the room of others',
};

const DRIFT = 'strategies 18.3: a pod that has only a nodeSelector is looked at, too';

const folder = join(import.meta.dirname, '..', '..', 'shared', 'recordings');

if (existsSync(folder)) {
  describe('against the recordings of the reference', () => {
    for (const cluster of readdirSync(folder).filter((name) => name.startsWith('cluster-'))) {
      describe(cluster, () => {
        const { policies } = JSON.parse(readFileSync(join(folder, cluster, 'reference.json'), 'utf8')) as {
          policies: Readonly<Record<string, Recorded>>;
        };
        let snapshot: Snapshot;
        let now = '';
        before(async () => {
          const dump = await readDump([join(folder, cluster, 'cluster.json.gz')]);
          snapshot = new Snapshot(dump.contents);
          now = dump.dumpedAt ?? new Date(dump.latestTimestamp ?? 0).toISOString();
        });
        for (const [name, recorded] of Object.entries(policies)) {
          it(`${name}: every difference is a decision of ours or a choice of the reference`, async () => {
            const report = await plan(recorded.policy, snapshot, now);
            assert.deepEqual(faults(report, recorded, snapshot), []);
            assert.deepEqual(excess(report, recorded), []);
          });
        }
      });
    }
  });
}

/** Differences without a class, as lines. */
function faults(report: CycleReport, recorded: Recorded, snapshot: Snapshot): readonly string[] {
  const runs = recorded.runs ?? [recorded.evicted ?? []];
  const strategy = report.strategies[0]?.name ?? '';
  const ours = new Set(report.evictions.map(({ pod }) => podName(pod)));
  const always = (runs[0] ?? []).filter((pod) => runs.every((run) => run.includes(pod)));
  const ever = new Set(runs.flat());
  const refusedBy = new Map(report.refusals.map(({ pod, refusedBy: by }) => [podName(pod), by]));
  const staying = always.filter((pod) => !ours.has(pod));
  const going = [...ours].filter((pod) => !ever.has(pod));
  return [
    ...staying.flatMap((pod) => {
      const by = refusedBy.get(pod);
      const why = by === undefined ? CHOICES[strategy] : REFUSALS[by];
      return why === undefined
        ? [`${pod} stays with us, ${by === undefined ? 'never proposed' : `refused by ${by}`}`]
        : [];
    }),
    ...going.flatMap((pod) => (reasonToGo(pod, strategy, snapshot) === undefined ? [`${pod} goes only with us`] : [])),
  ];
}

/** The smallest set that ends all violations is never larger than the one of the reference. */
function excess(report: CycleReport, { runs, evicted = [] }: Recorded): readonly string[] {
  if (report.strategies[0]?.name !== 'RemovePodsViolatingInterPodAntiAffinity') return [];
  const [ours, theirs] = [report.evictions.length, Math.max(...(runs ?? [evicted]).map((run) => run.length))];
  return ours > theirs ? [`${ours} of ours, at most ${theirs} of the reference`] : [];
}

/** Why a pod goes with us that the reference never evicts. */
function reasonToGo(name: string, strategy: string, snapshot: Snapshot): string | undefined {
  const pod = snapshot.pods.find((it) => podName(it) === name);
  if (!pod) return undefined;
  if (strategy === 'RemovePodsViolatingNodeAffinity') return isOnlySelected(pod) ? DRIFT : undefined;
  return CHOICES[strategy];
}

function isOnlySelected({ spec }: Pod): boolean {
  return Object.keys(spec.nodeSelector).length > 0 && spec.requiredNodeAffinity === undefined;
}

async function plan(policy: unknown, snapshot: Snapshot, now: string): Promise<CycleReport> {
  const loaded = loadPolicy(JSON.stringify(policy));
  assert.ok(loaded.ok, 'the policy of the recording loads');
  const source = { kind: 'dump', name: 'recording', now, nowFrom: 'dump' } as const;
  const ports = {
    cluster: () => Promise.resolve({ snapshot, source, warnings: [] }),
    usage: recordedUsage,
    evict: dryRunEvict,
    observe: () => undefined,
    clock: new VirtualClock(Date.parse(now)),
  };
  return runCycle(loaded.policy, ports, { dryRun: true, signal: new AbortController().signal });
}
