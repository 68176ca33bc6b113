import type { FieldReader } from '../cluster/bytes/decode-bytes.ts';
import { object, onlyKeys } from '../cluster/decode/decode-fields.ts';
import { FIELDS, isReadKind, type FieldsOf, type ReadKind } from '../cluster/decode/decode-table.ts';
import { BYTE, JsonProblem } from '../cluster/bytes/json-scanner.ts';
import { DUMPED_AT, isListKind, itemKindOf, type Loader } from './loader.ts';
import { findListKind, kindBehind, type Reopen } from './list-kind.ts';
import type { Stepper } from './stepper.ts';

const LIST_METADATA = object({ annotations: onlyKeys(DUMPED_AT) });

/** A list is looked through in memory up to this size, in bytes. */
const LARGEST_LOOK = 4 << 20;
/** What is packed is read from its beginning each time; of lists beyond, the shape of the items tells the kind. */
const MOST_REOPENED = 10;

/** A file to read, and a way to read it once more, if there is one. */
export interface JsonInput {
  readonly file: string;
  readonly stepper: Stepper<FieldReader>;
  readonly reopen: Reopen | undefined;
}

interface ListHead {
  readonly isArray: boolean;
  hasItems: boolean;
  kind: string | undefined;
  dumpedAt: string | undefined;
}

/**
 * Reads a file of JSON: lists, arrays and objects, one after another. Only one object of it is in memory at a time.
 * Throws `BrokenJson`.
 */
export class JsonStream {
  readonly #input: JsonInput;
  readonly #loader: Loader;
  readonly #reader: FieldReader;
  readonly #stepper: Stepper<FieldReader>;
  /** Where the value that is being read begins. */
  #valueAt = 0;
  /** Within a list: whether an item was read, so that a comma or the end must follow. */
  #afterItem = false;
  #reopened = 0;

  constructor(input: JsonInput, loader: Loader) {
    this.#input = input;
    this.#loader = loader;
    this.#stepper = input.stepper;
    this.#reader = input.stepper.scanner;
  }

  /** Reads to the end of the file. */
  async readAll(): Promise<void> {
    while (await this.#stepper.hasMore()) {
      this.#valueAt = this.#stepper.offset;
      const head = await this.#stepper.step(() => this.#head());
      if (head) await this.#list(head);
    }
  }

  /** Reads an object as a whole, or a list as far as its items. */
  #head(): ListHead | undefined {
    const reader = this.#reader;
    const start = reader.pos;
    const first = reader.peek();
    if (first === BYTE.open) return { isArray: true, hasItems: true, kind: undefined, dumpedAt: undefined };
    if (first !== BYTE.brace) throw new JsonProblem('neither an object nor an array', reader.pos);
    const head: ListHead = { isArray: false, hasItems: false, kind: undefined, dumpedAt: undefined };
    let more = reader.enter(BYTE.unbrace);
    while (more && isListKind(head.kind)) {
      if (this.#isAtItems(head)) return head;
      more = reader.more(BYTE.unbrace);
    }
    if (isListKind(head.kind) && (head.hasItems || head.kind !== undefined)) this.#noteList(head);
    else {
      reader.moveTo(start);
      this.#object(head.kind);
    }
    return undefined;
  }

  /** Reads one key of a list: true if its items begin here. */
  #isAtItems(head: ListHead): boolean {
    const reader = this.#reader;
    reader.key();
    const key = reader.keyText();
    if (key === 'items') {
      head.hasItems = true;
      if (reader.peek() === BYTE.open) return true;
    }
    if (key === 'kind') head.kind = reader.readText() || undefined;
    else if (key === 'metadata') head.dumpedAt = reader.read(LIST_METADATA)?.annotations?.[DUMPED_AT];
    else reader.skipValue();
    return false;
  }

  async #list(head: ListHead): Promise<void> {
    const stepper = this.#stepper;
    await this.#items(head);
    if (head.isArray) return;
    while (await stepper.step(() => this.#reader.more(BYTE.unbrace))) {
      if (await stepper.step(() => this.#isAtItems(head))) await this.#items(head);
    }
    this.#noteList(head);
  }

  #noteList(head: ListHead): void {
    this.#loader.takeList(head.kind, this.#input.file, head.dumpedAt);
  }

  async #items(head: ListHead): Promise<void> {
    const stepper = this.#stepper;
    if (!(await stepper.step(() => this.#reader.enter(BYTE.close)))) return;
    this.#afterItem = false;
    let kind = itemKindOf(head.kind);
    // A list may say its kind only behind its items.
    let mayFollow = !head.isArray && head.kind === undefined;
    while ((await stepper.step(() => this.#batch(kind, mayFollow))) === 'kindless') {
      kind = itemKindOf(await this.#kindBehind());
      mayFollow = false;
    }
  }

  async #kindBehind(): Promise<string | undefined> {
    const near = await this.#stepper.ahead(() => kindBehind(this.#reader), LARGEST_LOOK);
    if (near) return near.found;
    const { reopen } = this.#input;
    return reopen && this.#reopened++ < MOST_REOPENED ? findListKind(reopen, this.#valueAt) : undefined;
  }

  /** Reads items until the list ends, or until one says no kind while the list's kind may still follow. */
  #batch(kind: string | undefined, mayFollow: boolean): 'end' | 'kindless' {
    for (;;) {
      if (this.#afterItem && !this.#reader.more(BYTE.close)) return 'end';
      this.#commit(false);
      const start = this.#reader.pos;
      const itemKind = kind ?? this.#ownKind();
      if (itemKind === undefined && mayFollow) {
        this.#reader.moveTo(start);
        return 'kindless';
      }
      this.#object(itemKind);
      this.#commit(true);
    }
  }

  /** A step that ends early begins again here, so an item is never counted twice. */
  #commit(afterItem: boolean): void {
    this.#afterItem = afterItem;
    this.#stepper.commit();
  }

  /** The kind that the object at this position says it has; the position stays. */
  #ownKind(): string | undefined {
    const reader = this.#reader;
    if (reader.peek() !== BYTE.brace) return '';
    const start = reader.pos;
    let kind: string | undefined;
    let more = reader.enter(BYTE.unbrace);
    while (more && kind === undefined) {
      reader.key();
      if (reader.keyText() === 'kind') kind = reader.readText() || undefined;
      else reader.skipValue();
      more = kind === undefined && reader.more(BYTE.unbrace);
    }
    reader.moveTo(start);
    return kind;
  }

  #object(kind: string | undefined): void {
    const reader = this.#reader;
    const first = reader.peek();
    if (first !== BYTE.brace && first !== BYTE.open) {
      reader.skipValue();
      this.#loader.collection.countNothing();
    } else if (first === BYTE.open || kind === undefined || kind.endsWith('List')) this.#parse();
    else if (isReadKind(kind)) this.#decode(kind);
    else {
      reader.skipValue();
      this.#loader.collection.ignore(kind);
    }
  }

  #decode(kind: ReadKind): void {
    const loader = this.#loader;
    const reader = this.#reader;
    const start = reader.pos;
    const fields = reader.read<FieldsOf<ReadKind>>(FIELDS[kind]);
    const decoded = fields && loader.decoder.decodeFields(kind, fields);
    if (!decoded) {
      loader.collection.ignore(`${kind} without a name`);
      return;
    }
    if (reader.hasUnreadable) loader.unreadable.note(this.#parsed(start), decoded);
    loader.collection.add(decoded);
  }

  /** Parses a value as a whole: for what says no kind, and for lists inside lists. */
  #parse(): void {
    const reader = this.#reader;
    const start = reader.pos;
    reader.skipValue();
    this.#loader.take(this.#parsed(start), this.#input.file);
  }

  /** What stands between there and the present position. */
  #parsed(start: number): unknown {
    const { bytes, pos } = this.#reader;
    try {
      return JSON.parse(bytes.toString('utf8', start, pos));
    } catch {
      throw new JsonProblem('a value that is not JSON', start);
    }
  }
}
