import { open, type FileHandle } from 'node:fs/promises';
import { TextDecoder } from 'node:util';
import { createGunzip } from 'node:zlib';
import { DumpError, WRITE_AGAIN } from './dump-error.ts';

const CHUNK = 1 << 18;
const AHEAD = 1 << 20;

/** Bytes of a file, decompressed, as UTF-8. */
export interface ByteSource {
  /** Puts the next bytes into the buffer at `at` and says how many; 0 at the end. Throws `DumpError`. */
  read(buffer: Buffer, at: number): Promise<number>;
  close(): Promise<void>;
  /** Whether the file can be opened again to read the same. */
  readonly repeatable: boolean;
}

/** Opens a dump file, whatever it is packed in. Throws `DumpError` for what is certainly no dump. */
export async function openSource(file: string): Promise<ByteSource> {
  const handle = await openFile(file);
  try {
    const isFile = (await handle.stat()).isFile();
    const start = Buffer.alloc(512);
    const length = await fill(handle, start);
    refuseArchives(file, start.subarray(0, length));
    const raw = new FileBytes(handle, start.subarray(0, length), isFile);
    if (start[0] === 0x1f && start[1] === 0x8b) return await unpacked(file, raw);
    return decoded(file, raw, start);
  } catch (error) {
    await handle.close();
    throw described(file, error);
  }
}

/** What went wrong with a file, in words for its owner. */
export function described(file: string, error: unknown): unknown {
  if (!(error instanceof Error) || error instanceof DumpError) return error;
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
  EPERM: ['may not be read', 'check the permissions of the file and of the folders above it'],
};

async function openFile(file: string): Promise<FileHandle> {
  try {
    return await open(file, 'r');
  } catch (error) {
    throw described(file, error);
  }
}

async function fill(handle: FileHandle, buffer: Buffer): Promise<number> {
  let length = 0;
  while (length < buffer.length) {
    const { bytesRead } = await handle.read(buffer, length, buffer.length - length, null);
    if (bytesRead === 0) break;
    length += bytesRead;
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

/** The file as it is on disk. While its reader works on some bytes, the next ones are fetched. */
class FileBytes implements ByteSource {
  readonly repeatable: boolean;
  readonly #handle: FileHandle;
  #ready: Buffer;
  #spare = Buffer.allocUnsafeSlow(AHEAD);
  #next: Promise<number> | undefined;

  /** `start` are bytes that were read already. */
  constructor(handle: FileHandle, start: Buffer, repeatable: boolean) {
    this.#handle = handle;
    this.#ready = start;
    this.repeatable = repeatable;
  }

  async read(buffer: Buffer, at: number): Promise<number> {
    if (this.#ready.length === 0) {
      const length = await (this.#next ?? this.#fetch());
      this.#next = undefined;
      this.#ready = this.#spare.subarray(0, length);
    }
    const copied = this.#ready.copy(buffer, at);
    this.#ready = this.#ready.subarray(copied);
    if (copied > 0 && this.#ready.length === 0) this.#next = this.#fetch();
    return copied;
  }

  async close(): Promise<void> {
    await this.#next?.catch(() => 0);
    await this.#handle.close();
  }

  async #fetch(): Promise<number> {
    const { bytesRead } = await this.#handle.read(this.#spare, 0, AHEAD, null);
    return bytesRead;
  }
}

/** Bytes that come in chunks of their own. */
class ChunkBytes implements ByteSource {
  readonly repeatable: boolean;
  readonly #file: string;
  readonly #chunks: AsyncIterator<Buffer>;
  readonly #below: ByteSource;
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

/** Windows PowerShell redirects into UTF-16. */
function decoded(file: string, source: ByteSource, start: Buffer): ByteSource {
  const encoding =
    start[0] === 0xff && start[1] === 0xfe
      ? 'utf-16le'
      : start[0] === 0xfe && start[1] === 0xff
        ? 'utf-16be'
        : undefined;
  return encoding === undefined ? source : new ChunkBytes(file, transcoded(source, encoding), source);
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
