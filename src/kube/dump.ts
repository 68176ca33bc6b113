import { pruneObject } from '../cluster/decode/decode.ts';
import type { Clock } from '../lib/clock.ts';
import { jsonText } from '../lib/visible.ts';
import { unknownKind } from './http/cluster-error.ts';
import { listPages } from './watch/list.ts';
import { parsedPages } from './watch/page.ts';
import { apiVersionOf, isMetrics, kindsToRead, PATHS, type LiveKind } from './http/paths.ts';
import type { ReadProgress } from './watch/source.ts';
import type { ApiServer } from './http/api-server.ts';

/** Where a dump goes: text that can be taken back as far as a mark, since a list may have to start again. */
export interface DumpSink {
  /** The place that has been reached. */
  readonly position: () => number;
  write(text: string): Promise<void>;
  /** Forgets what was written behind that place. */
  rewind(position: number): Promise<void>;
}

/** How a cluster is dumped. */
export interface DumpOptions {
  readonly clock: Clock;
  readonly signal?: AbortSignal | undefined;
  /** Annotations of every list, such as the time of the dump. */
  readonly annotations: Readonly<Record<string, string>>;
  readonly onProgress?: ReadProgress | undefined;
}

/** How many objects of each kind were written, in the order of the dump, and which kinds could not be had. */
export interface Dumped {
  readonly counts: readonly (readonly [LiveKind, number])[];
  readonly warnings: readonly string[];
}

/**
 * Writes what decisions read of a cluster: one typed list a kind, one object a line, page after page. A kind that may not
 * be listed is left out and stays unknown; one without objects is an empty list. Rejects with ClusterError.
 */
export async function dumpCluster(server: ApiServer, sink: DumpSink, options: DumpOptions): Promise<Dumped> {
  const counts: (readonly [LiveKind, number])[] = [];
  const warnings: string[] = [];
  for (const kind of kindsToRead(true)) {
    const start = sink.position();
    const outcome = await dumpKind(kind, { server, sink, options });
    if (typeof outcome === 'number') counts.push([kind, outcome]);
    else {
      await sink.rewind(start);
      // Most clusters need no metrics API, and most policies neither.
      if (!isMetrics(kind)) warnings.push(outcome);
    }
  }
  return { counts, warnings };
}

interface Dumping {
  readonly server: ApiServer;
  readonly sink: DumpSink;
  readonly options: DumpOptions;
}

/** Answers with the number of objects, or with the warning for a kind that cannot be had. */
async function dumpKind(kind: LiveKind, { server, sink, options }: Dumping): Promise<number | string> {
  await sink.write(`${headOf(kind, options.annotations)}\n`);
  const items = sink.position();
  let count = 0;
  const target = {
    path: PATHS[kind],
    open: parsedPages,
    async take(page: readonly unknown[]) {
      const lines = page.flatMap((item) => pruneObject(kind, item) ?? []).map((object) => jsonText(object));
      if (lines.length === 0) return;
      await sink.write(`${count === 0 ? '' : ',\n'}${lines.join(',\n')}`);
      count += lines.length;
    },
    async restart() {
      count = 0;
      await sink.rewind(items);
    },
  };
  const onProgress = (fetched: number, left: number | undefined) => options.onProgress?.(kind, fetched, left);
  const answer = await listPages(server.call, target, { clock: options.clock, signal: options.signal, onProgress });
  if (!answer.ok) return unknownKind(kind, answer.failure, server.address());
  await sink.write(count === 0 ? ']}\n' : '\n]}\n');
  return count;
}

/** The list as far as its first item. */
function headOf(kind: LiveKind, annotations: DumpOptions['annotations']): string {
  const head = { apiVersion: apiVersionOf(kind), kind: `${kind}List`, metadata: { annotations }, items: [] };
  return jsonText(head).slice(0, -2);
}
