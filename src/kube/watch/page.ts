import { FieldReader } from '../../cluster/bytes/decode-bytes.ts';
import { number, object, unique } from '../../cluster/decode/decode-fields.ts';
import { FIELDS, type FieldsOf, type ReadKind } from '../../cluster/decode/decode-table.ts';
import type { Decoded, Decoder } from '../../cluster/decode/decode.ts';
import { BYTE, Incomplete, JsonProblem, SLACK } from '../../cluster/bytes/json-scanner.ts';
import { type ApiAnswer, noAnswer } from '../http/failure.ts';

/** What a page says about itself: where it goes on (empty at the end), at which version, how many objects are left. */
export interface PageHead {
  readonly next: string;
  readonly resourceVersion: string;
  readonly remaining: number | undefined;
}

/** A page whose head is read; its items are read when they are asked for. */
export interface Page<T> {
  readonly head: PageHead;
  /** Reads the items; once. */
  readonly items: () => ApiAnswer<readonly T[]>;
}

/** Opens the bytes of a page. */
export type OpenPage<T> = (bytes: Buffer) => ApiAnswer<Page<T>>;

const METADATA = object({ continue: unique, resourceVersion: unique, remainingItemCount: number });

/** Opens pages whose objects are decoded straight from the bytes, by the field table. One decoder serves many lists. */
export function decodedPages(kind: ReadKind, decoder: Decoder, reader: FieldReader): OpenPage<Decoded> {
  return (bytes) =>
    readable(() => {
      const scan = new PageScan(reader, padded(bytes));
      const head = scan.head();
      return { head, items: () => readable(() => scan.items(() => decodeNext(kind, decoder, reader))) };
    });
}

/** Opens pages whose objects are parsed as they are. */
export function parsedPages(bytes: Buffer): ApiAnswer<Page<unknown>> {
  return readable(() => {
    const list = JSON.parse(bytes.toString('utf8')) as ListObject | null;
    const { metadata, items } = list ?? {};
    if (typeof metadata !== 'object' || metadata === null || !isItems(items)) throw new NoList();
    const head = headOf({
      continue: textOf(metadata['continue']),
      resourceVersion: textOf(metadata['resourceVersion']),
      remainingItemCount: numberOf(metadata['remainingItemCount']),
    });
    return { head, items: () => ({ ok: true, value: items ?? [] }) };
  });
}

interface ListObject {
  readonly metadata?: Readonly<Record<string, unknown>> | null;
  readonly items?: unknown;
}

/** JSON, but no list. */
class NoList extends Error {}

/** Goes through the bytes of one page; others may use the reader in between. */
class PageScan {
  readonly #reader: FieldReader;
  readonly #bytes: Buffer;
  #itemsAt = -1;

  constructor(reader: FieldReader, bytes: Buffer) {
    this.#reader = reader;
    this.#bytes = bytes;
  }

  /** The metadata, which API servers write before the items; the place of the items is remembered. */
  head(): PageHead {
    const reader = this.#reader;
    this.#moveTo(0);
    if (reader.peek() !== BYTE.brace) throw new NoList();
    let metadata: ReturnType<typeof headOf> | undefined;
    for (let more = reader.enter(BYTE.unbrace); more; more = reader.more(BYTE.unbrace)) {
      reader.key();
      const key = reader.keyText();
      if (key === 'items') {
        this.#itemsAt = reader.peek() === BYTE.open ? reader.pos : -1;
        if (metadata) return metadata;
      }
      if (key === 'metadata') metadata = headOf(reader.read(METADATA));
      else reader.skipValue();
    }
    if (!metadata) throw new NoList();
    return metadata;
  }

  /** All items, and whether the page is whole behind them. */
  items<T>(next: () => T | undefined): readonly T[] {
    const reader = this.#reader;
    const items: T[] = [];
    if (this.#itemsAt < 0) return items;
    this.#moveTo(this.#itemsAt);
    for (let more = reader.enter(BYTE.close); more; more = reader.more(BYTE.close)) {
      const item = next();
      if (item !== undefined) items.push(item);
    }
    return items;
  }

  #moveTo(position: number): void {
    this.#reader.moveTo(position, this.#bytes, this.#bytes.length - 1 - SLACK);
  }
}

/** The scanner wants a zero and some more bytes behind the end. */
function padded(bytes: Buffer): Buffer {
  return Buffer.concat([bytes], bytes.length + 1 + SLACK);
}

function decodeNext(kind: ReadKind, decoder: Decoder, reader: FieldReader): Decoded | undefined {
  const fields = reader.read<FieldsOf<ReadKind>>(FIELDS[kind]);
  return fields && decoder.decodeFields(kind, fields);
}

function headOf(
  metadata: {
    readonly continue: string | undefined;
    readonly resourceVersion: string | undefined;
    readonly remainingItemCount: number | undefined;
  } = { continue: undefined, resourceVersion: undefined, remainingItemCount: undefined },
): PageHead {
  return {
    next: metadata.continue ?? '',
    resourceVersion: metadata.resourceVersion ?? '',
    remaining: metadata.remainingItemCount,
  };
}

/** Garbage may be a fault on the way, so it passes; JSON that is no list comes from another kind of server. */
function readable<T>(read: () => T): ApiAnswer<T> {
  try {
    return { ok: true, value: read() };
  } catch (error) {
    if (error instanceof NoList)
      return { ok: false, failure: noAnswer('invalid', 'the answer is not a Kubernetes list') };
    if (!(error instanceof JsonProblem || error instanceof Incomplete || error instanceof SyntaxError)) throw error;
    return { ok: false, failure: noAnswer('transient', `the answer is not JSON: ${error.message}`) };
  }
}

function isItems(items: unknown): items is readonly unknown[] | null | undefined {
  return items === null || items === undefined || Array.isArray(items);
}

function textOf(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined;
}

function numberOf(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
