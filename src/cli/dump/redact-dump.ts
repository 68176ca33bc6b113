import { createInterface } from 'node:readline';
import { Readable } from 'node:stream';
import { Pseudonyms } from '../../dump/pseudonyms.ts';
import { jsonText } from '../../lib/visible.ts';
import type { TemporaryFile } from '../files/temporary-file.ts';

/** Copies a dump as `dumpCluster` writes it, an object a line, under pseudonyms. */
export async function redactDump(from: TemporaryFile, into: TemporaryFile): Promise<void> {
  const pseudonyms = new Pseudonyms();
  for await (const line of linesOf(from)) if (isObject(line)) pseudonyms.collect(objectOf(line));
  for await (const line of linesOf(from)) {
    const text = isObject(line) ? jsonText(pseudonyms.redact(objectOf(line))) + (line.endsWith(',') ? ',' : '') : line;
    await into.write(`${text}\n`);
  }
}

function linesOf(temporary: TemporaryFile): AsyncIterable<string> {
  return createInterface({ input: Readable.from(temporary.read()), crlfDelay: Infinity });
}

/** The other lines begin and end lists. */
function isObject(line: string): boolean {
  return line.startsWith('{') && !line.endsWith('[');
}

function objectOf(line: string): Readonly<Record<string, unknown>> {
  return JSON.parse(line.replace(/,$/u, '')) as Readonly<Record<string, unknown>>;
}
