import assert from 'node:assert/strict';
import type { Service } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import { createPlacement } from '../../src/placement/fit.ts';
import {
  allocatable,
  cordoned,
  labels,
  nodeSelector,
  pod,
  snapshot,
  spreads,
  taint,
  term,
  terminating,
  type Part,
} from '../builders/cluster.ts';
import { filterRows, HOSTNAME, room, ZONE, zoned } from './filter-rows.ts';

const X = labels({ app: 'x' });

/** Residents labelled app=x. */
function x(count: number, nodeIndex: string) {
  return Array.from({ length: count }, (_, index) => pod(`x-${nodeIndex}-${index}`, X));
}

function zonedWith(name: string, count: number, ...parts: readonly Part<Node>[]) {
  return zoned(name, ...parts, ...x(count, name));
}

const byZone = spreads('app=x', ZONE);
const unschedulable = 'node.kubernetes.io/unschedulable:NoSchedule';

const service: Service = {
  kind: 'Service',
  name: 'x',
  namespace: 'default',
  uid: 'uid-service-x',
  labels: {},
  selector: { app: 'x' },
};

const listDefaults = {
  defaultConstraints: [
    {
      maxSkew: 1,
      topologyKey: ZONE,
      whenUnsatisfiable: 'DoNotSchedule',
      labelSelector: undefined,
      matchLabelKeys: [],
      minDomains: undefined,
      nodeAffinityPolicy: 'Honor',
      nodeTaintsPolicy: 'Ignore',
    },
  ],
} as const;

describe('placement: topology spread (rule S6)', () => {
  filterRows([
    {
      id: 'SF-51 the fuller zone is closed',
      cluster: [zonedWith('a1', 2), zonedWith('b1', 1)],
      pod: pod('p', X, byZone),
      ours: { a1: 'spread', b1: '' },
    },
    {
      id: 'SF-52 a pod that does not count itself',
      cluster: [zonedWith('a1', 2), zonedWith('b1', 1)],
      pod: pod('p', labels({ app: 'y' }), byZone),
      ours: { a1: '', b1: '' },
    },
    {
      id: 'SF-53 a node without the key',
      cluster: [zonedWith('a1', 1), zonedWith('b1', 1), room('n3')],
      pod: pod('p', X, byZone),
      ours: { a1: '', b1: '', n3: 'spread-key' },
    },
    {
      id: 'SF-54 fewer domains than minDomains',
      cluster: [zonedWith('a1', 1), zonedWith('b1', 1)],
      pod: pod('p', X, spreads('app=x', ZONE, { minDomains: 3 })),
      ours: { a1: 'spread', b1: 'spread' },
    },
    {
      id: 'SF-55 nodes that the affinity excludes are no domains',
      cluster: [
        zonedWith('a1', 1, labels({ pool: 'p' })),
        zonedWith('b1', 1, labels({ pool: 'p' })),
        zonedWith('c1', 0, labels({ pool: 'q' })),
      ],
      pod: pod('p', X, nodeSelector({ pool: 'p' }), byZone),
      ours: { a1: '', b1: '', c1: 'node-affinity' },
    },
    {
      id: 'SF-56 nodeAffinityPolicy Ignore',
      cluster: [
        zonedWith('a1', 1, labels({ pool: 'p' })),
        zonedWith('b1', 1, labels({ pool: 'p' })),
        zonedWith('c1', 0, labels({ pool: 'q' })),
      ],
      pod: pod('p', X, nodeSelector({ pool: 'p' }), spreads('app=x', ZONE, { nodeAffinityPolicy: 'Ignore' })),
      ours: { a1: 'spread', b1: 'spread', c1: 'node-affinity' },
    },
    {
      id: 'SF-57 a tainted node is a domain',
      cluster: [zonedWith('a1', 1), zonedWith('b1', 1), zonedWith('c1', 0, taint('t:NoSchedule'))],
      pod: pod('p', X, byZone),
      ours: { a1: 'spread', b1: 'spread', c1: 'taint' },
    },
    {
      id: 'SF-58 nodeTaintsPolicy Honor',
      cluster: [zonedWith('a1', 1), zonedWith('b1', 1), zonedWith('c1', 0, taint('t:NoSchedule'))],
      pod: pod('p', X, spreads('app=x', ZONE, { nodeTaintsPolicy: 'Honor' })),
      ours: { a1: '', b1: '', c1: 'taint' },
    },
    {
      id: 'SF-59 a cordon without its taint leaves a domain',
      cluster: [zonedWith('a1', 1), zonedWith('b1', 1), zonedWith('c1', 0, cordoned)],
      pod: pod('p', X, spreads('app=x', ZONE, { nodeTaintsPolicy: 'Honor' })),
      ours: { a1: 'spread', b1: 'spread', c1: 'cordon' },
    },
    {
      id: 'SF-60 a terminating pod does not count',
      cluster: [zoned('a1', pod('r1', X), pod('r2', X, terminating)), zonedWith('b1', 1)],
      pod: pod('p', X, byZone),
      ours: { a1: '', b1: '' },
    },
    {
      id: 'SF-61 no selector counts nobody',
      cluster: [zonedWith('a1', 3), zonedWith('b1', 0)],
      pod: pod('p', X, spreads('', ZONE, { labelSelector: undefined })),
      ours: { a1: '', b1: '' },
    },
    {
      id: 'SF-62 an empty selector; ours: counts everybody, as documented (D1)',
      cluster: [zonedWith('a1', 3), zonedWith('b1', 0)],
      pod: pod('p', X, spreads('', ZONE)),
      ours: { a1: 'spread', b1: '' },
      reference: { a1: '', b1: '' },
    },
    {
      id: 'SF-63 matchLabelKeys tell revisions apart',
      cluster: [
        zoned('a1', pod('r1', labels({ app: 'x', hash: '1' })), pod('r2', labels({ app: 'x', hash: '1' }))),
        zonedWith('b1', 0),
      ],
      pod: pod('p', labels({ app: 'x', hash: '2' }), spreads('app=x', ZONE, { matchLabelKeys: ['hash'] })),
      ours: { a1: '', b1: '' },
    },
    {
      id: 'SF-64 ScheduleAnyway forbids nothing',
      cluster: [zonedWith('a1', 2), zonedWith('b1', 0)],
      pod: pod('p', X, spreads('app=x', ZONE, { whenUnsatisfiable: 'ScheduleAnyway' })),
      ours: { a1: '', b1: '' },
    },
    {
      id: 'SF-65 by zone and by host',
      cluster: [zonedWith('a1', 1), zonedWith('a2', 1), zonedWith('b1', 1)],
      pod: pod('p', X, byZone, spreads('app=x', HOSTNAME)),
      ours: { a1: 'spread', a2: 'spread', b1: '' },
    },
    {
      id: 'SF-66 a full node is a domain',
      cluster: [zonedWith('a1', 1), zoned('b1', allocatable({ pods: 1 }), pod('other'))],
      pod: pod('p', X, byZone),
      ours: { a1: 'spread', b1: 'pods' },
    },
    {
      id: 'SF-67 a cordoned host is a domain',
      cluster: [room('n1', ...x(1, 'n1')), room('n2', ...x(1, 'n2')), room('n3', cordoned, taint(unschedulable))],
      pod: pod('p', X, spreads('app=x', HOSTNAME)),
      ours: { n1: 'spread', n2: 'spread', n3: 'cordon' },
    },
    {
      id: 'SF-68 minDomains reached',
      cluster: [zonedWith('a1', 2), zonedWith('b1', 0), zonedWith('c1', 0)],
      pod: pod('p', X, spreads('app=x', ZONE, { maxSkew: 2, minDomains: 3 })),
      ours: { a1: 'spread', b1: '', c1: '' },
    },
    {
      id: "SF-116 the profile's default constraints, by the Service",
      cluster: [zonedWith('a1', 1), zonedWith('b1', 0), service],
      pod: pod('p', X),
      options: listDefaults,
      ours: { a1: 'spread', b1: '' },
    },
    {
      id: 'SF-117 a node that addedAffinity excludes stays a domain',
      cluster: [zonedWith('a1', 1, labels({ disk: 'ssd' })), zonedWith('b1', 0), service],
      pod: pod('p', X),
      options: { ...listDefaults, addedAffinity: { required: [term('disk=ssd')], preferred: [] } },
      ours: { a1: 'spread', b1: 'added-affinity' },
    },
    {
      id: 'default constraints are void for a pod without Service and controller',
      cluster: [zonedWith('a1', 1), zonedWith('b1', 0), { ...service, selector: { app: 'y' } }],
      pod: pod('p', X),
      options: listDefaults,
      ours: { a1: '', b1: '' },
    },
    {
      id: 'default constraints are not for a pod that has one of its own',
      cluster: [zonedWith('a1', 1), zonedWith('b1', 0), service],
      pod: pod('p', X, spreads('app=x', HOSTNAME, { whenUnsatisfiable: 'ScheduleAnyway' })),
      options: listDefaults,
      ours: { a1: '', b1: '' },
    },
  ]);

  it('counts the pod itself as gone, in its own zone and in the emptiest', () => {
    const [own] = x(1, 'b1');
    const cluster = snapshot(zonedWith('a1', 2), zoned('b1', own!));
    const rule = pod(own!.name, X, byZone);
    const placement = createPlacement(cluster);
    assert.deepEqual(
      cluster.nodes.map((node) => placement.misfits(rule, node)),
      [
        [
          {
            code: 'spread',
            text: `spread of app=x by ${ZONE}: a would have 3, the emptiest has 0, maxSkew is 1`,
          },
        ],
        [],
      ],
    );
  });

  it('says which label a node lacks', () => {
    const cluster = snapshot(room('n1'));
    assert.deepEqual(createPlacement(cluster).misfits(pod('p', X, byZone), cluster.nodes[0]!), [
      { code: 'spread-key', text: `its topology spread needs the node label ${ZONE}` },
    ]);
  });
});
