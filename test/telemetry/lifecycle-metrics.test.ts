import assert from 'node:assert/strict';
import { Registry } from 'prom-client';
import type { LifecycleOutcome } from '../../src/outcomes/lifecycle.ts';
import { lifecycleMetrics } from '../../src/telemetry/lifecycle-metrics.ts';
import * as given from '../builders/cluster.ts';

const pod = given.pod('web-1');
const zone = 'eu:a';
const taint = { kind: 'taint-added', node: 'n1', zone, taint: 'a:NoExecute' } as const;

describe('the metrics of the lifecycle controllers', () => {
  it('count outcomes, in seconds where they take time, and show what is when they are asked', async () => {
    const registry = new Registry();
    const { observe, passed } = lifecycleMetrics(registry, {
      zones: () => [{ zone, ready: 3, notReady: 1 }],
      pending: () => ({ armed: 7, due: 2 }),
      isLeading: () => true,
      watches: () => [{ kind: 'Pod', state: 'watching' }],
    });
    const outcomes: readonly LifecycleOutcome[] = [
      { ...taint, isLimited: true },
      { ...taint, isLimited: false },
      { kind: 'pod-deleted', pod, reason: 'r', result: 'deleted', lateMs: 250 },
      { kind: 'pod-deleted', pod, reason: 'r', result: 'evicted', lateMs: 12_000 },
      { kind: 'pod-deleted', pod, reason: 'r', result: 'would-delete', lateMs: 0 },
      { kind: 'deletion-failed', pod, failure: 'forbidden', error: 'no' },
    ];
    for (const outcome of outcomes) observe(outcome);
    passed({ durationMs: 40, nodes: 4 });
    const lines = (await registry.metrics()).split('\n').filter((line) => line !== '' && !line.startsWith('#'));
    assert.deepEqual(lines.filter((line) => !line.includes('_bucket')).sort(), [
      'evenkeel_leading 1',
      'evenkeel_pending_evictions{state="armed"} 7',
      'evenkeel_pending_evictions{state="due"} 2',
      'evenkeel_taint_eviction_failures_total{failure="forbidden"} 1',
      'evenkeel_watch_state{kind="Pod",state="watching"} 1',
      'node_collector_evictions_total{zone="eu:a"} 1',
      'node_collector_unhealthy_nodes_in_zone{zone="eu:a"} 1',
      'node_collector_update_all_nodes_health_duration_seconds_count 1',
      'node_collector_update_all_nodes_health_duration_seconds_sum 0.04',
      'node_collector_update_node_health_duration_seconds_count 1',
      'node_collector_update_node_health_duration_seconds_sum 0.01',
      'node_collector_zone_health{zone="eu:a"} 75',
      'node_collector_zone_size{zone="eu:a"} 4',
      'taint_eviction_controller_pod_deletion_duration_seconds_count 2',
      'taint_eviction_controller_pod_deletion_duration_seconds_sum 12.25',
      'taint_eviction_controller_pod_deletions_total 2',
    ]);
  });
});
