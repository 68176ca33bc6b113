import { Option, type Command } from 'commander';
import { addElectionFlags, electionProblems, LIFECYCLE_ELECTION } from '../election-flags.ts';
import type { LifecycleControllerName } from '../controllers/controllers.ts';
import { addLifecycleFlags, lifecycleSettings } from '../controllers/flags.ts';
import type { LifecycleFlags } from './lifecycle.ts';
import { addConnectFlags, addServingFlags, liveFlagProblems } from '../live-flags.ts';
import { UserError, type Session } from '../session.ts';
import { parseLevel, parseNames } from '../values.ts';

const CONTROLLERS: readonly LifecycleControllerName[] = ['node-lifecycle', 'taint-eviction'];

/** Adds `lifecycle`: both controllers on a live cluster. */
export function addLifecycle(root: Command, session: Session): void {
  const lifecycle = root
    .command('lifecycle')
    .description('watches node health, taints nodes, deletes pods whose tolerated time is over')
    .addOption(
      new Option('--mode <mode>', 'observe: reports which pods would be deleted when and changes nothing; act: does it')
        .choices(['observe', 'act'])
        .default('observe'),
    )
    .addOption(
      new Option('--controllers <names>', 'which of node-lifecycle and taint-eviction')
        .argParser(parseNames(CONTROLLERS))
        .default(CONTROLLERS, CONTROLLERS.join(',')),
    )
    .option('--ignore-built-in', "acts although kube-controller-manager's controllers seem to be at work")
    .addOption(
      new Option('-o, --output <format>', 'form of the outcomes: lines or JSON lines')
        .choices(['text', 'json'])
        .default('text'),
    )
    .option('-v, --v <level>', 'more of it in the log, from 0', parseLevel, 0)
    .addOption(new Option('--logging-format <format>', 'of the log').choices(['text', 'json']).default('text'));
  addLifecycleFlags(lifecycle);
  addConnectFlags(lifecycle);
  addElectionFlags(lifecycle, 'on with --mode act');
  addServingFlags(lifecycle);
  lifecycle.action(async () => {
    const flags = { ...lifecycle.opts<LifecycleFlags>(), settings: lifecycleSettings(lifecycle.opts()) };
    const problems = [...liveFlagProblems(flags), ...electionProblems(flags, LIFECYCLE_ELECTION)];
    if (problems.length > 0) throw new UserError(problems);
    const { runLifecycle } = await import('./lifecycle.ts');
    await session.finish(runLifecycle(flags, session.terminal));
  });
}
