import { isScalar, LineCounter } from 'yaml';
import type { SchemaOptions, YAMLError } from 'yaml';
import type { Finding, FindingCode, Path } from './finding.ts';
import { formatPath } from './finding.ts';
import { yamlDocuments } from './yaml-documents.ts';
import { readNode } from './yaml-value.ts';
import type { Location } from './yaml-value.ts';

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

/** What no policy comes near; within these limits reading takes a moment, whatever the text. A ConfigMap holds no more. */
const LONGEST_TEXT = 1 << 20;
/** A value takes about six words. */
const LIMITS = { levels: 100, words: 100_000 };
const MOST_SYNTAX_FINDINGS = 5;
/** What neither YAML nor JSON has outside of escapes: control characters other than tab and line ends. */
const UNREADABLE = /(?![\t\n\r\u0085])\p{Cc}/u;

/** The YAML 1.1 booleans that Kubernetes reads as such and YAML 1.2 does not. */
const oldBooleans = [
  { tag: 'tag:yaml.org,2002:bool', default: true, test: /^(?:[Yy]es|YES|[Oo]n|ON)$/, resolve: () => true },
  { tag: 'tag:yaml.org,2002:bool', default: true, test: /^(?:[Nn]o|NO|[Oo]ff|OFF)$/, resolve: () => false },
];

const SCHEMA: SchemaOptions = { merge: true, customTags: (tags) => [...tags, ...oldBooleans] };
const HINT = 'no such file comes near that; check that it is the right one';

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
 * aliases and merge keys are resolved; keys stay as written. `longest` is how many characters are read.
 */
export function readYaml(text: string, { longest = LONGEST_TEXT }: { readonly longest?: number } = {}): YamlSource {
  const lines = new LineCounter();
  const { value, place, troubles } =
    text.length > longest ? unread([tooLong(text.length, longest)]) : read(text, lines);
  return {
    value,
    findings: troubles.map((trouble) => findingOf(trouble, lines)),
    within: [],
    positionOf: (path, part) => {
      const key = positionAt(lines, offsetAt(place, path, 'key'));
      const wanted = positionAt(lines, offsetAt(place, path, part));
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
  readonly place?: Location;
  readonly troubles: readonly Trouble[];
}

function read(text: string, lines: LineCounter): Read {
  const strange = text.search(UNREADABLE);
  if (strange >= 0) {
    countLines(text, lines);
    return unread([strangeCharacter(text, strange)]);
  }
  const documents = yamlDocuments(text, { limits: LIMITS, lines, schema: SCHEMA });
  if ('message' in documents) return unread([{ code: 'too-large', ...documents, hint: HINT }]);
  const syntax = documents.flatMap(({ errors, warnings }) => [...errors, ...warnings]).slice(0, MOST_SYNTAX_FINDINGS);
  if (syntax.length > 0) {
    return unread(syntax.map((error) => ({ code: 'not-yaml', offset: error.pos[0], message: syntaxMessage(error) })));
  }
  const [first, second] = documents.filter(({ contents }) => !isScalar(contents) || contents.value !== null);
  if (first === undefined) return unread([nothing]);
  const { value, place, problems } = readNode(first);
  const troubles = problems.map(({ firstOffset, ...problem }): Trouble => {
    if (firstOffset === undefined) return problem;
    return { ...problem, hint: `first given on line ${positionAt(lines, firstOffset).line}` };
  });
  if (second !== undefined) troubles.push({ ...severalDocuments, offset: second.range[0] });
  return { value, place, troubles };
}

function tooLong(length: number, longest: number): Trouble {
  const megabytes = (length / (1 << 20)).toFixed(1);
  const message = `${megabytes} MB of text; at most ${longest >> 20} MB is read`;
  return { code: 'too-large', offset: 0, message, hint: HINT };
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

function syntaxMessage({ message }: YAMLError): string {
  const text = message.replace(/\s+/g, ' ').trim();
  return `not valid YAML: ${text.slice(0, 1).toLowerCase()}${text.slice(1)}`;
}

function offsetAt(root: Location | undefined, path: Path, part: 'key' | 'value'): number {
  let place = root;
  for (const step of path) {
    const next = place?.below.get(step);
    if (next === undefined) return place?.key ?? place?.value ?? 0;
    place = next;
  }
  return (part === 'key' ? place?.key : undefined) ?? place?.value ?? 0;
}

function positionAt(lines: LineCounter, offset: number): Position {
  const { line, col } = lines.linePos(offset);
  return { line: Math.max(1, line), column: Math.max(1, col) };
}
