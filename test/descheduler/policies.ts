import { z } from 'zod';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { Snapshot } from '../../src/cluster/snapshot.ts';
import { runCycle } from '../../src/descheduler/cycle.ts';
import type { CyclePorts } from '../../src/descheduler/ports.ts';
import { recordedUsage } from '../../src/descheduler/recorded-usage.ts';
import { defaultEvictorArgs } from '../../src/evictor/constraints/args.ts';
import { dryRunEvict } from '../../src/evictor/carry-out.ts';
import { VirtualClock } from '../../src/lib/virtual-clock.ts';
import type { CycleReport } from '../../src/outcomes/outcome.ts';
import type { Limits, Policy, Profile } from '../../src/policy/policy.ts';
import { labelSelector } from '../../src/strategies/arg-fragments.ts';
import type { Context, Proposal, Strategy, UsageNeed, Verdict } from '../../src/strategies/strategy.ts';

export const NOW = '2026-01-02T00:00:00Z';

type Conversation = Generator<Proposal, readonly string[], Verdict>;

/** A strategy that a test writes in place. */
export function strategy(
  name: string,
  propose: (context: Context<unknown>) => Conversation,
  over: { readonly point?: 'deschedule' | 'balance'; readonly needs?: UsageNeed } = {},
): Strategy<unknown> {
  const { needs } = over;
  return {
    name,
    extensionPoint: over.point ?? 'deschedule',
    args: z.unknown(),
    ...(needs ? { needs: () => needs } : {}),
    propose,
  };
}

/** Proposes every pod on the usable nodes that it can see, in their order. */
export function evictsAll(name: string, point: 'deschedule' | 'balance' = 'deschedule'): Strategy<unknown> {
  return strategy(
    name,
    function* ({ snapshot, nodes, inScope }) {
      const pods = nodes.flatMap((node) => snapshot.podsOn(node.name)).filter(inScope);
      for (const pod of pods) yield { evict: pod, reason: `is chosen by ${name}` };
      return [`saw ${pods.length} pods`];
    },
    { point },
  );
}

/** Proposes these pods, and takes down the verdicts. */
export function evicts(name: string, pods: readonly Pod[], verdicts: Verdict[] = []): Strategy<unknown> {
  return strategy(name, function* () {
    for (const pod of pods) verdicts.push(yield { evict: pod, reason: 'is in the way' });
    return [];
  });
}

/** A profile that enables strategies at the points they have, with arguments where a row gives some. */
export function profile(
  name: string,
  ...enabled: readonly (Strategy<unknown> | readonly [Strategy<unknown>, unknown])[]
) {
  const all = enabled.map((one) => ('name' in one ? { strategy: one, args: {} } : { strategy: one[0], args: one[1] }));
  const at = (point: string) => all.filter(({ strategy: { extensionPoint } }) => extensionPoint === point);
  return (evictor: object = {}): Profile => ({
    name,
    evictor: defaultEvictorArgs(labelSelector).parse(evictor),
    deschedule: at('deschedule'),
    balance: at('balance'),
  });
}

/** A policy of these profiles without limits unless a row says so. */
export function policy(
  profiles: readonly Profile[],
  over: Partial<Omit<Policy, 'limits'>> & { limits?: Partial<Limits> } = {},
) {
  const none = { total: undefined, node: undefined, namespace: undefined };
  const limits = { ...none, ...over.limits };
  return {
    nodeSelector: undefined,
    evictionFailureEventNotification: false,
    gracePeriodSeconds: undefined,
    metricsProviders: [],
    ...over,
    profiles,
    limits,
  };
}

/** Runs one cycle on a recorded cluster, dry unless a row brings its own port. */
export function cycle(
  rules: Policy,
  cluster: Snapshot,
  ports: Partial<CyclePorts> & { readonly signal?: AbortSignal } = {},
): Promise<CycleReport> {
  const { signal = new AbortController().signal, ...given } = ports;
  const source = { kind: 'dump', name: 'test', now: NOW, nowFrom: 'flag' } as const;
  const all: CyclePorts = {
    cluster: () => Promise.resolve({ snapshot: cluster, source, warnings: [] }),
    usage: recordedUsage,
    evict: dryRunEvict,
    observe: () => undefined,
    clock: new VirtualClock(Date.parse(NOW)),
    ...given,
  };
  return runCycle(rules, all, { dryRun: given.evict === undefined, signal });
}

/** A report as lines, everything that happened to pods in the order of the plan, then the strategies, then warnings. */
export function lines(report: CycleReport): readonly string[] {
  return [
    ...report.evictions.map(
      ({ profile: by, strategy: name, pod, reason, result, error }) =>
        `${by}/${name}: ${pod.name} ${reason} -> ${result}${error === undefined ? '' : ` (${error})`}`,
    ),
    ...report.refusals.map(
      ({ profile: by, strategy: name, pod, refusedBy, reason }) =>
        `${by}/${name}: ${pod.name} [${refusedBy}] ${reason}`,
    ),
    ...report.strategies.map(
      ({ profile: by, name, proposed, evicted, refused, error, notes }) =>
        `${by}/${name} ${proposed}=${evicted}+${refused}${error === undefined ? '' : ` failed: ${error}`}${notes.map((note) => `; ${note}`).join('')}`,
    ),
    ...report.warnings.map((text) => `warning: ${text}`),
  ];
}
