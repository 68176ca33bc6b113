import assert from 'node:assert/strict';
import type { Lease } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import { afterMarking, judge, type HealthRecord, type Judgement } from '../../src/node-lifecycle/health.ts';
import { conditions, node } from '../builders/cluster.ts';

// The times of rule L4.
const T0 = Date.parse('2015-01-01T12:00:00Z');
const HOUR = 3_600_000;
const OLD = Date.parse('2012-01-01T00:00:00Z');
const graceMs = { monitor: 50_000, startup: 60_000 };

interface Row {
  readonly created: number;
  /** Statuses of the two passes; the second is an hour later. */
  readonly statuses: readonly Node['conditions'][];
  /** `renewTime` in the two passes. */
  readonly leases?: readonly (number | undefined)[];
  /** What each pass posts, a condition a text. */
  readonly posts: readonly (readonly string[])[];
}

const readyAt = (heartbeatAt: number, status = 'True') => ({
  type: 'Ready',
  status,
  reason: '',
  heartbeatAt,
  transitionAt: T0,
});
const disk = { ...readyAt(T0, 'False'), type: 'DiskPressure' };
const never = (types: readonly string[], transition: string) =>
  types.map((type) => `${type} Unknown NodeStatusNeverUpdated "Kubelet never posted node status." 2012 ${transition}`);
const stopped = (types: readonly string[]) =>
  types.map((type) => `${type} Unknown NodeStatusUnknown "Kubelet stopped posting node status." kept t0+1h`);
const FOUR = ['Ready', 'MemoryPressure', 'DiskPressure', 'PIDPressure'];

const rows: Readonly<Record<string, Row>> = {
  'node-lifecycle S1 an old node that never posted a status': {
    created: OLD,
    statuses: [[]],
    posts: [never(FOUR, 't0')],
  },
  'node-lifecycle S2 a new node without a status is within its startup grace': {
    created: T0,
    statuses: [[]],
    posts: [[]],
  },
  'node-lifecycle S3 an old node whose heartbeat stands still for an hour': {
    created: OLD,
    statuses: [[readyAt(T0)], [readyAt(T0)]],
    posts: [[], [...stopped(['Ready']), ...never(FOUR.slice(1), 't0+1h')]],
  },
  'node-lifecycle S4 an old node that has just posted': { created: OLD, statuses: [[readyAt(T0)]], posts: [[]] },
  'node-lifecycle L1 a new node, no status, no Lease': {
    created: T0,
    statuses: [[]],
    leases: [undefined],
    posts: [[]],
  },
  'node-lifecycle L2 a new node, no status, a Lease': { created: T0, statuses: [[]], leases: [T0], posts: [[]] },
  'node-lifecycle L3 an old node, no status, no Lease': {
    created: OLD,
    statuses: [[]],
    leases: [undefined],
    posts: [never(FOUR, 't0')],
  },
  'node-lifecycle L4 an old node, no status, a Lease that is renewed': {
    created: OLD,
    statuses: [[], []],
    leases: [T0, T0 + HOUR],
    posts: [[], []],
  },
  'node-lifecycle L5 an old node, no status, a Lease that expires': {
    created: OLD,
    statuses: [[], []],
    leases: [T0, T0],
    posts: [[], never(FOUR, 't0+1h')],
  },
  'node-lifecycle L6 a status that stands still, a Lease that is renewed': {
    created: OLD,
    statuses: [
      [readyAt(T0), disk],
      [readyAt(T0), disk],
    ],
    leases: [T0, T0 + HOUR],
    posts: [[], []],
  },
  'node-lifecycle L7 a status that is posted, a Lease that stands still': {
    created: OLD,
    statuses: [
      [readyAt(T0), disk],
      [readyAt(T0 + HOUR), disk],
    ],
    leases: [T0, T0],
    posts: [[], []],
  },
  'node-lifecycle L8 both stand still': {
    created: OLD,
    statuses: [
      [readyAt(T0), disk],
      [readyAt(T0), disk],
    ],
    leases: [T0, T0],
    posts: [
      [],
      [
        ...stopped(['Ready']),
        ...never(['MemoryPressure'], 't0+1h'),
        ...stopped(['DiskPressure']),
        ...never(['PIDPressure'], 't0+1h'),
      ],
    ],
  },
};

describe('the health of a node', () => {
  for (const [name, { created, statuses, leases = [], posts }] of Object.entries(rows)) {
    it(name, () => {
      let previous: HealthRecord | undefined;
      const posted = statuses.map((status, pass) => {
        const judgement = look(previous, built(created, status), { now: T0 + pass * HOUR, renewedAt: leases[pass] });
        previous = judgement.record;
        return (judgement.updates ?? []).map(({ type, status, reason, message, heartbeatAt, transitionAt }) => {
          const heartbeat = heartbeatAt === undefined ? 'kept' : heartbeatAt === OLD ? '2012' : String(heartbeatAt);
          const transition = transitionAt === T0 ? 't0' : transitionAt === T0 + HOUR ? 't0+1h' : String(transitionAt);
          return `${type} ${status} ${reason ?? ''} "${message ?? ''}" ${heartbeat} ${transition}`;
        });
      });
      assert.deepEqual(posted, posts);
    });
  }

  for (const status of ['True', 'False', 'Unknown', 'absent'] as const) {
    const given = status === 'absent' ? [] : [{ ...readyAt(T0, status) }];
    it(`remembers what it has judged: ${status}, just made`, () => {
      const judgement = look(undefined, built(T0, given), { now: T0 });
      assert.deepEqual([judgement.current, judgement.record.seen.status], [status, status]);
    });
    it(`remembers what it has judged: ${status}, a year old`, () => {
      const old = T0 - 365 * 24 * HOUR;
      const before = look(undefined, built(old, given), { now: old }).record;
      const judgement = look(before, built(old, given), { now: T0 });
      assert.equal(judgement.current, 'Unknown');
      const after = judgement.updates ? afterMarking(judgement) : judgement.record;
      const again = look(after, built(old, given), { now: T0 + 5_000 });
      assert.deepEqual([again.observed, again.current, again.updates], ['Unknown', 'Unknown', undefined]);
    });
  }

  it('does not respond only when the grace is exceeded, not when it is reached', () => {
    const { record } = look(undefined, built(OLD, [readyAt(T0)]), { now: T0 });
    const after = (ms: number) => look(record, built(OLD, [readyAt(T0)]), { now: T0 + ms }).current;
    assert.deepEqual([after(50_000), after(50_001)], ['True', 'Unknown']);
  });

  it('takes a heartbeat that moves backwards for life', () => {
    const { record } = look(undefined, built(OLD, [readyAt(T0)]), { now: T0 });
    const judgement = look(record, built(OLD, [readyAt(T0 - HOUR)]), { now: T0 + HOUR });
    assert.deepEqual([judgement.current, judgement.record.probeAt], ['True', T0 + HOUR]);
  });

  it('takes a Lease that was renewed in the future and is renewed now for life', () => {
    const { record } = look(undefined, built(OLD, [readyAt(T0)]), { now: T0, renewedAt: T0 + 100 * HOUR });
    const judgement = look(record, built(OLD, [readyAt(T0)]), { now: T0 + HOUR, renewedAt: T0 + HOUR });
    assert.deepEqual([judgement.current, judgement.record.probeAt], ['True', T0 + HOUR]);
  });

  it('does not compare the clock of a kubelet with ours', () => {
    const { record } = look(undefined, built(OLD, [readyAt(T0 - 100 * HOUR)]), { now: T0, renewedAt: OLD });
    const judgement = look(record, built(OLD, [readyAt(T0 - 99 * HOUR)]), { now: T0 + 60_000, renewedAt: OLD });
    assert.equal(judgement.current, 'True');
  });

  it('keeps a Ready condition with an unknown word for none: no taint, no verdict, startup grace', () => {
    const judgement = look(undefined, built(T0, [readyAt(T0, 'Perhaps')]), { now: T0 });
    assert.deepEqual([judgement.observed, judgement.current, judgement.updates], ['absent', 'absent', undefined]);
  });

  it('begins anew with a status that appears', () => {
    const before = look(undefined, built(OLD, []), { now: T0, renewedAt: T0 }).record;
    const judgement = look(before, built(OLD, [readyAt(T0)]), { now: T0 + HOUR, renewedAt: T0 });
    assert.deepEqual([judgement.current, judgement.record.probeAt], ['True', T0 + HOUR]);
  });

  it('keeps the probe of a status that was wiped, under the startup grace', () => {
    const before = look(undefined, built(OLD, [readyAt(T0)]), { now: T0 }).record;
    const wiped = (ms: number) => look(before, built(OLD, []), { now: T0 + ms }).current;
    assert.deepEqual([wiped(60_000), wiped(60_001)], ['absent', 'Unknown']);
  });

  it('does not say twice what it has posted while the cache does not show it', () => {
    const before = look(undefined, built(OLD, [readyAt(T0)]), { now: T0 }).record;
    const first = look(before, built(OLD, [readyAt(T0)]), { now: T0 + HOUR });
    const second = look(afterMarking(first), built(OLD, [readyAt(T0)]), { now: T0 + HOUR + 5_000 });
    assert.deepEqual(
      [first.observed, first.current, second.observed, second.updates],
      ['True', 'Unknown', 'Unknown', undefined],
    );
    const alive = look(second.record, built(OLD, [readyAt(T0 + HOUR)]), { now: T0 + HOUR + 6_000 });
    assert.deepEqual([alive.observed, alive.current], ['True', 'True']);
  });

  it('16 a node made again under the same name is judged afresh', () => {
    const before = look(undefined, built(OLD, [readyAt(T0)]), { now: T0, renewedAt: T0 }).record;
    const other = { ...built(OLD, [readyAt(T0)]), uid: 'another' };
    const judgement = look(before, other, { now: T0 + HOUR, renewedAt: T0 });
    assert.deepEqual(
      [judgement.current, judgement.record.uid, judgement.record.probeAt],
      ['True', 'another', T0 + HOUR],
    );
  });
});

function built(created: number, given: Node['conditions']): Node {
  return node('node0', conditions(...given), (before: Node) => ({ ...before, createdAt: created }));
}

function look(
  previous: HealthRecord | undefined,
  of: Node,
  { now, renewedAt }: { readonly now: number; readonly renewedAt?: number | undefined },
): Judgement {
  const lease: Lease = {
    kind: 'Lease',
    name: of.name,
    namespace: 'kube-node-lease',
    uid: 'lease',
    labels: {},
    holder: of.name,
    renewedAt,
    durationSeconds: 40,
  };
  return judge({
    previous,
    node: of,
    lease: renewedAt === undefined ? undefined : lease,
    moment: { wall: now, now },
    absentAt: undefined,
    graceMs,
  });
}
