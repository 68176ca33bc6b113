import { setMaxListeners } from 'node:events';
import { createWriteStream } from 'node:fs';
import { dirname } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { StringDecoder } from 'node:string_decoder';
import { DUMPED_AT } from '../../dump/loader.ts';
import { dumpCluster, type Dumped } from '../../kube/dump.ts';
import { probeServer } from '../../kube/probe.ts';
import { systemClock } from '../../lib/clock.ts';
import { visible } from '../../lib/visible.ts';
import { count } from '../../report/words.ts';
import { connect } from '../connect.ts';
import type { ConnectFlags } from '../live-flags.ts';
import { createProgress } from '../live-progress.ts';
import { explained, targetOf, type Target } from '../files/output-file.ts';
import { TemporaryFile } from '../files/temporary-file.ts';
import type { Terminal } from '../terminal.ts';
import { redactDump } from './redact-dump.ts';

/** The flags of `dump`. */
export interface DumpFlags extends ConnectFlags {
  readonly outputFile?: string;
  readonly redact?: boolean;
}

/**
 * Dumps the cluster into the file, whole or not at all, or to standard output once it is complete. Rejects with
 * ConnectError, ClusterError, UserError.
 */
export async function runDump(flags: DumpFlags, terminal: Terminal): Promise<number> {
  const { outputFile } = flags;
  const target = await targetOf(outputFile);
  setMaxListeners(0, terminal.signal);
  const server = connect(flags, terminal);
  const progress = await createProgress({ v: 0 }, terminal);
  try {
    const annotations = { [DUMPED_AT]: new Date(systemClock.wall()).toISOString() };
    await probeServer(server, { clock: systemClock, signal: terminal.signal });
    const options = { clock: systemClock, signal: terminal.signal, annotations, onProgress: progress.reading };
    const plain = (temporary: TemporaryFile) => dumpCluster(server, temporary, options);
    const write = flags.redact ? redacting(plain) : plain;
    const dumped = await explained(outputFile, () => intoPlace(target, terminal, write));
    progress.clear();
    for (const warning of dumped.warnings) terminal.err(`warning: ${visible(warning)}\n`);
    if (outputFile !== undefined) terminal.err(`${visible(outputFile)}: ${summaryOf(dumped)}\n`);
    return 0;
  } finally {
    progress.clear();
    server.close();
  }
}

type Write<T> = (temporary: TemporaryFile) => Promise<T>;

/** Writes into a draft without a name first, for pseudonyms have to know all names. */
function redacting<T>(write: Write<T>): Write<T> {
  return async (into) => {
    const temporary = await TemporaryFile.create();
    try {
      const result = await write(temporary);
      await redactDump(temporary, into);
      return result;
    } finally {
      await temporary.close();
    }
  };
}

/** Writes a draft and puts it where it belongs. A device or pipe gets it at the end, like standard output. */
async function intoPlace<T>(target: Target, terminal: Terminal, write: Write<T>): Promise<T> {
  const temporary = await TemporaryFile.create(target.kind === 'file' ? dirname(target.path) : undefined);
  try {
    const result = await write(temporary);
    if (target.kind === 'file') await temporary.becomes(target.path, target.mode);
    else if (target.kind === 'stream') await pipeline(temporary.read(), createWriteStream(target.path, { flags: 'a' }));
    else await print(temporary, terminal[target.kind], terminal);
    return result;
  } finally {
    await temporary.close();
  }
}

/** Piece by piece, each when the reader has taken the one before. */
async function print(temporary: TemporaryFile, write: Terminal['out'], { drained }: Terminal): Promise<void> {
  const decoder = new StringDecoder('utf8');
  for await (const bytes of temporary.read()) {
    write(decoder.write(bytes));
    await drained();
  }
}

function summaryOf({ counts }: Dumped): string {
  const [pods, nodes] = (['Pod', 'Node'] as const).map((kind) => counts.find(([found]) => found === kind)?.[1] ?? 0);
  const objects = counts.reduce((sum, [, number]) => sum + number, 0);
  return `${count(nodes ?? 0, 'node')}, ${count(pods ?? 0, 'pod')}, ${count(objects, 'object')} of ${counts.length} kinds`;
}
