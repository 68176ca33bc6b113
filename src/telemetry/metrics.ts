import { collectDefaultMetrics, Counter, Gauge, Histogram, Registry } from 'prom-client';
import { controllerOf } from '../cluster/objects/pod.ts';
import { CONSEQUENCES } from '../outcomes/eviction-result.ts';
import { HELD_BACK } from '../outcomes/held-back.ts';
import type { CycleReport, Outcome } from '../outcomes/outcome.ts';

/** The reference's buckets, in seconds. */
const LOOP_BUCKETS = [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 25, 50, 100, 250, 500];
const STRATEGY_BUCKETS = LOOP_BUCKETS.slice(0, 13);

const EVICTION_LABELS = ['result', 'strategy', 'profile', 'namespace', 'node'] as const;

/** What the program measures, under the names and labels that dashboards of the Go descheduler read. */
export interface Metrics {
  /** Counts an outcome of a real run; the plan of a dry run must not be given here. */
  observe(outcome: Outcome): void;
  /** Shows the plan of the last cycle, dry or not, in gauges of their own. */
  showPlan(report: Pick<CycleReport, 'evictions' | 'refusals'>): void;
  /** A cycle has ended after that many seconds. */
  observeLoop(seconds: number): void;
  /** Prometheus text. */
  text(): Promise<string>;
  readonly contentType: string;
  readonly registry: Registry;
}

/** Metrics in a registry of their own. The deprecated names are kept beside the new ones, as the Go descheduler does. */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  new Gauge({
    name: 'descheduler_build_info',
    help: 'Always 1; the labels tell the version.',
    labelNames: ['GoVersion', 'AppVersion', 'DeschedulerVersion', 'GitBranch', 'GitSha1'],
    registers: [registry],
    // What a program in Go, built from a repository, would say; dashboards join on all five.
  }).set({ GoVersion: '', AppVersion: version, DeschedulerVersion: version, GitBranch: '', GitSha1: '' }, 1);
  const evictions = evictionCounters(registry);
  const owners = ownerCounter(registry);
  const loop = histograms(registry, {
    name: 'loop_duration_seconds',
    help: 'Duration of a cycle.',
    buckets: LOOP_BUCKETS,
  });
  const strategies = histograms(registry, {
    name: 'strategy_duration_seconds',
    help: 'Duration of one strategy in one cycle.',
    buckets: STRATEGY_BUCKETS,
    labelNames: ['strategy', 'profile'],
  });
  return {
    observe(outcome) {
      const labels = evictionLabels(outcome);
      if (labels) for (const counter of evictions) counter.inc(labels);
      if (outcome.kind === 'eviction') owners(outcome);
      if (outcome.kind !== 'strategy') return;
      for (const it of strategies)
        it.observe({ strategy: outcome.name, profile: outcome.profile }, outcome.durationMs / 1000);
    },
    showPlan: planGauges(registry),
    observeLoop: (seconds) => loop.forEach((it) => it.observe(seconds)),
    text: () => registry.metrics(),
    contentType: registry.contentType,
    registry,
  };
}

function evictionCounters(registry: Registry) {
  const help = 'Evictions by result, strategy, profile, namespace and node.';
  return ['descheduler_pods_evicted', 'descheduler_pods_evicted_total'].map(
    (name) => new Counter({ name, help, labelNames: EVICTION_LABELS, registers: [registry] }),
  );
}

/** More owners than these are counted together, so that no cluster can fill a Prometheus. */
const MOST_OWNERS = 1_000;

/** Evictions by owner, which the Go descheduler's labels do not tell. */
function ownerCounter(registry: Registry): (outcome: Extract<Outcome, { kind: 'eviction' }>) => void {
  const counter = new Counter({
    name: 'evenkeel_evictions_by_owner_total',
    help: `Evictions by result and owner; owners beyond the first ${MOST_OWNERS} are counted as "other".`,
    labelNames: ['result', 'namespace', 'owner_kind', 'owner_name'],
    registers: [registry],
  });
  const seen = new Set<string>();
  return ({ pod, result }) => {
    const { kind = '', name = '' } = controllerOf(pod) ?? {};
    const key = JSON.stringify([pod.namespace, kind, name]);
    if (seen.size < MOST_OWNERS) seen.add(key);
    const owner = seen.has(key) ? { namespace: pod.namespace, owner_kind: kind, owner_name: name } : OTHER;
    counter.inc({ result: CONSEQUENCES[result].metric ?? result, ...owner });
  };
}

const OTHER = { namespace: '', owner_kind: 'other', owner_name: 'other' };

/** A plan takes the place of the one before: what it no longer holds is no longer shown. */
function planGauges(registry: Registry): Metrics['showPlan'] {
  const planned = new Gauge({
    name: 'evenkeel_planned_evictions',
    help: 'Pods that the last cycle evicted, or would have evicted in a dry run.',
    labelNames: ['strategy', 'namespace', 'node'],
    registers: [registry],
  });
  const refused = new Gauge({
    name: 'evenkeel_refusals',
    help: 'Refusals of the last cycle, in a dry run, too.',
    labelNames: ['strategy', 'refused_by'],
    registers: [registry],
  });
  return ({ evictions, refusals }) => {
    planned.reset();
    refused.reset();
    for (const { strategy, pod } of evictions) planned.inc({ strategy, namespace: pod.namespace, node: pod.nodeName });
    for (const { strategy, refusedBy } of refusals) refused.inc({ strategy, refused_by: refusedBy });
  };
}

interface HistogramShape {
  readonly name: string;
  readonly help: string;
  readonly buckets: number[];
  readonly labelNames?: string[];
}

function histograms(registry: Registry, { name, ...shape }: HistogramShape): Histogram[] {
  return [`descheduler_descheduler_${name}`, `descheduler_${name}`].map(
    (full) => new Histogram({ ...shape, name: full, registers: [registry] }),
  );
}

function evictionLabels(outcome: Outcome) {
  if (outcome.kind !== 'eviction' && outcome.kind !== 'refusal') return undefined;
  const result = outcome.kind === 'eviction' ? CONSEQUENCES[outcome.result].metric : HELD_BACK[outcome.refusedBy];
  if (result === undefined) return undefined;
  const { strategy, profile, pod } = outcome;
  return { result, strategy, profile, namespace: pod.namespace, node: pod.nodeName };
}
