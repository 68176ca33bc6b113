import { setMaxListeners } from 'node:events';
import { FieldReader } from '../../cluster/bytes/decode-bytes.ts';
import { Decoder, type Decoded, type Objects } from '../../cluster/decode/decode.ts';
import { Snapshot, type ClusterContents } from '../../cluster/snapshot.ts';
import type { ClusterSource } from '../../descheduler/ports.ts';
import type { Clock } from '../../lib/clock.ts';
import type { ApiServer } from '../http/api-server.ts';
import { unknownKind } from '../http/cluster-error.ts';
import { listAll } from './list.ts';
import { decodedPages } from './page.ts';
import { isRequired, kindsToRead, PATHS, type LiveKind } from '../http/paths.ts';

/** How a cluster is read. */
export interface ReadOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Whether NodeMetrics and PodMetrics are wanted, too. */
  readonly metrics?: boolean;
  /** Only these; all by default. */
  readonly kinds?: readonly LiveKind[];
  readonly onProgress?: ReadProgress | undefined;
}

/** Told how many objects of a kind have come, and how many are left where the server says so. */
export type ReadProgress = (kind: LiveKind, fetched: number, remaining: number | undefined) => void;

/** A fresh list of everything, and a warning for each kind that could not be read. */
export interface LiveCluster {
  readonly contents: ClusterContents;
  readonly warnings: readonly string[];
}

/** A cluster that is listed afresh for each cycle, under the time at which that began, as the clock's wall face has it. */
export function freshCluster(server: ApiServer, options: () => Omit<ReadOptions, 'signal'>): ClusterSource {
  return async (signal) => {
    const { clock, ...rest } = options();
    const now = new Date(clock.wall()).toISOString();
    const { contents, warnings } = await readCluster(server, { clock, ...rest, signal });
    return {
      snapshot: new Snapshot(contents),
      source: { kind: 'cluster', name: server.address(), now, nowFrom: 'clock' },
      warnings,
    };
  };
}

/** Lists the cluster afresh. Throws ClusterError if nodes or pods cannot be had, or the server fails for any kind. */
export async function readCluster(server: ApiServer, options: ReadOptions): Promise<LiveCluster> {
  const found = new Map<LiveKind, readonly Objects[LiveKind][]>();
  const decoder = new Decoder();
  const reader = new FieldReader(decoder.interner);
  const open = (kind: LiveKind) => decodedPages(kind, decoder, reader);
  const warnings = await eachKind(
    options.kinds ?? kindsToRead(options.metrics ?? false),
    options,
    async (kind, signal) => {
      const onProgress = (fetched: number, left: number | undefined) => options.onProgress?.(kind, fetched, left);
      const target = { path: PATHS[kind], open: open(kind) };
      const answer = await listAll(server.call, target, { clock: options.clock, signal, onProgress });
      if (!answer.ok) return unknownKind(kind, answer.failure, server.address());
      found.set(kind, answer.value.items.map(objectOf));
      return undefined;
    },
  );
  return { contents: contentsOf(found), warnings };
}

/** Reads nodes and pods, then the other kinds, side by side; one that throws ends the others. Answers with warnings, sorted. */
async function eachKind(
  kinds: readonly LiveKind[],
  options: Pick<ReadOptions, 'signal'>,
  read: (kind: LiveKind, signal: AbortSignal) => Promise<string | undefined>,
): Promise<readonly string[]> {
  const failed = new AbortController();
  // Every list listens to it.
  const signal = options.signal ? AbortSignal.any([options.signal, failed.signal]) : failed.signal;
  setMaxListeners(0, signal);
  const readAll = (some: readonly LiveKind[]) => Promise.all(some.map((kind) => read(kind, signal)));
  try {
    await readAll(kinds.filter(isRequired));
    const warnings = await readAll(kinds.filter((kind) => !isRequired(kind)));
    return warnings.filter((warning) => warning !== undefined).sort();
  } finally {
    failed.abort();
  }
}

function objectOf({ object }: Decoded): Objects[LiveKind] {
  // Only kinds with a path are listed.
  return object as Objects[LiveKind];
}

function contentsOf(found: ReadonlyMap<LiveKind, readonly Objects[LiveKind][]>): ClusterContents {
  // Every list went in under its own kind.
  const lists = Object.fromEntries(found) as { readonly [K in LiveKind]?: readonly Objects[K][] };
  const { Pod: pods = [], Node: nodes = [], ...others } = lists;
  return { pods, nodes, others };
}
