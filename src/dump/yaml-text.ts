import { LineCounter, parseDocument, type Document } from 'yaml';
import { isRecord } from '../cluster/decode-json.ts';
import type { Intake } from './intake.ts';

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
export function takeYaml(text: string, origin: Origin, intake: Intake): void {
  const parts = splitItems(text);
  if (!parts || !takeInParts(parts, origin, intake)) intake.take(parse(text, origin.linesBefore), origin.file);
}

interface Parts {
  /** The document without its items. */
  readonly head: string;
  readonly items: readonly { readonly text: string; readonly line: number }[];
}

/** A block list written as kubectl does: `items:` at the start of a line, each entry's dash in the same column. */
function splitItems(text: string): Parts | undefined {
  // An alias may point into another item.
  if (/(^|[\s[{,])[&*][^\s*&]/m.test(text)) return undefined;
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

function takeInParts({ head, items }: Parts, origin: Origin, intake: Intake): boolean {
  const list = headOf(head);
  if (!list) return false;
  for (const { text, line } of items) {
    intake.take({ ...list, items: parse(text, origin.linesBefore + line) }, origin.file);
  }
  return true;
}

/** Undefined where it is broken: read as a whole, the document shows the right line. */
function headOf(text: string): Readonly<Record<string, unknown>> | undefined {
  try {
    const head = parse(text, 0);
    return isRecord(head) ? head : undefined;
  } catch {
    return undefined;
  }
}

function parse(text: string, linesBefore: number): unknown {
  const lineCounter = new LineCounter();
  const document = documentOf(text, lineCounter);
  const [error] = document.errors;
  if (error) {
    const { line, col } = lineCounter.linePos(error.pos[0]);
    throw new BrokenYaml(lowerFirst(error.message), linesBefore + line, col);
  }
  try {
    return document.toJS();
  } catch (problem) {
    throw new BrokenYaml(lowerFirst(problem instanceof Error ? problem.message : String(problem)), linesBefore + 1, 1);
  }
}

/** The library makes an error for each mistake; without stacks, in which most of the time would go. */
function documentOf(text: string, lineCounter: LineCounter): Document.Parsed {
  const { stackTraceLimit } = Error;
  Error.stackTraceLimit = 0;
  try {
    return parseDocument(text, { lineCounter, uniqueKeys: false, logLevel: 'silent', prettyErrors: false });
  } finally {
    Error.stackTraceLimit = stackTraceLimit;
  }
}

function lowerFirst(text: string): string {
  return text.charAt(0).toLowerCase() + text.slice(1);
}
