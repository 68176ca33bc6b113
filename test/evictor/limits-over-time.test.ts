import assert from 'node:assert/strict';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { HistoryState, PastEviction } from '../../src/evictor/limits/history.ts';
import type { EvictionLimits, LimitHit } from '../../src/evictor/limits/limits.ts';
import { CycleLimits } from '../../src/evictor/limits/cycle-limits.ts';
import * as given from '../builders/cluster.ts';

const NOW = Date.parse('2026-01-02T12:00:00Z');
const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const NONE = { total: undefined, node: undefined, namespace: undefined };

const shop = given.namespace('shop');
const replica = (name: string, ...parts: readonly given.Part<Pod>[]) =>
  given.pod(name, shop, given.ownedBy('ReplicaSet', 'web-5d'), given.labels({ 'pod-template-hash': '5d' }), ...parts);
const pods = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'].map((name) => replica(name, given.on('n1')));
const [a, b] = pods as [Pod, Pod];
const other = given.pod('other', given.namespace('mail'), given.ownedBy('StatefulSet', 'mx'), given.on('n2'));
const cluster = given.snapshot(given.node('n1'), given.node('n2'), ...pods, other);

/** Evictions of Deployment shop/web from n1 so many minutes ago. */
function past(...minutesAgo: readonly number[]): HistoryState {
  const evictions = minutesAgo.map((minutes, i): PastEviction => {
    return { at: NOW - minutes * MINUTE, namespace: 'shop', owner: 'Deployment/web', node: 'n1', id: `past-${i}` };
  });
  return { evictions, blocks: [] };
}

function open(limits: Partial<EvictionLimits>, history: HistoryState = past(), booked: readonly Pod[] = []) {
  const all = new CycleLimits({ ...NONE, ...limits }, { snapshot: cluster, history, now: new Date(NOW) });
  for (const pod of booked) all.count(pod, 1);
  return all;
}

function say(hit: LimitHit | undefined): string {
  return hit ? `${hit.scope} ${hit.by}: ${hit.reason}` : 'goes';
}

interface Row {
  readonly row: string;
  readonly limits: Partial<EvictionLimits>;
  readonly history?: HistoryState;
  readonly booked?: readonly Pod[];
  readonly pod?: Pod;
  readonly answer: string;
}

const hourly = (max: number, per: 'total' | 'namespace' | 'node' | 'owner' = 'owner') => ({
  windows: [{ per, max: { pods: max }, windowMs: HOUR }],
});
const cooldown = { cooldown: { baseMs: 10 * MINUTE, maxMs: HOUR } };
const backoff = { blockedPods: { baseMs: 10 * MINUTE, maxMs: HOUR } };
const blocked = (count: number, minutesAgo: number): HistoryState => ({
  evictions: [],
  blocks: [{ uid: a.uid, count, at: NOW - minutesAgo * MINUTE }],
});

const rows: readonly Row[] = [
  { row: 'no limit, no word', limits: {}, history: past(1, 2, 3), answer: 'goes' },
  { row: 'per owner: below', limits: { owner: { pods: 2 } }, booked: [b], answer: 'goes' },
  {
    row: 'per owner: reached',
    limits: { owner: { pods: 1 } },
    booked: [b],
    answer:
      'pod maxNoOfPodsToEvictPerOwner: is kept because maxNoOfPodsToEvictPerOwner allows 1 eviction of Deployment shop/web in this cycle; further pods are passed over',
  },
  {
    row: 'per owner: others have a count of their own',
    limits: { owner: { pods: 1 } },
    booked: [other],
    answer: 'goes',
  },
  { row: 'per owner: earlier cycles do not count', limits: { owner: { pods: 1 } }, history: past(1), answer: 'goes' },
  {
    row: 'per owner: 0 is none',
    limits: { owner: { pods: 0 } },
    answer:
      'pod maxNoOfPodsToEvictPerOwner: is kept because maxNoOfPodsToEvictPerOwner allows no eviction of Deployment shop/web in this cycle; further pods are passed over',
  },
  { row: 'per owner: 25% of 8 are 2, one is booked', limits: { owner: { percent: 25 } }, booked: [b], answer: 'goes' },
  {
    row: 'per owner: 25% of 8 are 2, two are booked',
    limits: { owner: { percent: 25 } },
    booked: pods.slice(1, 3),
    answer:
      'pod maxNoOfPodsToEvictPerOwner: is kept because maxNoOfPodsToEvictPerOwner allows 2 evictions of Deployment shop/web in this cycle (25% of its 8 pods); further pods are passed over',
  },
  {
    row: 'per owner: 25% of 1 pod is 1',
    limits: { owner: { percent: 25 } },
    pod: other,
    answer: 'goes',
  },
  { row: 'window: an eviction less than allowed', limits: hourly(3), history: past(1, 2), answer: 'goes' },
  {
    row: 'window: as many as allowed; the oldest frees the next',
    limits: hourly(2),
    history: past(40, 20),
    answer:
      'pod evictionWindows: is kept because Deployment shop/web lost 2 pods within 1h, as many as evictionWindows allows; the next can be evicted at 2026-01-02T12:20:00Z',
  },
  {
    row: 'window: more than allowed, after the policy became stricter',
    limits: hourly(1),
    history: past(40, 20),
    answer:
      'pod evictionWindows: is kept because Deployment shop/web lost 2 pods within 1h, and evictionWindows allows 1; the next can be evicted at 2026-01-02T12:40:00Z',
  },
  { row: 'window: an hour old has left it', limits: hourly(1), history: past(60), answer: 'goes' },
  {
    row: 'window: a millisecond less has not',
    limits: hourly(1),
    history: past(60 - 1 / MINUTE),
    answer:
      'pod evictionWindows: is kept because Deployment shop/web lost 1 pod within 1h, as many as evictionWindows allows; the next can be evicted at 2026-01-02T12:00:01Z',
  },
  {
    row: 'window: a clock that runs ahead does not open it',
    limits: hourly(1),
    history: past(-5),
    answer:
      'pod evictionWindows: is kept because Deployment shop/web lost 1 pod within 1h, as many as evictionWindows allows; the next can be evicted at 2026-01-02T13:05:00Z',
  },
  {
    row: "window: this cycle's evictions count with earlier ones",
    limits: hourly(2),
    history: past(30),
    booked: [b],
    answer:
      'pod evictionWindows: is kept because Deployment shop/web lost 2 pods within 1h, as many as evictionWindows allows; the next can be evicted at 2026-01-02T12:30:00Z',
  },
  {
    row: 'window: only evictions of this cycle',
    limits: hourly(1),
    booked: [b],
    answer:
      'pod evictionWindows: is kept because Deployment shop/web lost 1 pod within 1h, as many as evictionWindows allows; the next can be evicted at 2026-01-02T13:00:00Z',
  },
  {
    row: 'window per owner: others count for themselves',
    limits: hourly(1),
    history: past(1),
    pod: other,
    answer: 'goes',
  },
  {
    row: 'window per namespace',
    limits: hourly(1, 'namespace'),
    history: past(30),
    answer:
      'namespace evictionWindows: is kept because namespace shop lost 1 pod within 1h, as many as evictionWindows allows; the next can be evicted at 2026-01-02T12:30:00Z',
  },
  {
    row: 'window per namespace: another one',
    limits: hourly(1, 'namespace'),
    history: past(30),
    pod: other,
    answer: 'goes',
  },
  {
    row: 'window per node',
    limits: hourly(1, 'node'),
    history: past(30),
    answer:
      'node evictionWindows: is kept because node n1 lost 1 pod within 1h, as many as evictionWindows allows; the next can be evicted at 2026-01-02T12:30:00Z',
  },
  { row: 'window per node: a pod without one', limits: hourly(0, 'node'), pod: replica('z'), answer: 'goes' },
  {
    row: 'window over everything',
    limits: hourly(1, 'total'),
    history: past(30),
    pod: other,
    answer:
      'total evictionWindows: is kept because the cluster lost 1 pod within 1h, as many as evictionWindows allows; the next can be evicted at 2026-01-02T12:30:00Z',
  },
  {
    row: 'window of 0 is never open',
    limits: hourly(0, 'total'),
    answer: 'total evictionWindows: is kept because evictionWindows allows the cluster no eviction within 1h',
  },
  {
    row: 'window in percent of the pods that are there: 20% of 9 are 1',
    limits: { windows: [{ per: 'total', max: { percent: 20 }, windowMs: 90 * MINUTE }] },
    history: past(30),
    answer:
      'total evictionWindows: is kept because the cluster lost 1 pod within 1h30m, as many as evictionWindows allows (20% of its 9 pods); the next can be evicted at 2026-01-02T13:00:00Z',
  },
  {
    row: 'several windows: the widest that is full answers',
    limits: { windows: [...hourly(1).windows, ...hourly(1, 'node').windows, ...hourly(2, 'total').windows] },
    history: past(30),
    answer:
      'node evictionWindows: is kept because node n1 lost 1 pod within 1h, as many as evictionWindows allows; the next can be evicted at 2026-01-02T12:30:00Z',
  },
  {
    row: 'cooldown after an eviction',
    limits: cooldown,
    history: past(4),
    answer:
      'pod evictionCooldown: is kept because Deployment shop/web lost a pod at 2026-01-02T11:56:00Z, and evictionCooldown leaves it alone for 10m; the next can be evicted at 2026-01-02T12:06:00Z',
  },
  { row: 'cooldown is over to the moment', limits: cooldown, history: past(10), answer: 'goes' },
  {
    row: 'cooldown doubles: the third in a row',
    limits: cooldown,
    history: past(60, 45, 20),
    answer:
      'pod evictionCooldown: is kept because Deployment shop/web lost a pod at 2026-01-02T11:40:00Z, the 3rd in a row, and evictionCooldown leaves it alone for 40m; the next can be evicted at 2026-01-02T12:20:00Z',
  },
  {
    row: 'cooldown stops growing at max',
    limits: cooldown,
    history: past(300, 200, 150, 110, 80, 50),
    answer:
      'pod evictionCooldown: is kept because Deployment shop/web lost a pod at 2026-01-02T11:10:00Z, the 6th in a row, and evictionCooldown leaves it alone for 1h; the next can be evicted at 2026-01-02T12:10:00Z',
  },
  {
    row: 'cooldown begins anew after twice max',
    limits: cooldown,
    history: past(126, 5),
    answer:
      'pod evictionCooldown: is kept because Deployment shop/web lost a pod at 2026-01-02T11:55:00Z, and evictionCooldown leaves it alone for 10m; the next can be evicted at 2026-01-02T12:05:00Z',
  },
  {
    row: 'cooldown lets one pod of an owner go in a cycle',
    limits: cooldown,
    booked: [b],
    answer:
      'pod evictionCooldown: is kept because Deployment shop/web lost a pod at 2026-01-02T12:00:00Z, and evictionCooldown leaves it alone for 10m; the next can be evicted at 2026-01-02T12:10:00Z',
  },
  { row: 'cooldown of another owner', limits: cooldown, history: past(1), pod: other, answer: 'goes' },
  {
    row: 'blocked pod',
    limits: backoff,
    history: blocked(1, 4),
    answer:
      'pod blockedPodBackoff: is kept because a PodDisruptionBudget held it back at 2026-01-02T11:56:00Z, and blockedPodBackoff leaves it alone for 10m; it is tried again from 2026-01-02T12:06:00Z on',
  },
  {
    row: 'blocked pod, the third time',
    limits: backoff,
    history: blocked(3, 30),
    answer:
      'pod blockedPodBackoff: is kept because a PodDisruptionBudget held it back at 2026-01-02T11:30:00Z, the 3rd time in a row, and blockedPodBackoff leaves it alone for 40m; it is tried again from 2026-01-02T12:10:00Z on',
  },
  { row: 'blocked pod whose pause is over', limits: backoff, history: blocked(3, 40), answer: 'goes' },
  { row: 'another pod of the same owner', limits: backoff, history: blocked(3, 1), pod: b, answer: 'goes' },
];

describe('limits beyond those of the Go descheduler', () => {
  for (const { row, limits, history, booked, pod = a, answer } of rows) {
    it(row, () => {
      assert.equal(say(open(limits, history, booked).hit(pod)), answer);
    });
  }

  it('free what is taken back', () => {
    const limits = open({ ...hourly(1), ...cooldown, owner: { pods: 1 } }, past(), [b]);
    assert.equal(limits.hit(a)?.by, 'maxNoOfPodsToEvictPerOwner');
    limits.count(b, -1);
    assert.equal(limits.hit(a), undefined);
  });

  it('give one notice for each place and window, and none of them for a blocked pod', () => {
    const twoWindows = {
      windows: [...hourly(0, 'node').windows, { per: 'node', max: { pods: 0 }, windowMs: MINUTE }],
    } as const;
    const keys = [
      open({ owner: { pods: 0 } }).hit(a)?.key,
      open(twoWindows).hit(a)?.key,
      open(hourly(0, 'namespace')).hit(other)?.key,
      open(cooldown, past(1)).hit(b)?.key,
      open(backoff, blocked(1, 1)).hit(a)?.key,
    ];
    assert.deepEqual(keys, [
      'maxNoOfPodsToEvictPerOwner shop Deployment/web',
      'evictionWindows node 3600000 n1',
      'evictionWindows namespace 3600000 mail',
      'evictionCooldown shop Deployment/web',
      undefined,
    ]);
  });

  it('percentages leave out pods that are finished or terminating', () => {
    const gone = [replica('x', given.phase('Failed')), replica('y', given.terminating), replica('z')];
    const view = { snapshot: given.snapshot(...gone), history: past(), now: new Date(NOW) };
    const limits = new CycleLimits({ ...NONE, owner: { percent: 100 } }, view);
    limits.count(replica('z'), 1);
    assert.match(limits.hit(replica('x'))?.reason ?? '', /100% of its 1 pod\)/u);
  });
});
