import { setMaxListeners } from 'node:events';
import { runLoop, type Timing } from '../../descheduler/loop.ts';
import { whileLeading } from '../../kube/leader-election.ts';
import { lifecyclePorts } from '../../kube/write/lifecycle-ports.ts';
import { untilAborted } from '../../kube/http/until-aborted.ts';
import { systemClock } from '../../lib/clock.ts';
import type { LifecycleOutcome } from '../../outcomes/lifecycle.ts';
import { lifecycleLine } from '../../report/lifecycle.ts';
import { lifecycleMetrics } from '../../telemetry/lifecycle-metrics.ts';
import { electionOf } from '../election-flags.ts';
import { refuseBuiltIns } from '../lifecycle/built-in.ts';
import { startControllers, type Controllers } from '../lifecycle/controllers.ts';
import { runLiveCycle, type Live } from './live-cycle.ts';
import { sayElection } from './live-say.ts';
import { electionDefaults, lifecycleNames } from './run-flags.ts';
import type { WatchedCluster } from './watch-cluster.ts';

/**
 * Runs the cycles, and the lifecycle controllers beside them where the flags name them, behind an election where one is
 * asked for. Answers with the exit code: of the last cycle, 1 where the leadership was lost.
 */
export async function leadAndLoop(live: Live, timing: Timing): Promise<number> {
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

async function checkCluster(live: Live, cluster: WatchedCluster): Promise<void> {
  const { flags, terminal, dryRun, server, say } = live;
  await cluster.synced(terminal.signal);
  const mode = dryRun ? 'observe' : 'act';
  const { ignoreBuiltIn = false } = flags;
  await refuseBuiltIns(
    { mode, controllers: lifecycleNames(flags), ignoreBuiltIn },
    { call: server.call, cluster, say },
  );
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
  try {
    return await runLoop(() => runLiveCycle(leading), { timing, clock: systemClock, signal });
  } finally {
    await controllers?.stop();
  }
}

/** The lifecycle controllers, if there are any to run. Their outcomes go to the log and the metrics. */
function besides(live: Live): Controllers | undefined {
  const { flags, cluster, dryRun, events, server } = live;
  const names = lifecycleNames(flags);
  if (!cluster || names.length === 0) return undefined;
  const mode = dryRun ? 'observe' : 'act';
  const started: { controllers?: Controllers } = {};
  const observe = observerOf(live, cluster, () => started.controllers);
  const controllers = startControllers({
    ...{ names, mode, observe, events, ports: lifecyclePorts(server.call) },
    settings: flags.settings ?? { lifecycle: {}, eviction: {} },
    ...{ store: cluster.store, clock: systemClock },
  });
  started.controllers = controllers;
  return controllers;
}

function observerOf({ metrics, say, dryRun }: Live, cluster: WatchedCluster, running: () => Controllers | undefined) {
  const count = lifecycleMetrics(metrics.registry, {
    zones: () => running()?.lifecycle?.zones() ?? [],
    pending: () => running()?.eviction?.counts ?? { armed: 0, due: 0 },
    isLeading: () => running() !== undefined,
    watches: cluster.states,
  });
  return (outcome: LifecycleOutcome) => {
    count(outcome);
    const { level, message } = lifecycleLine(outcome, dryRun ? 'observe' : 'act');
    if (level !== 'debug') say[level](message);
  };
}
