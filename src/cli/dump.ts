import { setMaxListeners } from 'node:events';
import { stat } from 'node:fs/promises';
import { StringDecoder } from 'node:string_decoder';
import { DUMPED_AT } from '../dump/intake.ts';
import { dumpCluster, type Dumped } from '../kube/dump.ts';
import { probeServer } from '../kube/probe.ts';
import { systemClock } from '../lib/clock.ts';
import { visible } from '../lib/visible.ts';
import { count } from '../report/words.ts';
import { connect } from './connect.ts';
import type { ConnectFlags } from './live-flags.ts';
import { createProgress } from './live-progress.ts';
import { checkOutputFile } from './output-file.ts';
import { SpoolFile } from './spool-file.ts';
import type { Terminal } from './terminal.ts';

/** The flags of `dump`. */
export interface DumpFlags extends ConnectFlags {
  readonly outputFile?: string;
}

/**
 * Dumps the cluster into the file, whole or not at all, or to standard output once it is complete. Rejects with
 * ConnectError, ClusterError, UserError.
 */
export async function runDump(flags: DumpFlags, terminal: Terminal): Promise<number> {
  const { outputFile } = flags;
  if (outputFile !== undefined) await checkOutputFile(outputFile);
  setMaxListeners(0, terminal.signal);
  const server = connect(flags, terminal);
  const progress = await createProgress({ v: 0 }, terminal);
  try {
    const annotations = { [DUMPED_AT]: new Date(systemClock.wall()).toISOString() };
    await probeServer(server, { clock: systemClock, signal: terminal.signal });
    const options = { clock: systemClock, signal: terminal.signal, annotations, onProgress: progress.reading };
    const dumped = await intoPlace(outputFile, terminal, (spool) => dumpCluster(server, spool, options));
    progress.clear();
    for (const warning of dumped.warnings) terminal.err(`warning: ${visible(warning)}\n`);
    if (outputFile !== undefined) terminal.err(`${visible(outputFile)}: ${summaryOf(dumped)}\n`);
    return 0;
  } finally {
    progress.clear();
    server.close();
  }
}

/** Writes a draft and puts it where it belongs. A device or pipe gets it at the end, like standard output. */
async function intoPlace<T>(
  target: string | undefined,
  terminal: Terminal,
  write: (spool: SpoolFile) => Promise<T>,
): Promise<T> {
  const isFile = target !== undefined && (await becomesFile(target));
  const spool = await SpoolFile.create(target, isFile);
  try {
    const result = await write(spool);
    if (isFile) await spool.becomes(target);
    else if (target !== undefined) await spool.copyTo(target);
    else await print(spool, terminal);
    return result;
  } finally {
    await spool.close();
  }
}

async function becomesFile(target: string): Promise<boolean> {
  const existing = await stat(target).catch(() => undefined);
  return existing?.isFile() ?? true;
}

/** Piece by piece, each when the reader has taken the one before. */
async function print(spool: SpoolFile, terminal: Terminal): Promise<void> {
  const decoder = new StringDecoder('utf8');
  for await (const bytes of spool.read()) {
    terminal.out(decoder.write(bytes));
    await terminal.drained();
  }
}

function summaryOf({ counts }: Dumped): string {
  const [pods, nodes] = (['Pod', 'Node'] as const).map((kind) => counts.find(([found]) => found === kind)?.[1] ?? 0);
  const objects = counts.reduce((sum, [, number]) => sum + number, 0);
  return `${count(nodes ?? 0, 'node')}, ${count(pods ?? 0, 'pod')}, ${count(objects, 'object')} of ${counts.length} kinds`;
}
