/** What can be wrong with a text that a user wrote; docs/errors.md explains each. */
export type FindingCode =
  | 'not-yaml'
  | 'too-large'
  | 'empty'
  | 'several-documents'
  | 'duplicate-key'
  | 'unknown-version'
  | 'wrong-kind'
  | 'unknown-key'
  | 'ignored-key'
  | 'wrong-type'
  | 'missing'
  | 'out-of-range'
  | 'not-allowed'
  | 'unknown-plugin'
  | 'wrong-extension-point'
  | 'duplicate-plugin'
  | 'duplicate-profile'
  | 'nothing-enabled'
  | 'no-effect'
  | 'opposite-strategies'
  | 'no-gap'
  | 'deprecated';

/** One thing that is wrong, or doubtful, in a user's text. Lines and columns count from 1, in UTF-16 units. */
export interface Finding {
  readonly code: FindingCode;
  readonly severity: 'error' | 'warning';
  /** Dotted, as `profiles[0].pluginConfig[1].args.nodeFit`; empty for the whole text. */
  readonly path: string;
  readonly line: number;
  readonly column: number;
  /** Lower case, no full stop, concrete values inside. */
  readonly message: string;
  /** What to write instead, or where. */
  readonly hint?: string;
}

/** A path into a document: keys of maps and indexes of lists. */
export type Path = readonly (string | number)[];

/** `['profiles', 0, 'name']` as `profiles[0].name`; keys that are no plain words are quoted. */
export function formatPath(path: Path): string {
  return path.reduce<string>((text, step) => {
    if (typeof step === 'number') return `${text}[${step}]`;
    if (!/^[\w./-]+$/.test(step)) return `${text}[${JSON.stringify(step)}]`;
    return text === '' ? step : `${text}.${step}`;
  }, '');
}

/** Order of a report: by place in the text, then errors first, then by code and message, so that it is total. */
export function compareFindings(a: Finding, b: Finding): number {
  return (
    a.line - b.line ||
    a.column - b.column ||
    compare(a.severity, b.severity) ||
    compare(a.code, b.code) ||
    compare(a.path, b.path) ||
    compare(a.message, b.message)
  );
}

function compare(a: string, b: string): number {
  return a < b ? -1 : Number(a > b);
}
