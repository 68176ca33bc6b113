import { runCycle } from '../../descheduler/cycle.ts';
import type { CyclePorts } from '../../descheduler/ports.ts';
import type { MeasuredUsage } from '../../descheduler/measured-usage.ts';
import type { ClusterSource, UsageSource } from '../../descheduler/ports.ts';
import { usageNeeds } from '../../descheduler/profile.ts';
import { dryRunEvict } from '../../evictor/carry-out.ts';
import type { ApiServer } from '../../kube/http/api-server.ts';
import { createEvict } from '../../kube/write/evict.ts';
import { eventOf, failureEvent, type EventWriter } from '../../kube/write/events.ts';
import { probeServer } from '../../kube/probe.ts';
import { freshCluster } from '../../kube/watch/source.ts';
import { systemClock, type Clock } from '../../lib/clock.ts';
import { hasFailed } from '../../outcomes/cycle-report.ts';
import { HeldBack } from '../../outcomes/held-back.ts';
import type { CycleReport, Observe } from '../../outcomes/outcome.ts';
import { summaryOf } from '../../report/document.ts';
import type { Heartbeat } from '../../telemetry/heartbeat.ts';
import type { Metrics } from '../../telemetry/metrics.ts';
import type { Histories } from './history.ts';
import { explainError } from '../known-errors.ts';
import { tellIncomplete } from './deliver.ts';
import { deliverCycle, deliverFailure } from './live-deliver.ts';
import type { Progress } from '../live-progress.ts';
import type { Say } from '../say.ts';
import type { ReadPolicy } from '../policy/policy-file.ts';
import type { RunFlags } from './run-flags.ts';
import type { Terminal } from '../terminal.ts';
import type { WatchedCluster } from '../watch/watch-cluster.ts';
import { watchedSource } from './watched-source.ts';

/** What the cycles of a live run share. */
export interface Live {
  readonly flags: RunFlags;
  readonly terminal: Terminal;
  /** Whether cycles follow one another. */
  readonly isLoop: boolean;
  readonly dryRun: boolean;
  /** Reads the policy anew: a changed one is used from the next cycle on (rule C9). */
  readonly policy: () => Promise<ReadPolicy>;
  readonly server: ApiServer;
  /** The cluster as watches have it, where cycles follow one another. */
  readonly cluster: WatchedCluster | undefined;
  /** What the time is for ages and limits, whatever becomes of the system's clock. */
  readonly steady: Clock;
  readonly heartbeat: Heartbeat;
  readonly metrics: Metrics;
  readonly histories: Histories;
  readonly events: EventWriter;
  readonly usage: MeasuredUsage;
  /** What the policy of the last cycle wants measured. */
  readonly wants: { metrics: boolean };
  readonly say: Say;
  readonly progress: Progress;
}

/** One cycle with its report; answers with the exit code. In a loop a failed cycle is reported, else it rejects. */
export async function runLiveCycle(live: Live): Promise<number> {
  const { heartbeat, metrics, terminal } = live;
  const [startedAt, began] = [systemClock.wall(), systemClock.now()];
  heartbeat.begin();
  live.say.nextCycle();
  try {
    const report = await cycleOf(live);
    live.progress.clear();
    metrics.showPlan(report);
    await deliverCycle(report, live);
    live.say.info(summaryLine(report));
    tellIncomplete(report, live.isLoop ? live.say.info : live.say.warn);
    heartbeat.end();
    return hasFailed(report) ? 1 : 0;
  } catch (error) {
    live.progress.clear();
    const { message, defect } = explainError(error);
    heartbeat.end(`the last cycle failed: ${message}`);
    if (!live.isLoop || terminal.signal.aborted) throw error;
    live.say.error(`cycle failed: ${message}`, defect);
    const finishedAt = startedAt + systemClock.now() - began;
    await deliverFailure({ startedAt, finishedAt, error: message }, live);
    return 1;
  } finally {
    metrics.observeLoop((systemClock.now() - began) / 1000);
  }
}

async function cycleOf(live: Live): Promise<CycleReport> {
  const { server, steady, dryRun, terminal } = live;
  const read = await live.policy();
  const warnings = await probeServer(server, { clock: systemClock, signal: terminal.signal });
  const metrics = usageNeeds(read.policy).some(({ source }) => source === 'KubernetesMetrics');
  live.wants.metrics = metrics;
  const fresh = freshCluster(server, () => ({ clock: steady, metrics, onProgress: live.progress.reading }));
  const source = live.cluster ? watchedSource({ cluster: live.cluster, fresh, server, metrics, clock: steady }) : fresh;
  const cluster: ClusterSource = async (signal) => {
    const view = await source(signal);
    return { ...view, warnings: [...read.warnings, ...warnings, ...view.warnings] };
  };
  const observe = observerOf(live, read);
  const history = live.histories(read.policy);
  const port = dryRun ? dryRunEvict : createEvict(server.call, { clock: systemClock, random: Math.random });
  const usage = usageOf(live, read);
  const ports: CyclePorts = { cluster, usage, evict: port, history, observe, clock: systemClock };
  return runCycle(read.policy, ports, { dryRun, signal: terminal.signal });
}

/** Usage by the metrics API, or by the Prometheus server that the policy names. */
function usageOf({ usage, server }: Live, { policy }: ReadPolicy): UsageSource {
  const provider = policy.metricsProviders.find(({ source }) => source === 'Prometheus');
  return async (need, snapshot, signal) => {
    if (need.source !== 'Prometheus') return usage.usage(need, snapshot, signal);
    if (provider?.url === undefined) return { problem: NO_PROVIDER };
    const { prometheusUsage } = await import('../../kube/prometheus.ts');
    const { url, authSecret } = provider;
    return prometheusUsage({ url, authSecret }, need.query ?? '', { call: server.call, signal });
  };
}

const NO_PROVIDER =
  'from Prometheus cannot be had: metricsProviders of the policy names no server; add {source: Prometheus, prometheus: {url: …}}';

/** Log, metrics, events and progress all live from the same outcomes. A dry run counts and announces no eviction. */
function observerOf(live: Live, { policy }: ReadPolicy): Observe {
  const { dryRun, events, heartbeat, metrics, progress, say } = live;
  const notifies = policy.evictionFailureEventNotification;
  const heldBack = new HeldBack();
  return (outcome) => {
    heartbeat.beat();
    say.outcome(outcome);
    progress.observe(outcome);
    const isNews = heldBack.isNews(outcome);
    if (outcome.kind === 'strategy' || (!dryRun && (outcome.kind === 'eviction' || isNews))) metrics.observe(outcome);
    if (dryRun) return;
    if (isNews && notifies) events.write(failureEvent(outcome.pod, outcome.reason));
    const event = outcome.kind === 'eviction' ? eventOf(outcome, notifies) : undefined;
    if (event) events.write(event);
  };
}

function summaryLine(report: CycleReport): string {
  const { evicted, refused, failed, gone, uncertain } = summaryOf(report);
  const { nodes, pods } = report.cluster;
  const lead = report.dryRun ? 'dry run of a cycle' : 'cycle';
  return `${lead} on ${nodes} nodes and ${pods} pods: evicted ${evicted}, refused ${refused}, failed ${failed}, gone ${gone}, uncertain ${uncertain}`;
}
