import { inputName, isStandardInput, openInput, SilentInput } from '../../lib/open-input.ts';
import { UserError } from '../session.ts';

/** What a text is to be, for messages, and what ends the reading of it. */
export interface TextRequest {
  /** `policy`, `scenario`. */
  readonly what?: string;
  readonly kind?: string;
  readonly signal?: AbortSignal;
}

/** Refuses to read two things from standard input, before one of them is taken for the other. Throws UserError. */
export function checkStandardInput(...paths: readonly (string | undefined)[]): void {
  if (paths.filter((path) => path !== undefined && isStandardInput(path)).length < 2) return;
  throw new UserError('standard input is named twice, and can be read only once: give one of them as a file');
}

/** Texts are a few KB; 1 MB of characters is considered, and that is at most four times as many bytes. */
const MOST_BYTES = 4 << 20;
const SILENCE_MS = 60_000;

/** Pipes can be read only once, and a daemon reads its policy in every cycle. */
const fromPipes = new Map<string, string>();

/** The text of a file that the user named; `-` is standard input. Throws UserError with what to do about it. */
export async function readText(file: string, request: TextRequest = {}): Promise<string> {
  const { what = 'policy', kind = 'DeschedulerPolicy', signal } = request;
  try {
    return fromPipes.get(inputName(file)) ?? (await readAll(file, signal));
  } catch (error) {
    if (error instanceof UserError) throw error;
    throw new UserError(`${what} ${inputName(file)}: ${whyUnreadable(error, kind)}`);
  }
}

async function readAll(file: string, signal: AbortSignal | undefined): Promise<string> {
  const input = await openInput(file, { silenceMs: SILENCE_MS, signal });
  try {
    const buffer = Buffer.alloc(MOST_BYTES);
    let length = 0;
    for (let read = -1; read !== 0; length += read) {
      if (length === MOST_BYTES) throw new SilentInput('is larger than 4 MB');
      read = await input.read(buffer, length);
    }
    const text = buffer.toString('utf8', 0, length);
    if (!input.isFile) fromPipes.set(inputName(file), text);
    return text;
  } finally {
    await input.close();
  }
}

function whyUnreadable(error: unknown, kind: string): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  const advice = `give the path of a ${kind}`;
  if (error instanceof SilentInput) return `${error.message}; ${advice}`;
  if (code === 'ENOENT') return `no such file; ${advice}`;
  if (code === 'EISDIR') return `is a folder; ${advice} in it`;
  if (code === 'EACCES' || code === 'EPERM') return 'no permission to read it';
  if (code === 'ELOOP') return `its symbolic links lead in a circle; ${advice}`;
  if (code === 'ENXIO') return `is a socket or a device that is not there; ${advice}`;
  return error instanceof Error ? error.message : String(error);
}
