import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import { runLoop, type Timing } from '../../descheduler/loop.ts';
import { measuredUsage } from '../../descheduler/measured-usage.ts';
import { telling } from '../../kube/http/telling.ts';
import { untilAborted } from '../../kube/http/until-aborted.ts';
import { whileLeading } from '../../kube/leader-election.ts';
import { createEventWriter } from '../../kube/write/events.ts';
import { steadied, systemClock } from '../../lib/clock.ts';
import { Heartbeat } from '../../telemetry/heartbeat.ts';
import { createMetrics } from '../../telemetry/metrics.ts';
import { connect } from '../connect.ts';
import { electionOf } from '../election-flags.ts';
import { liveHistories } from './history.ts';
import { besides, checkCluster } from './live-controllers.ts';
import { runLiveCycle, type Live } from './live-cycle.ts';
import { timingOf } from '../live-flags.ts';
import { createProgress } from '../live-progress.ts';
import { createSay, sayCredentials, sayElection } from '../say.ts';
import { checkOutputFile } from '../files/output-file.ts';
import { policyOf } from '../policy/policy-file.ts';
import { sampleMetrics } from './sample-metrics.ts';
import { electionDefaults, lifecycleNames, type RunFlags } from './run-flags.ts';
import { startServing } from '../serving.ts';
import type { Terminal } from '../terminal.ts';
import { UserError } from '../session.ts';
import { VERSION } from '../version.ts';
import { NODE_LEASES } from '../watch/sync.ts';
import { watchCluster, type WatchParts } from '../watch/watch-cluster.ts';
import { watchedKinds } from './watched-source.ts';

/** A cycle that makes no progress for so long is stuck; the longest wait within one is a minute. */
const SILENCE_MS = 5 * 60_000;

/** How late a cycle may start. */
const LATE_MS = 60_000;

/** Events that are still to be written when the program ends get so long. */
const LAST_EVENTS_MS = 5_000;

/**
 * Runs cycles on a live cluster: once, or again and again until a signal comes. Answers with the exit code of the last one.
 * Rejects where the input is wrong at the start (UserError, PolicyError, ConnectError), and once only with ClusterError.
 */
export async function runLive(flags: RunFlags, terminal: Terminal): Promise<number> {
  const timing = timingOf(flags);
  await checkSchedule(timing);
  // Everything in flight listens to it.
  setMaxListeners(0, terminal.signal);
  await checkOutputFile(flags.outputFile);
  const live = await prepare(flags, timing, terminal);
  live.say.info(live.dryRun ? 'dry run: nothing is evicted' : 'acting: pods are evicted');
  try {
    const serving = await startServing(flags, { ...live, inPod: isInPod(terminal), warn: live.say.warn });
    try {
      return await leadAndLoop(live, timing);
    } finally {
      await live.cluster?.stop();
      await live.events.flush(LAST_EVENTS_MS);
      await serving?.close();
    }
  } finally {
    live.server.close();
  }
}

/**
 * Runs the cycles, and the lifecycle controllers beside them where the flags name them, behind an election where one is
 * asked for. Answers with the exit code: of the last cycle, 1 where the leadership was lost.
 */
async function leadAndLoop(live: Live, timing: Timing): Promise<number> {
  const { flags, terminal, dryRun, server, say, heartbeat } = live;
  const isWithControllers = lifecycleNames(flags).length > 0;
  if (isWithControllers && live.cluster) await checkCluster(live, live.cluster);
  if (!(flags.leaderElect ?? (isWithControllers && !dryRun))) return loop(live, timing, terminal.signal);
  // A standby is healthy and ready as long as it asks for the Lease.
  heartbeat.end();
  heartbeat.begin();
  const answer = await whileLeading(
    (signal) => loop(live, timing, signal),
    electionOf(flags, electionDefaults(flags)),
    {
      ...{ call: server.call, clock: systemClock, random: Math.random, signal: terminal.signal },
      ...sayElection(say),
    },
  );
  if (answer.end === 'done') return answer.value;
  if (answer.end === 'stopped') return 0;
  say.error('the leadership is lost: everything is aborted, and another instance goes on');
  return 1;
}

/** Until the signal comes. What is in flight then may end, unless the leadership is lost. */
async function loop(live: Live, timing: Timing, signal: AbortSignal): Promise<number> {
  const lost = new AbortController();
  setMaxListeners(0, lost.signal);
  setMaxListeners(0, signal);
  signal.addEventListener('abort', () => {
    if (!live.terminal.signal.aborted) lost.abort();
  });
  const server = { ...live.server, call: untilAborted(lost.signal)(live.server.call) };
  const leading: Live = { ...live, server, terminal: { ...live.terminal, signal } };
  const controllers = besides(leading);
  const { sample } = live.usage;
  const wanted = () => live.wants.metrics;
  if (live.isLoop) void sampleMetrics({ server, clock: systemClock, wanted, sample, warn: live.say.warn }, signal);
  try {
    return await runLoop(() => runLiveCycle(leading), { timing, clock: systemClock, signal });
  } finally {
    await controllers?.stop();
  }
}

async function prepare(flags: RunFlags, timing: Timing, terminal: Terminal): Promise<Live> {
  const policy = () => policyOf(flags, terminal.signal);
  await policy();
  const isLoop = timing.kind !== 'once';
  const heartbeat = new Heartbeat({
    clock: systemClock,
    silenceMs: SILENCE_MS,
    overdueMs: timing.kind === 'interval' ? timing.intervalMs + LATE_MS : undefined,
  });
  const say = await createSay(flags, isLoop, terminal);
  const wrappers = [telling(() => heartbeat.beat())];
  // A single run says why it failed, and that is all.
  const server = connect(flags, terminal, { wrappers, ...(isLoop && { onCredentials: sayCredentials(say) }) });
  const watching = { server, clock: systemClock, warn: say.warn, onChange: () => heartbeat.beat() };
  return {
    flags,
    terminal,
    isLoop,
    cluster: isLoop ? watchAll(flags, watching) : undefined,
    dryRun: flags.dryRun ?? false,
    policy,
    server,
    steady: steadied(systemClock),
    heartbeat,
    metrics: createMetrics(VERSION),
    histories: liveHistories(server.call, isLoop),
    events: createEventWriter(server.call, { clock: systemClock, instance: hostname() }),
    usage: measuredUsage(systemClock),
    say,
    wants: { metrics: false },
    progress: await createProgress(flags, terminal),
  };
}

/** What a loop reads again and again is watched; so is what the lifecycle controllers need. */
function watchAll(flags: RunFlags, parts: WatchParts) {
  const leases = lifecycleNames(flags).length > 0 ? [NODE_LEASES] : [];
  return watchCluster([...watchedKinds(), ...leases], parts);
}

async function checkSchedule(timing: Timing): Promise<void> {
  if (timing.kind !== 'schedule') return;
  const { isCronExpression } = await import('../../descheduler/schedule.ts');
  for (const expression of timing.expressions) {
    if (isCronExpression(expression)) continue;
    throw new UserError(
      `--schedule "${expression}" is not a valid cron expression; expected one like "*/10 8-17 * * 1-5"`,
    );
  }
}

function isInPod({ env }: Terminal): boolean {
  return (env['KUBERNETES_SERVICE_HOST'] ?? '') !== '';
}
