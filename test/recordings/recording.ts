import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { podName, type Pod } from '../../src/cluster/objects/pod.ts';
import { Snapshot } from '../../src/cluster/snapshot.ts';
import { readDump } from '../../src/dump/read-dump.ts';

/** Victims in the order of their eviction. */
export type Plan = readonly Pod[];

/** Arguments of a strategy as the policies of the recordings write them. */
export interface Args {
  readonly thresholds?: Readonly<Record<string, number>>;
  readonly targetThresholds?: Readonly<Record<string, number>>;
  readonly useDeviationThresholds?: boolean;
  readonly nodeAffinityType?: readonly string[];
  readonly includePreferNoSchedule?: boolean;
  readonly podRestartThreshold?: number;
  readonly constraints?: readonly string[];
}

/** A policy of one strategy, and what the Go program evicted by it in three runs on one cluster. */
export interface Recording {
  /** `cluster-02 duplicates`. */
  readonly name: string;
  readonly policy: PolicyText;
  readonly strategy: string;
  readonly args: Args;
  readonly nodeFit: boolean;
  readonly snapshot: Snapshot;
  /** RFC 3339: a minute after the cluster was recorded, so that every pod is older than a second. */
  readonly now: string;
  readonly runs: readonly Plan[];
}

/** The part of a policy's text that the tests read and change. */
export interface PolicyText {
  readonly profiles: readonly [
    {
      readonly name: string;
      readonly pluginConfig: readonly { readonly name: string; readonly args: object }[];
      readonly plugins: Readonly<Record<string, { readonly enabled: readonly string[] }>>;
    },
  ];
}

interface Recorded {
  readonly policy: PolicyText;
  readonly evicted?: readonly string[];
  readonly runs?: readonly (readonly string[])[];
}

/** A cluster with the names of its policies; `open` reads it, once. */
export interface RecordedCluster {
  readonly name: string;
  readonly policies: readonly string[];
  readonly open: () => Promise<readonly Recording[]>;
}

const folder = join(import.meta.dirname, '..', '..', '..', 'shared', 'recordings');

/** All clusters; none where the recordings are not at hand. */
export function recordedClusters(): readonly RecordedCluster[] {
  if (!existsSync(folder)) return [];
  return readdirSync(folder)
    .filter((name) => name.startsWith('cluster-'))
    .map((name) => {
      const text = readFileSync(join(folder, name, 'reference.json'), 'utf8');
      const { policies } = JSON.parse(text) as { policies: Readonly<Record<string, Recorded>> };
      let opened: Promise<readonly Recording[]> | undefined;
      return { name, policies: Object.keys(policies), open: () => (opened ??= open(name, policies)) };
    });
}

async function open(cluster: string, policies: Readonly<Record<string, Recorded>>): Promise<readonly Recording[]> {
  const dump = await readDump([join(folder, cluster, 'cluster.json.gz')]);
  const snapshot = new Snapshot(dump.contents);
  const recordedAt = dump.dumpedAt === undefined ? (dump.latestTimestamp ?? 0) : Date.parse(dump.dumpedAt);
  const byName = new Map(snapshot.pods.map((pod) => [podName(pod), pod]));
  return Object.entries(policies).map(([name, { policy, evicted = [], runs = [evicted] }]) => {
    const [evictor, strategy] = policy.profiles[0].pluginConfig;
    return {
      name: `${cluster} ${name}`,
      policy,
      strategy: strategy!.name,
      args: strategy!.args,
      nodeFit: (evictor!.args as { nodeFit: boolean }).nodeFit,
      snapshot,
      now: new Date(recordedAt + 60_000).toISOString(),
      runs: runs.map((run) => run.map((victim) => byName.get(victim)!)),
    };
  });
}
