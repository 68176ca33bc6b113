import { isAlias, isMap, isScalar, isSeq, visit } from 'yaml';
import type { Alias, Document, Node, Pair, YAMLMap } from 'yaml';
import type { FindingCode, Path } from './finding.ts';

/** Offsets of a value and of its key in the text, and the places of what is in it. */
export interface Location {
  key?: number;
  value: number;
  readonly below: Map<string | number, Location>;
}

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
/** The longest key that YAML allows without further signs. */
const LONGEST_KEY = 1024;

interface Reading {
  readonly problems: Problem[];
  /** Nodes that are being read: an alias to one of them would never end. */
  readonly open: Set<unknown>;
  readonly targets: ReadonlyMap<Alias, unknown>;
  values: number;
}

/** Where a value stands in the document, by its path and in the tree of places. */
interface Spot {
  readonly path: Path;
  readonly place: Location;
}

/** The value of a parsed document, the places of its parts, and what is wrong with it. */
export function readNode(document: Document.Parsed): {
  readonly value: unknown;
  readonly place: Location;
  readonly problems: readonly Problem[];
} {
  const reading: Reading = { problems: [], open: new Set(), targets: targetsOf(document), values: 0 };
  const place = { value: 0, below: new Map<string | number, Location>() };
  const value = valueOf(reading, document.contents, { path: [], place });
  return { value, place, problems: reading.problems };
}

/** What each alias stands for: the last node before it that has the anchor. */
function targetsOf(document: Document.Parsed): ReadonlyMap<Alias, unknown> {
  const anchors = new Map<string, Node>();
  const targets = new Map<Alias, unknown>();
  visit(document, {
    Node: (_, node) => {
      if (isAlias(node)) targets.set(node, anchors.get(node.source));
      else if (node.anchor !== undefined) anchors.set(node.anchor, node);
    },
  });
  return targets;
}

function valueOf(reading: Reading, node: unknown, { path, place }: Spot): unknown {
  const { problems, open } = reading;
  const target = targetOf(reading, node);
  const offset = offsetOf(node);
  place.value = offset;
  reading.values += 1;
  if (reading.values > MOST_VALUES) {
    noteTooMany(reading, path, offset);
    return undefined;
  }
  if (open.has(target)) {
    problems.push({ code: 'not-yaml', path, offset, message: 'an alias that contains itself' });
    return undefined;
  }
  if (target === undefined && isAlias(node)) {
    problems.push({ code: 'not-yaml', path, offset, message: `no anchor is called &${node.source}` });
  }
  if (isScalar(target)) return target.value;
  if (!isSeq(target) && !isMap(target)) return null;
  open.add(target);
  const value = isSeq(target)
    ? target.items.map((item, index) => valueOf(reading, item, below({ path, place }, index, offsetOf(item))))
    : mapOf(reading, target, { path, place });
  open.delete(target);
  return value;
}

/** Said once; what follows is not read. */
function noteTooMany({ values, targets, problems }: Reading, path: Path, offset: number): void {
  if (values !== MOST_VALUES + 1) return;
  const why = targets.size > 0 ? ' once its aliases are resolved' : '';
  problems.push({ code: 'too-large', path, offset, message: `it has more than ${MOST_VALUES} values${why}` });
}

function below({ path, place }: Spot, step: string | number, offset: number): Spot {
  const child: Location = { value: offset, below: new Map() };
  if (typeof step === 'string') child.key = offset;
  place.below.set(step, child);
  return { path: [...path, step], place: child };
}

function targetOf({ targets }: Reading, node: unknown): unknown {
  return isAlias(node) ? targets.get(node) : node;
}

/** Keys of the map itself win over merged ones; of two equal keys the last wins, as in the Go descheduler, with a finding. */
function mapOf(reading: Reading, map: YAMLMap, spot: Spot): Record<string, unknown> {
  const merged = map.items.filter(isMerge).flatMap(({ value }) => mergedEntries(reading, value, spot));
  const own = map.items.filter((pair) => !isMerge(pair));
  const seen = new Map<string, number>();
  const entries = own.flatMap(({ key, value }): [string, unknown][] => {
    const offset = offsetOf(key);
    const name = keyName(key);
    if (name === undefined || name.length > LONGEST_KEY) {
      reading.problems.push({ ...wrongKey(name), path: spot.path, offset });
      return [];
    }
    const here = below(spot, name, offset);
    const firstOffset = seen.get(name);
    if (firstOffset !== undefined) {
      const message = `the key "${name}" is given twice`;
      reading.problems.push({ code: 'duplicate-key', path: here.path, offset, message, firstOffset });
    }
    seen.set(name, firstOffset ?? offset);
    return [[name, valueOf(reading, value, here)]];
  });
  return Object.fromEntries([...merged.filter(([name]) => !seen.has(name)), ...entries]);
}

function wrongKey(name: string | undefined): Pick<Problem, 'code' | 'message'> {
  if (name === undefined) return { code: 'wrong-type', message: 'a key must be text' };
  return { code: 'too-large', message: `a key of ${name.length} characters; the longest has ${LONGEST_KEY}` };
}

function isMerge({ key }: Pair): boolean {
  return isScalar(key) && (key.source ?? key.value) === '<<' && key.type === 'PLAIN';
}

/** The entries that `<<: *anchor` or `<<: [*a, *b]` brings in, the first of a list winning. */
function mergedEntries(reading: Reading, value: unknown, { path, place }: Spot): [string, unknown][] {
  const target = targetOf(reading, value);
  const maps = isSeq(target) ? target.items.toReversed() : [value];
  const { value: own } = place;
  return maps.flatMap((map) => {
    const merged = valueOf(reading, map, { path, place });
    place.value = own;
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
