import { runCycle } from '../../descheduler/cycle.ts';
import type { ClusterSource } from '../../descheduler/ports.ts';
import { recordedUsage } from '../../descheduler/recorded-usage.ts';
import { dryRunEvict } from '../../evictor/carry-out.ts';
import type { History } from '../../evictor/limits/history.ts';
import { systemClock } from '../../lib/clock.ts';
import { visible } from '../../lib/visible.ts';
import { hasFailed } from '../../outcomes/cycle-report.ts';
import type { CycleReport, Observe } from '../../outcomes/outcome.ts';
import { dumpFor } from '../dump-source.ts';
import { checkOutputFile } from '../files/output-file.ts';
import { checkStandardInput } from '../files/read-text.ts';
import { printDefects } from '../known-errors.ts';
import { policyOf, type ReadPolicy } from '../policy/policy-file.ts';
import { withProgress } from '../progress.ts';
import type { Terminal } from '../terminal.ts';
import { deliver, tellIncomplete } from './deliver.ts';
import type { RunFlags } from './run-flags.ts';

/**
 * One cycle on a recorded cluster; answers with the exit code. Throws UserError, PolicyError and DumpError for input that
 * is wrong: flags and policy first, since a dump may take long to read.
 */
export async function runOnce(flags: RunFlags, terminal: Terminal): Promise<number> {
  await checkOutputFile(flags.outputFile);
  checkStandardInput(flags.policyConfigFile, ...(flags.fromDump ?? []));
  const policy = await policyOf(flags, terminal.signal);
  const paths = flags.fromDump ?? [];
  const cluster: ClusterSource = (signal) =>
    withProgress(`reading ${paths.join(' ')}`, terminal, () =>
      dumpFor(policy.policy, { paths, now: flags.now }, signal),
    );
  const observe = await observer(flags, terminal);
  const report = await dryRunCycle({ policy, cluster, observe, signal: terminal.signal });
  await deliver(report, flags, terminal);
  tellIncomplete(report, (message) => terminal.err(`warning: ${visible(message)}\n`));
  return hasFailed(report) ? 1 : 0;
}

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

/** Outcomes go to the log where it is asked for more than warnings; the report carries them in any case. */
async function observer({ v, loggingFormat }: RunFlags, terminal: Terminal): Promise<Observe> {
  if (v === 0) return printDefects(terminal.err);
  const { createLog } = await import('../../telemetry/log.ts');
  const { outcomeLine } = await import('../../telemetry/outcome-line.ts');
  const log = createLog({ verbosity: v, format: loggingFormat }, terminal.err);
  return (outcome) => {
    log.log(outcomeLine(outcome));
  };
}
