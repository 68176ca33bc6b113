import type { Command } from 'commander';
import type { PolicyFlags } from './policy.ts';
import type { Session } from '../session.ts';
import { outputFileOption } from '../values.ts';

/** Adds `policy validate`, `policy migrate` and `policy schema`. */
export function addPolicy(root: Command, { terminal, finish }: Session): void {
  const policy = root.command('policy').description('checks a policy, rewrites an old one, prints the JSON Schema');
  const validate = policy
    .command('validate')
    .description('checks policies; every finding with its place')
    .argument('<file...>', 'policies; - is standard input')
    .option('--ignore-unknown-keys', 'unknown keys are warnings, not errors')
    .action(async (files: readonly string[]) => {
      const { validatePolicies } = await import('./policy.ts');
      await finish(validatePolicies(files, validate.opts<PolicyFlags>(), terminal));
    });
  const migrate = policy
    .command('migrate')
    .description('prints a policy of version v1alpha1 as v1alpha2')
    .argument('<file>', 'the policy; - is standard input')
    .option('--ignore-unknown-keys', 'unknown keys are warnings, not errors')
    .addOption(outputFileOption())
    .action(async (file: string) => {
      const { migrateFile } = await import('./policy.ts');
      await finish(migrateFile(file, migrate.opts<PolicyFlags>(), terminal));
    });
  const schema = policy
    .command('schema')
    .description('prints the JSON Schema of a policy, for editors')
    .addOption(outputFileOption())
    .action(async () => {
      const { printSchema } = await import('./policy.ts');
      await finish(printSchema(schema.opts<PolicyFlags>(), terminal));
    });
}
