import { setMaxListeners } from 'node:events';
import { hostname } from 'node:os';
import type { ApiServer } from '../../kube/http/api-server.ts';
import { createEventWriter, type EventWriter } from '../../kube/write/events.ts';
import { whileLeading } from '../../kube/leader-election.ts';
import { lifecyclePorts } from '../../kube/write/lifecycle-ports.ts';
import { PATHS } from '../../kube/http/paths.ts';
import { probeServer } from '../../kube/probe.ts';
import { telling } from '../../kube/http/telling.ts';
import { untilAborted } from '../../kube/http/until-aborted.ts';
import { systemClock } from '../../lib/clock.ts';
import type { ObserveLifecycle } from '../../outcomes/lifecycle.ts';
import { Heartbeat } from '../../telemetry/heartbeat.ts';
import { lifecycleMetrics, type LifecycleMetrics } from '../../telemetry/lifecycle-metrics.ts';
import { createMetrics, type Metrics } from '../../telemetry/metrics.ts';
import { connect } from '../connect.ts';
import { electionOf, LIFECYCLE_ELECTION, type ElectionFlags } from '../election-flags.ts';
import { refuseBuiltIns } from '../controllers/built-in.ts';
import { startControllers, type Controllers, type LifecycleControllerName } from '../controllers/controllers.ts';
import type { LifecycleSettings } from '../controllers/flags.ts';
import { printOutcomes, printPending } from './print.ts';
import type { LiveFlags } from '../live-flags.ts';
import { createSay, sayCredentials, sayElection, type Say } from '../say.ts';
import { startServing } from '../serving.ts';
import type { Terminal } from '../terminal.ts';
import { VERSION } from '../version.ts';
import { NODE_LEASES, type WatchedKind } from '../watch/sync.ts';
import { watchCluster, type WatchedCluster } from '../watch/watch-cluster.ts';

/** The flags of `lifecycle` as typed values. */
export interface LifecycleFlags extends LiveFlags, ElectionFlags {
  readonly mode: 'observe' | 'act';
  readonly controllers: readonly LifecycleControllerName[];
  readonly ignoreBuiltIn?: boolean;
  readonly output: 'text' | 'json';
  readonly v: number;
  readonly loggingFormat: 'text' | 'json';
  readonly settings: LifecycleSettings;
}

const KINDS: readonly WatchedKind[] = [
  { kind: 'Node', path: PATHS.Node, isRequired: true },
  { kind: 'Pod', path: PATHS.Pod, isRequired: true },
  NODE_LEASES,
];

/** A watch asks anew within 10 minutes at the latest. */
const SILENCE_MS = 15 * 60_000;

/** Events that are still to be written when the program ends get so long. */
const LAST_EVENTS_MS = 5_000;

/** What one run of the command works with. */
interface Run {
  readonly flags: LifecycleFlags;
  readonly terminal: Terminal;
  readonly server: ApiServer;
  readonly cluster: WatchedCluster;
  readonly events: EventWriter;
  readonly heartbeat: Heartbeat;
  readonly metrics: Metrics;
  readonly say: Say;
}

/**
 * Runs the controllers until a signal comes; answers with the exit code, 1 where the leadership was lost. Rejects with
 * UserError where built-in controllers are at work, and with ClusterError where nodes, pods or Leases cannot be read.
 */
export async function runLifecycle(flags: LifecycleFlags, terminal: Terminal): Promise<number> {
  // Everything in flight listens to it.
  setMaxListeners(0, terminal.signal);
  const heartbeat = new Heartbeat({ clock: systemClock, silenceMs: SILENCE_MS, overdueMs: undefined });
  heartbeat.begin();
  const say = await createSay(flags, true, terminal);
  const wrappers = [telling(() => heartbeat.beat())];
  const server = connect(flags, terminal, { wrappers, onCredentials: sayCredentials(say) });
  try {
    for (const warning of await probeServer(server, { clock: systemClock, signal: terminal.signal })) say.warn(warning);
    const cluster = watchCluster(KINDS, {
      server,
      clock: systemClock,
      warn: say.warn,
      onChange: () => heartbeat.beat(),
    });
    const events = createEventWriter(server.call, { clock: systemClock, instance: hostname() });
    const run = { flags, terminal, server, cluster, events, heartbeat, metrics: createMetrics(VERSION), say };
    try {
      return await serveAndWork(run);
    } finally {
      await cluster.stop();
      await events.flush(LAST_EVENTS_MS);
    }
  } finally {
    server.close();
  }
}

async function serveAndWork(run: Run): Promise<number> {
  const { flags, terminal, cluster, heartbeat, metrics, say } = run;
  const inPod = (terminal.env['KUBERNETES_SERVICE_HOST'] ?? '') !== '';
  const serving = await startServing(flags, { heartbeat, metrics, isLoop: true, inPod, warn: say.warn });
  try {
    await cluster.synced(terminal.signal);
    const { nodes } = cluster.store;
    say.info(`synced: ${nodes.length} nodes, ${cluster.store.count('Pod')} pods`);
    heartbeat.end();
    heartbeat.begin();
    await refuseBuiltIns(flags, { call: run.server.call, cluster, say });
    return await work(run);
  } finally {
    await serving?.close();
  }
}

/** Acts behind the election, and observes without one unless it is asked for. */
async function work(run: Run): Promise<number> {
  const { flags, terminal, server, say } = run;
  const leading = { controllers: undefined as Controllers | undefined };
  const { observe, passed } = observerOf(run, leading);
  const act = (signal: AbortSignal) => control(run, { signal, observe, passed, leading });
  if (!(flags.leaderElect ?? flags.mode === 'act')) {
    await act(terminal.signal);
    return 0;
  }
  const options = electionOf(flags, LIFECYCLE_ELECTION);
  say.info(`waiting for the Lease ${options.namespace}/${options.name} as ${options.identity}`);
  const { end } = await whileLeading(act, options, {
    ...{ call: server.call, clock: systemClock, random: Math.random, signal: terminal.signal },
    ...sayElection(say),
  });
  if (end !== 'lost') return 0;
  say.error('the leadership is lost: everything is aborted, and another instance goes on');
  return 1;
}

interface Leading {
  readonly signal: AbortSignal;
  readonly observe: ObserveLifecycle;
  readonly passed: LifecycleMetrics['passed'];
  readonly leading: { controllers: Controllers | undefined };
}

/** The controllers at work until the signal comes. What is in flight may end, unless the leadership is lost. */
async function control(run: Run, { signal, observe, passed, leading }: Leading): Promise<void> {
  const { flags, terminal, cluster, events, server } = run;
  const lost = new AbortController();
  setMaxListeners(0, lost.signal);
  const ports = lifecyclePorts(untilAborted(lost.signal)(server.call));
  const { mode, controllers: names, settings } = flags;
  const controllers = startControllers({
    ...{ names, mode, settings, observe, passed, events, ports },
    ...{ store: cluster.store, clock: systemClock },
  });
  leading.controllers = controllers;
  await aborted(signal);
  if (!terminal.signal.aborted) lost.abort();
  printPending(controllers.eviction?.pending() ?? [], flags, terminal);
  await controllers.stop();
}

function observerOf(
  run: Run,
  leading: Leading['leading'],
): Pick<LifecycleMetrics, 'passed'> & { observe: ObserveLifecycle } {
  const { flags, terminal, metrics, cluster } = run;
  const { observe: count, passed } = lifecycleMetrics(metrics.registry, {
    zones: () => leading.controllers?.lifecycle?.zones() ?? [],
    pending: () => leading.controllers?.eviction?.counts ?? { armed: 0, due: 0 },
    isLeading: () => leading.controllers !== undefined,
    watches: cluster.states,
  });
  const print = printOutcomes(flags, terminal);
  const observe: ObserveLifecycle = (outcome) => {
    count(outcome);
    print(outcome);
  };
  return { observe, passed };
}

function aborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    signal.addEventListener('abort', () => resolve(), { once: true });
    if (signal.aborted) resolve();
  });
}
