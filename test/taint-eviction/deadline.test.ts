import assert from 'node:assert/strict';
import type { Node } from '../../src/cluster/node.ts';
import type { Pod } from '../../src/cluster/pod.ts';
import type { Toleration } from '../../src/cluster/taints.ts';
import { deadlineOf, deadlinesOn } from '../../src/taint-eviction/deadline.ts';
import { sightTaints, type SightedTaint } from '../../src/taint-eviction/sightings.ts';
import { standOf } from '../../src/taint-eviction/toleration.ts';
import { formatDuration } from '../../src/lib/duration.ts';
import { node, parseTaint, pod, spec, status, tolerates, type Part } from '../builders/cluster.ts';
import { at, boundSince, START, tainted } from '../node-lifecycle/world.ts';

const NR = 'node.kubernetes.io/not-ready:NoExecute';
const UR = 'node.kubernetes.io/unreachable:NoExecute';
const seconds = (tolerationSeconds: number | undefined) => ({ tolerationSeconds });

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
    /** Tolerated milliseconds, or how it stands otherwise. */
    readonly stand: number | 'untolerated' | 'undecidable';
  }
  const rows: Readonly<Record<string, Row>> = {
    'an empty operator means Equal': { taint: 'k=v:NoExecute', tolerations: [{ value: 'v' }], stand: 60_000 },
    'Equal with another value': { taint: 'k=v:NoExecute', tolerations: [{ operator: 'Equal' }], stand: 'untolerated' },
    'Exists whatever the value': { taint: 'k=v:NoExecute', tolerations: [{ operator: 'Exists' }], stand: 60_000 },
    'an empty effect matches every effect': { tolerations: [{ effect: '' }], stand: 60_000 },
    'another effect': { tolerations: [{ effect: 'NoSchedule' }], stand: 'untolerated' },
    'an empty key matches every key': { tolerations: [{ key: '', operator: 'Exists' }], stand: 60_000 },
    'another key': { tolerations: [{ key: 'other' }], stand: 'untolerated' },
    'no toleration at all': { tolerations: [], stand: 'untolerated' },
    'no seconds: for ever': { tolerations: [{ tolerationSeconds: undefined }], stand: Infinity },
    '6.11 [0]': { tolerations: [{ tolerationSeconds: 0 }], stand: 0 },
    '6.11 [-5]': { tolerations: [{ tolerationSeconds: -5 }], stand: 0 },
    '6.11 [2^63-1] as JSON reads it': { tolerations: [{ tolerationSeconds: 2 ** 63 }], stand: Infinity },
    '6.15-8 a broad one for ever before a specific one with seconds shadows it': {
      tolerations: [{ key: '', operator: 'Exists', tolerationSeconds: undefined }, { tolerationSeconds: 5 }],
      stand: Infinity,
    },
    '6.15-8 the other way round': {
      tolerations: [{ tolerationSeconds: 5 }, { key: '', operator: 'Exists', tolerationSeconds: undefined }],
      stand: 5_000,
    },
    '6.15-9 Gt: the taint is greater': {
      taint: 'k=950:NoExecute',
      tolerations: [{ operator: 'Gt', value: '900' }],
      stand: 60_000,
    },
    '6.15-9 Gt: its value has sunk': {
      taint: 'k=800:NoExecute',
      tolerations: [{ operator: 'Gt', value: '900' }],
      stand: 'untolerated',
    },
    '6.15-9 Lt of negative numbers': {
      taint: 'k=-7:NoExecute',
      tolerations: [{ operator: 'Lt', value: '-6' }],
      stand: 60_000,
    },
    '6.15-9 Lt with a leading zero': {
      taint: 'k=07:NoExecute',
      tolerations: [{ operator: 'Lt', value: '9' }],
      stand: 'untolerated',
    },
    '6.15-9 Lt of no integer': {
      taint: 'k=0.5:NoExecute',
      tolerations: [{ operator: 'Lt', value: '9' }],
      stand: 'untolerated',
    },
    'an operator that nobody knows yet: cannot be judged (reference: no match)': {
      tolerations: [{ operator: 'Matches', value: 'x' }],
      stand: 'undecidable',
    },
    'one that matches beside an unknown one decides': {
      tolerations: [{ operator: 'Matches', value: 'x' }, { operator: 'Exists' }],
      stand: 60_000,
    },
    'an unknown operator for another key says nothing': {
      tolerations: [{ operator: 'Matches', key: 'other' }],
      stand: 'untolerated',
    },
  };
  for (const [name, { taint = 'k:NoExecute', tolerations, stand: wanted }] of Object.entries(rows)) {
    it(name, () => {
      const stand = standOf(tolerations.map(toleration), parseTaint(taint));
      assert.equal(stand.kind === 'tolerated' ? stand.ms : stand.kind, wanted);
    });
  }
});

describe('the deadline of a pod (4.4.2, 4.5.2)', () => {
  interface Row {
    readonly pod?: readonly Part<Pod>[];
    readonly node?: readonly Part<Node>[];
    /** Looks at other states of the node before that, each with its time. */
    readonly before?: readonly (readonly [string, readonly Part<Node>[]])[];
    /** When the pod was first seen, and the node last looked at; the start unless said. */
    readonly seen?: string;
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
    'a taint whose time is rewritten keeps its first sight': {
      pod: [tolerates(t1, seconds(300))],
      before: [['-100s', [tainted(t1, '-100s')]]],
      node: [tainted(t1, '0s')],
      seen: '-100s',
      at: '3m20s',
      by: t1,
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
      const sighted = [...before, ['0s', nodeParts] as const].reduce<readonly SightedTaint[]>(
        (known, [time, parts]) => sightTaints(known, node('n1', ...parts), at(time)),
        [],
      );
      const deadline = deadlineOf(pod('p', ...podParts), sighted, at(seen));
      const when = deadline.at === Infinity ? 'never' : formatDuration(deadline.at - START);
      const taint = deadline.by?.taint;
      const text = taint && `${taint.key}${taint.value === '' ? '' : `=${taint.value}`}:${taint.effect}`;
      assert.deepEqual([when, text], [wanted, by]);
    });
  }

  it('tells each taint by itself, for those who ask why', () => {
    const on = node('n1', tainted(NR, '-100s'), tainted('x:NoExecute'), tainted('y:NoExecute', '-5s'));
    const asked = pod('p', spec({ tolerations: [] }), tolerates(NR, seconds(300)), tolerates('y'));
    const each = deadlinesOn(on, asked, START).map(({ taint, stand, startedAt, isStartKnown, at: end }) => [
      taint.key,
      stand.kind,
      formatDuration(startedAt - START),
      isStartKnown,
      end === Infinity ? 'never' : formatDuration(end - START),
    ]);
    assert.deepEqual(each, [
      ['node.kubernetes.io/not-ready', 'tolerated', '-1m40s', true, '3m20s'],
      ['x', 'untolerated', '0s', false, '0s'],
      ['y', 'tolerated', '-5s', true, 'never'],
    ]);
  });
});
