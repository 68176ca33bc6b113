import { createReadStream } from 'node:fs';
import { chmod, open, realpath, rename, rm, stat, type FileHandle } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, dirname, join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';
import type { DumpSink } from '../kube/dump.ts';
import { whyUnwritable } from './output-file.ts';
import { UserError } from './user-error.ts';

/**
 * A draft on the disk, of which the end can be taken back; it becomes the file in one moment, or never. Everything rejects
 * with UserError (exit code 1) where the disk or the permissions say no.
 */
export class SpoolFile implements DumpSink {
  readonly #path: string;
  readonly #file: FileHandle;
  readonly #name: string;
  #position = 0;

  private constructor(file: FileHandle, place: { readonly path: string; readonly name: string }) {
    this.#path = place.path;
    this.#file = file;
    this.#name = place.name;
  }

  /** A draft beside the file that it is to become, so that a rename suffices; among temporary files if it becomes none. */
  static async create(target: string | undefined, isFile: boolean): Promise<SpoolFile> {
    const name = target === undefined ? 'standard output' : `--output-file ${target}`;
    const folder = isFile && target !== undefined ? dirname(target) : tmpdir();
    const path = join(folder, `.${basename(target ?? 'evenkeel-dump')}.${process.pid}.partial`);
    return new SpoolFile(await explained(name, () => open(path, 'wx+')), { path, name });
  }

  position(): number {
    return this.#position;
  }

  write(text: string): Promise<void> {
    const bytes = Buffer.from(text);
    return explained(this.#name, async () => {
      for (let done = 0; done < bytes.length;) {
        const { bytesWritten } = await this.#file.write(bytes, done, bytes.length - done, this.#position);
        done += bytesWritten;
        this.#position += bytesWritten;
      }
    });
  }

  async rewind(position: number): Promise<void> {
    await explained(this.#name, () => this.#file.truncate(position));
    this.#position = position;
  }

  /** Becomes the file, gzipped if its name says so. */
  becomes(target: string): Promise<void> {
    return explained(this.#name, async () => {
      if (target.endsWith('.gz')) await this.#gzip();
      const existing = await stat(target).catch(() => undefined);
      if (existing) await chmod(this.#path, existing.mode);
      await this.#file.sync();
      await rename(this.#path, existing ? await realpath(target) : target);
    });
  }

  /** Goes into a device or pipe. */
  copyTo(target: string): Promise<void> {
    return explained(this.#name, async () => {
      const file = await open(target, 'w');
      await pipeline(createReadStream(this.#path), file.createWriteStream());
    });
  }

  /** All of it, in pieces. */
  async *read(): AsyncGenerator<Buffer> {
    yield* createReadStream(this.#path) as AsyncIterable<Buffer>;
  }

  /** Closes it; a draft that became nothing is gone. */
  async close(): Promise<void> {
    await this.#file.close();
    await rm(this.#path, { force: true });
  }

  async #gzip(): Promise<void> {
    const packed = `${this.#path}.gz`;
    try {
      const file = await open(packed, 'wx');
      await pipeline(createReadStream(this.#path), createGzip(), file.createWriteStream({ flush: true }));
      await rename(packed, this.#path);
    } finally {
      await rm(packed, { force: true });
    }
  }
}

async function explained<T>(name: string, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    throw new UserError(`${name}: ${whyUnwritable(error)}; nothing was written`, 1);
  }
}
