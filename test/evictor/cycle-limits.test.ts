import assert from 'node:assert/strict';
import { CycleLimits, noticeKey } from '../../src/evictor/limits/cycle-limits.ts';
import type { EvictionLimits } from '../../src/evictor/limits/limits.ts';
import * as given from '../builders/cluster.ts';

const shop = given.namespace('shop');
const inShop = given.pod('a', shop, given.on('n1'));

function limitsOf(limits: Partial<EvictionLimits>, ...counted: readonly ReturnType<typeof given.pod>[]): CycleLimits {
  const none = { total: undefined, node: undefined, namespace: undefined };
  const all = new CycleLimits({ ...none, ...limits }, { snapshot: given.snapshot(), now: new Date(given.CREATED) });
  for (const pod of counted) all.count(pod, 1);
  return all;
}

describe('limits of a cycle', () => {
  it('are none where the policy sets none', () => {
    assert.equal(limitsOf({}, inShop, inShop, inShop).hit(inShop), undefined);
  });

  it('are hit in this order: total, node, namespace', () => {
    const hit = (limits: Partial<EvictionLimits>) => limitsOf(limits, inShop).hit(given.pod('b', shop, given.on('n1')));
    assert.deepEqual(hit({ total: 1, node: 1, namespace: 1 }), {
      scope: 'total',
      by: 'maxNoOfPodsToEvictTotal',
      key: 'maxNoOfPodsToEvictTotal',
      reason: 'is kept because maxNoOfPodsToEvictTotal allows 1 eviction in this cycle; further pods are passed over',
    });
    assert.deepEqual(hit({ node: 1, namespace: 1 }), {
      scope: 'node',
      by: 'maxNoOfPodsToEvictPerNode',
      key: 'maxNoOfPodsToEvictPerNode on node n1',
      reason:
        'is kept because maxNoOfPodsToEvictPerNode allows 1 eviction on node n1 in this cycle; further pods are passed over',
    });
    assert.deepEqual(hit({ namespace: 1 }), {
      scope: 'namespace',
      by: 'maxNoOfPodsToEvictPerNamespace',
      key: 'maxNoOfPodsToEvictPerNamespace in namespace shop',
      reason:
        'is kept because maxNoOfPodsToEvictPerNamespace allows 1 eviction in namespace shop in this cycle; further pods are passed over',
    });
    assert.equal(hit({ total: 2, node: 2, namespace: 2 }), undefined);
  });

  it('count nodes and namespaces apart', () => {
    const limits = limitsOf({ node: 1, namespace: 1 }, inShop);
    assert.equal(limits.hit(given.pod('b', given.namespace('mail'), given.on('n2'))), undefined);
  });

  it('of 0 are none at all', () => {
    assert.equal(
      limitsOf({ node: 0 }).hit(inShop)?.reason,
      'is kept because maxNoOfPodsToEvictPerNode allows no eviction on node n1 in this cycle; further pods are passed over',
    );
  });

  it('per node do not concern a pod without a node', () => {
    assert.equal(limitsOf({ node: 0 }).hit(given.pod('a')), undefined);
  });

  it('are known from other reasons to refuse', () => {
    assert.deepEqual(
      ['maxNoOfPodsToEvictPerNode', 'maxNoOfPodsToEvictPerNamespace', 'maxNoOfPodsToEvictTotal', 'nodeFit'].map((by) =>
        noticeKey(by, inShop),
      ),
      [
        'maxNoOfPodsToEvictPerNode on node n1',
        'maxNoOfPodsToEvictPerNamespace in namespace shop',
        'maxNoOfPodsToEvictTotal',
        undefined,
      ],
    );
  });
});
