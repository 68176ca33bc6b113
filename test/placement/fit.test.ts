import assert from 'node:assert/strict';
import type { Workload } from '../../src/cluster/objects/kinds.ts';
import type { Node } from '../../src/cluster/objects/node.ts';
import type { Pod } from '../../src/cluster/objects/pod.ts';
import { createPlacement, type Placement } from '../../src/placement/fit.ts';
import {
  allocatable,
  apart,
  hostPort,
  labels,
  near,
  node,
  ownedBy,
  pod,
  requests,
  snapshot,
  spec,
  spreads,
} from '../builders/cluster.ts';
import { HOSTNAME, room, ZONE, zoned } from './filter-rows.ts';

function codes(placement: Placement, asked: Pod, nodes: readonly Node[]): readonly string[] {
  return nodes.map((one) =>
    placement
      .misfits(asked, one)
      .map(({ code }) => code)
      .join('+'),
  );
}

const X = labels({ app: 'x' });

describe('placement: the pod itself', () => {
  it('is gone from its room, its port and all counts', () => {
    const alone = pod(
      'p',
      X,
      requests({ cpu: 3 }),
      hostPort(80),
      apart('app=x', ZONE),
      spreads('app=x', ZONE, { minDomains: 2 }),
    );
    const cluster = snapshot(zoned('a1', alone), zoned('a2'), zoned('b1'));
    assert.deepEqual(codes(createPlacement(cluster), alone, cluster.nodes), ['', '', '']);
  });

  it('is the first of its kind again if nobody else is', () => {
    const alone = pod('p', X, near('app=x', ZONE));
    const cluster = snapshot(zoned('a1', alone), zoned('b1'));
    assert.deepEqual(codes(createPlacement(cluster), alone, cluster.nodes), ['', '']);
  });

  it('takes the requests of the template if its own were changed in place', () => {
    const workload: Workload = {
      kind: 'ReplicaSet',
      name: 'rs',
      namespace: 'default',
      uid: 'uid-rs',
      labels: {},
      owners: [],
      selector: undefined,
      templateRequests: { containers: { main: { cpu: 3000 } }, pod: undefined },
      podReplacementPolicy: undefined,
    };
    const created = pod('p', ownedBy('ReplicaSet', 'rs'), requests({ cpu: 1 }));
    const resized = { ...created, name: 'q', uid: 'uid-q', generation: 2 };
    const cluster = snapshot(node('n1', allocatable({ cpu: 2 })), workload);
    const placement = createPlacement(cluster);
    assert.deepEqual(placement.misfits(created, cluster.nodes[0]!), []);
    assert.deepEqual(placement.misfits(resized, cluster.nodes[0]!), [
      { code: 'cpu', text: 'needs 3 cpu, 2 of 2 free' },
    ]);
  });
});

describe('placement: booked evictions (rule S30)', () => {
  it('keep the old room, port and affinity matches, but not the spread count', () => {
    const victim = pod('v', X, requests({ cpu: 4 }), hostPort(80));
    const cluster = snapshot(zoned('a1', victim), zoned('b1'));
    const placement = createPlacement(cluster);
    const asked = [
      pod('room', requests({ cpu: 1 })),
      pod('port', hostPort(80)),
      pod('apart', apart('app=x', ZONE)),
      pod('near', near('app=x', ZONE)),
      pod('spread', X, spreads('app=x', ZONE)),
    ];
    const answers = () => asked.map((one) => codes(placement, one, cluster.nodes));
    const before = answers();
    assert.deepEqual(before, [
      ['cpu', ''],
      ['ports', ''],
      ['anti', ''],
      ['', 'pod-affinity'],
      ['spread', ''],
    ]);
    placement.assume(victim, undefined);
    assert.deepEqual(answers(), [
      ['cpu', ''],
      ['ports', ''],
      ['anti', ''],
      ['', 'pod-affinity'],
      ['', ''],
    ]);
    placement.forget(victim);
    assert.deepEqual(answers(), before);
  });

  it('put the replacement in the promised place, with everything that it brings', () => {
    const victim = pod('v', X, requests({ cpu: 4 }), hostPort(80), apart('app=y', HOSTNAME));
    const cluster = snapshot(room('n1', victim), room('n2'), room('n3'));
    const placement = createPlacement(cluster);
    const asked = [
      pod('room', requests({ cpu: 1 })),
      pod('port', hostPort(80)),
      pod('apart', apart('app=x', HOSTNAME)),
      pod('near', near('app=x', HOSTNAME)),
      pod('existing', labels({ app: 'y' })),
      pod('spread', X, spreads('app=x', HOSTNAME)),
    ];
    const answers = () => asked.map((one) => codes(placement, one, cluster.nodes));
    const before = answers();
    placement.assume(victim, cluster.nodes[1]);
    assert.deepEqual(answers(), [
      ['cpu', 'cpu', ''],
      ['ports', 'ports', ''],
      ['anti', 'anti', ''],
      ['', '', 'pod-affinity'],
      ['existing-anti', 'existing-anti', ''],
      ['', 'spread', ''],
    ]);
    placement.assume(victim, cluster.nodes[2]);
    assert.deepEqual(answers()[0], ['cpu', '', 'cpu']);
    placement.forget(victim);
    placement.forget(victim);
    assert.deepEqual(answers(), before);
  });

  it('let one free place justify one eviction', () => {
    const [first, second] = [pod('p1', requests({ cpu: 3 })), pod('p2', requests({ cpu: 3 }))];
    const cluster = snapshot(room('n1', first), room('n2', second), room('n3'));
    const placement = createPlacement(cluster);
    const n3 = cluster.nodes.slice(2);
    assert.deepEqual(placement.fitting(first, n3), n3);
    placement.assume(first, n3[0]);
    assert.deepEqual(placement.fitting(second, cluster.nodes.slice(0, 1)), []);
    assert.deepEqual(placement.fitting(second, n3), []);
  });
});

describe('placement: summary and likely nodes', () => {
  it('counts nodes by code, most frequent first', () => {
    const cluster = snapshot(
      room('n1', allocatable({ pods: 0, cpu: 1 })),
      room('n2', allocatable({ cpu: 1 })),
      room('n3', labels({ pool: 'x' })),
      room('n4'),
    );
    const asked = pod('p', requests({ cpu: 2 }), spec({ nodeSelector: {} }));
    const placement = createPlacement(cluster);
    assert.deepEqual(
      placement.summary(asked, [...cluster.nodes, node('stranger')]).map((it) => [it.code, it.count, it.example.name]),
      [
        ['cpu', 2, 'n1'],
        ['no-node', 1, 'stranger'],
        ['pods', 1, 'n1'],
      ],
    );
    assert.deepEqual(placement.misfits(asked, node('stranger')), [
      { code: 'no-node', text: 'node stranger does not exist' },
    ]);
  });

  it('are those with most room that fit while the victim terminates, by name', () => {
    const victim = pod('v', requests({ cpu: 1, memory: '1Gi' }));
    const cluster = snapshot(
      room('n1', victim),
      room('n2'),
      room('n3', pod('r', requests({ cpu: 1 }))),
      room('n4'),
      room('n5', allocatable({ pods: 0 })),
    );
    const likely = createPlacement(cluster).likely(victim, cluster.nodes.toReversed());
    assert.deepEqual(
      likely.map(({ name }) => name),
      ['n2', 'n4'],
    );
  });

  it('wait for the victim to be gone if it is in its own way', () => {
    const victim = pod('v', requests({ cpu: 3 }));
    const cluster = snapshot(room('n1', victim), room('n2', pod('r', requests({ cpu: 2 }))));
    assert.deepEqual(createPlacement(cluster).likely(victim, cluster.nodes), cluster.nodes.slice(0, 1));
  });
});
