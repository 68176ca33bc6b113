import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { runCycle } from '../../src/descheduler/cycle.ts';
import type { UsageSource } from '../../src/descheduler/ports.ts';
import { recordedUsage } from '../../src/descheduler/recorded-usage.ts';
import { defaultEvictorArgs } from '../../src/evictor/constraints/args.ts';
import { dryRunEvict } from '../../src/evictor/carry-out.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { Limits, Policy } from '../../src/policy/policy.ts';
import { labelSelector } from '../../src/strategies/arg-fragments.ts';
import type { Strategy } from '../../src/strategies/strategy.ts';

/** What a row sets; everything else is as in a policy that names only the strategy. */
export interface Setting {
  /** The strategy's arguments as a policy writes them. */
  readonly args?: unknown;
  /** DefaultEvictor's arguments as a policy writes them. */
  readonly evictor?: Readonly<Record<string, unknown>>;
  readonly limits?: Partial<Limits>;
  readonly nodeSelector?: Policy['nodeSelector'];
  readonly scheduler?: NonNullable<Policy['scheduler']>;
  readonly usage?: UsageSource;
  /** RFC 3339. */
  readonly now?: string;
}

/** What one strategy did in one dry-run cycle. Pods are named `p1`, or `ns/p1` outside of namespace default. */
export interface Plan {
  /** Names of the victims in the order of the plan. */
  readonly evicted: readonly string[];
  /** `p1@n1 pod reason`, in the order of the plan: `p1@n1 does not tolerate …`. */
  readonly evictions: readonly string[];
  /** `p2@n1 [DaemonSetPods] reason`. */
  readonly refusals: readonly string[];
  /** Notes of the strategy, warnings of the cycle, and the error it ended with. */
  readonly notes: readonly string[];
}

/**
 * Runs one strategy through the real cycle, pipeline and limits over a snapshot. Throws where the arguments would be
 * refused in a policy. A cycle needs two ready nodes.
 */
export async function runStrategy<Args>(
  strategy: Strategy<Args>,
  cluster: Snapshot,
  setting: Setting = {},
): Promise<Plan> {
  const now = setting.now ?? '2026-01-02T00:00:00Z';
  const source = { kind: 'dump', name: 'test', now, nowFrom: 'flag' } as const;
  const report = await runCycle(
    policyOf(strategy, setting),
    {
      cluster: () => Promise.resolve({ snapshot: cluster, source, warnings: [] }),
      usage: setting.usage ?? recordedUsage,
      evict: dryRunEvict,
      observe: () => undefined,
      clock: new VirtualClock(Date.parse(now)),
    },
    { dryRun: true, signal: new AbortController().signal },
  );
  const run = report.strategies[0];
  return {
    evicted: report.evictions.map(({ pod }) => nameOf(pod)),
    evictions: report.evictions.map(({ pod, reason }) => `${placeOf(pod)} ${reason}`),
    refusals: report.refusals.map(({ pod, refusedBy, reason }) => `${placeOf(pod)} [${refusedBy}] ${reason}`),
    notes: [
      ...(run?.notes ?? []),
      ...report.warnings.filter((text) => !text.startsWith('no PodDisruptionBudget objects')),
      ...(run?.error === undefined ? [] : [`error: ${run.error}`]),
    ],
  };
}

function policyOf<Args>(strategy: Strategy<Args>, setting: Setting): Policy {
  // A policy holds strategies of every kind of arguments; this is the one place where the test forgets which.
  const enabled = { strategy: strategy as Strategy<unknown>, args: strategy.args.parse(setting.args ?? {}) };
  const profile = {
    name: 'test',
    evictor: defaultEvictorArgs(labelSelector).parse(setting.evictor ?? {}),
    deschedule: strategy.extensionPoint === 'deschedule' ? [enabled] : [],
    balance: strategy.extensionPoint === 'balance' ? [enabled] : [],
  };
  return {
    nodeSelector: setting.nodeSelector,
    ...(setting.scheduler && { scheduler: setting.scheduler }),
    limits: { total: undefined, node: undefined, namespace: undefined, ...setting.limits },
    evictionFailureEventNotification: false,
    gracePeriodSeconds: undefined,
    metricsProviders: [],
    profiles: [profile],
  };
}

function nameOf(pod: Pod): string {
  return pod.namespace === 'default' ? pod.name : `${pod.namespace}/${pod.name}`;
}

function placeOf(pod: Pod): string {
  return `${nameOf(pod)}@${pod.nodeName}`;
}
