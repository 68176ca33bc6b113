import { UserError } from '../session.ts';

const TRUE = ['1', 't', 'T', 'true', 'TRUE', 'True'];
const FALSE = ['0', 'f', 'F', 'false', 'FALSE', 'False'];

/**
 * Turns what only Go's flag parser understands into what commander does: `--dry-run=true` and `--dry-run=false` of
 * flags without a value, and `-v=4`. Everything behind `--` is left alone. Throws UserError on `--dry-run=maybe`.
 */
export function fromGoFlags(argv: readonly string[], switches: ReadonlySet<string>): readonly string[] {
  const end = argv.indexOf('--');
  const flags = end < 0 ? argv : argv.slice(0, end);
  return [...flags.flatMap((arg) => rewrite(arg, switches)), ...argv.slice(flags.length)];
}

function rewrite(arg: string, switches: ReadonlySet<string>): readonly string[] {
  const [, name, value] = /^(--?[a-z0-9-]+)=(.*)$/su.exec(arg) ?? [];
  if (name === undefined || value === undefined) return [arg];
  if (name === '-v') return ['-v', value];
  if (!switches.has(name)) return [arg];
  if (TRUE.includes(value)) return [name];
  if (FALSE.includes(value)) return [];
  throw new UserError(`${name} is true or false, not "${value}"`);
}
