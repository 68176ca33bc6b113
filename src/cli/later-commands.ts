import type { Command } from 'commander';
import { UserError } from './user-error.ts';

/** Commands of cli.md that are still to be built. */
const LATER_COMMANDS: readonly string[] = ['dump'];

/** Adds the commands that are still to be built: they take anything and say so (exit code 2). */
export function addLaterCommands(root: Command): void {
  for (const name of LATER_COMMANDS) {
    root
      .command(name, { hidden: true })
      .argument('[arguments...]')
      .allowUnknownOption()
      .helpOption(false)
      .action(() => {
        throw new UserError(`"evenkeel ${name}" is not built yet; it comes with a later version`);
      });
  }
}
