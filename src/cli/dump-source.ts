import { Snapshot } from '../cluster/snapshot.ts';
import { parseTime } from '../cluster/decode/decode-time.ts';
import type { ClusterView } from '../descheduler/ports.ts';
import { readDump, type Dump } from '../dump/read-dump.ts';
import { systemClock } from '../lib/clock.ts';
import type { Source } from '../outcomes/outcome.ts';
import { knowsClasses, SYSTEM_CLASSES } from '../evictor/constraints/priority-threshold.ts';
import type { Policy } from '../policy/policy.ts';
import { UserError } from './session.ts';

/** What is read, and what `--now` says. */
export interface DumpRequest {
  readonly paths: readonly string[];
  readonly now: Date | undefined;
}

/** A recorded cluster as a cycle finds it, and what time it is there. Throws DumpError, and UserError once aborted. */
export async function dumpSource({ paths, now }: DumpRequest, signal: AbortSignal): Promise<ClusterView> {
  const dump = await Promise.race([readDump(paths, { signal }), aborted(signal)]);
  const time = timeOf(dump, now);
  const warnings = time.nowFrom === 'clock' ? [...dump.warnings, NO_TIME] : dump.warnings;
  return { snapshot: new Snapshot(dump.contents), source: { kind: 'dump', name: dump.name, ...time }, warnings };
}

/**
 * The same for a policy, whose priority thresholds may name a PriorityClass. Throws UserError, too, if the dump holds no
 * PriorityClass at all and one is named that not every cluster has: it is the dump that is incomplete, not the cluster.
 */
export async function dumpFor(policy: Policy, request: DumpRequest, signal: AbortSignal): Promise<ClusterView> {
  const view = await dumpSource(request, signal);
  const names = policy.profiles.flatMap(({ evictor: { priorityThreshold } }) =>
    priorityThreshold && 'name' in priorityThreshold ? [priorityThreshold.name] : [],
  );
  if (names.length === 0 || knowsClasses(view.snapshot)) return view;
  const unknown = names.find((name) => !SYSTEM_CLASSES.has(name));
  if (unknown !== undefined) throw new UserError(missingClass(view.source.name, unknown));
  const fixed = [...new Set(names)].map((name) => `${name} counts as ${SYSTEM_CLASSES.get(name)}, as in every cluster`);
  const warning = `the dump holds no PriorityClass objects: ${fixed.join(', ')}; ${GET_CLASSES}`;
  return { ...view, warnings: [...view.warnings, warning] };
}

const GET_CLASSES = 'add what `kubectl get priorityclasses -o json` prints';

function missingClass(dump: string, name: string): string {
  return `${dump}: holds no PriorityClass objects, and priorityThreshold names the class ${name}, whose value is not known; ${GET_CLASSES}, or set priorityThreshold.value`;
}

const NO_TIME =
  "no object of the dump carries a time: ages are measured against this machine's clock; --now sets another";

function aborted(signal: AbortSignal): Promise<never> {
  return new Promise((_, reject) => {
    const stop = (): void => {
      reject(new UserError('ended by a signal while the dump was read', 1));
    };
    if (signal.aborted) stop();
    else signal.addEventListener('abort', stop, { once: true });
  });
}

/** `--now`, else what the dump says about itself, else its latest timestamp (rule C18). */
function timeOf(dump: Dump, now: Date | undefined): Pick<Source, 'now' | 'nowFrom'> {
  if (now) return { now: instant(now.getTime()), nowFrom: 'flag' };
  const dumpedAt = dump.dumpedAt === undefined ? undefined : parseTime(dump.dumpedAt);
  if (dumpedAt !== undefined) return { now: instant(dumpedAt), nowFrom: 'dump' };
  if (dump.latestTimestamp !== undefined) return { now: instant(dump.latestTimestamp), nowFrom: 'latest-timestamp' };
  return { now: instant(systemClock.wall()), nowFrom: 'clock' };
}

function instant(ms: number): string {
  return new Date(ms).toISOString().replace('.000Z', 'Z');
}
