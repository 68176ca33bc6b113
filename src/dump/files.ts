import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { compareText } from '../cluster/snapshot.ts';
import { isStandardInput } from '../lib/open-input.ts';
import { described } from './byte-source.ts';

/** A file that belongs to a dump. One that was found in a folder need not be one. */
export interface DumpFile {
  readonly path: string;
  readonly isNamed: boolean;
}

/** The files of a dump, and how many a folder holds that cannot be any. */
export interface DumpFiles {
  readonly files: readonly DumpFile[];
  readonly others: number;
}

const DUMP_FILE = /\.(json|jsonl|ndjson|ya?ml)(\.gz)?$/i;

/** Looks into folders, at any depth, in a stable order. Throws `DumpError` for what is not there. */
export async function findFiles(paths: readonly string[]): Promise<DumpFiles> {
  const files: DumpFile[] = [];
  let others = 0;
  for (const path of paths) {
    if (isStandardInput(path) || !(await isFolder(path))) {
      files.push({ path, isNamed: true });
      continue;
    }
    for (const file of await filesBelow(path)) {
      if (file.isFile && DUMP_FILE.test(file.path)) files.push({ path: file.path, isNamed: false });
      else others++;
    }
  }
  return { files, others };
}

async function isFolder(path: string): Promise<boolean> {
  try {
    return (await stat(path)).isDirectory();
  } catch (error) {
    throw described(path, error);
  }
}

interface Found {
  readonly path: string;
  /** Not a pipe, a socket or a device, nor a link that leads nowhere. */
  readonly isFile: boolean;
}

/** All that is below a folder but hidden files, by name. Links to folders are not followed, they may lead in a circle. */
async function filesBelow(folder: string): Promise<readonly Found[]> {
  const entries = await readdir(folder, { withFileTypes: true }).catch((error: unknown) => {
    throw described(folder, error);
  });
  const found: Found[] = [];
  for (const entry of entries.sort((a, b) => compareText(a.name, b.name))) {
    const path = join(folder, entry.name);
    if (entry.name.startsWith('.')) continue;
    if (entry.isDirectory()) for (const below of await filesBelow(path)) found.push(below);
    else if (entry.isSymbolicLink()) found.push(...(await behindLink(path)));
    else found.push({ path, isFile: entry.isFile() });
  }
  return found;
}

async function behindLink(path: string): Promise<readonly Found[]> {
  const target = await stat(path).catch(() => undefined);
  return target?.isDirectory() ? [] : [{ path, isFile: target?.isFile() ?? false }];
}
