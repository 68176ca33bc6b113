import { FieldReader } from '../cluster/bytes/decode-bytes.ts';
import { isRecord } from '../cluster/decode/decode-json.ts';
import { Decoder, kindOf } from '../cluster/decode/decode.ts';
import { isReadKind } from '../cluster/decode/decode-table.ts';
import { parseTime } from '../cluster/decode/decode-time.ts';
import { Collection } from './collection.ts';
import { UnreadableValues } from './unreadable-values.ts';
import { kindByFileName, kindByFolder, kindByShape } from './recognise.ts';

/** The annotation of a list's metadata that says when the dump was made. */
export const DUMPED_AT = 'evenkeel.io/dumped-at';

const MAXIMAL_NESTING = 20;

/** Where all files of a dump go: decodes what is parsed, finds out what says no kind, remembers what the report states. */
export class Loader {
  readonly decoder = new Decoder();
  readonly reader = new FieldReader(this.decoder.interner);
  readonly collection = new Collection();
  readonly unreadable = new UnreadableValues();
  readonly #guessedFiles = new Set<string>();
  #dumpedAt: string | undefined;

  /** Takes parsed JSON or YAML: an object, a list, an array. `kind` is what an object is if it does not say so itself. */
  take(json: unknown, file: string, kind?: string): void {
    this.#take(json, { file, kind, depth: 0 });
  }

  /** Notes a list's head. A list without objects still says that its kind is known. */
  takeList(kind: string | undefined, file: string, dumpedAt: string | undefined): void {
    this.collection.countList();
    const itemKind = itemKindOf(kind) ?? kindByFileName(file);
    if (itemKind !== undefined) this.collection.know(itemKind);
    if (dumpedAt !== undefined && (this.#dumpedAt === undefined || isLater(dumpedAt, this.#dumpedAt))) {
      this.#dumpedAt = dumpedAt;
    }
  }

  /** When the dump says it was made; of several lists the latest. As written. */
  get dumpedAt(): string | undefined {
    return this.#dumpedAt;
  }

  /** Files with objects whose kind only their name or shape tells. */
  get guessedFiles(): number {
    return this.#guessedFiles.size;
  }

  #take(json: unknown, place: { file: string; kind: string | undefined; depth: number }): void {
    if (place.depth > MAXIMAL_NESTING) return;
    if (Array.isArray(json)) {
      for (const item of json) this.#take(item, { ...place, depth: place.depth + 1 });
      return;
    }
    if (!isRecord(json)) {
      if (place.depth > 0) this.collection.countNothing();
      return;
    }
    const kind = kindOf(json);
    if (isListKind(kind) && (kind !== undefined || 'items' in json)) this.#takeItems(json, place);
    else this.#takeObject(json, place);
  }

  #takeItems(
    list: Readonly<Record<string, unknown>>,
    place: { file: string; kind: string | undefined; depth: number },
  ): void {
    const annotations = isRecord(list.metadata) && isRecord(list.metadata.annotations) ? list.metadata.annotations : {};
    const dumpedAt = annotations[DUMPED_AT];
    this.takeList(kindOf(list), place.file, typeof dumpedAt === 'string' ? dumpedAt : undefined);
    if (!Array.isArray(list.items)) return;
    const kind = itemKindOf(kindOf(list)) ?? place.kind;
    for (const item of list.items) this.#take(item, { file: place.file, kind, depth: place.depth + 1 });
  }

  #takeObject(json: Readonly<Record<string, unknown>>, place: { file: string; kind: string | undefined }): void {
    const kind = kindOf(json) ?? place.kind ?? this.#guess(json, place.file);
    if (kind === undefined) return;
    const decoded = this.decoder.decodeObject({ ...json, kind });
    if (decoded) {
      this.unreadable.note(json, decoded);
      this.collection.add(decoded);
    } else this.collection.ignore(isReadKind(kind) ? `${kind} without a name` : kind);
  }

  #guess(json: Readonly<Record<string, unknown>>, file: string): string | undefined {
    if (!isRecord(json.metadata)) return undefined;
    const kind = kindByFileName(file) ?? kindByShape(json) ?? kindByFolder(file);
    if (kind !== undefined) this.#guessedFiles.add(file);
    return kind;
  }
}

/** Whether a kind is that of a list: `List`, `PodList`, or none, which a list may have too. */
export function isListKind(kind: string | undefined): boolean {
  return kind === undefined || kind.endsWith('List');
}

/** What a typed list holds: `Pod` for `PodList`; undefined for `List`, which says nothing. */
export function itemKindOf(kind: string | undefined): string | undefined {
  return kind?.endsWith('List') && kind !== 'List' ? kind.slice(0, -'List'.length) : undefined;
}

function isLater(a: string, b: string): boolean {
  return (parseTime(a) ?? -Infinity) > (parseTime(b) ?? -Infinity);
}
