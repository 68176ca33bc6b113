import type { CycleReport, Eviction, Refusal, StrategyRun } from '../../src/outcomes/outcome.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { namespace, on, pod } from '../builders/cluster.ts';

/** An eviction of a dry run; a row names only what matters to it. */
export function eviction(who: Pod, parts: Partial<Eviction> = {}): Eviction {
  return {
    kind: 'eviction',
    profile: 'main',
    strategy: 'RemoveDuplicates',
    pod: who,
    reason: 'is one of 3 pods of ReplicaSet web on n1',
    destinations: 2,
    likelyNodes: ['n2', 'n3'],
    result: 'would-evict',
    ...parts,
  };
}

/** A refusal by a protection. */
export function refusal(who: Pod, parts: Partial<Refusal> = {}): Refusal {
  return {
    kind: 'refusal',
    profile: 'main',
    strategy: 'RemoveDuplicates',
    pod: who,
    refusedBy: 'PodsWithLocalStorage',
    reason: 'has the emptyDir volume scratch',
    ...parts,
  };
}

/** A strategy that ran without an error. */
export function ran(name: string, parts: Partial<StrategyRun> = {}): StrategyRun {
  return {
    kind: 'strategy',
    profile: 'main',
    name,
    extensionPoint: 'balance',
    proposed: 0,
    evicted: 0,
    refused: 0,
    durationMs: 12,
    notes: [],
    ...parts,
  };
}

/** A dry run on a dump. */
export function report(parts: Partial<CycleReport> = {}): CycleReport {
  return {
    dryRun: true,
    startedAt: undefined,
    finishedAt: undefined,
    source: { kind: 'dump', name: 'cluster.json', now: '2026-01-01T12:00:00Z', nowFrom: 'flag' },
    cluster: { nodes: 3, readyNodes: 2, pods: 5 },
    evictions: [],
    refusals: [],
    strategies: [],
    warnings: [],
    ...parts,
  };
}

/** One of everything: evictions good and failed, refusals of several causes, a strategy that threw, notes, warnings. */
export function fullReport(): CycleReport {
  const web = pod('web-7d9f8b6c5-x2x4z', namespace('shop'), on('n1'));
  const cache = pod('cache-0', namespace('shop'), on('n1'));
  const agent = pod('agent-k4t9p', namespace('platform'), on('n2'));
  const long = pod(`${'a-rather-long-workload-name-'.repeat(4)}x2x4z`, namespace('a-long-namespace'), on('n2'));
  return report({
    evictions: [
      eviction(web),
      eviction(cache, { destinations: 0, likelyNodes: [] }),
      eviction(long, {
        strategy: 'LowNodeUtilization',
        result: 'rejected',
        error: 'may not evict',
      }),
    ],
    refusals: [
      refusal(agent, { refusedBy: 'DaemonSetPods', reason: 'belongs to DaemonSet agent' }),
      refusal(cache),
      refusal(long, { strategy: 'LowNodeUtilization' }),
      refusal(web, { refusedBy: 'SomethingNew', reason: 'has <b>|markup*' }),
    ],
    strategies: [
      ran('RemoveDuplicates', { proposed: 5, evicted: 2, refused: 3 }),
      ran('LowNodeUtilization', { proposed: 2, refused: 1, error: 'no such thing' }),
      ran('RemovePodsViolatingInterPodAntiAffinity', {
        extensionPoint: 'deschedule',
        notes: ['looked at 2 nodes and 5 pods: no pod breaks an anti-affinity rule of its own or of another pod'],
      }),
    ],
    warnings: ['no PodDisruptionBudget objects were read: evictions that one would refuse are not predicted'],
  });
}
