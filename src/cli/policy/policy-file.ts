import { DEFAULT_POLICY } from '../../demo/policy.ts';
import type { Finding } from '../../findings/finding.ts';
import { shortened, shownFindings } from '../../findings/format.ts';
import { PolicyError } from '../../findings/policy-error.ts';
import { loadPolicy, type LoadResult } from '../../policy/load.ts';
import type { Policy } from '../../policy/policy.ts';
import { inputName } from '../../lib/open-input.ts';
import { readText } from '../files/read-text.ts';

/** A policy ready to run, and what the operator should know about its text, one line each. */
export interface ReadPolicy {
  readonly policy: Policy;
  readonly warnings: readonly string[];
}

/** Flags that choose a policy. */
export interface PolicyChoice {
  readonly policyConfigFile?: string;
  readonly ignoreUnknownKeys?: boolean;
  /** The limits of the policy count for nothing; for plans alone. */
  readonly ignoreLimits?: boolean;
}

/**
 * The policy that the flags name, else the built-in one, with a notice that says so. Throws UserError if it can't be read,
 * PolicyError with all findings if it is wrong.
 */
export async function policyOf(flags: PolicyChoice, signal: AbortSignal): Promise<ReadPolicy> {
  const read = await chosenPolicy(flags, signal);
  if (!flags.ignoreLimits) return read;
  const warning = 'limits are ignored: this plan has more evictions than a run would make';
  return { policy: { ...read.policy, limits: NO_LIMITS }, warnings: [...read.warnings, warning] };
}

const NO_LIMITS = { total: undefined, node: undefined, namespace: undefined } as const;

async function chosenPolicy(flags: PolicyChoice, signal: AbortSignal): Promise<ReadPolicy> {
  const options = { ignoreUnknownKeys: flags.ignoreUnknownKeys ?? false };
  if (flags.policyConfigFile !== undefined) {
    const file = flags.policyConfigFile;
    return checkedPolicy({ file: inputName(file), text: await readText(file, { signal }) }, options);
  }
  const { policy, warnings } = checkedPolicy({ file: 'built-in policy', text: DEFAULT_POLICY }, options);
  const notice =
    'no --policy-config-file was given: this is the plan of the built-in default policy, the one of the README';
  return { policy, warnings: [notice, ...warnings] };
}

/** Checks the text of a policy. Throws PolicyError with all findings. */
export function checkedPolicy(
  document: { readonly file: string; readonly text: string },
  options: { readonly ignoreUnknownKeys: boolean },
): ReadPolicy {
  const result = accepted(loadPolicy(document.text, options), document);
  const { shown, others } = shownFindings(result.warnings);
  const warnings = shown.map((finding) => warningText(shortened(finding), document.file));
  return {
    policy: result.policy,
    warnings: others === undefined ? warnings : [...warnings, `${document.file}: ${others}`],
  };
}

/** The loaded policy. Throws PolicyError where there is none. */
export function accepted(
  result: LoadResult,
  document: { readonly file: string; readonly text: string },
): Extract<LoadResult, { ok: true }> {
  if (!result.ok) throw new PolicyError(result.findings, document);
  return result;
}

function warningText({ line, column, path, message, hint }: Finding, file: string): string {
  const place = path === '' ? '' : `${path}: `;
  return `${file}:${line}:${column}: ${place}${message}${hint === undefined ? '' : `; ${hint}`}`;
}
