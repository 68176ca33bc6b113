import assert from 'node:assert/strict';
import type { LifecycleOutcome } from '../../src/outcomes/lifecycle.ts';
import { lifecycleLine, lifecycleRecord, pendingRecord, pendingText } from '../../src/report/lifecycle.ts';
import * as given from '../builders/cluster.ts';

const NOW = Date.parse('2026-01-15T09:00:00Z');
const pod = { ...given.pod('web-1', given.namespace('shop'), given.on('n1')), uid: 'u1' };
const reason = 'tolerates a:NoExecute for 5m0s only';
const zone = 'eu:a';

const rows: readonly (readonly [LifecycleOutcome, string, string])[] = [
  [
    { kind: 'eviction-scheduled', pod, at: NOW + 300_000, reason, isStartKnown: true },
    'info',
    'shop/web-1 on n1 will be deleted at 2026-01-15T09:05:00.000Z: it tolerates a:NoExecute for 5m0s only',
  ],
  [
    { kind: 'eviction-scheduled', pod, at: NOW, reason, isStartKnown: false },
    'info',
    'shop/web-1 on n1 will be deleted at 2026-01-15T09:00:00.000Z: it tolerates a:NoExecute for 5m0s only (counted from now: its timeAdded is missing or cannot be right)',
  ],
  [{ kind: 'eviction-cancelled', pod, reason: 'is gone' }, 'info', 'shop/web-1 is not deleted: it is gone'],
  [
    { kind: 'pod-kept', pod, reason: 'tolerates a:NoExecute forever' },
    'debug',
    'shop/web-1 on n1 is kept: it tolerates a:NoExecute forever',
  ],
  [
    { kind: 'pod-deleted', pod, reason, result: 'deleted', lateMs: 12 },
    'info',
    'shop/web-1 on n1 deleted: it tolerates a:NoExecute for 5m0s only (12 ms late)',
  ],
  [
    { kind: 'pod-deleted', pod, reason, result: 'would-delete', lateMs: 0 },
    'info',
    'shop/web-1 on n1 would be deleted: it tolerates a:NoExecute for 5m0s only (0 ms late)',
  ],
  [
    { kind: 'deletion-failed', pod, failure: 'forbidden', error: 'no' },
    'warn',
    'shop/web-1 on n1 is not deleted yet (forbidden): no',
  ],
  [{ kind: 'pod-marked-not-ready', pod, node: 'n1' }, 'info', 'shop/web-1 marked not ready: node n1 is not'],
  [{ kind: 'node-ready', node: 'n1', zone }, 'info', 'node n1 is ready again'],
  [
    { kind: 'node-not-ready', node: 'n1', zone, status: 'Unknown' },
    'info',
    'node n1 is not ready: its status is Unknown',
  ],
  [
    { kind: 'taint-added', node: 'n1', zone, taint: 'a:NoExecute', isLimited: true },
    'info',
    'node n1 tainted a:NoExecute',
  ],
  [{ kind: 'taint-removed', node: 'n1', zone, taint: 'a:NoExecute' }, 'info', 'node n1 freed of a:NoExecute'],
  [{ kind: 'labels-reconciled', node: 'n1', zone, labels: 'a=b' }, 'info', 'node n1 labelled a=b'],
  [
    { kind: 'zone-state', zone: '', state: 'FullDisruption', ready: 0, notReady: 2 },
    'info',
    'zone (none) is FullDisruption: 0 nodes ready, 2 not',
  ],
  [
    { kind: 'full-disruption', isFullDisruption: true },
    'warn',
    'no node of any zone is ready: nothing is tainted until one is',
  ],
  [{ kind: 'full-disruption', isFullDisruption: false }, 'warn', 'a zone is ready again: nodes are judged afresh'],
  [
    { kind: 'stale-cache', node: 'n1' },
    'warn',
    'node n1 looks unresponsive in the cache, but not to the API server: no node is marked Unknown in this pass',
  ],
  [{ kind: 'call-failed', node: 'n1', what: 'taint it', error: 'no' }, 'warn', 'could not taint it (node n1): no'],
];

describe('what is said of the lifecycle controllers', () => {
  for (const [outcome, level, message] of rows) {
    it(message, () => {
      assert.deepEqual(lifecycleLine(outcome, 'act'), { level, message });
    });
  }

  it('says what would be where nothing is done', () => {
    const taint: LifecycleOutcome = { kind: 'taint-added', node: 'n1', zone, taint: 'a:NoExecute', isLimited: true };
    assert.equal(lifecycleLine(taint, 'observe').message, 'node n1 would be tainted a:NoExecute');
  });

  it('is one flat object in JSON', () => {
    const outcome: LifecycleOutcome = { kind: 'eviction-scheduled', pod, at: NOW, reason, isStartKnown: true };
    assert.deepEqual(lifecycleRecord(outcome, 'act', NOW), {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'LifecycleOutcome',
      at: '2026-01-15T09:00:00.000Z',
      mode: 'act',
      outcome: 'eviction-scheduled',
      ...{ namespace: 'shop', pod: 'web-1', uid: 'u1', node: 'n1' },
      goesAt: '2026-01-15T09:00:00.000Z',
      reason,
      isStartKnown: true,
    });
  });

  it('lists at the end who goes when', () => {
    const pending = [{ pod, at: NOW - 1, reason }];
    assert.equal(
      pendingText(pending),
      `1 pod will be deleted if nothing changes:\n  2026-01-15T09:00:00.000Z  shop/web-1 on n1: ${reason}\n`,
    );
    assert.equal(pendingText([]), 'No pod is due for deletion.\n');
    assert.deepEqual(pendingRecord(pending, NOW), {
      apiVersion: 'evenkeel.io/v1alpha1',
      kind: 'LifecycleSummary',
      at: '2026-01-15T09:00:00.000Z',
      pending: [{ namespace: 'shop', pod: 'web-1', uid: 'u1', node: 'n1', goesAt: '2026-01-15T09:00:00.000Z', reason }],
    });
  });

  it('lists no more than 50, and says how many more there are', () => {
    const lines = pendingText(Array.from({ length: 60 }, () => ({ pod, at: NOW, reason }))).split('\n');
    assert.deepEqual(
      [lines[0], lines.length, lines[51]],
      ['60 pods will be deleted if nothing changes:', 53, '  … and 10 more'],
    );
  });
});
