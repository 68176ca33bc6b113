import type { JsonScanner } from '../cluster/bytes/json-scanner.ts';
import { DumpError, Excess } from './dump-error.ts';
import type { Loader } from './loader.ts';
import type { Stepper } from './stepper.ts';
import { AS_JSON, takeYaml } from './yaml-text.ts';

/** A YAML document is parsed in memory, which takes many times its size. */
const LARGEST_DOCUMENT = 64 * 1024 * 1024;
const MOST_DOCUMENTS = 1_000_000;
const SEPARATOR = '\n---';

/** Reads a file of YAML, document by document. Throws `BrokenYaml`, and `DumpError` for a document that is too large. */
export async function readYaml(
  stepper: Stepper<JsonScanner>,
  {
    file,
    loader,
    limit = LARGEST_DOCUMENT,
  }: { readonly file: string; readonly loader: Loader; readonly limit?: number },
): Promise<void> {
  let linesBefore = 0;
  for (let documents = 0; ; documents++) {
    if (documents > MOST_DOCUMENTS) throw new Excess(`does not end: it has more than ${MOST_DOCUMENTS} documents`);
    const bytes = await stepper.readUntil((read) => endOf(read) >= 0 || read.length > limit);
    const end = endOf(bytes);
    const length = end < 0 ? bytes.length : end + 1;
    if (length === 0) return;
    if (length > limit) throw tooLarge(file, linesBefore, limit);
    // Windows writes lines that end in two characters.
    const text = bytes.toString('utf8', 0, length).replaceAll('\r\n', '\n');
    takeYaml(text, { file, linesBefore }, loader);
    linesBefore += text.split('\n').length - 1;
    await stepper.skipTo(stepper.offset + length);
  }
}

/** Where the document that begins here ends: at the newline before the next `---`, or -1 if that is not in sight. */
function endOf(bytes: Buffer): number {
  for (let from = 0; ;) {
    const found = bytes.indexOf(SEPARATOR, from);
    const next = bytes[found + SEPARATOR.length];
    if (found < 0 || next === undefined) return -1;
    if (next === 32 || next === 9 || next === 10 || next === 13) return found;
    from = found + 1;
  }
}

function tooLarge(file: string, linesBefore: number, limit: number): DumpError {
  return new DumpError(file, {
    place: { line: linesBefore + 1 },
    problem: `the YAML document that begins here is larger than ${Math.round(limit / 1024 / 1024)} MB`,
    advice: AS_JSON,
  });
}
