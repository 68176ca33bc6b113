import { strategies } from '../../src/strategies/registry.ts';
import type { Finding } from '../../src/findings/finding.ts';
import type { LoadOptions } from '../../src/policy/load.ts';
import { loadPolicy } from '../../src/policy/load.ts';
import type { Policy, Profile } from '../../src/policy/policy.ts';

const PREFIX = 'profiles[0].pluginConfig[0].args';

/** A v1alpha2 policy as JSON text, with these fields. */
export function policyText(fields: object): string {
  return JSON.stringify({ apiVersion: 'descheduler/v1alpha2', kind: 'DeschedulerPolicy', ...fields }, null, 2);
}

/** A policy that configures and enables one plugin. */
export function pluginText(name: string, args: unknown): string {
  const strategy = strategies.find((known) => known.name === name);
  const point = strategy?.extensionPoint ?? 'filter';
  const other = strategy === undefined ? { balance: { enabled: ['RemoveDuplicates'] } } : {};
  const plugins = { [point]: { enabled: [name] }, ...other };
  return policyText({ profiles: [{ name: 'p', pluginConfig: [{ name, args }], plugins }] });
}

/** What is wrong with the arguments of a plugin, as `path: message`; `ok` if nothing is. Paths are below the args. */
export function argumentFindings(name: string, args: unknown): readonly string[] | 'ok' {
  const result = loadPolicy(pluginText(name, args));
  if (result.ok) return 'ok';
  return result.findings.filter(({ severity }) => severity === 'error').map(asArgument);
}

function asArgument({ path, message }: Finding): string {
  const below = path.startsWith(PREFIX) ? path.slice(PREFIX.length).replace(/^\./, '') : path;
  return below === '' ? message : `${below}: ${message}`;
}

/** The checked arguments of an enabled strategy, or of a strategy still to come; throws the findings if they are wrong. */
export function checkedArgs(name: string, args: unknown): unknown {
  const strategy = strategies.find((known) => known.name === name);
  return strategy?.args.parse(args);
}

/** The policy of a text; throws the findings if it is refused. */
export function loaded(text: string, options: LoadOptions = {}): Policy {
  const result = loadPolicy(text, options);
  if (!result.ok) throw new Error(result.findings.map(asLine).join('\n'));
  return result.policy;
}

/** Everything found in a text: errors and warnings, one line each. */
export function found(text: string, options: LoadOptions = {}): readonly string[] {
  const result = loadPolicy(text, options);
  return (result.ok ? result.warnings : result.findings).map(asLine);
}

/** A finding in one line. */
export function asLine({ severity, code, path, line, message, hint }: Finding): string {
  return `${severity} ${code} ${line} ${path}: ${message}${hint === undefined ? '' : ` (${hint})`}`;
}

/** A profile by names and arguments, for comparing whole. */
export function outline({ name, deschedule, balance }: Profile): object {
  const named = (list: Profile['balance']) => list.map(({ strategy, args }) => ({ [strategy.name]: args }));
  return { name, deschedule: named(deschedule), balance: named(balance) };
}
