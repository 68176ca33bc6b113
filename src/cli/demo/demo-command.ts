import type { Command } from 'commander';
import type { RunFlags } from '../run/run-flags.ts';
import type { Session } from '../session.ts';
import { outputFileOption, outputOption } from '../values.ts';

/** Adds `demo`: a dry run that needs no cluster, no file and no network. */
export function addDemo(root: Command, session: Session): void {
  const demo = root
    .command('demo')
    .description('a dry run on the built-in example cluster')
    .addOption(outputOption())
    .addOption(outputFileOption())
    .action(async () => {
      const { runDemo } = await import('./demo.ts');
      await session.finish(runDemo(demo.opts<Pick<RunFlags, 'output' | 'outputFile'>>(), session.terminal));
    });
}
