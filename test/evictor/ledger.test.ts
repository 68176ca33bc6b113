import assert from 'node:assert/strict';
import { Ledger, noticeKey } from '../../src/evictor/ledger.ts';
import * as given from '../builders/cluster.ts';

const UNLIMITED = { total: undefined, node: undefined, namespace: undefined };
const shop = given.namespace('shop');

describe('ledger', () => {
  it('knows no limit where the policy sets none', () => {
    const ledger = new Ledger(UNLIMITED);
    for (const name of ['a', 'b', 'c']) ledger.book(given.pod(name, given.on('n1')), undefined);
    assert.equal(ledger.limitHit(given.pod('d', given.on('n1'))), undefined);
  });

  it('hits the total limit first, then that of the node, then that of the namespace', () => {
    const hit = (limits: object) => {
      const ledger = new Ledger({ ...UNLIMITED, ...limits });
      ledger.book(given.pod('a', shop, given.on('n1')), undefined);
      return ledger.limitHit(given.pod('b', shop, given.on('n1')));
    };
    assert.deepEqual(hit({ total: 1, node: 1, namespace: 1 }), {
      scope: 'total',
      by: 'maxNoOfPodsToEvictTotal',
      key: 'maxNoOfPodsToEvictTotal',
      reason: 'stays because maxNoOfPodsToEvictTotal allows 1 eviction in this cycle; further pods are passed over',
    });
    assert.deepEqual(hit({ node: 1, namespace: 1 }), {
      scope: 'node',
      by: 'maxNoOfPodsToEvictPerNode',
      key: 'maxNoOfPodsToEvictPerNode on node n1',
      reason:
        'stays because maxNoOfPodsToEvictPerNode allows 1 eviction on node n1 in this cycle; further pods are passed over',
    });
    assert.deepEqual(hit({ namespace: 1 }), {
      scope: 'namespace',
      by: 'maxNoOfPodsToEvictPerNamespace',
      key: 'maxNoOfPodsToEvictPerNamespace in namespace shop',
      reason:
        'stays because maxNoOfPodsToEvictPerNamespace allows 1 eviction in namespace shop in this cycle; further pods are passed over',
    });
    assert.equal(hit({ total: 2, node: 2, namespace: 2 }), undefined);
  });

  it('counts nodes and namespaces apart', () => {
    const ledger = new Ledger({ total: undefined, node: 1, namespace: 1 });
    ledger.book(given.pod('a', shop, given.on('n1')), undefined);
    assert.equal(ledger.limitHit(given.pod('b', given.namespace('mail'), given.on('n2'))), undefined);
  });

  it('takes a limit of 0 for none at all', () => {
    const hit = new Ledger({ ...UNLIMITED, node: 0 }).limitHit(given.pod('a', given.on('n1')));
    assert.equal(
      hit?.reason,
      'stays because maxNoOfPodsToEvictPerNode allows no eviction on node n1 in this cycle; further pods are passed over',
    );
  });

  it('asks a pod without a node for no node limit', () => {
    assert.equal(new Ledger({ ...UNLIMITED, node: 0 }).limitHit(given.pod('a')), undefined);
  });

  it('books disruptions and replicas, and frees all of it again', () => {
    const ledger = new Ledger({ total: 1, node: 1, namespace: 1 });
    const budget = given.budget('web', '');
    const pod = given.pod('a', given.on('n1'));
    const spent = () => ({
      has: ledger.has(pod),
      evicted: [...ledger.evicted],
      budget: ledger.spentOf(budget),
      owner: ledger.evictedOf('uid-ReplicaSet-replicaset-1'),
      limited: ledger.limitHit(given.pod('b', given.on('n1')))?.by,
      failure: ledger.failureOf(pod),
    });
    const nothing = { has: false, evicted: [], budget: 0, owner: 0, limited: undefined, failure: undefined };
    assert.deepEqual(spent(), nothing);
    ledger.book(pod, budget);
    const booked = { ...nothing, has: true, evicted: [pod.uid], budget: 1, owner: 1 };
    assert.deepEqual(spent(), { ...booked, limited: 'maxNoOfPodsToEvictTotal' });
    ledger.fail(pod, 'no permission');
    assert.deepEqual(spent(), { ...nothing, failure: 'no permission' });
  });

  it('frees a pod once only', () => {
    const ledger = new Ledger(UNLIMITED);
    const budget = given.budget('web', '');
    ledger.book(given.pod('a'), budget);
    ledger.book(given.pod('b'), budget);
    ledger.cancel(given.pod('a'));
    ledger.cancel(given.pod('a'));
    assert.equal(ledger.spentOf(budget), 1);
  });

  it('does not count a failed pod as a lost replica', () => {
    const ledger = new Ledger(UNLIMITED);
    ledger.book(given.pod('a', given.phase('Failed')), undefined);
    assert.equal(ledger.evictedOf('uid-ReplicaSet-replicaset-1'), 0);
  });

  it('tells limits from other reasons to refuse', () => {
    const pod = given.pod('a', shop, given.on('n1'));
    assert.deepEqual(
      ['maxNoOfPodsToEvictPerNode', 'maxNoOfPodsToEvictPerNamespace', 'maxNoOfPodsToEvictTotal', 'nodeFit'].map((by) =>
        noticeKey(by, pod),
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
