import assert from 'node:assert/strict';
import { cycleReport, hasFailed } from '../../src/outcomes/cycle-report.ts';
import type { EvictionResult } from '../../src/outcomes/eviction-result.ts';
import { OutcomeRecorder } from '../../src/outcomes/outcome-recorder.ts';
import type { Eviction, Outcome, Source } from '../../src/outcomes/outcome.ts';
import * as given from '../builders/cluster.ts';

const requester = { profile: 'main', strategy: 'Test' };

describe('outcome recorder', () => {
  it('keeps evictions in the order of the plan, and passes outcomes on as they come', () => {
    const seen: Outcome[] = [];
    const recorder = new OutcomeRecorder((outcome) => seen.push(outcome));
    const warning = { kind: 'warning', text: 'beware' } as const;
    recorder.add(warning);
    recorder.add(warning);
    recorder.addEviction(1, eviction('b'));
    assert.deepEqual(recorder.entries().evictions, [eviction('b')]);
    recorder.addEviction(0, eviction('a'));
    assert.deepEqual(recorder.entries(), {
      evictions: [eviction('a'), eviction('b')],
      refusals: [],
      strategies: [],
      warnings: ['beware'],
    });
    assert.deepEqual(seen, [warning, eviction('b'), eviction('a')]);
  });
});

describe('cycle report', () => {
  const snapshot = given.snapshot(given.node('n1', given.pod('a')), given.node('n2', given.notReady));
  const nothing = { evictions: [], refusals: [], strategies: [], warnings: [] };
  const frame = { dryRun: true, snapshot, startedAt: 1000, finishedAt: 2500 };
  const sourceOf = (kind: Source['kind']): Source => ({
    kind,
    name: 'x',
    now: '2026-01-01T00:00:00Z',
    nowFrom: 'dump',
  });

  it('tells when a cycle on a live cluster ran', () => {
    assert.deepEqual(cycleReport({ ...frame, source: sourceOf('cluster') }, nothing), {
      dryRun: true,
      startedAt: 1000,
      finishedAt: 2500,
      source: sourceOf('cluster'),
      cluster: { nodes: 2, readyNodes: 1, pods: 1 },
      ...nothing,
    });
  });

  it('of a dump or the demo carries no times', () => {
    for (const kind of ['dump', 'demo'] as const) {
      const { startedAt, finishedAt } = cycleReport({ ...frame, source: sourceOf(kind) }, nothing);
      assert.deepEqual({ startedAt, finishedAt }, { startedAt: undefined, finishedAt: undefined });
    }
  });

  const results: Readonly<Record<EvictionResult, boolean>> = {
    'would-evict': false,
    evicted: false,
    requested: false,
    'refused-by-budget': false,
    overloaded: true,
    gone: false,
    rejected: true,
    uncertain: true,
    'not-started': true,
  };
  for (const [result, failed] of Object.entries(results) as [EvictionResult, boolean][]) {
    it(`an eviction that ended as ${result} ${failed ? 'fails' : 'does not fail'} the run`, () => {
      const evictions = [{ ...eviction('a'), result }];
      assert.equal(hasFailed(cycleReport({ ...frame, source: sourceOf('dump') }, { ...nothing, evictions })), failed);
    });
  }

  it('a strategy that threw fails the run, one that did nothing does not', () => {
    const run = { kind: 'strategy', profile: 'main', name: 'Test', extensionPoint: 'balance' } as const;
    const counts = { proposed: 0, evicted: 0, refused: 0, durationMs: 0, notes: [] };
    const failed = (error?: string) =>
      hasFailed(
        cycleReport(
          { ...frame, source: sourceOf('dump') },
          { ...nothing, strategies: [{ ...run, ...counts, ...(error === undefined ? {} : { error }) }] },
        ),
      );
    assert.deepEqual([failed(), failed('division by zero')], [false, true]);
  });
});

function eviction(name: string): Eviction {
  const pod = given.pod(name);
  return { kind: 'eviction', ...requester, pod, reason: 'goes', destinations: 1, likelyNodes: [], result: 'evicted' };
}
