import { Command, CommanderError } from 'commander';
import { visibleLines } from '../lib/visible.ts';
import { addDemo } from './demo/demo-command.ts';
import { addDump } from './dump/dump-command.ts';
import { addExplain } from './explain/explain-command.ts';
import { fromGoFlags } from './run/go-flags.ts';
import { explainError } from './known-errors.ts';
import { addLifecycle } from './lifecycle/command.ts';
import { addOutage } from './outage/outage-command.ts';
import { addPolicy } from './policy/policy-command.ts';
import { addRun } from './run/run-command.ts';
import { RUN_SWITCHES } from './run/run-flags.ts';
import { withSuggestion } from './suggestion.ts';
import type { Session } from './session.ts';
import type { Terminal } from './terminal.ts';
import { versionText } from './version.ts';

/**
 * Runs the command line and answers with the exit code (rule C17): 0 done, 1 the program or the cluster failed, 2 the
 * input is wrong. Heavy modules are imported by the commands that need them, so that the others start at once. Whatever goes to
 * standard error shows what it could hide.
 */
export async function runProgram(argv: readonly string[], terminal: Terminal): Promise<number> {
  let exitCode = 0;
  const guarded: Terminal = { ...terminal, err: (text) => terminal.err(visibleLines(text)) };
  const finish: Session['finish'] = async (work) => {
    terminal.watch();
    exitCode = await work;
  };
  try {
    await program({ terminal: guarded, finish }).parseAsync(fromGoFlags(argv, RUN_SWITCHES), { from: 'user' });
    return exitCode;
  } catch (error) {
    return explain(error, guarded);
  }
}

/** The whole command line as commander knows it; `docs` tests read the names of flags from it. */
export function program(session: Session): Command {
  const { terminal } = session;
  const root = new Command('evenkeel')
    .description('A descheduler for Kubernetes that explains every decision.')
    .usage('[command] [flags]')
    .version(versionText(terminal.nodeVersion).trimEnd(), '--version', 'what the command version prints')
    .addHelpText('after', '\nWithout a command: run. "evenkeel run --help" lists its flags.')
    .exitOverride()
    .configureOutput({
      writeOut: terminal.out,
      writeErr: terminal.err,
      outputError: (text, write) => write(withSuggestion(text, root)),
    });
  addRun(root, session);
  addDemo(root, session);
  addPolicy(root, session);
  addExplain(root, session);
  addOutage(root, session);
  addLifecycle(root, session);
  addDump(root, session);
  root
    .command('version')
    .description('program, Node.js and supported Kubernetes versions')
    .action(() => {
      terminal.out(versionText(terminal.nodeVersion));
    });
  return root;
}

function explain(error: unknown, terminal: Terminal): number {
  // Commander has printed its own messages already.
  if (error instanceof CommanderError) return error.exitCode === 0 ? 0 : 2;
  const { printed, exitCode } = explainError(error);
  terminal.err(printed);
  return exitCode;
}
