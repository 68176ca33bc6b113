import { Counter, exponentialBuckets, Gauge, Histogram, type Registry } from 'prom-client';
import type { LifecycleOutcome } from '../outcomes/lifecycle.ts';

/** The state that gauges are read from when somebody asks. */
export interface LifecycleState {
  readonly zones: () => readonly { readonly zone: string; readonly ready: number; readonly notReady: number }[];
  /** Pods with a date, and pods whose date has passed that are not deleted yet. */
  readonly pending: () => { readonly armed: number; readonly due: number };
  readonly isLeading: () => boolean;
  /** Kinds that are watched, and what their watch does. */
  readonly watches: () => readonly { readonly kind: string; readonly state: string }[];
}

/** What takes outcomes, and how long a pass over the nodes took. */
export interface LifecycleMetrics {
  readonly observe: (outcome: LifecycleOutcome) => void;
  readonly passed: (pass: { readonly durationMs: number; readonly nodes: number }) => void;
}

/** In seconds, as kube-controller-manager has them. */
const DELETION_BUCKETS = [0.005, 0.025, 0.1, 0.5, 1, 2.5, 10, 30, 60, 120, 180, 240];

/**
 * Adds what the lifecycle controllers measure, under the names of kube-controller-manager where it has one; answers with what
 * takes their outcomes. Differs from the reference: the histogram of deletions is in seconds, and there are gauges of what is
 * pending.
 */
export function lifecycleMetrics(registry: Registry, state: LifecycleState): LifecycleMetrics {
  const registers = [registry];
  zoneGauges(registry, state);
  stateGauges(registry, state);
  const tainted = new Counter({
    ...{ name: 'node_collector_evictions_total', help: 'Nodes tainted NoExecute at the rate of their zone.' },
    ...{ labelNames: ['zone'], registers },
  });
  const deletions = new Counter({
    name: 'taint_eviction_controller_pod_deletions_total',
    help: 'Pods deleted because of NoExecute taints.',
    registers,
  });
  const lateness = new Histogram({
    name: 'taint_eviction_controller_pod_deletion_duration_seconds',
    help: 'From the moment a pod should have gone to its deletion.',
    ...{ buckets: DELETION_BUCKETS, registers },
  });
  const failures = new Counter({
    name: 'evenkeel_taint_eviction_failures_total',
    help: 'Tries to delete a pod that failed and come again.',
    ...{ labelNames: ['failure'], registers },
  });
  return { passed: passHistograms(registry), observe };

  function observe(outcome: LifecycleOutcome): void {
    if (outcome.kind === 'taint-added' && outcome.isLimited) tainted.inc({ zone: outcome.zone });
    if (outcome.kind === 'deletion-failed') failures.inc({ failure: outcome.failure });
    if (outcome.kind !== 'pod-deleted' || outcome.result === 'would-delete') return;
    deletions.inc();
    lateness.observe(Math.max(0, outcome.lateMs) / 1000);
  }
}

/** A pass judges all nodes together, so each counts with its share of the time. */
function passHistograms(registry: Registry): LifecycleMetrics['passed'] {
  const registers = [registry];
  const all = new Histogram({
    name: 'node_collector_update_all_nodes_health_duration_seconds',
    help: 'Duration of judging the health of all nodes.',
    ...{ buckets: exponentialBuckets(0.01, 4, 8), registers },
  });
  const one = new Histogram({
    name: 'node_collector_update_node_health_duration_seconds',
    help: 'Duration of judging the health of one node, as a share of its pass.',
    ...{ buckets: exponentialBuckets(0.001, 4, 8), registers },
  });
  return ({ durationMs, nodes }) => {
    all.observe(durationMs / 1000);
    if (nodes > 0) one.observe(durationMs / 1000 / nodes);
  };
}

function zoneGauges(registry: Registry, { zones }: LifecycleState): void {
  const gauge = (name: string, help: string, read: (zone: { ready: number; notReady: number }) => number) =>
    new Gauge({
      ...{ name, help, labelNames: ['zone'], registers: [registry] },
      collect() {
        this.reset();
        for (const zone of zones()) this.set({ zone: zone.zone }, read(zone));
      },
    });
  gauge('node_collector_zone_size', 'Nodes of a zone.', ({ ready, notReady }) => ready + notReady);
  gauge('node_collector_unhealthy_nodes_in_zone', 'Nodes of a zone that are not ready.', ({ notReady }) => notReady);
  gauge('node_collector_zone_health', 'Ready nodes of a zone, in percent.', ({ ready, notReady }) =>
    ready + notReady === 0 ? 100 : (ready * 100) / (ready + notReady),
  );
}

function stateGauges(registry: Registry, { pending, isLeading, watches }: LifecycleState): void {
  const registers = [registry];
  new Gauge({
    ...{ name: 'evenkeel_pending_evictions', labelNames: ['state'], registers },
    help: 'Pods that will be deleted: armed have time left, due have none.',
    collect() {
      const { armed, due } = pending();
      this.set({ state: 'armed' }, armed);
      this.set({ state: 'due' }, due);
    },
  });
  new Gauge({
    ...{ name: 'evenkeel_leading', help: '1 if this instance acts.', registers },
    collect() {
      this.set(isLeading() ? 1 : 0);
    },
  });
  new Gauge({
    ...{ name: 'evenkeel_watch_state', labelNames: ['kind', 'state'], registers },
    help: 'Always 1; the labels tell what the watch of each kind does.',
    collect() {
      this.reset();
      for (const { kind, state } of watches()) this.set({ kind, state }, 1);
    },
  });
}
