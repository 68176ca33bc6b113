import type { ResourceClaim } from '../../src/cluster/objects/kinds.ts';
import { labels, pod, spec, term, type Part } from '../builders/cluster.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import { filterRows, room } from './filter-rows.ts';

const claim: ResourceClaim = {
  kind: 'ResourceClaim',
  name: 'gpu',
  namespace: 'default',
  uid: 'uid-gpu',
  labels: {},
  allocated: true,
  nodeSelector: [term('rack in (r1)')],
};

const usesGpu = spec({ resourceClaims: [{ name: 'gpu', claim: 'gpu', template: undefined }] });
const racks = [room('n1', labels({ rack: 'r1' })), room('n2')];

const declares =
  (...declaredFeatures: readonly string[]): Part<Node> =>
  (before) => ({ ...before, declaredFeatures });

describe('placement: resource claims and declared features (rule S18, 2.14)', () => {
  filterRows([
    {
      id: 'an allocated claim keeps its pod near the devices',
      cluster: [...racks, claim],
      pod: pod('p', usesGpu),
      ours: { n1: '', n2: 'resource-claim' },
    },
    {
      id: 'an allocation without a node selector is everywhere',
      cluster: [...racks, { ...claim, nodeSelector: undefined }],
      pod: pod('p', usesGpu),
      ours: { n1: '', n2: '' },
    },
    {
      id: 'an unallocated claim; ours: fits nowhere for certain',
      cluster: [...racks, { ...claim, allocated: false, nodeSelector: undefined }],
      pod: pod('p', usesGpu),
      ours: { n1: 'resource-claim', n2: 'resource-claim' },
    },
    {
      id: 'a claim made from a template; ours: fits nowhere for certain',
      cluster: racks,
      pod: pod('p', spec({ resourceClaims: [{ name: 'gpu', claim: undefined, template: 'gpus' }] })),
      ours: { n1: 'resource-claim', n2: 'resource-claim' },
    },
    {
      id: 'a claim that does not exist',
      cluster: [...racks, { ...claim, name: 'other' }],
      pod: pod('p', usesGpu),
      ours: { n1: 'resource-claim', n2: 'resource-claim' },
    },
    {
      id: 'claims that could not be read are not judged',
      cluster: racks,
      pod: pod('p', usesGpu),
      ours: { n1: '', n2: '' },
    },
    {
      id: "a user namespace on the host's network must be declared",
      cluster: [room('n1', declares('UserNamespacesHostNetworkSupport')), room('n2')],
      pod: pod('p', spec({ hostNetwork: true, hostUsers: false })),
      ours: { n1: '', n2: 'features' },
    },
    {
      id: 'a restart of all containers must be declared',
      cluster: [room('n1', declares('RestartAllContainersOnContainerExits')), room('n2')],
      pod: pod('p', (before) =>
        spec({ containers: before.spec.containers.map((one) => ({ ...one, restartsAll: true })) })(before),
      ),
      ours: { n1: '', n2: 'features' },
    },
    {
      id: 'nothing else must be declared',
      cluster: [room('n1')],
      pod: pod('p', spec({ hostNetwork: true, hostUsers: true })),
      ours: { n1: '' },
    },
  ]);
});
