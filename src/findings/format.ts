import stringWidth from 'string-width';
import { visible } from '../lib/visible.ts';
import type { Finding } from './finding.ts';

/** The text that findings are about, and the name of its file as the user gave it. */
export interface Document {
  readonly file: string;
  readonly text: string;
}

/** Longer lines are cut around the place, so that the caret stays visible on a terminal. */
const LONGEST_LINE = 100;

/**
 * A finding as plain text: `file:line:column`, severity, message, path and code, the line with a caret under the place,
 * and the hint. Colours are the caller's business.
 */
export function formatFinding(finding: Finding, { file, text }: Document): string {
  const { line, column, severity, message, path, code, hint } = finding;
  const place = path === '' ? '' : `${path}: `;
  return [
    visible(`${file}:${line}:${column}: ${severity}: ${place}${message} [${code}]`),
    ...excerpt(text, line, column),
    ...(hint === undefined ? [] : [visible(`  hint: ${hint}`)]),
  ].join('\n');
}

/** Several findings, an empty line between them. */
export function formatFindings(findings: readonly Finding[], document: Document): string {
  return findings.map((finding) => formatFinding(finding, document)).join('\n\n');
}

/** The line with a caret below the place. */
function excerpt(text: string, line: number, column: number): readonly string[] {
  const whole = text.split(/\r\n|\n|\r/)[line - 1]?.replaceAll('\t', ' ') ?? '';
  if (whole.trim() === '') return [];
  const from = Math.max(0, Math.min(column - 1 - LONGEST_LINE / 2, whole.length - LONGEST_LINE));
  const before = visible(whole.slice(from, column - 1));
  const after = visible(whole.slice(column - 1, from + LONGEST_LINE));
  const lead = `  ${line} | ${from > 0 ? '…' : ''}`;
  const cut = from + LONGEST_LINE < whole.length ? '…' : '';
  return [`${lead}${before}${after}${cut}`, `${' '.repeat(stringWidth(lead + before))}^`];
}
