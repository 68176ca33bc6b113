import { Option, type Command } from 'commander';
import { LATER_FLAGS } from './later-flags.ts';
import { checkRunFlags, refuseWords, type RunFlags } from './run-flags.ts';
import type { Session } from './session.ts';
import { collect, outputFileOption, outputOption, parseLevel, parseNow, parsePath } from './values.ts';

/** Flags without a value, which Go's flag parser also takes as `--flag=true`. */
export const RUN_SWITCHES: ReadonlySet<string> = new Set([
  '--dry-run',
  '--ignore-unknown-keys',
  ...LATER_FLAGS.filter((flag) => flag.takes === 'nothing').map((flag) => flag.name),
]);

/** Adds `run`, the command that is meant when none is named. */
export function addRun(root: Command, session: Session): void {
  const run = root
    .command('run', { isDefault: true })
    .description('reads a policy and runs the descheduler')
    .allowExcessArguments()
    .option('--policy-config-file <file>', 'the policy; a dry run without it takes the built-in default', parsePath)
    .option('--from-dump <path...>', 'recorded cluster, files or folders; implies --dry-run', collect)
    .option('--now <time>', 'RFC 3339; what time it is in the dump', parseNow)
    .option('--dry-run', 'decides and reports, changes nothing')
    .option('--ignore-unknown-keys', 'unknown keys of the policy are warnings, not errors')
    .addOption(outputOption())
    .addOption(outputFileOption())
    .option('-v, --v <level>', 'more of it in the log, from 0', parseLevel, 0)
    .addOption(new Option('--logging-format <format>', 'of the log').choices(['text', 'json']).default('text'))
    .addHelpText('after', '\nFlags of the reference that are not built yet are refused, never ignored.');
  for (const { name, takes } of LATER_FLAGS) {
    run.addOption(new Option(takes === 'value' ? `${name} <value>` : name).hideHelp());
  }
  run.action(async () => {
    refuseWords(run.args, root);
    const flags = run.opts<RunFlags>();
    checkRunFlags(flags, run.opts());
    const { runOnce } = await import('./run.ts');
    await session.finish(runOnce(flags, session.terminal));
  });
}
