import assert from 'node:assert/strict';
import { createPlacement } from '../../src/placement/fit.ts';
import { cordoned, notReady, pod, snapshot, spec, taint, tolerates } from '../builders/cluster.ts';
import { filterRows, room } from './filter-rows.ts';

const UNSCHEDULABLE = 'node.kubernetes.io/unschedulable';

describe('placement: cordon and taints (rule S6)', () => {
  filterRows([
    { id: 'SF-23 cordoned', cluster: [room('n1', cordoned)], pod: pod('p'), ours: { n1: 'cordon' } },
    {
      id: 'SF-24 cordoned, tolerated',
      cluster: [room('n1', cordoned)],
      pod: pod('p', tolerates(`${UNSCHEDULABLE}:NoSchedule`)),
      ours: { n1: '' },
    },
    {
      id: 'SF-25 cordoned, everything tolerated',
      cluster: [room('n1', cordoned)],
      pod: pod('p', tolerates('')),
      ours: { n1: '' },
    },
    {
      id: 'SF-26 cordoned, only NoExecute tolerated',
      cluster: [room('n1', cordoned)],
      pod: pod('p', tolerates(`${UNSCHEDULABLE}:NoExecute`)),
      ours: { n1: 'cordon' },
    },
    {
      id: 'SF-27 the value must be equal',
      cluster: [room('n1', taint('a=1:NoSchedule')), room('n2', taint('a=2:NoSchedule'))],
      pod: pod('p', tolerates('a=1', { operator: '' })),
      ours: { n1: '', n2: 'taint' },
    },
    {
      id: 'SF-28 PreferNoSchedule never blocks',
      cluster: [room('n1', taint('a:NoExecute')), room('n2', taint('a:PreferNoSchedule'))],
      pod: pod('p'),
      ours: { n1: 'taint', n2: '' },
    },
    {
      id: 'SF-29 one wildcard for two taints',
      cluster: [room('n1', taint('a=1:NoSchedule'), taint('b=2:NoExecute'))],
      pod: pod('p', tolerates('')),
      ours: { n1: '' },
    },
    {
      id: 'SF-30 tolerationSeconds do not matter',
      cluster: [room('n1', taint('a:NoExecute'))],
      pod: pod('p', tolerates('a:NoExecute', { tolerationSeconds: 0 })),
      ours: { n1: '' },
    },
    {
      id: 'SF-31 an empty value equals no value',
      cluster: [room('n1', taint('a:NoSchedule')), room('n2', taint('a=x:NoSchedule'))],
      pod: pod('p', tolerates('a', { operator: 'Equal' })),
      ours: { n1: '', n2: 'taint' },
    },
    { id: 'SF-32 readiness is not asked', cluster: [room('n1', notReady)], pod: pod('p'), ours: { n1: '' } },
    {
      id: 'SF-111 a scheduling gate',
      cluster: [room('n1')],
      pod: pod('p', spec({ schedulingGates: ['wait'] })),
      ours: { n1: 'gated' },
    },
    {
      id: 'SF-112 another scheduler; ours: fit still answers',
      cluster: [room('n1')],
      pod: pod('p', spec({ schedulerName: 'other' })),
      ours: { n1: '' },
      reference: { n1: 'not tried' },
    },
  ]);

  it('names the taint that is not tolerated', () => {
    const cluster = snapshot(room('n1', cordoned), room('n2', taint('a:PreferNoSchedule'), taint('b=2:NoExecute')));
    const placement = createPlacement(cluster);
    assert.deepEqual(
      cluster.nodes.map((node) => placement.misfits(pod('p'), node)),
      [[{ code: 'cordon', text: 'is cordoned' }], [{ code: 'taint', text: 'taint b=2:NoExecute is not tolerated' }]],
    );
  });
});
