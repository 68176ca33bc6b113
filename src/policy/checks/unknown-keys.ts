import { formatPath, type Path } from '../../findings/finding.ts';
import { MOST_SHOWN } from '../../findings/format.ts';
import type { KeyPlaces } from './key-places.ts';
import { hintFor } from './key-places.ts';
import type { Report } from '../report.ts';
import { knownKeys, knownPart, schemaAt, type UnknownKey } from './schema-walk.ts';

/** A schema and where its value stands. */
export interface Spot {
  readonly schema: unknown;
  readonly path: Path;
}

/** Reports every key that the schema of a spot does not know, and gives back the value without them. */
export type DropUnknown = (spot: Spot, value: unknown) => unknown;

/** How unknown keys are reported. */
export interface Unknowns {
  readonly report: Report;
  /** Asked only when there is an unknown key. */
  readonly places: () => KeyPlaces;
  /** They are warnings instead of errors (`--ignore-unknown-keys`). */
  readonly ignore: boolean;
  /** A better hint than the general one, if there is one. */
  readonly special: (path: Path) => string | undefined;
}

/** No key is dropped silently (rule C2): each unknown one is a finding with a hint. */
export function dropUnknown({ report, places, ignore, special }: Unknowns): DropUnknown {
  let hints = 0;
  let known: KeyPlaces | undefined;
  return ({ schema, path }, value) => {
    const part = knownPart(schema, value, path);
    const listed = new Set<string>();
    const hintOn = ({ path: there, value: below }: UnknownKey) => {
      const key = String(there.at(-1));
      const legal = knownKeys(schemaAt(schema, there.slice(path.length, -1))) ?? [];
      known ??= places();
      const hint = special(there) ?? hintFor({ key, value: below, legal, places: known });
      return hint ?? allKnown(legal, formatPath(there.slice(0, -1)), listed);
    };
    for (const unknown of part.unknown) {
      const { path: there } = unknown;
      // Looking for what was meant takes longest; more are not shown anyway.
      const hint = hints++ < MOST_SHOWN ? hintOn(unknown) : undefined;
      const remark = { message: 'unknown key', hint, at: 'key' as const };
      if (ignore) report.warning(there, { code: 'ignored-key', ...remark });
      else report.error(there, { code: 'unknown-key', ...remark });
    }
    return part.value;
  };
}

/** The keys that are known at a place; once is enough for all unknown ones there. */
function allKnown(legal: readonly string[], place: string, listed: Set<string>): string | undefined {
  if (legal.length === 0 || listed.has(place)) return undefined;
  listed.add(place);
  return `known here: ${legal.join(', ')}`;
}
