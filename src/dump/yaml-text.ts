import { Lexer, LineCounter } from 'yaml';
import { isRecord } from '../cluster/decode/decode-json.ts';
import { briefly, yamlDocuments } from '../findings/yaml-documents.ts';
import { Excess } from './dump-error.ts';
import type { Loader } from './loader.ts';

/** YAML that cannot be read; `line` and `column` count from 1 in the whole file. */
export class BrokenYaml extends Error {
  override readonly name = 'BrokenYaml';
  readonly line: number;
  readonly column: number;

  constructor(problem: string, line: number, column: number) {
    super(problem);
    this.line = line;
    this.column = column;
  }
}

/** Where a piece of text comes from: the file, and how many of its lines stand before the piece. */
export interface Origin {
  readonly file: string;
  readonly linesBefore: number;
}

/**
 * Reads one YAML document. The items of a list are parsed one by one, which keeps memory small and positions right.
 * Throws `BrokenYaml`.
 */
export function takeYaml(text: string, origin: Origin, loader: Loader): void {
  const parts = splitItems(text);
  if (parts && takeInParts(parts, origin, loader)) return;
  for (const document of parse(text, origin.linesBefore)) loader.take(document, origin.file);
}

interface Parts {
  /** The document without its items. */
  readonly head: string;
  readonly items: readonly { readonly text: string; readonly line: number }[];
}

/** A block list written as kubectl does: `items:` at the start of a line, each entry's dash in the same column. */
function splitItems(text: string): Parts | undefined {
  const lines = text.split('\n');
  const start = lines.findIndex((line) => /^items:\s*$/.test(line));
  const indent = /^( *)- /.exec(lines[start + 1] ?? '')?.[1];
  if (start < 0 || indent === undefined) return undefined;
  const dash = `${indent}- `;
  const isInside = (line: string): boolean =>
    line.startsWith(dash) || line.startsWith(`${indent} `) || line.trim() === '' || line.startsWith('#');
  let end = start + 1;
  while (end < lines.length && isInside(lines[end] ?? '')) end++;
  if (lines[end]?.startsWith(`${indent}-`)) return undefined;
  return {
    head: [...lines.slice(0, start), ...lines.slice(end)].join('\n'),
    items: itemsOf(lines, { start, end, dash }),
  };
}

function itemsOf(
  lines: readonly string[],
  { start, end, dash }: { readonly start: number; readonly end: number; readonly dash: string },
): Parts['items'] {
  const starts: number[] = [];
  for (let line = start + 1; line < end; line++) if (lines[line]?.startsWith(dash)) starts.push(line);
  return starts.map((first, index) => ({
    text: lines.slice(first, starts[index + 1] ?? end).join('\n'),
    line: first,
  }));
}

function takeInParts({ head, items }: Parts, origin: Origin, loader: Loader): boolean {
  const list = headOf(head);
  if (!list || hasAlias(head) || items.some(({ text }) => hasAlias(text))) return false;
  for (const { text, line } of items) {
    const [entries] = parse(text, origin.linesBefore + line);
    loader.take({ ...list, items: entries }, origin.file);
  }
  return true;
}

/** An alias may stand for something in another item. What only looks like one is common, in scripts for example. */
function hasAlias(text: string): boolean {
  if (!/(^|[\s[{,])\*[^\s*]/m.test(text)) return false;
  for (const word of new Lexer().lex(text)) if (word.startsWith('*')) return true;
  return false;
}

/** Undefined where it is broken: read as a whole, the document shows the right line. */
function headOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const [head] = parse(text, 0);
    return isRecord(head) ? head : undefined;
  } catch {
    return undefined;
  }
}

/** Needs some 600 MB at most. What is written in parts, as kubectl does, may be much larger. */
const LIMITS = { levels: 500, words: 2_000_000 };

function parse(text: string, linesBefore: number): readonly unknown[] {
  const lines = new LineCounter();
  const documents = yamlDocuments(text, { limits: LIMITS, lines });
  if ('message' in documents) throw tooLarge(documents.message, linesBefore + lines.linePos(documents.offset).line);
  const error = documents.find(({ errors }) => errors.length > 0)?.errors[0];
  if (error) {
    const { line, col } = lines.linePos(error.pos[0]);
    throw new BrokenYaml(lowerFirst(error.message), linesBefore + line, col);
  }
  try {
    return documents.map((document): unknown => document.toJS());
  } catch (problem) {
    throw new BrokenYaml(
      lowerFirst(briefly(problem instanceof Error ? problem.message : String(problem))),
      linesBefore + 1,
      1,
    );
  }
}

function tooLarge(message: string, line: number): Excess {
  return new Excess(`is YAML that cannot be read in parts, and from line ${line} on ${message}`, AS_JSON);
}

/** What to do about YAML that is too large. */
export const AS_JSON = 'write the dump as JSON (`-o json` instead of `-o yaml`), which can be of any size';

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
