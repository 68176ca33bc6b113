import type { Command } from 'commander';
import { lifecycleSettings } from '../controllers/flags.ts';
import type { Session } from '../session.ts';
import type { Terminal } from '../terminal.ts';
import { addRunFlags, checkRunFlags, refuseWords, type RunFlags } from './run-flags.ts';

/** Adds `run`, the command that is meant when none is named. */
export function addRun(root: Command, session: Session): void {
  const run = root
    .command('run', { isDefault: true })
    .description('reads a policy and runs the descheduler')
    .allowExcessArguments()
    .addHelpText(
      'after',
      '\nFlags of the Go descheduler are taken, too; one that cannot be honoured is refused (docs/flags.md).',
    );
  addRunFlags(run);
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
