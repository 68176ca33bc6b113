import assert from 'node:assert/strict';
import { cycleReport, hasFailed } from '../../src/outcomes/cycle-report.ts';
import { Journal } from '../../src/outcomes/journal.ts';
import type { Eviction, EvictionFailure, Outcome, Source } from '../../src/outcomes/outcome.ts';
import * as given from '../builders/cluster.ts';

const requester = { profile: 'main', strategy: 'Test' };

describe('journal', () => {
  it('keeps evictions in the order of the plan, and passes outcomes on as they come', () => {
    const seen: Outcome[] = [];
    const journal = new Journal((outcome) => seen.push(outcome));
    const [first, second] = [journal.expectEviction(), journal.expectEviction()];
    const warning = { kind: 'warning', text: 'beware' } as const;
    journal.add(warning);
    journal.add(warning);
    second(eviction('b'));
    assert.deepEqual(journal.entries().evictions, [eviction('b')]);
    first(eviction('a'));
    assert.deepEqual(journal.entries(), {
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

  const failures: readonly [EvictionFailure, boolean][] = [
    ['too-many-requests', false],
    ['aborted', false],
    ['not-found', true],
    ['forbidden', true],
    ['unknown', true],
  ];
  for (const [failure, failed] of failures) {
    it(`an eviction that ended with ${failure} ${failed ? 'fails' : 'does not fail'} the run`, () => {
      const evictions = [{ ...eviction('a'), result: 'failed' as const, failure, error: 'x' }];
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
