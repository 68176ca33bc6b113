import { inputName } from '../lib/open-input.ts';

/** Where in a file something is: line and column from 1, or only the byte where the file cannot be read twice. */
export interface Position {
  readonly line?: number;
  readonly column?: number;
  readonly byte?: number;
}

/** A dump that cannot be read: the user's error (exit code 2), one message that names the file, the place and the way out. */
export class DumpError extends Error {
  override readonly name = 'DumpError';
  readonly file: string;
  readonly place: Position | undefined;
  readonly problem: string;
  readonly advice: string;

  constructor(file: string, what: { readonly problem: string; readonly advice: string; readonly place?: Position }) {
    super(`${inputName(file)}${formatPlace(what.place)}: ${what.problem}; ${what.advice}`);
    this.file = file;
    this.place = what.place;
    this.problem = what.problem;
    this.advice = what.advice;
  }
}

/** More of something than any dump has; the message completes "FILE: …". Whoever knows the file makes a `DumpError` of it. */
export class Excess extends Error {
  override readonly name = 'Excess';
  readonly advice: string;

  constructor(problem: string, advice = 'check that it is the right file') {
    super(problem);
    this.advice = advice;
  }
}

function formatPlace(place: Position | undefined): string {
  if (!place) return '';
  if (place.line === undefined) return place.byte === undefined ? '' : ` at byte ${place.byte}`;
  return place.column === undefined ? `:${place.line}` : `:${place.line}:${place.column}`;
}

/** What to do about a file that is damaged. */
export const WRITE_AGAIN = 'write the dump again, for example with `kubectl get nodes,pods -A -o json > cluster.json`';
