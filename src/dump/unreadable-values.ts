import { FIELDS } from '../cluster/decode/decode-table.ts';
import type { Decoded } from '../cluster/decode/decode.ts';
import { compareText } from '../cluster/snapshot.ts';
import { unreadableValues, type Unreadable, type UnreadableKind } from '../cluster/decode/unreadable.ts';
import { formatPath } from '../findings/finding.ts';

/** So many of a kind are shown, the others counted. */
const MOST_SHOWN = 10;
const LONGEST_VALUE = 60;

/** In the order of the report. */
const KINDS: Readonly<Record<UnreadableKind, string>> = {
  quantity: 'quantities',
  time: 'times',
  type: 'values of the wrong type',
};

/** The values of a dump that are there and cannot be read, counted by kind; the first of each kind by name are kept. */
export class UnreadableValues {
  readonly #counts: Record<UnreadableKind, number> = { quantity: 0, time: 0, type: 0 };
  readonly #shown: Record<UnreadableKind, readonly string[]> = { quantity: [], time: [], type: [] };

  /** Looks through an object as it was in the dump. */
  note(json: unknown, { object }: Decoded): void {
    for (const value of unreadableValues(FIELDS[object.kind], json)) {
      this.#counts[value.kind]++;
      const shown = [...this.#shown[value.kind], lineOf(object, value)];
      this.#shown[value.kind] = shown.sort(compareText).slice(0, MOST_SHOWN);
    }
  }

  /** One line for each that is shown, and one for the rest of its kind. */
  warnings(): readonly string[] {
    return (Object.keys(KINDS) as UnreadableKind[]).flatMap((kind) => {
      const more = this.#counts[kind] - this.#shown[kind].length;
      return more > 0
        ? [...this.#shown[kind], `${more} more ${KINDS[kind]} of the dump cannot be read and count as absent`]
        : this.#shown[kind];
    });
  }
}

function lineOf(object: Decoded['object'], { path, value, wanted }: Unreadable): string {
  const name = 'namespace' in object && object.namespace !== '' ? `${object.namespace}/${object.name}` : object.name;
  return `${object.kind} ${name}: ${formatPath(path)} is ${shown(value)}, not ${wanted}; it counts as absent`;
}

function shown(value: unknown): string {
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value);
  return text.length > LONGEST_VALUE ? `${text.slice(0, LONGEST_VALUE - 1)}…` : text;
}
