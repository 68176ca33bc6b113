import { Option, type Command } from 'commander';
import { addElectionFlags } from '../election-flags.ts';
import { LATER_FLAGS } from './later-flags.ts';
import { addLifecycleFlags, lifecycleSettings } from '../controllers/flags.ts';
import { addLiveFlags } from '../live-flags.ts';
import { checkRunFlags, CONTROLLERS, refuseWords, type RunFlags } from './run-flags.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { collect, outputFileOption, outputOption, parseLevel, parseNames, parseNow, parsePath } from '../values.ts';

/** Flags without a value, which Go's flag parser also takes as `--flag=true`. */
export const RUN_SWITCHES: ReadonlySet<string> = new Set([
  '--dry-run',
  '--ignore-unknown-keys',
  '--disable-metrics',
  '--ignore-built-in',
  ...LATER_FLAGS.filter((flag) => flag.takes === 'nothing').map((flag) => flag.name),
]);

/** Adds `run`, the command that is meant when none is named. */
export function addRun(root: Command, session: Session): void {
  const run = root
    .command('run', { isDefault: true })
    .description('reads a policy and runs the descheduler')
    .allowExcessArguments()
    .option('--policy-config-file <file>', 'the policy; a dry run without it takes the built-in default', parsePath)
    .option(
      '--from-dump <path...>',
      'recorded cluster, files or folders; - is standard input; implies --dry-run',
      collect,
    )
    .option('--now <time>', 'RFC 3339; what time it is in the dump', parseNow)
    .option('--dry-run', 'decides and reports, changes nothing')
    .option('--ignore-unknown-keys', 'unknown keys of the policy are warnings, not errors')
    .addOption(outputOption())
    .addOption(outputFileOption())
    .option('-v, --v <level>', 'more of it in the log, from 0', parseLevel, 0)
    .addOption(new Option('--logging-format <format>', 'of the log').choices(['text', 'json']).default('text'))
    .addHelpText('after', '\nFlags of the reference that are not built yet are refused, never ignored.');
  addLiveFlags(run);
  addElectionFlags(run, 'off unless --controllers names more than the descheduler');
  run
    .option(
      '--controllers <names>',
      `with commas: ${CONTROLLERS.join(', ')}; the first by default`,
      parseNames(CONTROLLERS),
    )
    .option('--ignore-built-in', "acts although kube-controller-manager's controllers seem to be at work");
  addLifecycleFlags(run);
  for (const { name, takes } of LATER_FLAGS) {
    run.addOption(new Option(takes === 'value' ? `${name} <value>` : name).hideHelp());
  }
  run.action(async () => {
    refuseWords(run.args, root);
    const flags = { ...run.opts<RunFlags>(), settings: lifecycleSettings(run.opts()) };
    checkRunFlags(flags, run.opts());
    await session.finish(start(flags, session.terminal));
  });
}

/** What a recorded cluster needs is loaded without what a live one needs, and the other way round. */
async function start(flags: RunFlags, terminal: Terminal): Promise<number> {
  if (flags.fromDump) return (await import('./dry-run.ts')).runOnce(flags, terminal);
  return (await import('./live.ts')).runLive(flags, terminal);
}
