import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { open, rename, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { DumpSink } from '../../kube/dump.ts';

const PIECE = 64 * 1024;

/**
 * A draft on the disk, of which the end can be taken back; it becomes a file in one moment, or never. Nobody else can read it
 * or guess its name, and it is gone when the program ends. Rejects with the errors of the file system.
 */
export class TemporaryFile implements DumpSink {
  readonly #path: string;
  readonly #file: FileHandle;
  #position = 0;
  readonly #remove = () => {
    rmSync(this.#path, { force: true });
  };

  private constructor(path: string, file: FileHandle) {
    this.#path = path;
    this.#file = file;
    process.once('exit', this.#remove);
  }

  /** A draft in the folder of the file that it is to become, so that a rename suffices; without a folder it keeps no name. */
  static async create(folder?: string): Promise<TemporaryFile> {
    const path = join(folder ?? tmpdir(), `.evenkeel-${randomUUID()}`);
    const temporary = new TemporaryFile(path, await open(path, 'wx+', 0o600));
    if (folder === undefined) temporary.#remove();
    return temporary;
  }

  position(): number {
    return this.#position;
  }

  async write(text: string | Buffer): Promise<void> {
    const bytes = typeof text === 'string' ? Buffer.from(text) : text;
    for (let done = 0; done < bytes.length;) {
      const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#position);
      done += bytesWritten;
      this.#position += bytesWritten;
    }
  }

  async rewind(position: number): Promise<void> {
    await this.#file.truncate(position);
    this.#position = position;
  }

  /** Becomes the file, gzipped if its name says so; `mode` is what it has instead of 0600. */
  async becomes(target: string, mode: number | undefined): Promise<void> {
    if (!target.endsWith('.gz')) {
      await this.#move(target, mode);
      return;
    }
    const packed = await TemporaryFile.create(dirname(this.#path));
    try {
      await pipeline(this.read(), createGzip(), async (pieces: AsyncIterable<Buffer>) => {
        for await (const piece of pieces) await packed.write(piece);
      });
      await packed.#move(target, mode);
    } finally {
      await packed.close();
    }
  }

  /** All of it, in pieces. */
  async *read(): AsyncGenerator<Buffer> {
    for (let position = 0; position < this.#position;) {
      const { bytesRead, buffer } = await this.#file.read({ buffer: Buffer.allocUnsafe(PIECE), position });
      if (bytesRead === 0) return;
      position += bytesRead;
      yield buffer.subarray(0, bytesRead);
    }
  }

  /** Closes it; a draft that became nothing is gone. */
  async close(): Promise<void> {
    await this.#file.close();
    this.#remove();
    process.off('exit', this.#remove);
  }

  async #move(target: string, mode: number | undefined): Promise<void> {
    if (mode !== undefined) await this.#file.chmod(mode);
    await this.#file.sync();
    await rename(this.#path, target);
  }
}
