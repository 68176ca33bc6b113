import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { openInput, SilentInput, type Input } from '../lib/open-input.ts';
import { DumpError, Excess, WRITE_AGAIN } from './dump-error.ts';

const CHUNK = 1 << 18;
const AHEAD = 1 << 20;

/** Longer than the largest cluster takes to be listed. */
const SILENCE_MS = 600_000;
/** Bytes of a file, decompressed, as UTF-8. */
export interface ByteSource {
  /** Puts the next bytes into the buffer at `at` and says how many; 0 at the end. Throws `DumpError`. */
  read(buffer: Buffer, at: number): Promise<number>;
  close(): Promise<void>;
  /** Whether the file can be opened again to read the same. */
  readonly repeatable: boolean;
  /** Which byte it begins with. */
  readonly offset: number;
}

/** How a dump file is opened. */
export interface OpenOptions {
  readonly signal?: AbortSignal | undefined;
  /** The byte, decompressed, that is wanted; what comes before is left out where the file lets us. */
  readonly from?: number;
}

/** Opens a dump file, whatever it is packed in; `-` is standard input. Throws `DumpError` for what is certainly no dump. */
export async function openSource(file: string, { signal, from = 0 }: OpenOptions = {}): Promise<ByteSource> {
  const input = await opened(file, signal);
  try {
    const start = Buffer.alloc(512);
    const bytes = start.subarray(0, await fill(input, start));
    refuseArchives(file, bytes);
    const isPacked = start[0] === 0x1f && start[1] === 0x8b;
    if (input.isFile && !isPacked && encodingOf(start) === undefined && from > bytes.length) {
      input.moveTo(from);
      return new FileBytes(file, input, { start: Buffer.alloc(0), offset: from });
    }
    const raw = new FileBytes(file, input, { start: bytes, offset: 0 });
    return isPacked ? await unpacked(file, raw) : decoded(file, raw, start);
  } catch (error) {
    await input.close();
    throw described(file, error);
  }
}

/** What went wrong with a file, in words for its owner. */
export function described(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DumpError) return error;
  if (error instanceof Excess) return new DumpError(file, { problem: error.message, advice: error.advice });
  if (error instanceof SilentInput) {
    return new DumpError(file, { problem: error.message, advice: 'check what writes to it' });
  }
  const code = (error as NodeJS.ErrnoException).code ?? '';
  if (code === 'Z_BUF_ERROR') {
    return new DumpError(file, { problem: 'the gzip data ends too early: the file is truncated', advice: WRITE_AGAIN });
  }
  if (code.startsWith('Z_')) {
    return new DumpError(file, { problem: `the gzip data is damaged (${error.message})`, advice: WRITE_AGAIN });
  }
  const [problem, advice] = SYSTEM_ERRORS[code] ?? [`cannot be read (${error.message})`, 'check the file and its disk'];
  return code === '' ? error : new DumpError(file, { problem, advice });
}

const SYSTEM_ERRORS: Readonly<Record<string, readonly [problem: string, advice: string]>> = {
  ENOENT: ['no such file or folder', 'check the path'],
  ENOTDIR: ['no such file or folder', 'check the path'],
  EACCES: ['may not be read', 'check the permissions of the file and of the folders above it'],
  EISDIR: ['is a folder', 'check the path'],
  ELOOP: ['its symbolic links lead in a circle', 'check the path'],
  ENAMETOOLONG: ['its name is too long', 'check the path'],
  ENXIO: ['is a socket or a device that is not there', 'check the path'],
  EPERM: ['may not be read', 'check the permissions of the file and of the folders above it'],
};

async function opened(file: string, signal: AbortSignal | undefined): Promise<Input> {
  try {
    return await openInput(file, { silenceMs: SILENCE_MS, signal });
  } catch (error) {
    throw described(file, error);
  }
}

async function fill(input: Input, buffer: Buffer): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const read = await input.read(buffer, length);
    if (read === 0) break;
    length += read;
  }
  return length;
}

const PACKED: readonly (readonly [magic: string, what: string, advice: string])[] = [
  ['PK\x03\x04', 'a zip archive', 'unpack it and give the folder'],
  ['\x28\xb5\x2f\xfd', 'compressed with zstd', 'decompress it first, or use gzip'],
  ['\xfd7zXZ', 'compressed with xz', 'decompress it first, or use gzip'],
  ['BZh', 'compressed with bzip2', 'decompress it first, or use gzip'],
];

function refuseArchives(file: string, start: Buffer): void {
  const text = start.toString('latin1');
  if (text.startsWith('ustar', 257)) {
    throw new DumpError(file, { problem: 'is a tar archive', advice: 'unpack it and give the folder' });
  }
  const packed = PACKED.find(([magic]) => text.startsWith(magic));
  if (packed) throw new DumpError(file, { problem: `is ${packed[1]}`, advice: packed[2] });
}

/** The file as it is. While its reader works on some bytes, the next ones are fetched. */
class FileBytes implements ByteSource {
  readonly repeatable: boolean;
  readonly offset: number;
  readonly #file: string;
  readonly #input: Input;
  #ready: Buffer;
  #spare = Buffer.allocUnsafeSlow(AHEAD);
  #next: Promise<number> | undefined;

  /** `start` are bytes that were read already. */
  constructor(file: string, input: Input, { start, offset }: { readonly start: Buffer; readonly offset: number }) {
    this.#file = file;
    this.#input = input;
    this.#ready = start;
    this.repeatable = input.isFile;
    this.offset = offset;
  }

  async read(buffer: Buffer, at: number): Promise<number> {
    if (this.#ready.length === 0) {
      const length = await this.#fetched();
      this.#next = undefined;
      this.#ready = this.#spare.subarray(0, length);
    }
    const copied = this.#ready.copy(buffer, at);
    this.#ready = this.#ready.subarray(copied);
    if (copied > 0 && this.#ready.length === 0) this.#fetch();
    return copied;
  }

  async close(): Promise<void> {
    // What a file was asked for comes at once; others may never answer.
    if (this.repeatable) await this.#next?.catch(() => 0);
    await this.#input.close();
  }

  #fetch(): void {
    this.#next = this.#input.read(this.#spare, 0);
    // It is asked for its answer later.
    this.#next.catch(() => undefined);
  }

  async #fetched(): Promise<number> {
    try {
      return await (this.#next ?? this.#input.read(this.#spare, 0));
    } catch (error) {
      throw described(this.#file, error);
    }
  }
}

/** Bytes that come in chunks of their own. */
class ChunkBytes implements ByteSource {
  readonly repeatable: boolean;
  readonly #file: string;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #below: ByteSource;
  readonly offset = 0;
  #rest: Buffer = Buffer.alloc(0);

  constructor(file: string, chunks: AsyncIterator<Buffer>, below: ByteSource) {
    this.#file = file;
    this.#chunks = chunks;
    this.#below = below;
    this.repeatable = below.repeatable;
  }

  async read(buffer: Buffer, at: number): Promise<number> {
    try {
      while (this.#rest.length === 0) {
        const next = await this.#chunks.next();
        if (next.done) return 0;
        this.#rest = next.value;
      }
    } catch (error) {
      throw described(this.#file, error);
    }
    const copied = this.#rest.copy(buffer, at);
    this.#rest = this.#rest.subarray(copied);
    return copied;
  }

  async close(): Promise<void> {
    await this.#chunks.return?.();
    await this.#below.close();
  }

  /** Gives bytes back that were read to look at them. */
  unread(bytes: Buffer): void {
    this.#rest = Buffer.concat([bytes, this.#rest]);
  }
}

async function unpacked(file: string, raw: FileBytes): Promise<ByteSource> {
  const gunzip = createGunzip({ chunkSize: CHUNK });
  const chunks = pumped(raw, gunzip)[Symbol.asyncIterator]() as AsyncIterator<Buffer>;
  const source = new ChunkBytes(file, chunks, raw);
  const start = Buffer.alloc(512);
  const length = await source.read(start, 0);
  source.unread(Buffer.from(start.subarray(0, length)));
  refuseArchives(file, start.subarray(0, length));
  return decoded(file, source, start);
}

function pumped(raw: FileBytes, gunzip: ReturnType<typeof createGunzip>): AsyncIterable<unknown> {
  const feed = async (): Promise<void> => {
    for (;;) {
      const buffer = Buffer.allocUnsafe(CHUNK);
      const length = await raw.read(buffer, 0);
      if (length === 0) break;
      if (!gunzip.write(buffer.subarray(0, length))) await new Promise((resolve) => gunzip.once('drain', resolve));
    }
    gunzip.end();
  };
  feed().catch((error: unknown) => gunzip.destroy(error as Error));
  return gunzip;
}

function decoded(file: string, source: ByteSource, start: Buffer): ByteSource {
  const encoding = encodingOf(start);
  return encoding === undefined ? source : new ChunkBytes(file, transcoded(source, encoding), source);
}

/** Windows PowerShell redirects into UTF-16. */
function encodingOf(start: Buffer): string | undefined {
  if (start[0] === 0xff && start[1] === 0xfe) return 'utf-16le';
  return start[0] === 0xfe && start[1] === 0xff ? 'utf-16be' : undefined;
}

async function* transcoded(source: ByteSource, encoding: string): AsyncGenerator<Buffer> {
  const decoder = new TextDecoder(encoding);
  const buffer = Buffer.alloc(CHUNK);
  for (;;) {
    const length = await source.read(buffer, 0);
    yield Buffer.from(decoder.decode(buffer.subarray(0, length), { stream: length > 0 }));
    if (length === 0) return;
  }
}
