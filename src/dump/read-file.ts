import { setImmediate as nextTurn } from 'node:timers/promises';
import { BYTE } from '../cluster/bytes/json-scanner.ts';
import { described, openSource, type ByteSource } from './byte-source.ts';
import { DumpError, Excess, WRITE_AGAIN, type Position } from './dump-error.ts';
import type { Loader } from './loader.ts';
import { MemoryWatch } from './memory-watch.ts';
import { JsonStream } from './json-stream.ts';
import { BrokenJson, Stepper } from './stepper.ts';
import { readYaml } from './yaml-stream.ts';
import { BrokenYaml } from './yaml-text.ts';

/** How a file is read. */
export interface ReadOptions {
  /** Largest YAML document, in bytes; only tests change it. */
  readonly yamlLimit?: number;
  readonly signal?: AbortSignal;
}

/** Reads one file, JSON or YAML by its content. Throws `DumpError`. */
export async function readFile(
  file: string,
  loader: Loader,
  { yamlLimit, signal }: ReadOptions = {},
): Promise<{ readonly isEmpty: boolean }> {
  const source = await openSource(file, { signal });
  const memory = new MemoryWatch();
  try {
    const stepper = new Stepper(guarded(source, memory), loader.reader);
    const start = await beginningOf(stepper);
    const first = start[firstInk(start)];
    if (start.subarray(0, 1024).includes(0)) throw notText(file);
    if (first === BYTE.brace || first === BYTE.open) {
      const reopen = source.repeatable ? (from: number) => openSource(file, { signal, from }) : undefined;
      await new JsonStream({ file, stepper, reopen }, loader).readAll();
    } else if (first !== undefined) {
      await readYaml(stepper, { file, loader, ...(yamlLimit !== undefined && { limit: yamlLimit }) });
    }
    return { isEmpty: first === undefined };
  } catch (error) {
    throw await explained(file, source, error);
  } finally {
    memory.close();
    await source.close();
  }
}

/** The same source, but it ends with a message instead of never, or of the process's memory. */
function guarded(source: ByteSource, memory: MemoryWatch): ByteSource {
  let total = 0;
  return {
    repeatable: source.repeatable,
    offset: source.offset,
    close: () => source.close(),
    read: async (buffer, at) => {
      const length = await source.read(buffer, at);
      // Word of a collection, or of a signal, comes only in between.
      await nextTurn();
      total += length;
      if (total > MOST_BYTES) throw new Excess(`does not end: ${MOST_BYTES / 1024 ** 3} GB of it were read`);
      if (memory.isShort) throw new Excess('needs more memory than this process may use', MORE_MEMORY);
      return length;
    },
  };
}

/** Several times the largest cluster. */
const MOST_BYTES = 32 * 1024 ** 3;
const MORE_MEMORY = 'allow it more, in MB: NODE_OPTIONS=--max-old-space-size=8192';

/** The first bytes up to some text, behind a byte order mark. */
async function beginningOf(stepper: Stepper<Loader['reader']>): Promise<Buffer> {
  const start = await stepper.readUntil((bytes) => bytes.length > 3);
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) await stepper.skipTo(3);
  const bytes = await stepper.readUntil((read) => firstInk(read) < read.length || read.length > LONGEST_BLANK);
  if (bytes.length <= LONGEST_BLANK || firstInk(bytes) < bytes.length) return bytes;
  throw new Excess(`begins with more than ${LONGEST_BLANK >> 20} MB of white space`);
}

const LONGEST_BLANK = 16 << 20;

/** Where the first byte stands that is no white space. */
function firstInk(bytes: Buffer): number {
  let at = 0;
  while (at < bytes.length && (bytes[at] ?? 0) <= 32 && bytes[at] !== 0) at++;
  return at;
}

function notText(file: string): DumpError {
  return new DumpError(file, { problem: 'is neither JSON nor YAML', advice: WRITE_AGAIN });
}

async function explained(file: string, source: ByteSource, error: unknown): Promise<unknown> {
  if (error instanceof BrokenYaml) {
    const place = { line: error.line, column: error.column };
    return new DumpError(file, { place, problem: `not YAML: ${error.message}`, advice: WRITE_AGAIN });
  }
  if (!(error instanceof BrokenJson)) return described(file, error);
  const place = source.repeatable ? await placeOf(file, error.byte) : { byte: error.byte };
  return new DumpError(file, { place, problem: `not JSON: ${error.message}`, advice: WRITE_AGAIN });
}

/** Counts lines and columns (in bytes) up to a place, by reading the file once more. */
async function placeOf(file: string, byte: number): Promise<Position> {
  const source = await openSource(file);
  try {
    const buffer = Buffer.alloc(1 << 18);
    let [line, lineStart, offset] = [1, 0, 0];
    while (offset < byte) {
      const length = await source.read(buffer, 0);
      if (length === 0) break;
      const bytes = buffer.subarray(0, Math.min(length, byte - offset));
      for (let at = bytes.indexOf(10); at >= 0; at = bytes.indexOf(10, at + 1)) {
        line++;
        lineStart = offset + at + 1;
      }
      offset += length;
    }
    return { line, column: byte - lineStart + 1 };
  } finally {
    await source.close();
  }
}
