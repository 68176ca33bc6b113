import type { Command } from 'commander';
import { Option } from 'commander';
import type { ExplainFlags } from './explain.ts';
import { addConnectFlags } from '../live-flags.ts';
import type { Session } from '../session.ts';
import { collect, outputFileOption, parseNow, parsePath } from '../values.ts';

/** Adds `explain pod` and `explain node`. */
export function addExplain(root: Command, session: Session): void {
  const explain = root
    .command('explain')
    .description('why a pod would or would not be evicted, and where it could go; what is decided on a node');
  for (const [kind, argument, description] of SUBJECTS) {
    const command = withFlags(explain.command(kind).description(description).argument(argument));
    command.action(async (name: string) => {
      const { explainSubject } = await import('./explain.ts');
      await session.finish(explainSubject({ kind, name }, command.opts<ExplainFlags>(), session.terminal));
    });
  }
}

const SUBJECTS = [
  ['pod', '<namespace/name>', 'each strategy, constraint and node with its answer for one pod'],
  ['node', '<name>', 'how full a node is and what is decided about each pod on it'],
] as const;

function withFlags(command: Command): Command {
  addConnectFlags(command);
  return command
    .option('--policy-config-file <file>', 'the policy; the built-in default without it', parsePath)
    .option('--from-dump <path...>', 'recorded cluster, files or folders; - is standard input', collect)
    .option('--now <time>', 'RFC 3339; what time it is in the dump', parseNow)
    .option('--ignore-unknown-keys', 'unknown keys of the policy are warnings, not errors')
    .addOption(
      new Option('-o, --output <format>', 'form of the answer').choices(['table', 'json', 'yaml']).default('table'),
    )
    .addOption(outputFileOption());
}
