import { Composer, LineCounter, Parser, isScalar } from 'yaml';
import type { CST, Document, YAMLError } from 'yaml';
import type { Finding, FindingCode, Path } from './finding.ts';
import { formatPath } from './finding.ts';
import { readNode } from './yaml-value.ts';
import type { Places } from './yaml-value.ts';

/** A line and a column, from 1. */
export interface Position {
  readonly line: number;
  readonly column: number;
}

/** A document of a user as a plain value, with the place of everything in it. */
export interface YamlSource {
  /** Undefined if the text cannot be read at all; `findings` then say why. */
  readonly value: unknown;
  /** What is wrong with the text as YAML: syntax, duplicate keys, several documents. */
  readonly findings: readonly Finding[];
  /**
   * Where a key or its value stands: the key, if its value begins on a later line. For a path that is not there, where
   * its nearest ancestor stands.
   */
  readonly positionOf: (path: Path, part: 'key' | 'value') => Position;
  /** Where the document stands in another one whose text this is; empty if it stands alone. */
  readonly within: Path;
}

/** More levels than any document needs, and few enough for every stack. */
const DEEPEST = 100;
const MOST_SYNTAX_FINDINGS = 5;
/** What neither YAML nor JSON has outside of escapes: control characters other than tab and line ends. */
const UNREADABLE = /(?![\t\n\r\u0085])\p{Cc}/u;

/** The YAML 1.1 booleans that Kubernetes reads as such and YAML 1.2 does not. */
const oldBooleans = [
  { tag: 'tag:yaml.org,2002:bool', default: true, test: /^(?:[Yy]es|YES|[Oo]n|ON)$/, resolve: () => true },
  { tag: 'tag:yaml.org,2002:bool', default: true, test: /^(?:[Nn]o|NO|[Oo]ff|OFF)$/, resolve: () => false },
];

/** Something wrong at an offset of the text. */
interface Trouble {
  readonly code: FindingCode;
  readonly offset: number;
  readonly message: string;
  readonly path?: Path;
  readonly hint?: string | undefined;
}

/**
 * Reads a text of YAML or JSON that holds one document. Throws nothing: whatever is wrong becomes a finding. Anchors,
 * aliases and merge keys are resolved; keys stay as written.
 */
export function readYaml(text: string): YamlSource {
  const lines = new LineCounter();
  const places: Places = new Map();
  const { value, troubles } = read(text, lines, places);
  return {
    value,
    findings: troubles.map((trouble) => findingOf(trouble, lines)),
    within: [],
    positionOf: (path, part) => {
      const key = positionAt(lines, offsetOf(places, path, 'key'));
      const wanted = positionAt(lines, offsetOf(places, path, part));
      return wanted.line > key.line ? key : wanted;
    },
  };
}

function findingOf({ code, offset, message, path = [], hint }: Trouble, lines: LineCounter): Finding {
  const at = { ...positionAt(lines, offset), path: formatPath(path) };
  return { code, severity: 'error', ...at, message, ...(hint === undefined ? {} : { hint }) };
}

interface Read {
  readonly value: unknown;
  readonly troubles: readonly Trouble[];
}

function read(text: string, lines: LineCounter, places: Places): Read {
  const strange = text.search(UNREADABLE);
  if (strange >= 0) {
    countLines(text, lines);
    return unread([strangeCharacter(text, strange)]);
  }
  const tokens = [...new Parser(lines.addNewLine).parse(text)];
  const tooDeep = offsetBelow(tokens, DEEPEST);
  if (tooDeep !== undefined) {
    return unread([{ code: 'not-yaml', offset: tooDeep, message: `nested more than ${DEEPEST} levels deep` }]);
  }
  const documents = compose(tokens, text.length);
  const syntax = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]).slice(0, MOST_SYNTAX_FINDINGS);
  if (syntax.length > 0) {
    return unread(syntax.map((error) => ({ code: 'not-yaml', offset: error.pos[0], message: syntaxMessage(error) })));
  }
  const [first, second] = documents.filter(({ contents }) => !isScalar(contents) || contents.value !== null);
  if (first === undefined) return unread([nothing]);
  const { value, problems } = readNode(first, places);
  const troubles = problems.map(({ firstOffset, ...problem }): Trouble => {
    if (firstOffset === undefined) return problem;
    return { ...problem, hint: `first given on line ${positionAt(lines, firstOffset).line}` };
  });
  if (second === undefined) return { value, troubles };
  return { value, troubles: [...troubles, { ...severalDocuments, offset: second.range[0] }] };
}

function unread(troubles: readonly Trouble[]): Read {
  return { value: undefined, troubles };
}

/** For a text that no parser counts the lines of. */
function countLines(text: string, lines: LineCounter): void {
  lines.addNewLine(0);
  for (const { 0: end, index } of text.matchAll(/\r\n?|\n/g)) lines.addNewLine(index + end.length);
}

function strangeCharacter(text: string, offset: number): Trouble {
  const code = text.charCodeAt(offset).toString(16).toUpperCase().padStart(4, '0');
  const hint = 'it may be packed, binary or UTF-16; save it as UTF-8 text';
  return { code: 'not-yaml', offset, message: `not text: it has the character U+${code}`, hint };
}

const nothing = {
  code: 'empty',
  offset: 0,
  message: 'there is nothing in it',
  hint: 'write the document into it, or give the path of another file',
} as const;

const severalDocuments = {
  code: 'several-documents',
  message: 'a second document starts here; only one is read',
  hint: 'keep one document in the file: remove the line --- and what follows it, or what precedes it',
} as const;

function compose(tokens: readonly CST.Token[], length: number): readonly Document.Parsed[] {
  const composer = new Composer({
    merge: true,
    uniqueKeys: false,
    prettyErrors: false,
    customTags: (tags) => [...tags, ...oldBooleans],
  });
  return [...composer.compose(tokens, false, length)];
}

function syntaxMessage({ message }: YAMLError): string {
  const text = message.replace(/\s+/g, ' ').trim();
  return `not valid YAML: ${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}

/** The offset of the first token below that many levels; without recursion, since that is what it protects from. */
function offsetBelow(tokens: readonly CST.Token[], levels: number): number | undefined {
  let level: readonly CST.Token[] = tokens;
  for (let depth = 0; depth <= levels; depth += 1) {
    level = level.flatMap(children);
    if (level.length === 0) return undefined;
  }
  return level[0]?.offset;
}

function children(token: CST.Token): readonly CST.Token[] {
  if (token.type === 'document') return token.value === undefined ? [] : [token.value];
  if (!('items' in token)) return [];
  return token.items.flatMap(({ key, value }) => [key, value].filter((child) => child !== undefined && child !== null));
}

function offsetOf(places: Places, path: Path, part: 'key' | 'value'): number {
  const place = places.get(formatPath(path));
  if (place !== undefined) return part === 'key' ? (place.key ?? place.value) : place.value;
  return path.length === 0 ? 0 : offsetOf(places, path.slice(0, -1), 'key');
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}
