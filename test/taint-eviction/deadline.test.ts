import type { Toleration } from '../../src/cluster/objects/terms.ts';
import assert from 'node:assert/strict';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import type { Moment } from '../../src/lib/clock.ts';
import { arrivalAfter, arrivalOf } from '../../src/taint-eviction/arrival.ts';
import { deadlineOf, deadlinesOn } from '../../src/taint-eviction/deadline.ts';
import { observeNode, type ObservedNode } from '../../src/taint-eviction/observed-taints.ts';
import { matchToleration } from '../../src/taint-eviction/toleration.ts';
import { formatDuration } from '../../src/lib/duration.ts';
import { node, parseTaint, pod, spec, status, tolerates, type Part } from '../builders/cluster.ts';
import { at, boundSince, START, tainted } from '../node-lifecycle/world.ts';

const NR = 'node.kubernetes.io/not-ready:NoExecute';
const UR = 'node.kubernetes.io/unreachable:NoExecute';
const seconds = (tolerationSeconds: number | undefined) => ({ tolerationSeconds });
/** A moment of the test on both faces; the monotonic one begins with the test. */
const momentAt = (duration: string): Moment => ({ wall: at(duration), now: at(duration) - START });

describe('the first toleration that matches (4.4.1)', () => {
  const toleration = (over: Partial<Toleration>): Toleration => ({
    key: 'k',
    operator: '',
    value: '',
    effect: 'NoExecute',
    tolerationSeconds: 60,
    ...over,
  });
  interface Row {
    readonly taint?: string;
    readonly tolerations: readonly Partial<Toleration>[];
    /** Tolerated milliseconds, or that nothing matches. */
    readonly match: number | 'none' | 'unknown-operator';
  }
  const rows: Readonly<Record<string, Row>> = {
    'an empty operator means Equal': { taint: 'k=v:NoExecute', tolerations: [{ value: 'v' }], match: 60_000 },
    'Equal with another value': { taint: 'k=v:NoExecute', tolerations: [{ operator: 'Equal' }], match: 'none' },
    'Exists whatever the value': { taint: 'k=v:NoExecute', tolerations: [{ operator: 'Exists' }], match: 60_000 },
    'an empty effect matches every effect': { tolerations: [{ effect: '' }], match: 60_000 },
    'another effect': { tolerations: [{ effect: 'NoSchedule' }], match: 'none' },
    'an empty key matches every key': { tolerations: [{ key: '', operator: 'Exists' }], match: 60_000 },
    'another key': { tolerations: [{ key: 'other' }], match: 'none' },
    'no toleration at all': { tolerations: [], match: 'none' },
    'no seconds: forever': { tolerations: [{ tolerationSeconds: undefined }], match: Infinity },
    '6.11 [0]': { tolerations: [{ tolerationSeconds: 0 }], match: 0 },
    'PreferNoSchedule is another effect': { tolerations: [{ effect: 'PreferNoSchedule' }], match: 'none' },
    'as many seconds as no calendar has': { tolerations: [{ tolerationSeconds: 1e13 }], match: Infinity },
    '292 years, where nanoseconds end': {
      tolerations: [{ tolerationSeconds: 9_223_372_037 }],
      match: 9_223_372_037_000,
    },
    '6.11 [-5]': { tolerations: [{ tolerationSeconds: -5 }], match: 0 },
    '6.11 [2^63-1] as JSON reads it': { tolerations: [{ tolerationSeconds: 2 ** 63 }], match: Infinity },
    '6.15-8 a broad one forever before a specific one with seconds shadows it': {
      tolerations: [{ key: '', operator: 'Exists', tolerationSeconds: undefined }, { tolerationSeconds: 5 }],
      match: Infinity,
    },
    '6.15-8 the other way round': {
      tolerations: [{ tolerationSeconds: 5 }, { key: '', operator: 'Exists', tolerationSeconds: undefined }],
      match: 5_000,
    },
    '6.15-9 Gt: the taint is greater': {
      taint: 'k=950:NoExecute',
      tolerations: [{ operator: 'Gt', value: '900' }],
      match: 60_000,
    },
    '6.15-9 Gt: its value has sunk': {
      taint: 'k=800:NoExecute',
      tolerations: [{ operator: 'Gt', value: '900' }],
      match: 'none',
    },
    '6.15-9 Lt of negative numbers': {
      taint: 'k=-7:NoExecute',
      tolerations: [{ operator: 'Lt', value: '-6' }],
      match: 60_000,
    },
    '6.15-9 Lt with a leading zero': {
      taint: 'k=07:NoExecute',
      tolerations: [{ operator: 'Lt', value: '9' }],
      match: 'none',
    },
    '6.15-9 Lt of no integer': {
      taint: 'k=0.5:NoExecute',
      tolerations: [{ operator: 'Lt', value: '9' }],
      match: 'none',
    },
    'an operator that nobody knows yet: cannot be judged (reference: no match)': {
      tolerations: [{ operator: 'Matches', value: 'x' }],
      match: 'unknown-operator',
    },
    'one that matches beside an unknown one decides': {
      tolerations: [{ operator: 'Matches', value: 'x' }, { operator: 'Exists' }],
      match: 60_000,
    },
    'an unknown operator for another key says nothing': {
      tolerations: [{ operator: 'Matches', key: 'other' }],
      match: 'none',
    },
  };
  for (const [name, { taint = 'k:NoExecute', tolerations, match: wanted }] of Object.entries(rows)) {
    it(name, () => {
      const match = matchToleration(tolerations.map(toleration), parseTaint(taint));
      assert.equal(match.kind === 'match' ? match.ms : match.kind, wanted);
    });
  }
});

describe('the deadline of a pod (4.4.2, 4.5.2)', () => {
  interface Row {
    readonly pod?: readonly Part<Pod>[];
    readonly node?: readonly Part<Node>[];
    /** Looks at other states of the node before that, each with its time. */
    readonly before?: readonly (readonly [string, readonly Part<Node>[]])[];
    /** When the pod was first seen; the start unless said. */
    readonly seen?: string;
    /** It came to its node while we watched. */
    readonly isWitnessed?: true;
    /** From the start; `never`. */
    readonly at: string;
    readonly by?: string;
  }
  const t1 = 'testTaint1=test1:NoExecute';
  const t2 = 'testTaint2=test2:NoExecute';
  const rows: Readonly<Record<string, Row>> = {
    '6.11 the minimum of nothing; 6.15-19 no taints never delete': { at: 'never' },
    '6.11 [none]': { pod: [tolerates(t1)], node: [tainted(t1, '0s')], at: 'never' },
    '6.11 [1, 2]': {
      pod: [tolerates(t1, seconds(1)), tolerates(t2, seconds(2))],
      node: [tainted(t1, '0s'), tainted(t2, '0s')],
      at: '1s',
      by: t1,
    },
    '6.11 [none, 1]': {
      pod: [tolerates(t1), tolerates(t2, seconds(1))],
      node: [tainted(t1, '0s'), tainted(t2, '0s')],
      at: '1s',
      by: t2,
    },
    '6.11 [none, -1, 7]': {
      pod: [tolerates('a'), tolerates('b', seconds(-1)), tolerates('c', seconds(7))],
      node: [tainted('a:NoExecute', '0s'), tainted('b:NoExecute', '0s'), tainted('c:NoExecute', '0s')],
      at: '0s',
      by: 'b:NoExecute',
    },
    'not tolerated: its time has come when it was added': { node: [tainted(t1, '0s')], at: '0s', by: t1 },
    'a taint that does not concern running pods': { node: [tainted('a:NoSchedule', '0s')], at: 'never' },
    '1 begins when the taint was added': {
      pod: [tolerates(t1, seconds(300))],
      node: [tainted(t1, '-200s')],
      at: '1m40s',
      by: t1,
    },
    '1 begins when the pod was bound, if that is later': {
      pod: [tolerates(t1, seconds(300)), boundSince('-50s')],
      node: [tainted(t1, '-200s')],
      at: '4m10s',
      by: t1,
    },
    'bound by its PodScheduled condition rather than by its start': {
      pod: [
        tolerates(t1, seconds(300)),
        boundSince('-10s'),
        status({
          startedAt: at('-10s'),
          conditions: [
            { type: 'PodScheduled', status: 'True', reason: '', transitionAt: at('-50s'), heartbeatAt: undefined },
          ],
        }),
      ],
      node: [tainted(t1, '-200s')],
      at: '4m10s',
      by: t1,
    },
    'a pod of which nothing says when it was bound: our first sight of it': {
      pod: [
        tolerates(t1, seconds(300)),
        (before) => ({ ...before, createdAt: undefined, status: { ...before.status, startedAt: undefined } }),
      ],
      node: [tainted(t1, '-200s')],
      at: '5m0s',
      by: t1,
    },
    'a taint without a time: our first sight of it': {
      pod: [tolerates(t1, seconds(300))],
      node: [tainted(t1)],
      at: '5m0s',
      by: t1,
    },
    'a taint with a time that cannot be read: the same': {
      pod: [tolerates(t1, seconds(300))],
      node: [(before) => ({ ...before, taints: [{ ...parseTaint(t1), timeAdded: 'yesterday' }] })],
      at: '5m0s',
      by: t1,
    },
    'a taint from the future begins no later than we have seen it': {
      pod: [tolerates(t1, seconds(300))],
      node: [tainted(t1, '1h')],
      at: '5m0s',
      by: t1,
    },
    '21 another time is another taint, put on between two looks': {
      pod: [tolerates(t1, seconds(300))],
      before: [['-100s', [tainted(t1, '-100s')]]],
      node: [tainted(t1, '0s')],
      seen: '-100s',
      at: '5m0s',
      by: t1,
    },
    '21 an earlier time is another taint, too': {
      pod: [tolerates(t1, seconds(300))],
      before: [['-100s', [tainted(t1, '-100s')]]],
      node: [tainted(t1, '-200s')],
      seen: '-100s',
      at: '5m0s',
      by: t1,
    },
    '21 a taint without a time that gets that of our first sight is the same': {
      pod: [tolerates(t1, seconds(300))],
      before: [['-100s', [tainted(t1)]]],
      node: [tainted(t1, '-99s')],
      seen: '-100s',
      at: '3m20s',
      by: t1,
    },
    '21 a taint without a time in whose place there is a later one': {
      pod: [tolerates(t1, seconds(300))],
      before: [['-100s', [tainted(t1)]]],
      node: [tainted(t1, '-1s')],
      seen: '-100s',
      at: '4m59s',
      by: t1,
    },
    '21 a taint that has lost its time': {
      pod: [tolerates(t1, seconds(300))],
      before: [['-100s', [tainted(t1, '-100s')]]],
      node: [tainted(t1)],
      seen: '-100s',
      at: '5m0s',
      by: t1,
    },
    '22 a time before our last look at the node, which was without the taint': {
      pod: [tolerates(t1, seconds(300))],
      before: [['-1s', []]],
      node: [tainted(t1, '-2s')],
      at: '5m0s',
      by: t1,
    },
    '22 a time long before it appeared, though nothing was said of the node in between': {
      pod: [tolerates(t1, seconds(300))],
      before: [['-1h', []]],
      node: [tainted(t1, '-200s')],
      at: '5m0s',
      by: t1,
    },
    '22 a time shortly before it appeared is right': {
      pod: [tolerates(t1, seconds(300))],
      before: [['-1h', []]],
      node: [tainted(t1, '-2s')],
      at: '4m58s',
      by: t1,
    },
    '22 the first look at a node, of which another had the name': {
      pod: [tolerates(t1, seconds(300))],
      before: [['-100s', [(it) => ({ ...it, uid: 'another' })]]],
      node: [tainted(t1, '-200s')],
      at: '1m40s',
      by: t1,
    },
    'a pod that came while we watched was not bound before': {
      pod: [tolerates(t1, seconds(300)), boundSince('-200s')],
      node: [tainted(t1, '-1h')],
      isWitnessed: true,
      at: '5m0s',
      by: t1,
    },
    'a pod that came while we watched, and was bound shortly before': {
      pod: [tolerates(t1, seconds(300)), boundSince('-2s')],
      node: [tainted(t1, '-1h')],
      isWitnessed: true,
      at: '4m58s',
      by: t1,
    },
    'a pod from the future begins no later than we have seen it': {
      pod: [tolerates(t1, seconds(300)), boundSince('1h')],
      node: [tainted(t1, '-1h')],
      at: '5m0s',
      by: t1,
    },
    'the same key with two effects: NoExecute counts': {
      pod: [tolerates('k:NoExecute', seconds(300))],
      node: [tainted('k:NoSchedule', '-100s'), tainted('k:NoExecute', '-50s'), tainted('k:PreferNoSchedule', '-9s')],
      at: '4m10s',
      by: 'k:NoExecute',
    },
    '6.15-3 a readiness taint that went and came back while nobody looked is another one': {
      pod: [tolerates(NR, seconds(300)), tolerates(UR, seconds(300))],
      before: [['-100s', [tainted(NR, '-100s')]]],
      node: [tainted(NR, '-1s')],
      seen: '-100s',
      at: '4m59s',
      by: NR,
    },
    'a taint that was gone begins afresh': {
      pod: [tolerates(t1, seconds(300))],
      before: [
        ['-100s', [tainted(t1, '-100s')]],
        ['-50s', []],
      ],
      node: [tainted(t1, '0s')],
      seen: '-100s',
      at: '5m0s',
      by: t1,
    },
    '6.15-3 NR exchanged for UR keeps the start': {
      pod: [tolerates(NR, seconds(300)), tolerates(UR, seconds(300))],
      before: [['-100s', [tainted(NR, '-100s')]]],
      node: [tainted(UR, '0s')],
      seen: '-100s',
      at: '3m20s',
      by: UR,
    },
    '6.15-3 added first, removed second, as the reference does it': {
      pod: [tolerates(NR, seconds(300)), tolerates(UR, seconds(300))],
      before: [
        ['-100s', [tainted(UR, '-100s')]],
        ['-1s', [tainted(UR, '-100s'), tainted(NR, '-1s')]],
      ],
      node: [tainted(NR, '-1s')],
      seen: '-100s',
      at: '3m20s',
      by: NR,
    },
    'two other taints do not share a start': {
      pod: [tolerates(t1, seconds(300)), tolerates(t2, seconds(300))],
      before: [['-100s', [tainted(t1, '-100s')]]],
      node: [tainted(t2, '0s')],
      seen: '-100s',
      at: '5m0s',
      by: t2,
    },
    'a year': { pod: [tolerates(t1, seconds(31_536_000))], node: [tainted(t1, '0s')], at: '8760h0m0s', by: t1 },
    'longer than any calendar': { pod: [tolerates(t1, seconds(1e15))], node: [tainted(t1, '0s')], at: 'never' },
  };
  for (const [name, row] of Object.entries(rows)) {
    it(name, () => {
      const { pod: podParts = [], node: nodeParts = [], before = [], seen = '0s', at: wanted, by } = row;
      const looks = [...before, ['0s', nodeParts] as const];
      const observed = looks.reduce<ObservedNode | undefined>(
        (last, [time, parts]) => observeNode(last, node('n1', ...parts), momentAt(time)),
        undefined,
      );
      const asked = pod('p', ...podParts);
      const arrival = arrivalOf(asked, row.isWitnessed === true, momentAt(seen));
      const deadline = deadlineOf(asked, observed?.taints ?? [], arrival);
      const when = deadline.at === Infinity ? 'never' : formatDuration(deadline.at);
      const taint = deadline.by?.taint;
      const text = taint && `${taint.key}${taint.value === '' ? '' : `=${taint.value}`}:${taint.effect}`;
      assert.deepEqual([when, text], [wanted, by]);
    });
  }

  it('a binding that the API has still is not counted again after a step of the clock; a new one is', () => {
    const first = pod('p', boundSince('-50s'));
    const arrival = arrivalOf(first, false, momentAt('0s'));
    const stepped = { wall: at('1h'), now: 60_000 };
    const again = arrivalAfter(arrival, first, stepped);
    const moved = arrivalAfter(arrival, pod('p', boundSince('1h')), stepped);
    assert.deepEqual([arrival.boundAt, again.boundAt, moved.boundAt, moved.seenAt], [-50_000, -50_000, 60_000, 0]);
  });

  it('tells each taint by itself, for those who ask why', () => {
    const on = node(
      'n1',
      tainted(NR, '-100s'),
      tainted('x:NoExecute'),
      tainted('y:NoExecute', '-5s'),
      tainted('z:NoExecute', '1s'),
      tainted('zz:NoExecute', '3s'),
    );
    const asked = pod('p', spec({ tolerations: [] }), tolerates(NR, seconds(300)), tolerates('y'));
    const each = deadlinesOn(on, asked, START).map(({ taint, toleration, startedAt, isStartKnown, at: end }) => [
      taint.key,
      toleration.kind,
      formatDuration(startedAt - START),
      isStartKnown,
      end === Infinity ? 'never' : formatDuration(end - START),
    ]);
    assert.deepEqual(each, [
      ['node.kubernetes.io/not-ready', 'match', '-1m40s', true, '3m20s'],
      ['x', 'none', '0s', false, '0s'],
      ['y', 'match', '-5s', true, 'never'],
      // Written in whole seconds, rounded up: that is no wrong clock.
      ['z', 'none', '0s', true, '0s'],
      ['zz', 'none', '0s', false, '0s'],
    ]);
  });
});
