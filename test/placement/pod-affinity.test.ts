import assert from 'node:assert/strict';
import { createPlacement } from '../../src/placement/fit.ts';
import {
  allocatable,
  apart,
  labels,
  namespace,
  namespaceObject,
  near,
  on,
  phase,
  pod,
  selector,
  snapshot,
  terminating,
} from '../builders/cluster.ts';
import { filterRows, HOSTNAME, room, ZONE, zoned } from './filter-rows.ts';

const X = labels({ app: 'x' });
const none = { labelSelector: undefined };
const r = pod('r', X);

describe('placement: pod affinity and anti-affinity (rule S6)', () => {
  filterRows([
    {
      id: 'SF-69 anti-affinity by host',
      cluster: [zoned('a1', r), zoned('a2'), zoned('b1')],
      pod: pod('p', apart('app=x', HOSTNAME)),
      ours: { a1: 'anti', a2: '', b1: '' },
    },
    {
      id: 'SF-70 anti-affinity by zone',
      cluster: [zoned('a1', r), zoned('a2'), zoned('b1')],
      pod: pod('p', apart('app=x', ZONE)),
      ours: { a1: 'anti', a2: 'anti', b1: '' },
    },
    {
      id: 'SF-71 anti-affinity, node without the key',
      cluster: [room('n1', r)],
      pod: pod('p', apart('app=x', ZONE)),
      ours: { n1: '' },
    },
    {
      id: 'SF-72 the rule of a resident',
      cluster: [zoned('a1', pod('r', apart('app=w', ZONE))), zoned('a2'), zoned('b1')],
      pod: pod('p', labels({ app: 'w' })),
      ours: { a1: 'existing-anti', a2: 'existing-anti', b1: '' },
    },
    {
      id: 'SF-73 the rule of a resident, node without the key',
      cluster: [room('n1', pod('r', apart('app=w', ZONE)))],
      pod: pod('p', labels({ app: 'w' })),
      ours: { n1: '' },
    },
    {
      id: 'SF-74 affinity by zone',
      cluster: [zoned('a1', r), zoned('a2'), zoned('b1')],
      pod: pod('p', near('app=x', ZONE)),
      ours: { a1: '', a2: '', b1: 'pod-affinity' },
    },
    {
      id: 'SF-75 the first of its kind',
      cluster: [zoned('a1'), zoned('b1'), room('n3')],
      pod: pod('p', X, near('app=x', ZONE)),
      ours: { a1: '', b1: '', n3: 'pod-affinity' },
    },
    {
      id: 'SF-76 the zone of its kind is full',
      cluster: [zoned('a1', allocatable({ pods: 1 }), r), zoned('b1')],
      pod: pod('p', X, near('app=x', ZONE)),
      ours: { a1: 'pods', b1: 'pod-affinity' },
    },
    {
      id: 'SF-77 two terms, met by two residents',
      cluster: [room('n1', pod('r1', X), pod('r2', labels({ tier: 'y' })))],
      pod: pod('p', near('app=x', HOSTNAME), near('tier=y', HOSTNAME)),
      ours: { n1: 'pod-affinity' },
    },
    {
      id: 'SF-78 a terminating resident attracts',
      cluster: [zoned('a1', pod('r', X, terminating)), zoned('b1')],
      pod: pod('p', X, near('app=x', ZONE)),
      ours: { a1: '', b1: 'pod-affinity' },
    },
    {
      id: 'SF-79 a terminating resident repels',
      cluster: [room('n1', pod('r', X, terminating))],
      pod: pod('p', apart('app=x', HOSTNAME)),
      ours: { n1: 'anti' },
    },
    {
      id: 'SF-80 a finished pod is nobody',
      cluster: [room('n1', pod('r', X, phase('Succeeded')))],
      pod: pod('p', apart('app=x', HOSTNAME)),
      ours: { n1: '' },
    },
    {
      id: 'SF-81 an empty namespaceSelector is every namespace',
      cluster: [room('n1', r), room('n2', pod('r2', X, namespace('other')))],
      pod: pod('p', apart('app=x', HOSTNAME, { namespaceSelector: selector('') })),
      ours: { n1: 'anti', n2: 'anti' },
    },
    {
      id: 'SF-82 a negative namespaceSelector of the pod to place (D2)',
      cluster: [
        room('n1', pod('r', X, namespace('team-a'))),
        namespaceObject('team-a', { team: 'a' }),
        namespaceObject('default'),
      ],
      pod: pod('p', apart('app=x', HOSTNAME, { namespaceSelector: selector('team notin (a)') })),
      ours: { n1: 'anti' },
    },
    {
      id: 'SF-83 a negative namespaceSelector of a resident',
      cluster: [
        room('n1', pod('r', apart('app=x', HOSTNAME, { namespaceSelector: selector('team notin (a)') }))),
        namespaceObject('team-a', { team: 'a' }),
        namespaceObject('default'),
      ],
      pod: pod('p', X, namespace('team-a')),
      ours: { n1: '' },
    },
    {
      id: 'SF-84 anti-affinity without a selector',
      cluster: [room('n1', r)],
      pod: pod('p', apart('', HOSTNAME, none)),
      ours: { n1: '' },
    },
    {
      id: 'SF-85 anti-affinity to everybody of its namespace',
      cluster: [room('n1', pod('r')), room('n2', pod('r2', namespace('other')))],
      pod: pod('p', apart('', HOSTNAME)),
      ours: { n1: 'anti', n2: '' },
    },
    {
      id: 'SF-86 matchLabelKeys tell revisions apart',
      cluster: [room('n1', pod('r', labels({ app: 'x', hash: '1' })))],
      pod: pod('p', labels({ app: 'x', hash: '2' }), apart('app=x', HOSTNAME, { matchLabelKeys: ['hash'] })),
      ours: { n1: '' },
    },
    {
      id: 'SF-87 the first in its namespace',
      cluster: [room('n1', pod('r', X, namespace('other')))],
      pod: pod('p', X, near('app=x', HOSTNAME)),
      ours: { n1: '' },
    },
    {
      id: 'SF-88 same name in another namespace',
      cluster: [room('n1', pod('r', labels({ app: 'p' }), namespace('other')))],
      pod: pod('r', labels({ app: 'p' }), apart('app=p', HOSTNAME, { namespaces: ['other'] })),
      ours: { n1: 'anti' },
    },
    {
      id: 'SF-89 the rule of a terminating resident',
      cluster: [zoned('a1', pod('r', apart('app=w', ZONE), terminating)), zoned('b1')],
      pod: pod('p', labels({ app: 'w' })),
      ours: { a1: 'existing-anti', b1: '' },
    },
    {
      id: 'SF-90 a pod on a node that is gone does not make it the second',
      cluster: [room('n1'), pod('r', X, on('gone'))],
      pod: pod('p', X, near('app=x', HOSTNAME)),
      ours: { n1: '' },
    },
    {
      id: 'SF-91 affinity to one and anti-affinity to another',
      cluster: [zoned('a1', r), zoned('a2'), zoned('b1', pod('r2', labels({ tier: 'y' })))],
      pod: pod('p', near('app=x', ZONE), apart('tier=y', ZONE)),
      ours: { a1: '', a2: '', b1: 'pod-affinity' },
    },
    {
      id: 'SF-92 affinity without a selector',
      cluster: [room('n1', r)],
      pod: pod('p', near('', HOSTNAME, none)),
      ours: { n1: 'pod-affinity' },
    },
    {
      id: 'affinity must hold under both readings of a negative namespaceSelector (D2)',
      cluster: [
        room('n1', pod('r1', X, namespace('team-a'))),
        room('n2', pod('r2', X)),
        namespaceObject('team-a', { team: 'a' }),
        namespaceObject('default'),
      ],
      pod: pod('p', near('app=x', HOSTNAME, { namespaceSelector: selector('team notin (a)') })),
      ours: { n1: 'pod-affinity', n2: '' },
    },
    {
      id: 'a term that cannot be parsed refuses its pod everywhere',
      cluster: [room('n1')],
      pod: pod('p', apart('', HOSTNAME, { labelSelector: { matchLabels: { 'a b': 'c' }, matchExpressions: [] } })),
      ours: { n1: 'anti' },
    },
    {
      id: 'a term of a resident that cannot be parsed is dropped',
      cluster: [
        room(
          'n1',
          pod('r', apart('', HOSTNAME, { labelSelector: { matchLabels: { 'a b': 'c' }, matchExpressions: [] } })),
        ),
      ],
      pod: pod('p', X),
      ours: { n1: '' },
    },
  ]);

  it('names the pod that is in the way, and where it stands', () => {
    const web = pod('web', labels({ app: 'w' }));
    const cluster = snapshot(
      zoned('a1', r),
      zoned('a2'),
      zoned('b1', pod('q', apart('app=w', ZONE))),
      zoned('c1', web),
    );
    const placement = createPlacement(cluster);
    const asking = pod('p', labels({ app: 'w' }), apart('app=x', ZONE));
    placement.assume(r, cluster.nodes[3]);
    assert.deepEqual(
      cluster.nodes.map((node) => placement.misfits(asking, node).map(({ text }) => text)),
      [
        [`its anti-affinity to app=x by ${ZONE} excludes default/r on a1`],
        [`its anti-affinity to app=x by ${ZONE} excludes default/r on a1`],
        [`the anti-affinity of default/q on b1 by ${ZONE} excludes default/p`],
        [`its anti-affinity to app=x by ${ZONE} excludes the replacement of default/r on c1`],
      ],
    );
    assert.deepEqual(placement.misfits(pod('n', near('app=y', ZONE)), cluster.nodes[0]!), [
      { code: 'pod-affinity', text: `its pod affinity wants app=y in the same ${ZONE}` },
    ]);
  });

  it('does not judge namespace selectors when no Namespace was read, and says so once', () => {
    const asking = pod('p', apart('app=x', HOSTNAME, { namespaceSelector: selector('team=a') }));
    const cluster = snapshot(room('n1', pod('r', X, namespace('team-a'))));
    const placement = createPlacement(cluster);
    assert.deepEqual(placement.fitting(asking, cluster.nodes), cluster.nodes);
    assert.deepEqual(placement.fitting(pod('q', apart('app=x', HOSTNAME)), cluster.nodes), cluster.nodes);
    assert.deepEqual(placement.warnings(), [
      'no Namespace objects were read: namespaceSelector of pod affinity not checked',
    ]);
  });
});
