import { isAlias, isMap, isScalar, isSeq } from 'yaml';
import type { Alias, Document, Node, Pair, YAMLMap } from 'yaml';
import type { FindingCode, Path } from './finding.ts';
import { formatPath } from './finding.ts';

/** Offsets of a value and of its key in the text. */
export interface Place {
  readonly key?: number;
  readonly value: number;
}

/** By formatted path. */
export type Places = Map<string, Place>;

/** Something wrong in a document that is valid YAML all the same. */
export interface Problem {
  readonly code: FindingCode;
  readonly path: Path;
  readonly offset: number;
  readonly message: string;
  /** Where a duplicate key stands for the first time. */
  readonly firstOffset?: number;
}

/** More values than any policy has; aliases of aliases could otherwise multiply without end. */
const MOST_VALUES = 20_000;

interface Reading {
  readonly document: Document.Parsed;
  readonly places: Places;
  readonly problems: Problem[];
  /** Nodes that are being read: an alias to one of them would never end. */
  readonly open: Set<unknown>;
  /** What aliases stand for; asking the document looks through all of it. */
  readonly targets: Map<Alias, unknown>;
  values: number;
}

/** The value of a parsed document, the places of its parts (added to `places`), and what is wrong with it. */
export function readNode(
  document: Document.Parsed,
  places: Places,
): { readonly value: unknown; readonly problems: readonly Problem[] } {
  const reading: Reading = { document, places, problems: [], open: new Set(), targets: new Map(), values: 0 };
  const value = valueOf(reading, document.contents, []);
  return { value, problems: reading.problems };
}

function valueOf(reading: Reading, node: unknown, path: Path): unknown {
  const { problems, open, places } = reading;
  const target = targetOf(reading, node);
  const offset = offsetOf(node);
  const formatted = formatPath(path);
  places.set(formatted, { ...places.get(formatted), value: offset });
  reading.values += 1;
  if (open.has(target) || reading.values > MOST_VALUES) {
    const message = open.has(target) ? 'an alias that contains itself' : 'too many values; aliases multiply them';
    if (problems.at(-1)?.code !== 'not-yaml') problems.push({ code: 'not-yaml', path, offset, message });
    return undefined;
  }
  if (target === undefined && isAlias(node)) {
    problems.push({ code: 'not-yaml', path, offset, message: `no anchor is called &${node.source}` });
  }
  if (isScalar(target)) return target.value;
  if (!isSeq(target) && !isMap(target)) return null;
  open.add(target);
  const value = isSeq(target)
    ? target.items.map((item, index) => valueOf(reading, item, [...path, index]))
    : mapOf(reading, target, path);
  open.delete(target);
  return value;
}

function targetOf({ document, targets }: Reading, node: unknown): unknown {
  if (!isAlias(node)) return node;
  if (!targets.has(node)) targets.set(node, node.resolve(document));
  return targets.get(node);
}

/** Keys of the map itself win over merged ones; of two equal keys the last wins, as in the reference, with a finding. */
function mapOf(reading: Reading, map: YAMLMap, path: Path): Record<string, unknown> {
  const merged = map.items.filter(isMerge).flatMap(({ value }) => mergedEntries(reading, value, path));
  const own = map.items.filter((pair) => !isMerge(pair));
  const seen = new Map<string, number>();
  const entries = own.flatMap(({ key, value }): [string, unknown][] => {
    const offset = offsetOf(key);
    const name = keyName(key);
    if (name === undefined) {
      reading.problems.push({ code: 'wrong-type', path, offset, message: 'a key must be text' });
      return [];
    }
    const here = [...path, name];
    const firstOffset = seen.get(name);
    if (firstOffset !== undefined) {
      const message = `the key "${name}" is given twice`;
      reading.problems.push({ code: 'duplicate-key', path: here, offset, message, firstOffset });
    }
    seen.set(name, firstOffset ?? offset);
    reading.places.set(formatPath(here), { key: offset, value: offset });
    return [[name, valueOf(reading, value, here)]];
  });
  return Object.fromEntries([...merged.filter(([name]) => !seen.has(name)), ...entries]);
}

function isMerge({ key }: Pair): boolean {
  return isScalar(key) && (key.source ?? key.value) === '<<' && key.type === 'PLAIN';
}

/** The entries that `<<: *anchor` or `<<: [*a, *b]` brings in, the first of a list winning. */
function mergedEntries(reading: Reading, value: unknown, path: Path): [string, unknown][] {
  const target = targetOf(reading, value);
  const maps = isSeq(target) ? target.items.toReversed() : [value];
  return maps.flatMap((map) => {
    const place = reading.places.get(formatPath(path));
    const merged = valueOf(reading, map, path);
    if (place !== undefined) reading.places.set(formatPath(path), place);
    return typeof merged === 'object' && merged !== null && !Array.isArray(merged) ? Object.entries(merged) : [];
  });
}

/** A plain key as written: `on` stays `on` although it is a boolean as a value. */
function keyName(key: unknown): string | undefined {
  if (!isScalar(key)) return undefined;
  return key.type === 'PLAIN' && key.source !== undefined ? key.source : String(key.value);
}

function offsetOf(node: unknown): number {
  const { range } = (node ?? {}) as Partial<Node>;
  return range?.[0] ?? 0;
}
