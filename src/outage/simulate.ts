import { Decoder } from '../cluster/decode/decode.ts';
import { compareText, type ClusterContents } from '../cluster/snapshot.ts';
import { formatDuration } from '../lib/duration.ts';
import { VirtualClock } from '../lib/virtual-clock.ts';
import { NodeLifecycleController } from '../node-lifecycle/controller.ts';
import { readySeen } from '../node-lifecycle/health.ts';
import { LIFECYCLE_DEFAULTS, type LifecycleOptions } from '../node-lifecycle/options.ts';
import type { LifecycleOutcome } from '../outcomes/lifecycle.ts';
import type { OutageReport } from '../outcomes/outage-report.ts';
import { TaintEvictionController } from '../taint-eviction/controller.ts';
import { TAINT_EVICTION_DEFAULTS, type TaintEvictionOptions } from '../taint-eviction/options.ts';
import { TimeSeries } from './time-series.ts';
import { PodResults } from './pod-results.ts';
import { play, postReady, type Stage } from './play.ts';
import type { Scenario } from './scenario.ts';
import { SimulatedApi, type ApiChange } from './simulated-api.ts';
import { Timeline } from './timeline.ts';

/** How an outage is played. */
export interface OutageOptions {
  /** The time in the cluster when the scenario begins, in ms since the epoch. */
  readonly now: number;
  /** Flags of `evenkeel lifecycle` that are not as by default. */
  readonly lifecycle?: Partial<LifecycleOptions>;
  readonly eviction?: Partial<TaintEvictionOptions>;
}

/** The controllers of one process life. */
interface Running {
  readonly stop: () => void;
}

/**
 * Plays an outage on a cluster in virtual time, with the very controllers that run in `evenkeel lifecycle`. The same input
 * gives the same report.
 */
export async function simulateOutage(
  contents: ClusterContents,
  scenario: Scenario,
  options: OutageOptions,
): Promise<OutageReport> {
  const clock = new VirtualClock(0);
  clock.step(options.now);
  const records = new Records(clock);
  const api = new SimulatedApi(sorted(contents), clock, (change) => records.onChange(change));
  const run = () => startControllers(api, clock, { options, observe: (outcome) => records.onOutcome(outcome, api) });
  let running: Running | undefined;
  const restart = (downForMs: number): void => {
    running?.stop();
    running = undefined;
    clock.schedule(clock.now() + downForMs, () => {
      running ??= run();
    });
  };
  const stage: Stage = { api, clock, decoder: new Decoder(), warn: (text) => records.warn(text), restart };
  for (const { atMs, happening } of scenario.events) {
    clock.schedule(atMs, () => play(happening, stage));
    if (atMs > scenario.durationMs) {
      records.warn(`${happening.kind} at ${formatDuration(atMs)} comes after the end of the scenario`);
    }
  }
  startKubelets(stage, records);
  clock.schedule(0, () => {
    running ??= run();
  });
  await clock.advanceTo(scenario.durationMs);
  running?.stop();
  return records.report(api, contents, scenario);
}

/** Every kubelet is alive from the start; one whose node nobody had heard from reports itself ready. */
function startKubelets({ api, clock }: Stage, records: Records): void {
  for (const node of api.nodes()) {
    api.kubelets.start(node.name, clock.now());
    records.onStart(node);
    const { status } = readySeen(node);
    if (status === 'Unknown' || status === 'absent') postReady(node, { api, clock });
  }
}

function startControllers(
  api: SimulatedApi,
  clock: VirtualClock,
  { options, observe }: { readonly options: OutageOptions; readonly observe: (outcome: LifecycleOutcome) => void },
): Running {
  const store = api.watch();
  const lifecycle = new NodeLifecycleController({
    store,
    clock,
    observe,
    ports: api.lifecyclePorts(),
    options: { ...LIFECYCLE_DEFAULTS, ...options.lifecycle },
    leaseOf: (name) => api.kubelets.lease(name, clock.now()),
  });
  const eviction = new TaintEvictionController({
    store,
    clock,
    observe,
    ports: api.evictionPorts(),
    options: { ...TAINT_EVICTION_DEFAULTS, ...options.eviction, mode: 'act' },
    isPaused: (nodeName) => lifecycle.isPaused(nodeName),
  });
  eviction.start();
  lifecycle.start();
  const stop = (): void => {
    api.unwatch();
    void lifecycle.stop();
    void eviction.stop();
  };
  return { stop };
}

/** The order of the input must not show in the report. */
function sorted({ nodes, pods, others }: ClusterContents): ClusterContents {
  const byName = nodes.toSorted((a, b) => compareText(a.name, b.name));
  const byNamespace = pods.toSorted((a, b) => compareText(a.namespace, b.namespace) || compareText(a.name, b.name));
  return { nodes: byName, pods: byNamespace, others };
}

/** Everything that is written down of a run. */
class Records {
  readonly #clock: VirtualClock;
  readonly #timeline: Timeline;
  readonly #series: TimeSeries;
  readonly #results: PodResults;
  readonly #warnings: string[] = [];
  #podsDeleted = 0;
  #lastDeletionAt: string | undefined;

  constructor(clock: VirtualClock) {
    this.#clock = clock;
    this.#timeline = new Timeline(clock);
    this.#series = new TimeSeries(clock);
    this.#results = new PodResults((at) => this.#timeline.since(at));
  }

  onStart(node: ClusterContents['nodes'][number]): void {
    this.#series.onNode(undefined, node, true);
    this.#results.onNode(node);
  }

  onChange(change: ApiChange): void {
    this.#timeline.onChange(change);
    this.#results.onChange(change);
    if (change.kind === 'Node') this.#series.onNode(change.before, change.after);
  }

  onOutcome(outcome: LifecycleOutcome, api: SimulatedApi): void {
    this.#timeline.onOutcome(outcome, api);
    this.#results.onOutcome(outcome, this.#clock.wall());
    if (outcome.kind !== 'pod-deleted') return;
    this.#series.onPodDeleted(api.node(outcome.pod.nodeName));
    this.#podsDeleted++;
    this.#lastDeletionAt = this.#timeline.since(this.#clock.wall());
  }

  warn(text: string): void {
    this.#warnings.push(text);
  }

  report(api: SimulatedApi, contents: ClusterContents, scenario: Scenario): OutageReport {
    const last = this.#lastDeletionAt === undefined ? {} : { lastDeletionAt: this.#lastDeletionAt };
    return {
      timeline: this.#timeline.entries,
      summary: { podsDeleted: this.#podsDeleted, nodesTainted: this.#series.nodesTainted, ...last },
      durationMs: scenario.durationMs,
      cluster: { nodes: contents.nodes.length, pods: contents.pods.length },
      pods: this.#results.results(api.pods()),
      zones: this.#series.series(),
      warnings: this.#warnings,
    };
  }
}
