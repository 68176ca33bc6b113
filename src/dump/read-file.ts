import { BYTE } from '../cluster/json-scanner.ts';
import { described, openSource, type ByteSource } from './byte-source.ts';
import { DumpError, WRITE_AGAIN, type Place } from './dump-error.ts';
import type { Intake } from './intake.ts';
import { JsonStream } from './json-stream.ts';
import { BrokenJson, Stepper } from './stepper.ts';
import { readYaml } from './yaml-stream.ts';
import { BrokenYaml } from './yaml-text.ts';

/** Reads one file, JSON or YAML by its content. Throws `DumpError`. */
export async function readFile(
  file: string,
  intake: Intake,
  { yamlLimit }: { readonly yamlLimit?: number } = {},
): Promise<{ readonly isEmpty: boolean }> {
  const source = await openSource(file);
  try {
    const stepper = new Stepper(source, intake.reader);
    const start = await beginningOf(stepper);
    const first = start.find((byte) => byte > 32);
    if (start.subarray(0, 1024).includes(0)) throw notText(file);
    if (first === BYTE.brace || first === BYTE.open) {
      const reopen = source.repeatable ? () => openSource(file) : undefined;
      await new JsonStream({ file, stepper, reopen }, intake).readAll();
    } else if (first !== undefined) {
      await readYaml(stepper, { file, intake, ...(yamlLimit !== undefined && { limit: yamlLimit }) });
    }
    return { isEmpty: first === undefined };
  } catch (error) {
    throw await explained(file, source, error);
  } finally {
    await source.close();
  }
}

/** The first bytes up to some text, behind a byte order mark. */
async function beginningOf(stepper: Stepper<Intake['reader']>): Promise<Buffer> {
  const start = await stepper.readUntil((bytes) => bytes.length > 3);
  if (start[0] === 0xef && start[1] === 0xbb && start[2] === 0xbf) await stepper.skipTo(3);
  return stepper.readUntil((bytes) => bytes.some((byte) => byte > 32));
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
async function placeOf(file: string, byte: number): Promise<Place> {
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
