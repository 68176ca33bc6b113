import type { Command } from 'commander';
import type { DumpFlags } from './dump.ts';
import { addConnectFlags } from '../live-flags.ts';
import type { Session } from '../session.ts';
import { outputFileOption } from '../values.ts';

/** Adds `dump`: what decisions read of a live cluster, in one file that `--from-dump` takes. */
export function addDump(root: Command, session: Session): void {
  const dump = root
    .command('dump')
    .description('writes what decisions read of a live cluster: no secrets, environment, commands or arguments')
    .option(
      '--redact',
      'names, namespaces and label values under pseudonyms, to be shared: it still gives the same plan',
    )
    .addOption(outputFileOption());
  addConnectFlags(dump);
  dump.action(async () => {
    const { runDump } = await import('./dump.ts');
    await session.finish(runDump(dump.opts<DumpFlags>(), session.terminal));
  });
}
