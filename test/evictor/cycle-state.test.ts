import assert from 'node:assert/strict';
import { podName } from '../../src/cluster/objects/pod.ts';
import { CycleState } from '../../src/evictor/cycle-state.ts';
import type { EvictionLimits } from '../../src/evictor/limits/limits.ts';
import type { Reservation } from '../../src/evictor/reservation.ts';
import { CONSEQUENCES, type EvictionEnding, type EvictionResult } from '../../src/outcomes/eviction-result.ts';
import * as given from '../builders/cluster.ts';
import { requestFor } from '../builders/requests.ts';

const ready = given.status({ conditions: [given.condition('Ready', 'True')] });
const victim = given.pod('a', ready, given.on('n1'), given.requests({ cpu: 2 }), given.labels({ app: 'web' }));
const other = given.pod('b', ready, given.on('n1'), given.requests({ cpu: 2 }));
const budget = given.budget('web', 'app=web', { disruptionsAllowed: 1 });
const cluster = given.snapshot(
  given.node('n1', given.allocatable({ cpu: 4 })),
  given.node('n2', given.allocatable({ cpu: 2 })),
  victim,
  other,
  budget,
);
const LIMITS: EvictionLimits = { total: undefined, node: 1, namespace: undefined, owner: { pods: 1 } };
const OWNER = 'uid-ReplicaSet-replicaset-1';

/** Everything that a cycle's readers can see. */
function seen(state: CycleState): object {
  const asked = given.pod('asked', given.requests({ cpu: 2 }));
  return {
    gone: state.changes.gone.map(({ name }) => name),
    limit: state.limitHit(other)?.by,
    spent: state.spentOf(budget),
    lost: state.lostReplicasOf(OWNER),
    room: state.placement.fitting(asked, cluster.nodes).map(({ name }) => name),
    assumed: state.changes.assumed.map((pod) => `${podName(pod)} on ${pod.nodeName}`),
  };
}

const BEFORE = { gone: [], limit: undefined, spent: 0, lost: 0, room: ['n2'], assumed: [] };
const RESERVED = {
  ...{ gone: ['a'], limit: 'maxNoOfPodsToEvictPerNode', spent: 1, lost: 1 },
  ...{ room: [], assumed: ['the replacement of default/a on n2'] },
};
/** Its owner and its budget have one pod less; nothing of the limits is spent. */
const GONE = { ...BEFORE, gone: ['a'], spent: 1, lost: 1, room: ['n1', 'n2'] };

describe('the state of a cycle', () => {
  it('takes limit, budget and room at once, and gives all of it back', () => {
    const state = open();
    assert.deepEqual(seen(state), BEFORE);
    const reservation = reserve(state);
    assert.deepEqual(seen(state), RESERVED);
    state.unreserve(reservation);
    assert.deepEqual(seen(state), BEFORE);
    assert.deepEqual(reserve(state).position, 1, 'and lets it be taken again');
  });

  it('keeps the room of a replacement that nobody is to count', () => {
    const state = open();
    reserve(state, victim, false);
    assert.deepEqual(seen(state), { ...RESERVED, assumed: [] });
  });

  it('refuses to reserve a pod twice', () => {
    const state = open();
    reserve(state);
    assert.throws(() => reserve(state), /is reserved already/);
  });

  const rows: readonly [EvictionResult, object, string][] = [
    ['would-evict', RESERVED, 'eviction'],
    ['evicted', RESERVED, 'eviction'],
    ['requested', RESERVED, 'eviction'],
    ['refused-by-budget', BEFORE, 'block'],
    ['overloaded', BEFORE, 'nothing'],
    ['gone', GONE, 'nothing'],
    ['rejected', BEFORE, 'nothing'],
    ['uncertain', RESERVED, 'eviction'],
    ['not-started', BEFORE, 'nothing'],
  ];
  for (const [result, expected, remembered] of rows) {
    it(`after an eviction that ended as ${result}`, () => {
      const told: unknown[] = [];
      const state = open({
        record: (reservation, ending) => told.push(['record', reservation, ending]),
        remember: (reservation, what) => told.push(['remember', reservation, what]),
      });
      const reservation = reserve(state);
      const ending = endingOf(result);
      state.finish(reservation, ending);
      assert.deepEqual(seen(state), expected);
      assert.equal(state.endingOf(victim), ending);
      assert.deepEqual(told, [
        ['remember', reservation, remembered],
        ['record', reservation, ending],
      ]);
    });
  }

  it('has a row for each result', () => {
    assert.deepEqual(rows.map(([result]) => result).sort(), Object.keys(CONSEQUENCES).sort());
  });

  it('does not count a failed pod as a lost replica', () => {
    const state = open();
    reserve(state, given.pod('x', given.phase('Failed')));
    assert.equal(state.lostReplicasOf(OWNER), 0);
  });
});

function open(observer?: ConstructorParameters<typeof CycleState>[0]['observer']): CycleState {
  const start = { snapshot: cluster, now: new Date(given.CREATED), limits: LIMITS };
  return new CycleState(observer ? { ...start, observer } : start);
}

function reserve(state: CycleState, pod = victim, isCounted = true): Reservation {
  const destination = cluster.node('n2');
  const place = { destination, isCounted, scoring: undefined, destinations: 1, likelyNodes: ['n2'] };
  return state.reserve({ request: requestFor(pod), budget, ...place });
}

function endingOf(result: EvictionResult): EvictionEnding {
  if (result === 'evicted' || result === 'requested' || result === 'would-evict') return { result };
  return { result, error: 'no' };
}
