import { lifecyclePorts } from '../../kube/write/lifecycle-ports.ts';
import { systemClock } from '../../lib/clock.ts';
import type { LifecycleOutcome } from '../../outcomes/lifecycle.ts';
import { lifecycleLine } from '../../report/lifecycle.ts';
import { lifecycleMetrics } from '../../telemetry/lifecycle-metrics.ts';
import { refuseBuiltIns } from '../controllers/built-in.ts';
import { startControllers, type Controllers } from '../controllers/controllers.ts';
import type { Live } from './live-cycle.ts';
import { lifecycleNames } from './run-flags.ts';
import type { WatchedCluster } from '../watch/watch-cluster.ts';

/** Refuses to act beside the controllers of kube-controller-manager that do the same. Throws UserError. */
export async function checkCluster(live: Live, cluster: WatchedCluster): Promise<void> {
  const { flags, terminal, dryRun, server, say } = live;
  await cluster.synced(terminal.signal);
  const mode = dryRun ? 'observe' : 'act';
  const { ignoreBuiltIn = false } = flags;
  await refuseBuiltIns(
    { mode, controllers: lifecycleNames(flags), ignoreBuiltIn },
    { call: server.call, cluster, say },
  );
}

/** The lifecycle controllers, if there are any to run. Their outcomes go to the log and the metrics. */
export function besides(live: Live): Controllers | undefined {
  const { flags, cluster, dryRun, events, server } = live;
  const names = lifecycleNames(flags);
  if (!cluster || names.length === 0) return undefined;
  const mode = dryRun ? 'observe' : 'act';
  const started: { controllers?: Controllers } = {};
  const { observe, passed } = observerOf(live, cluster, () => started.controllers);
  const controllers = startControllers({
    ...{ names, mode, observe, passed, events, ports: lifecyclePorts(server.call) },
    settings: flags.settings ?? { lifecycle: {}, eviction: {} },
    ...{ store: cluster.store, clock: systemClock },
  });
  started.controllers = controllers;
  return controllers;
}

function observerOf({ metrics, say, dryRun }: Live, cluster: WatchedCluster, running: () => Controllers | undefined) {
  const { observe: count, passed } = lifecycleMetrics(metrics.registry, {
    zones: () => running()?.lifecycle?.zones() ?? [],
    pending: () => running()?.eviction?.counts ?? { armed: 0, due: 0 },
    isLeading: () => running() !== undefined,
    watches: cluster.states,
  });
  const observe = (outcome: LifecycleOutcome) => {
    count(outcome);
    const { level, message } = lifecycleLine(outcome, dryRun ? 'observe' : 'act');
    if (level !== 'debug') say[level](message);
  };
  return { observe, passed };
}
