import { formatFindings } from '../../findings/format.ts';
import { PolicyError } from '../../findings/policy-error.ts';
import { policySchema } from '../../policy/json-schema.ts';
import { jsonText, visible } from '../../lib/visible.ts';
import { loadPolicy, type LoadResult } from '../../policy/load.ts';
import { migratePolicy } from '../../policy/migrate.ts';
import type { Policy } from '../../policy/policy.ts';
import { count } from '../../report/words.ts';
import { explainError } from '../known-errors.ts';
import { checkOutputFile, writeOutput } from '../files/output-file.ts';
import { inputName } from '../../lib/open-input.ts';
import { readText } from '../files/read-text.ts';
import type { Terminal } from '../terminal.ts';

/** The flags of the `policy` commands. */
export interface PolicyFlags {
  readonly ignoreUnknownKeys?: boolean;
  readonly outputFile?: string;
}

/**
 * Checks each file, whatever is wrong with the others: findings to standard error, one line a good file to standard
 * output. Exit code 2 if any is wrong or can't be read.
 */
export async function validatePolicies(
  files: readonly string[],
  flags: PolicyFlags,
  terminal: Terminal,
): Promise<number> {
  let exitCode = 0;
  for (const file of files) {
    if (!(await validatePolicy(file, flags, terminal))) exitCode = 2;
  }
  return exitCode;
}

async function validatePolicy(path: string, flags: PolicyFlags, terminal: Terminal): Promise<boolean> {
  const file = inputName(path);
  const text = await readText(path, { signal: terminal.signal }).catch((error: unknown) => {
    terminal.err(explainError(error).printed);
  });
  if (text === undefined) return false;
  const result = loadPolicy(text, { ignoreUnknownKeys: flags.ignoreUnknownKeys ?? false });
  const findings = result.ok ? result.warnings : result.findings;
  if (findings.length > 0) terminal.err(`${formatFindings(findings, { file, text })}\n`);
  if (result.ok) terminal.out(`${visible(file)}: ${goodText(result)}\n`);
  return result.ok;
}

function goodText({ version, policy, warnings }: Extract<LoadResult, { ok: true }>): string {
  const strategies = policy.profiles.flatMap(strategiesOf);
  const parts = [count(policy.profiles.length, 'profile'), count(strategies.length, 'strategy', 'strategies')];
  if (warnings.length > 0) parts.push(count(warnings.length, 'warning'));
  return `valid ${version}, ${parts.join(', ')}`;
}

function strategiesOf({ deschedule, balance }: Policy['profiles'][number]): readonly unknown[] {
  return [...deschedule, ...balance];
}

/** Prints the policy in the current version; a current one comes back as it is. Warnings go to standard error. */
export async function migrateFile(path: string, flags: PolicyFlags, terminal: Terminal): Promise<number> {
  await checkOutputFile(flags.outputFile);
  const text = await readText(path, { signal: terminal.signal });
  const file = inputName(path);
  const result = migratePolicy(text, { ignoreUnknownKeys: flags.ignoreUnknownKeys ?? false });
  if (!result.ok) throw new PolicyError(result.findings, { file, text });
  if (result.warnings.length > 0) terminal.err(`${formatFindings(result.warnings, { file, text })}\n`);
  return print(result.text, flags, terminal);
}

/** Prints the JSON Schema of a policy. */
export async function printSchema(flags: PolicyFlags, terminal: Terminal): Promise<number> {
  await checkOutputFile(flags.outputFile);
  return print(`${jsonText(policySchema(), 2)}\n`, flags, terminal);
}

async function print(text: string, { outputFile }: PolicyFlags, terminal: Terminal): Promise<number> {
  await writeOutput(text, outputFile, terminal);
  return 0;
}
