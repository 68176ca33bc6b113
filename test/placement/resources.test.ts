import assert from 'node:assert/strict';
import { createPlacement } from '../../src/placement/fit.ts';
import {
  allocatable,
  condition,
  container,
  init,
  lacks,
  on,
  phase,
  pod,
  requests,
  sidecar,
  snapshot,
  spec,
  status,
  taint,
  terminating,
} from '../builders/cluster.ts';
import { filterRows, room } from './filter-rows.ts';

const GPU = 'example.com/gpu';

/** Status of the main container as the kubelet reports it after a resize. */
function given(cpu: number, allocated: number | undefined) {
  return {
    name: 'main',
    ready: true,
    restartCount: 0,
    waitingReason: undefined,
    terminatedReason: undefined,
    exitCode: undefined,
    requests: { cpu },
    allocated: allocated === undefined ? undefined : { cpu: allocated },
  };
}

describe('placement: resources (rule S6)', () => {
  filterRows([
    {
      id: 'SF-1 500m of 500m free',
      cluster: [room('n1', pod('r', requests({ cpu: '3500m' })))],
      pod: pod('p', requests({ cpu: '500m' })),
      ours: { n1: '' },
    },
    {
      id: 'SF-2 501m of 500m free',
      cluster: [room('n1', pod('r', requests({ cpu: '3500m' })))],
      pod: pod('p', requests({ cpu: '501m' })),
      ours: { n1: 'cpu' },
    },
    {
      id: 'SF-3 both slots taken',
      cluster: [room('n1', allocatable({ pods: 2 }), pod('r1'), pod('r2'))],
      pod: pod('p'),
      ours: { n1: 'pods' },
    },
    {
      id: 'SF-4 finished pods take no slot',
      cluster: [room('n1', allocatable({ pods: 2 }), pod('r1', phase('Succeeded')), pod('r2', phase('Succeeded')))],
      pod: pod('p'),
      ours: { n1: '' },
    },
    {
      id: 'SF-5 a terminating pod keeps its cpu',
      cluster: [room('n1', pod('r', requests({ cpu: 4 }), terminating))],
      pod: pod('p', requests({ cpu: '100m' })),
      ours: { n1: 'cpu' },
    },
    {
      id: 'SF-6 terminating pods keep their slots',
      cluster: [room('n1', allocatable({ pods: 2 }), pod('r1', terminating), pod('r2', terminating))],
      pod: pod('p'),
      ours: { n1: 'pods' },
    },
    {
      id: 'SF-7 over-committed cpu, none asked',
      cluster: [room('n1', pod('r', requests({ cpu: 5 })))],
      pod: pod('p', requests({ cpu: 0, memory: '1Gi' })),
      ours: { n1: '' },
    },
    {
      id: 'SF-8 over-committed cpu, nothing asked',
      cluster: [room('n1', pod('r', requests({ cpu: 5 })))],
      pod: pod('p'),
      ours: { n1: '' },
    },
    {
      id: 'SF-9 every shortage is reported',
      cluster: [room('n1', allocatable({ pods: 1 }), pod('r'))],
      pod: pod('p', requests({ cpu: 5, memory: '9Gi' })),
      ours: { n1: 'pods + cpu + memory' },
    },
    {
      id: 'SF-10 the init phase and the running phase do not add up',
      cluster: [room('n1', allocatable({ cpu: 3 }))],
      pod: pod('p', requests({ cpu: 1 }), init('setup', { cpu: 3 })),
      ours: { n1: '' },
    },
    {
      id: 'SF-11 a sidecar runs beside a later init container',
      cluster: [room('n1', allocatable({ cpu: 2 })), room('n2', allocatable({ cpu: 3 }))],
      pod: pod('p', requests({ cpu: 1 }), sidecar('proxy', { cpu: 1 }), init('setup', { cpu: 2 })),
      ours: { n1: 'cpu', n2: '' },
    },
    {
      id: 'SF-12 overhead counts',
      cluster: [room('n1', allocatable({ cpu: 2 }))],
      pod: pod('p', requests({ cpu: 1 }), spec({ overhead: { cpu: 1500 } })),
      ours: { n1: 'cpu' },
    },
    {
      id: 'SF-13 requests of the pod level replace the sum',
      cluster: [room('n1', allocatable({ cpu: 2 }))],
      pod: pod('p', requests({ cpu: 1 }), spec({ podRequests: { cpu: 3000 } })),
      ours: { n1: 'cpu' },
    },
    {
      id: "SF-14 a resident's pod level, too",
      cluster: [room('n1', pod('r', requests({ cpu: 1 }), spec({ podRequests: { cpu: 3000 } })))],
      pod: pod('p', requests({ cpu: '1500m' })),
      ours: { n1: 'cpu' },
    },
    {
      id: 'SF-15 a shrinking resident still holds what it was given',
      cluster: [room('n1', pod('r', requests({ cpu: 1 }), status({ containers: [given(3000, 3000)] })))],
      pod: pod('p', requests({ cpu: '1500m' })),
      ours: { n1: 'cpu' },
    },
    {
      id: 'SF-16 a resize that can never happen does not count',
      cluster: [
        room(
          'n1',
          pod(
            'r',
            requests({ cpu: 3 }),
            status({
              containers: [given(1000, undefined)],
              conditions: [condition('PodResizePending', 'True', 'Infeasible')],
            }),
          ),
        ),
      ],
      pod: pod('p', requests({ cpu: '1500m' })),
      ours: { n1: '' },
    },
    {
      id: 'SF-17 extended resources are counted',
      cluster: [room('n1', allocatable({ [GPU]: 2 }), pod('r', requests({ [GPU]: 1 })))],
      pod: pod('p', requests({ [GPU]: 2 })),
      ours: { n1: GPU },
    },
    {
      id: 'SF-18 what a node does not offer is 0',
      cluster: [room('n1'), room('n2', allocatable({ [GPU]: 1 }))],
      pod: pod('p', requests({ [GPU]: 1 })),
      ours: { n1: GPU, n2: '' },
    },
    {
      id: 'SF-19 none asked of what is not offered',
      cluster: [room('n1')],
      pod: pod('p', requests({ [GPU]: 0 })),
      ours: { n1: '' },
    },
    {
      id: 'SF-20 a node without pod slots takes nobody',
      cluster: [room('n1', lacks('pods'))],
      pod: pod('p'),
      ours: { n1: 'pods' },
    },
    {
      id: 'SF-21 one plugin speaks',
      cluster: [room('n1', taint('a:NoSchedule'))],
      pod: pod('p', requests({ cpu: 5 })),
      ours: { n1: 'taint' },
    },
    {
      id: 'SF-22 a pending pod of another scheduler is invisible',
      cluster: [room('n1'), pod('waiting', requests({ cpu: 4 }), spec({ schedulerName: 'other' }))],
      pod: pod('p', requests({ cpu: 4 })),
      ours: { n1: '' },
    },
    {
      id: 'SF-114 a resource that the profile ignores',
      cluster: [room('n1')],
      pod: pod('p', requests({ 'example.com/foo': 1 })),
      options: { ignoredResources: ['example.com/foo'] },
      ours: { n1: '' },
    },
    {
      id: 'SF-115 a group of resources that the profile ignores',
      cluster: [room('n1')],
      pod: pod('p', requests({ 'lab.example/bar': 1 })),
      options: { ignoredResourceGroups: ['lab.example'] },
      ours: { n1: '' },
    },
    {
      id: 'a pod on a node that is gone takes no room',
      cluster: [room('n1'), pod('lost', on('n9'), requests({ cpu: 4 }))],
      pod: pod('p', requests({ cpu: 4 })),
      ours: { n1: '' },
    },
  ]);

  it('says what is asked, what is free and what there is', () => {
    const cluster = snapshot(room('n1', allocatable({ pods: 1 }), pod('r', requests({ cpu: '2500m', memory: '7Gi' }))));
    const placement = createPlacement(cluster);
    const asking = pod('p', requests({ cpu: 1 }), container('second', { cpu: 1, memory: '2Gi', [GPU]: 1 }));
    assert.deepEqual(placement.misfits(asking, cluster.nodes[0]!), [
      { code: 'pods', text: 'no free pod slot, 1 of 1 taken' },
      { code: 'cpu', text: 'needs 2 cpu, 1500m of 4 free' },
      { code: 'memory', text: 'needs 2Gi memory, 1Gi of 8Gi free' },
      { code: GPU, text: 'needs 1 example.com/gpu, 0 of 0 free' },
    ]);
  });
});
