import type { ClusterContents } from '../cluster/snapshot.ts';
import { inputName } from '../lib/open-input.ts';
import { DumpError, WRITE_AGAIN } from './dump-error.ts';
import { findFiles, type DumpFile } from './files.ts';
import { Loader } from './loader.ts';
import { readFile, type ReadOptions } from './read-file.ts';
import { warningsOf } from './warnings.ts';

/** A recorded cluster. */
export interface Dump {
  readonly contents: ClusterContents;
  /** The paths as given, for the report. */
  readonly name: string;
  /** When the dump says it was made, as written; of several lists the latest. */
  readonly dumpedAt: string | undefined;
  /** The latest time of any object, in milliseconds since the epoch. */
  readonly latestTimestamp: number | undefined;
  readonly warnings: readonly string[];
  /** Objects of kinds that are not read, by kind. */
  readonly ignored: Readonly<Record<string, number>>;
  /** Copies of objects that came more than once. */
  readonly duplicates: number;
}

/**
 * Reads a dump (design/rule C18): files and folders, JSON in bounded memory. The same objects in any order and
 * layout give the same contents. Throws `DumpError` for what cannot be read.
 */
export async function readDump(paths: readonly string[], options: ReadOptions = {}): Promise<Dump> {
  const { files, others } = await findFiles(paths);
  const loader = new Loader();
  const unused = await readFiles(files, loader, options);
  const name = paths.map(inputName).join(' ');
  const { collection } = loader;
  if (collection.isEmpty) throw nothingToRead(name, collection.ignored);
  const contents = collection.contents();
  return {
    contents,
    name,
    dumpedAt: loader.dumpedAt,
    latestTimestamp: loader.decoder.latestTime,
    warnings: warningsOf(contents, { loader, otherFiles: others + unused }),
    ignored: collection.ignored,
    duplicates: collection.duplicates,
  };
}

/** Reads the files one after another; says how many of those found in folders hold nothing of Kubernetes. */
async function readFiles(files: readonly DumpFile[], loader: Loader, options: ReadOptions): Promise<number> {
  let unused = 0;
  for (const { path, isNamed } of files) {
    const { collection } = loader;
    const { taken, nothings } = collection;
    const { isEmpty } = await readFile(path, loader, options);
    if (collection.taken > taken) continue;
    collection.nothings = nothings;
    if (!isNamed) unused++;
    else if (isEmpty) throw new DumpError(path, { problem: 'the file is empty', advice: WRITE_AGAIN });
    else throw nothingToRead(path, {});
  }
  return unused;
}

function nothingToRead(name: string, ignored: Readonly<Record<string, number>>): DumpError {
  const kinds = Object.keys(ignored);
  const problem =
    kinds.length === 0
      ? 'holds no Kubernetes objects'
      : `holds no objects of a kind that is read, only ${kinds.slice(0, 3).join(', ')}${kinds.length > 3 ? '…' : ''}`;
  return new DumpError(name, { problem, advice: 'give what `kubectl get nodes,pods -A -o json` prints' });
}
