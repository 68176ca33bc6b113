import { InvalidArgumentError, Option } from 'commander';
import { parseTime } from '../cluster/decode/decode-time.ts';
import { FORMATS } from './render.ts';

/** `-o`: the form of the report. */
export function outputOption(): Option {
  return new Option('-o, --output <format>', 'form of the report').choices([...FORMATS]).default('table');
}

/** `--output-file`: where the report goes instead of standard output. */
export function outputFileOption(): Option {
  return new Option('--output-file <file>', 'write it there, whole or not at all').argParser(parsePath);
}

/** A path: not empty. */
export function parsePath(text: string): string {
  if (text === '') throw new InvalidArgumentError('It takes the path of a file.');
  return text;
}

/** `--now`: a point in time with its zone. */
export function parseNow(text: string): Date {
  const ms = parseTime(text);
  if (ms === undefined) throw new InvalidArgumentError('It takes a time like 2026-01-15T09:00:00Z.');
  return new Date(ms);
}

/** `-v`: a whole number from 0. */
export function parseLevel(text: string): number {
  if (!/^\d{1,2}$/u.test(text)) throw new InvalidArgumentError('It takes a whole number from 0.');
  return Number(text);
}

/** A flag that may be given several times, each time with one or more values. */
export function collect(value: string, earlier: readonly string[] | undefined): readonly string[] {
  return [...(earlier ?? []), value];
}

/** Parses names with commas between, of which there is a list; they come in the order of the list. Blanks do not matter. */
export function parseNames<Name extends string>(known: readonly Name[]): (text: string) => readonly Name[] {
  return (text) => {
    const names = new Set(text.split(',').map((name) => name.trim()));
    const chosen = known.filter((name) => names.has(name));
    if (chosen.length === names.size) return chosen;
    throw new InvalidArgumentError(`It takes one or more of ${known.join(', ')}, with commas between.`);
  };
}
