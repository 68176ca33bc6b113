import { EMPTY_HISTORY, type HistoryState, type PastBlock, type PastEviction, type Remembered } from './history.ts';

/** The format that is written; others are not read. */
const VERSION = 1;

/** A text and how much of the history it had no room for. */
export interface HistoryText {
  readonly text: string;
  readonly lostEvictions: number;
  readonly lostBlocks: number;
}

/**
 * A history as JSON, one entry a line. Over `mostBytes` the oldest blocks are left out first, then the oldest evictions:
 * a block forgotten is a useless try, an eviction forgotten is one too many.
 */
export function writeHistory({ evictions, blocks }: HistoryState, mostBytes: number): HistoryText {
  const oldestFirst = blocks.toSorted((a, b) => a.at - b.at);
  let room = mostBytes - layout([], []).length;
  const keptEvictions = newestWithin(evictions.map(evictionLine), room);
  room -= keptEvictions.reduce((used, line) => used + bytesOf(line), 0);
  const keptBlocks = newestWithin(oldestFirst.map(blockLine), room);
  return {
    text: layout(keptEvictions, keptBlocks),
    lostEvictions: evictions.length - keptEvictions.length,
    lostBlocks: blocks.length - keptBlocks.length,
  };
}

/** Reads what `writeHistory` has written. Never throws: what can't be read is left out, and a warning says so. */
export function readHistory(text: string): Remembered {
  const fields = parsed(text);
  if (!isRecord(fields) || fields.version !== VERSION) {
    const warning = 'its content cannot be read, so that limits start afresh: earlier evictions are not known';
    return { state: EMPTY_HISTORY, warnings: [warning] };
  }
  const given = [...listAt(fields, 'evictions'), ...listAt(fields, 'blocks')];
  const evictions = listAt(fields, 'evictions').flatMap(evictionOf);
  const blocks = listAt(fields, 'blocks').flatMap(blockOf);
  const bad = given.length - evictions.length - blocks.length;
  const warnings = bad === 0 ? [] : [`${bad} of its ${given.length} entries cannot be read and do not count`];
  return { state: { evictions, blocks }, warnings };
}

function layout(evictions: readonly string[], blocks: readonly string[]): string {
  const list = (lines: readonly string[]) => (lines.length === 0 ? '[]' : `[\n${lines.join(',\n')}\n]`);
  return `{"version":${VERSION},\n"evictions":${list(evictions)},\n"blocks":${list(blocks)}}\n`;
}

function evictionLine({ at, namespace, owner, node, id }: PastEviction): string {
  return JSON.stringify([new Date(Math.ceil(at)).toISOString(), namespace, owner, node, id]);
}

function blockLine({ at, count, uid }: PastBlock): string {
  return JSON.stringify([new Date(Math.ceil(at)).toISOString(), count, uid]);
}

/** With the comma and the line's end. */
function bytesOf(line: string): number {
  return new TextEncoder().encode(line).length + 2;
}

function newestWithin(lines: readonly string[], room: number): readonly string[] {
  let used = 0;
  const firstKept = lines.findLastIndex((line) => {
    used += bytesOf(line);
    return used > room;
  });
  return lines.slice(firstKept + 1);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function listAt(fields: Readonly<Record<string, unknown>>, key: string): readonly unknown[] {
  const list = fields[key];
  return Array.isArray(list) ? list : [];
}

function evictionOf(raw: unknown): readonly PastEviction[] {
  if (!Array.isArray(raw)) return [];
  const [time, namespace, owner, node, id] = raw as readonly unknown[];
  const at = momentOf(time);
  const isWhole =
    typeof namespace === 'string' && typeof owner === 'string' && typeof node === 'string' && typeof id === 'string';
  return at === undefined || !isWhole ? [] : [{ at, namespace, owner, node, id }];
}

function blockOf(raw: unknown): readonly PastBlock[] {
  if (!Array.isArray(raw)) return [];
  const [time, count, uid] = raw as readonly unknown[];
  const at = momentOf(time);
  const isWhole = typeof count === 'number' && Number.isSafeInteger(count) && count > 0 && typeof uid === 'string';
  return at === undefined || !isWhole ? [] : [{ at, count, uid }];
}

function momentOf(time: unknown): number | undefined {
  const at = typeof time === 'string' ? Date.parse(time) : Number.NaN;
  return Number.isNaN(at) ? undefined : at;
}
