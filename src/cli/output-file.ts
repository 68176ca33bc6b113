import { chmod, open, realpath, rename, rm, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { UserError } from './user-error.ts';

/** Refuses, before any work is done, a path that can't become a file. Throws UserError (exit code 2). */
export async function checkOutputFile(path: string): Promise<void> {
  const folder = await stat(dirname(path)).catch((error: unknown) => error);
  if (folder instanceof Error) {
    throw new UserError(`--output-file ${path}: the folder ${dirname(path)} does not exist or can't be read`);
  }
  const target = await stat(path).catch(() => undefined);
  if (target?.isDirectory()) throw new UserError(`--output-file ${path} is a folder: give the name of a file in it`);
}

/**
 * Writes the file whole or not at all: into a new file beside it, flushed to the disk, then renamed. A device or pipe is
 * written to directly. Throws UserError (exit code 1) where the disk or the permissions say no.
 */
export async function writeOutputFile(path: string, text: string): Promise<void> {
  try {
    const existing = await stat(path).catch(() => undefined);
    if (existing && !existing.isFile()) await write(path, 'w', text);
    else await replace(existing ? await realpath(path) : path, text, existing?.mode);
  } catch (error) {
    throw new UserError(`--output-file ${path}: ${whyUnwritable(error)}; nothing was written`, 1);
  }
}

async function replace(path: string, text: string, mode: number | undefined): Promise<void> {
  const draft = join(dirname(path), `.${basename(path)}.${process.pid}.partial`);
  try {
    await write(draft, 'wx', text);
    if (mode !== undefined) await chmod(draft, mode);
    await rename(draft, path);
  } catch (error) {
    await rm(draft, { force: true }).catch(() => undefined);
    throw error;
  }
}

async function write(path: string, flags: string, text: string): Promise<void> {
  const file = await open(path, flags);
  try {
    await file.writeFile(text);
    if (flags === 'wx') await file.sync();
  } finally {
    await file.close();
  }
}

/** Why a file could not be written, and what to do. */
export function whyUnwritable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full: make room or choose another place';
  if (code === 'EACCES' || code === 'EPERM') return 'no permission to write there: choose another place';
  if (code === 'EROFS') return 'the file system is read-only: choose another place';
  return error instanceof Error ? error.message : String(error);
}
