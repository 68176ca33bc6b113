import { Snapshot } from '../cluster/snapshot.ts';
import { parseTime } from '../cluster/decode-time.ts';
import type { ClusterView } from '../descheduler/ports.ts';
import { readDump, type Dump } from '../dump/read-dump.ts';
import type { Source } from '../outcomes/outcome.ts';

/** A recorded cluster as a cycle finds it, and what time it is there. Throws DumpError. */
export async function dumpSource(paths: readonly string[], now: Date | undefined): Promise<ClusterView> {
  const dump = await readDump(paths);
  const time = timeOf(dump, now);
  const warnings = time.nowFrom === 'clock' ? [...dump.warnings, NO_TIME] : dump.warnings;
  return { snapshot: new Snapshot(dump.contents), source: { kind: 'dump', name: dump.name, ...time }, warnings };
}

const NO_TIME =
  "no object of the dump carries a time: ages are measured against this machine's clock; --now sets another";

/** `--now`, else what the dump says about itself, else its latest timestamp (cli.md, "A dump"). */
function timeOf(dump: Dump, now: Date | undefined): Pick<Source, 'now' | 'nowFrom'> {
  if (now) return { now: instant(now.getTime()), nowFrom: 'flag' };
  const dumpedAt = dump.dumpedAt === undefined ? undefined : parseTime(dump.dumpedAt);
  if (dumpedAt !== undefined) return { now: instant(dumpedAt), nowFrom: 'dump' };
  if (dump.latestTimestamp !== undefined) return { now: instant(dump.latestTimestamp), nowFrom: 'latest-timestamp' };
  return { now: instant(Date.now()), nowFrom: 'clock' };
}

function instant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
