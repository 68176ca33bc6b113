import { lstat, open, readlink, realpath, stat } from 'node:fs/promises';
import { dirname, resolve } from 'node:path';
import { TemporaryFile } from './temporary-file.ts';
import type { Terminal } from '../terminal.ts';
import { UserError } from '../session.ts';

/** A file that is written whole or not at all; `mode` is that of one that is there already. */
interface FileTarget {
  readonly kind: 'file';
  readonly path: string;
  readonly mode: number | undefined;
}

/** Where output goes: into a file, into a device or pipe, or where the terminal has it. */
export type Target =
  FileTarget | { readonly kind: 'stream'; readonly path: string } | { readonly kind: 'out' } | { readonly kind: 'err' };

/** Refuses, before any work is done, a path that can't become a file. Throws UserError (exit code 2). */
export async function checkOutputFile(path: string | undefined): Promise<void> {
  await targetOf(path);
}

/** Puts the text where `--output-file` says, else on standard output. Throws UserError where the disk or the permissions say no. */
export async function writeOutput(text: string, path: string | undefined, terminal: Terminal): Promise<void> {
  const target = await targetOf(path);
  switch (target.kind) {
    case 'out':
    case 'err':
      terminal[target.kind](text);
      return;
    case 'stream':
      await explained(path, () => append(target.path, text));
      return;
    case 'file':
      await explained(path, () => replace(target, text));
  }
}

/** What the path names. Throws UserError (exit code 2) for what can't become a file. */
export async function targetOf(path: string | undefined): Promise<Target> {
  if (path === undefined || STANDARD_OUTPUT.test(path)) return { kind: 'out' };
  if (STANDARD_ERROR.test(path)) return { kind: 'err' };
  if (OPEN_FILE.test(path)) return { kind: 'stream', path };
  const end = await endOf(path);
  const folder = await stat(dirname(end)).catch((error: unknown) => error);
  if (folder instanceof Error) {
    throw new UserError(`--output-file ${path}: the folder ${dirname(end)} does not exist or can't be read`);
  }
  const existing = await stat(end).catch(() => undefined);
  if (existing?.isDirectory()) throw new UserError(`--output-file ${path} is a folder: give the name of a file in it`);
  if (existing && !existing.isFile()) return { kind: 'stream', path: end };
  return { kind: 'file', path: end, mode: existing && existing.mode & 0o777 };
}

// These may be sockets, which cannot be opened anew, or files that others write to as well.
const STANDARD_OUTPUT = /^\/(?:dev\/stdout|(?:dev|proc\/self)\/fd\/1)$/u;
const STANDARD_ERROR = /^\/(?:dev\/stderr|(?:dev|proc\/self)\/fd\/2)$/u;
const OPEN_FILE = /^\/(?:dev|proc\/(?:self|\d+))\/fd\/\d+$/u;

/** More than this many links are a circle, as for the kernel. */
const MOST_LINKS = 40;

/** Follows links that are ours: with one of somebody else in a shared folder they could have us overwrite any file of ours. */
async function endOf(path: string): Promise<string> {
  let end = path;
  for (let links = 0; links < MOST_LINKS; links += 1) {
    const found = await lstat(end).catch(() => undefined);
    if (!found?.isSymbolicLink()) return end;
    const target = resolve(await realpath(dirname(end)), await readlink(end));
    if (process.geteuid && found.uid !== process.geteuid())
      throw new UserError(
        `--output-file ${path}: ${end} is a link of another user: give the path that it names, ${target}`,
      );
    end = target;
  }
  throw new UserError(`--output-file ${path}: its links lead round in a circle`);
}

async function append(path: string, text: string): Promise<void> {
  const file = await open(path, 'a');
  try {
    await file.writeFile(text);
  } finally {
    await file.close();
  }
}

async function replace(target: FileTarget, text: string): Promise<void> {
  const temporary = await TemporaryFile.create(dirname(target.path));
  try {
    await temporary.write(text);
    await temporary.becomes(target.path, target.mode);
  } finally {
    await temporary.close();
  }
}

/** Does the work; rejects with UserError (exit code 1) where the disk or the permissions say no. */
export async function explained<T>(path: string | undefined, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof Error && !('syscall' in error)) throw error;
    const place = path === undefined ? 'standard output' : `--output-file ${path}`;
    throw new UserError(`${place}: ${whyUnwritable(error)}; nothing was written`, 1);
  }
}

function whyUnwritable(error: unknown): string {
  const code = error instanceof Error && 'code' in error ? error.code : undefined;
  if (code === 'ENOSPC' || code === 'EDQUOT') return 'the disk is full: make room or choose another place';
  if (code === 'EACCES' || code === 'EPERM') return 'no permission to write there: choose another place';
  if (code === 'EROFS') return 'the file system is read-only: choose another place';
  return error instanceof Error ? error.message : String(error);
}
