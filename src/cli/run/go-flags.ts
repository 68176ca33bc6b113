import { UserError } from '../session.ts';

const TRUE = ['1', 't', 'T', 'true', 'TRUE', 'True'];
const FALSE = ['0', 'f', 'F', 'false', 'FALSE', 'False'];

/** Flags of the Go descheduler whose empty value means that they are not given, as charts write them. */
const EMPTY_IS_UNSET = new Set(
  [
    'kubeconfig',
    'client-connection-kubeconfig',
    'policy-config-file',
    'bind-address',
    'cert-dir',
    'feature-gates',
    'vmodule',
  ]
    .concat(['tls-cert-file', 'tls-private-key-file', 'tls-min-version', 'tls-cipher-suites', 'tls-curve-preferences'])
    .concat(['tls-sni-cert-key', 'otel-collector-endpoint', 'otel-transport-ca-cert', 'otel-trace-namespace'])
    .concat(['otel-service-name', 'logging-format', 'leader-elect-resource-lock', 'context'])
    .map((name) => `--${name}`),
);

/**
 * Turns what only Go's flag parser understands into what commander does: `--dry-run=true` and `--dry-run=false` of
 * flags without a value, `-v=4`, names with underscores, and values that are empty because nothing is wanted. Everything
 * behind `--` is left alone. Throws UserError on `--dry-run=maybe`.
 */
export function fromGoFlags(argv: readonly string[], switches: ReadonlySet<string>): readonly string[] {
  const end = argv.indexOf('--');
  const flags = end < 0 ? argv : argv.slice(0, end);
  return [...flags.flatMap((arg) => rewrite(withDashes(arg), switches)), ...argv.slice(flags.length)];
}

/** Go's parser takes `--dry_run` for `--dry-run`. */
function withDashes(arg: string): string {
  const [, name = '', rest = ''] = /^(--[a-z][a-z0-9_-]*)(=.*)?$/su.exec(arg) ?? [];
  return name.includes('_') ? name.replaceAll('_', '-') + rest : arg;
}

function rewrite(arg: string, switches: ReadonlySet<string>): readonly string[] {
  const [, name, value] = /^(--?[a-z0-9-]+)=(.*)$/su.exec(arg) ?? [];
  if (name === undefined || value === undefined) return [arg];
  if (name === '-v') return ['-v', value];
  if (value === '' && EMPTY_IS_UNSET.has(name)) return [];
  if (!switches.has(name)) return [arg];
  if (TRUE.includes(value)) return [name];
  if (FALSE.includes(value)) return [];
  throw new UserError(`${name} is true or false, not "${value}"`);
}
