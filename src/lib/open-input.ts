import { close, constants, fstat, open, read } from 'node:fs';
import { Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { promisify } from 'node:util';

/** Something that a user named for reading: a file, a pipe, a device, standard input. */
export interface Input {
  /** A plain file, which can be opened again to read the same. */
  readonly isFile: boolean;
  /** Puts bytes into the buffer from `start` on and says how many; 0 at the end. Rejects with `SilentInput`, or as the system says. */
  read(buffer: Buffer, start: number): Promise<number>;
  /** Goes on at that byte; of what is no plain file there is only what comes next. */
  moveTo(position: number): void;
  close(): Promise<void>;
}

/** How long to wait for what others write, in milliseconds. */
export interface Patience {
  /** For the next bytes of a pipe that somebody has open. */
  readonly silenceMs: number;
  /** For somebody to open a named pipe. */
  readonly writerMs?: number;
  readonly signal?: AbortSignal | undefined;
}

/** What is to be read does not come. The message completes "FILE: …". */
export class SilentInput extends Error {
  override readonly name = 'SilentInput';
}

const STANDARD_INPUT = ['-', '/dev/stdin', '/dev/fd/0', '/proc/self/fd/0'];
const WRITER_MS = 5_000;
const POLL_MS = 50;

const openFile = promisify(open);
const statOf = promisify(fstat);
const readFrom = promisify(read);
const closeFile = promisify(close);

/**
 * Opens what a user named, and never waits in opening: a named pipe would until
 * somebody writes, and neither a signal nor the end of the program could help. `-` and `/dev/stdin` are standard input whatever that is; a socket,
 * for one, cannot be opened by name. Rejects as the system does, and with `SilentInput`.
 */
export async function openInput(path: string, patience: Patience): Promise<Input> {
  if (isStandardInput(path)) return new StreamInput(standardInput(), patience);
  const file = await openFile(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stats = await statOf(file);
    if (!stats.isFIFO()) return new FileInput(file, { isFile: stats.isFile(), patience });
    const first = await firstBytes(file, patience);
    return new StreamInput(new Socket({ fd: file, readable: true, writable: false }), patience, first);
  } catch (error) {
    await closeFile(file);
    throw error;
  }
}

let isTaken = false;

function standardInput(): NodeJS.ReadStream {
  if (isTaken) throw new SilentInput('was read already, and can be only once');
  isTaken = true;
  return process.stdin;
}

/** Whether this names standard input, which can be read only once. */
export function isStandardInput(path: string): boolean {
  return STANDARD_INPUT.includes(path);
}

/** How an input is called in messages. */
export function inputName(path: string): string {
  return isStandardInput(path) ? 'standard input' : path;
}

/** Waits until somebody has the pipe open for writing; until then reading it looks like its end. */
async function firstBytes(file: number, { writerMs = WRITER_MS, signal }: Patience): Promise<Buffer> {
  const buffer = Buffer.alloc(1 << 16);
  for (let waited = 0; waited < writerMs; waited += POLL_MS) {
    const length = await readOrWait(file, { buffer, start: 0 });
    if (length !== 0) return buffer.subarray(0, length ?? 0);
    await pause(signal);
  }
  throw new SilentInput('is a named pipe that nobody writes to');
}

const ENDED = 'was not read to its end: a signal came';

async function pause(signal: AbortSignal | undefined): Promise<void> {
  if (signal?.aborted) throw new SilentInput(ENDED);
  await sleep(POLL_MS);
}

interface Target {
  readonly buffer: Buffer;
  readonly start: number;
  /** In a plain file; others give what comes next. */
  readonly position?: number | undefined;
}

/** Undefined where somebody has it open and has nothing to say yet. */
async function readOrWait(file: number, { buffer, start, position }: Target): Promise<number | undefined> {
  try {
    return (await readFrom(file, buffer, start, buffer.length - start, position ?? null)).bytesRead;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EAGAIN') return undefined;
    throw error;
  }
}

/** A plain file or a device. */
class FileInput implements Input {
  readonly isFile: boolean;
  readonly #file: number;
  readonly #patience: Patience;
  #position: number | undefined;

  constructor(file: number, { isFile, patience }: { readonly isFile: boolean; readonly patience: Patience }) {
    this.isFile = isFile;
    this.#file = file;
    this.#patience = patience;
    this.#position = isFile ? 0 : undefined;
  }

  moveTo(position: number): void {
    if (this.isFile) this.#position = position;
  }

  async read(buffer: Buffer, start: number): Promise<number> {
    const { silenceMs, signal } = this.#patience;
    for (let waited = 0; waited < silenceMs; waited += POLL_MS) {
      const length = await readOrWait(this.#file, { buffer, start, position: this.#position });
      if (this.#position !== undefined) this.#position += length ?? 0;
      if (length !== undefined) return length;
      await pause(signal);
    }
    throw silent(silenceMs);
  }

  close(): Promise<void> {
    return closeFile(this.#file);
  }
}

/** A pipe, a socket, a terminal. */
class StreamInput implements Input {
  readonly isFile = false;
  readonly #stream: Socket | NodeJS.ReadStream;
  readonly #chunks: AsyncIterator<Buffer, undefined>;
  readonly #patience: Patience;
  readonly #stop = (): void => {
    this.#stream.destroy(new SilentInput(ENDED));
  };
  #rest: Buffer;

  constructor(stream: Socket | NodeJS.ReadStream, patience: Patience, first: Buffer = Buffer.alloc(0)) {
    this.#stream = stream;
    this.#chunks = stream[Symbol.asyncIterator]() as AsyncIterator<Buffer, undefined>;
    this.#patience = patience;
    this.#rest = first;
    // Whoever reads is told by what it waits for.
    stream.on('error', () => undefined);
    patience.signal?.addEventListener('abort', this.#stop, { once: true });
  }

  moveTo(): void {
    // What comes next is all there is.
  }

  async read(buffer: Buffer, start: number): Promise<number> {
    while (this.#rest.length === 0) {
      const next = await this.#next();
      if (next.done === true) return 0;
      this.#rest = next.value;
    }
    const copied = this.#rest.copy(buffer, start);
    this.#rest = this.#rest.subarray(copied);
    return copied;
  }

  close(): Promise<void> {
    this.#patience.signal?.removeEventListener('abort', this.#stop);
    this.#stream.destroy();
    return Promise.resolve();
  }

  #next(): Promise<IteratorResult<Buffer, undefined>> {
    const { silenceMs } = this.#patience;
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => reject(silent(silenceMs)), silenceMs);
      void this.#chunks
        .next()
        .then(resolve, reject)
        .finally(() => clearTimeout(timer));
    });
  }
}

function silent(silenceMs: number): SilentInput {
  return new SilentInput(`nothing has come from it for ${silenceMs / 1000} s`);
}
