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

/** So many findings are shown, the others counted: nobody mends more in one go. */
export const MOST_SHOWN = 100;
const LONGEST_PATH = 200;
const LONGEST_MESSAGE = 500;
const LONGEST_HINT = 1000;

/** The findings that are shown, errors before warnings if there are too many, and a line that counts the others. */
export function shownFindings(findings: readonly Finding[]): {
  readonly shown: readonly Finding[];
  readonly others: string | undefined;
} {
  if (findings.length <= MOST_SHOWN) return { shown: findings, others: undefined };
  const isError = ({ severity }: Finding) => severity === 'error';
  const byWeight = [...findings.filter(isError), ...findings.filter((finding) => !isError(finding))];
  const hidden = new Set(byWeight.slice(MOST_SHOWN));
  const errors = [...hidden].filter(isError).length;
  const counts = [counted(errors, 'error'), counted(hidden.size - errors, 'warning')].filter((text) => text !== '');
  return { shown: findings.filter((finding) => !hidden.has(finding)), others: `and ${counts.join(' and ')} more` };
}

function counted(number: number, what: string): string {
  return number === 0 ? '' : `${number} ${what}${number === 1 ? '' : 's'}`;
}

/**
 * A finding as plain text: `file:line:column`, severity, message, path and code, the line with a caret under the place,
 * and the hint. Colours are the caller's business.
 */
export function formatFinding(finding: Finding, { file, text }: Document): string {
  return formatIn(finding, { file, lines: linesOf(text) });
}

/** Several findings, an empty line between them; of very many the first, and how many more there are. */
export function formatFindings(findings: readonly Finding[], { file, text }: Document): string {
  const { shown, others } = shownFindings(findings);
  const lines = linesOf(text);
  return [...shown.map((finding) => formatIn(finding, { file, lines })), others]
    .filter((part) => part !== undefined)
    .join('\n\n');
}

interface Lines {
  readonly file: string;
  readonly lines: readonly string[];
}

function linesOf(text: string): readonly string[] {
  return text.split(/\r\n|\n|\r/);
}

function formatIn(finding: Finding, { file, lines }: Lines): string {
  const { line, column, severity, code } = finding;
  const { path, message, hint } = shortened(finding);
  const place = path === '' ? '' : `${path}: `;
  return [
    visible(`${file}:${line}:${column}: ${severity}: ${place}${message} [${code}]`),
    ...excerpt(lines[line - 1] ?? '', line, column),
    ...(hint === undefined ? [] : [visible(`  hint: ${hint}`)]),
  ].join('\n');
}

/** The finding with what is very long cut: it repeats parts of the user's text. */
export function shortened(finding: Finding): Finding {
  const { path, message, hint } = finding;
  return {
    ...finding,
    path: cut(path, LONGEST_PATH),
    message: cut(message, LONGEST_MESSAGE),
    ...(hint === undefined ? {} : { hint: cut(hint, LONGEST_HINT) }),
  };
}

function cut(text: string, longest: number): string {
  return text.length > longest ? `${text.slice(0, longest - 1)}…` : text;
}

/** The line with a caret below the place. */
function excerpt(text: string, line: number, column: number): readonly string[] {
  const whole = text.replaceAll('\t', ' ');
  if (whole.trim() === '') return [];
  const from = Math.max(0, Math.min(column - 1 - LONGEST_LINE / 2, whole.length - LONGEST_LINE));
  const before = visible(whole.slice(from, column - 1));
  const after = visible(whole.slice(column - 1, from + LONGEST_LINE));
  const lead = `  ${line} | ${from > 0 ? '…' : ''}`;
  const cut = from + LONGEST_LINE < whole.length ? '…' : '';
  return [`${lead}${before}${after}${cut}`, `${' '.repeat(stringWidth(lead + before))}^`];
}
