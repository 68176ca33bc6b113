import { runCycle } from '../../descheduler/cycle.ts';
import type { ClusterSource } from '../../descheduler/ports.ts';
import { recordedUsage } from '../../descheduler/recorded-usage.ts';
import { dryRunEvict } from '../../evictor/carry-out.ts';
import type { History } from '../../evictor/limits/history.ts';
import { systemClock } from '../../lib/clock.ts';
import type { CycleReport, Observe } from '../../outcomes/outcome.ts';
import type { ReadPolicy } from '../policy/policy-file.ts';

/** What a dry run is made of. */
export interface DryRun {
  readonly policy: ReadPolicy;
  readonly cluster: ClusterSource;
  readonly observe: Observe;
  readonly signal: AbortSignal;
  /** What earlier cycles did; only read. A recorded cluster has none. */
  readonly history?: History;
}

/** One cycle on a recorded or made-up cluster, with the code of a real one: only the port that evicts does nothing. */
export async function dryRunCycle({ policy, cluster, observe, signal, history }: DryRun): Promise<CycleReport> {
  const withPolicyWarnings: ClusterSource = async (ended) => {
    const view = await cluster(ended);
    return { ...view, warnings: [...policy.warnings, ...view.warnings] };
  };
  const ports = {
    cluster: withPolicyWarnings,
    usage: recordedUsage,
    evict: dryRunEvict,
    observe,
    clock: systemClock,
    ...(history && { history }),
  };
  return runCycle(policy.policy, ports, { dryRun: true, signal });
}
