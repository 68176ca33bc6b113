import assert from 'node:assert/strict';
import type { EvictionResult } from '../../src/outcomes/eviction-result.ts';
import type { Outcome } from '../../src/outcomes/outcome.ts';
import { createMetrics } from '../../src/telemetry/metrics.ts';
import * as given from '../builders/cluster.ts';

const pod = given.pod('web-1', given.namespace('shop'), given.on('n1'));
const who = { profile: 'main', strategy: 'PodLifeTime', pod, reason: 'is old' };
const eviction = (result: EvictionResult): Outcome => ({
  kind: 'eviction',
  ...who,
  destinations: 1,
  likelyNodes: [],
  result,
});
const refusal = (refusedBy: string): Outcome => ({ kind: 'refusal', ...who, refusedBy });

describe('metrics under the names of the reference (rule C12)', () => {
  it('framework V2, V4: evictions are counted by result, under the old name and the new one', async () => {
    const lines = await observed(
      eviction('evicted'),
      eviction('evicted'),
      eviction('refused-by-budget'),
      eviction('overloaded'),
      eviction('rejected'),
      eviction('not-started'),
      eviction('gone'),
      eviction('uncertain'),
      eviction('requested'),
      eviction('would-evict'),
      refusal('maxNoOfPodsToEvictTotal'),
      refusal('maxNoOfPodsToEvictPerNode'),
      refusal('maxNoOfPodsToEvictPerNamespace'),
      refusal('PodDisruptionBudget'),
      refusal('nodeFit'),
      { kind: 'warning', text: 'x' },
    );
    const labels = 'strategy="PodLifeTime",profile="main",namespace="shop",node="n1"';
    const counts = [
      ['success', 2],
      ['error', 5],
      ['gone', 1],
      ['uncertain', 1],
      ['requested', 1],
      ['maximum number of evicted pods per a descheduling cycle reached', 1],
      ['maximum number of evicted pods per node reached', 1],
      ['maximum number of evicted pods per namespace reached', 1],
    ];
    for (const name of ['descheduler_pods_evicted', 'descheduler_pods_evicted_total']) {
      assert.deepEqual(
        lines.filter((line) => line.startsWith(`${name}{`)),
        counts.map(([result, count]) => `${name}{result="${result}",${labels}} ${count}`),
      );
    }
  });

  it('evictions are counted by owner, no more than a thousand of them', async () => {
    const metrics = createMetrics('1');
    const ownedBy = (name: string) =>
      given.pod(`${name}-1`, given.namespace('shop'), given.on('n1'), given.ownedBy('ReplicaSet', name));
    for (let i = 0; i < 1_100; i += 1)
      metrics.observe({
        kind: 'eviction',
        ...who,
        pod: ownedBy(`web${i % 1_050}`),
        destinations: 1,
        likelyNodes: [],
        result: 'evicted',
      });
    const lines = (await metrics.text())
      .split('\n')
      .filter((line) => line.startsWith('evenkeel_evictions_by_owner_total{'));
    assert.equal(lines.length, 1_001);
    assert.ok(
      lines.includes(
        'evenkeel_evictions_by_owner_total{result="success",namespace="shop",owner_kind="ReplicaSet",owner_name="web0"} 2',
      ),
    );
    assert.ok(
      lines.includes(
        'evenkeel_evictions_by_owner_total{result="success",namespace="",owner_kind="other",owner_name="other"} 50',
      ),
    );
  });

  it('strategies and cycles are timed, under the old name and the new one', async () => {
    const run: Outcome = {
      kind: 'strategy',
      profile: 'main',
      name: 'PodLifeTime',
      extensionPoint: 'deschedule',
      proposed: 0,
      evicted: 0,
      refused: 0,
      durationMs: 30,
      notes: [],
    };
    const lines = await observed(run, 7);
    for (const name of ['descheduler_descheduler_', 'descheduler_']) {
      const strategy = `${name}strategy_duration_seconds`;
      assert.ok(lines.includes(`${strategy}_sum{strategy="PodLifeTime",profile="main"} 0.03`), strategy);
      assert.ok(lines.includes(`${strategy}_bucket{le="0.025",strategy="PodLifeTime",profile="main"} 0`), strategy);
      assert.ok(lines.includes(`${strategy}_bucket{le="0.05",strategy="PodLifeTime",profile="main"} 1`), strategy);
      assert.ok(lines.includes(`${strategy}_bucket{le="100",strategy="PodLifeTime",profile="main"} 1`), strategy);
      assert.ok(lines.includes(`${name}loop_duration_seconds_sum 7`), name);
      assert.ok(lines.includes(`${name}loop_duration_seconds_bucket{le="500"} 1`), name);
    }
  });
});

describe('the plan of the last cycle', () => {
  it('is shown in gauges of its own, and takes the place of the one before', async () => {
    const metrics = createMetrics('1.2.3');
    const evictions = [eviction('would-evict'), eviction('would-evict')].filter((one) => one.kind === 'eviction');
    const refusals = [refusal('nodeFit'), refusal('nodeFit'), refusal('minPodAge')].filter(
      (one) => one.kind === 'refusal',
    );
    const shown = async () => (await metrics.text()).split('\n').filter((line) => /^evenkeel_\w+\{/u.test(line));
    metrics.showPlan({ evictions, refusals });
    assert.deepEqual(await shown(), [
      'evenkeel_planned_evictions{strategy="PodLifeTime",namespace="shop",node="n1"} 2',
      'evenkeel_refusals{strategy="PodLifeTime",refused_by="nodeFit"} 2',
      'evenkeel_refusals{strategy="PodLifeTime",refused_by="minPodAge"} 1',
    ]);
    metrics.showPlan({ evictions: [], refusals: refusals.slice(2) });
    assert.deepEqual(await shown(), ['evenkeel_refusals{strategy="PodLifeTime",refused_by="minPodAge"} 1']);
  });
});

/** The lines of the text after these outcomes; a number is a cycle of so many seconds. */
async function observed(...outcomes: readonly (Outcome | number)[]): Promise<readonly string[]> {
  const metrics = createMetrics('1.2.3');
  for (const outcome of outcomes) {
    if (typeof outcome === 'number') metrics.observeLoop(outcome);
    else metrics.observe(outcome);
  }
  return (await metrics.text()).split('\n');
}
